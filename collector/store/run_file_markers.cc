// What LIKWID counted, to the run file and back.
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "collector/store/statements.h"

namespace rafter {
namespace {

constexpr const char* kOrigins[] = {"assumed", "given", "kept", "proved"};

// More are of a file that nobody wrote in earnest.
constexpr uint64_t kMostGroups = 4096;
constexpr uint64_t kMostValues = 4096;

std::string OriginText(ScaleOrigin origin) { return kOrigins[static_cast<size_t>(origin)]; }

// A word of a later Rafter's says nothing that we could rely on.
ScaleOrigin ToOrigin(const std::string& text) {
  for (size_t i = 0; i < std::size(kOrigins); ++i) {
    if (text == kOrigins[i]) return static_cast<ScaleOrigin>(i);
  }
  return ScaleOrigin::kAssumed;
}

std::optional<double> Finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

void TakeEvents(Statement& row, MarkerReadings& read) {
  while (row.Step()) {
    const uint64_t group = row.U64(0);
    if (group >= kMostGroups) continue;
    if (group >= read.events.size()) read.events.resize(group + 1);
    read.events[group].push_back(row.Text(1));
  }
}

void TakeReadings(Statement& row, Statement& value, MarkerReadings& read) {
  std::map<uint64_t, size_t> places;  // by position in the file
  while (row.Step()) {
    places[row.U64(0)] = read.readings.size();
    MarkerReading& reading = read.readings.emplace_back();
    reading.region = row.Text(1);
    reading.group = row.U32(2);
    reading.gpu = static_cast<int>(row.I64(3));
    reading.calls = row.U64(4);
    if (!row.IsNull(5)) reading.time_s = row.Real(5);
  }
  while (value.Step()) {
    const auto place = places.find(value.U64(0));
    const uint64_t at = value.U64(1);
    if (place == places.end() || at >= kMostValues) continue;
    std::vector<double>& values = read.readings[place->second].values;
    if (at >= values.size()) values.resize(at + 1, std::numeric_limits<double>::quiet_NaN());
    if (!value.IsNull(2)) values[at] = value.Real(2);
  }
}

}  // namespace

absl::StatusOr<int64_t> RunFile::AddMarkerProcess(const RunProcess& process) {
  const absl::StatusOr<int64_t> id = AddProcess(process);
  if (!id.ok()) return id;
  for (const RunDevice& device : process.devices) RAFTER_STORE_TRY(AddDevice(*id, device, {}));
  if (!process.ending.empty()) RAFTER_STORE_TRY(SetEnding(*id, process.ending));
  return id;
}

absl::Status RunFile::AddMarkerReadings(const MarkerReadings& markers) {
  Statements& db = *statements_;
  RAFTER_STORE_TRY(db.CommitIfDue());
  for (const char* sql :
       {"DELETE FROM marker_values WHERE marker IN (SELECT marker FROM markers WHERE process=? AND"
        " run=? AND source=?)",
        "DELETE FROM marker_readings WHERE marker IN (SELECT marker FROM markers WHERE process=?"
        " AND run=? AND source=?)",
        "DELETE FROM marker_events WHERE marker IN (SELECT marker FROM markers WHERE process=? AND"
        " run=? AND source=?)",
        "DELETE FROM markers WHERE process=? AND run=? AND source=?"}) {
    RAFTER_STORE_TRY(db.Write(sql, markers.process, markers.run, markers.source));
  }
  RAFTER_STORE_TRY(
      db.Write("INSERT INTO markers (process, run, source, scale, scale_origin, contradiction)"
               " VALUES (?,?,?,?,?,?)",
               markers.process, markers.run, markers.source, markers.scale,
               OriginText(markers.origin), markers.contradiction));
  const int64_t id = sqlite3_last_insert_rowid(database_);
  for (size_t g = 0; g < markers.events.size(); ++g) {
    for (size_t e = 0; e < markers.events[g].size(); ++e) {
      RAFTER_STORE_TRY(db.Write("INSERT INTO marker_events VALUES (?,?,?,?)", id,
                                static_cast<uint64_t>(g), static_cast<uint64_t>(e),
                                markers.events[g][e]));
    }
  }
  for (size_t r = 0; r < markers.readings.size(); ++r) {
    const MarkerReading& reading = markers.readings[r];
    RAFTER_STORE_TRY(db.Write("INSERT INTO marker_readings VALUES (?,?,?,?,?,?,?)", id,
                              static_cast<uint64_t>(r), reading.region, reading.group, reading.gpu,
                              reading.calls, reading.time_s));
    for (size_t v = 0; v < reading.values.size(); ++v) {
      RAFTER_STORE_TRY(db.Write("INSERT INTO marker_values VALUES (?,?,?,?)", id,
                                static_cast<uint64_t>(r), static_cast<uint64_t>(v),
                                Finite(reading.values[v])));
    }
  }
  return absl::OkStatus();
}

absl::Status RunFile::ReadMarkers(Run& run, uint32_t command) {
  Statements& db = *statements_;
  Statement row(
      db.Get("SELECT marker, process, run, source, scale, scale_origin, contradiction FROM markers"
             " WHERE process IN (SELECT process FROM processes WHERE command=?) ORDER BY marker"));
  row.Bind(command);
  while (row.Step()) {
    MarkerReadings& read = run.markers.emplace_back();
    read.process = row.I64(1);
    read.run = row.U32(2);
    read.source = row.Text(3);
    read.scale = row.Real(4);
    read.origin = ToOrigin(row.Text(5));
    read.contradiction = row.Text(6);
    Statement event(
        db.Get("SELECT event_group, event FROM marker_events WHERE marker=?"
               " ORDER BY event_group, position"));
    Statement reading(
        db.Get("SELECT position, region, event_group, gpu, calls, time_s FROM marker_readings"
               " WHERE marker=? ORDER BY position"));
    Statement value(
        db.Get("SELECT reading, position, value FROM marker_values WHERE marker=?"
               " ORDER BY reading, position"));
    for (Statement* each : {&event, &reading, &value}) each->Bind(row.I64(0));
    TakeEvents(event, read);
    TakeReadings(reading, value, read);
    if (!event.ok() || !reading.ok() || !value.ok()) return db.ReadFailure();
  }
  return row.ok() ? absl::OkStatus() : db.ReadFailure();
}

}  // namespace rafter
