#include "collector/ingest/marker_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "collector/ingest/from_wire.h"

namespace rafter {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

RunDevice DeviceOf(const MarkerResultGpu& gpu) {
  RunDevice device;
  device.device = gpu.ordinal;
  device.uuid = gpu.uuid;
  device.pci_address = Utf8Text(gpu.pci_address);
  device.name = Utf8Text(gpu.name);
  device.sm_count = gpu.sm_count;
  device.memory_bytes = gpu.memory_bytes;
  device.sm_clock_hz = gpu.sm_clock_hz;
  device.compute_major = gpu.compute_major;
  device.compute_minor = gpu.compute_minor;
  return device;
}

std::string CallsText(uint64_t calls) {
  return std::to_string(calls) + (calls == 1 ? " marker call" : " marker calls");
}

std::vector<RunNote> NotesOf(const MarkerResult& result) {
  std::vector<RunNote> notes;
  if (!result.likwid.empty()) {
    notes.push_back({"information", "counters", "counted by " + Utf8Text(result.likwid)});
  }
  // Where there are numbers it says how far to trust them.
  const bool counted = std::any_of(result.readings.begin(), result.readings.end(),
                                   [](const MarkerResultReading& reading) {
                                     return reading.calls > 0 && !reading.values.empty();
                                   });
  for (const std::string& trouble : result.troubles) {
    notes.push_back({counted ? "warning" : "failure", "counters", "LIKWID: " + Utf8Text(trouble)});
  }
  for (const MarkerResultIgnored& ignored : result.ignored) {
    notes.push_back({"warning", "regions",
                     "region " + Utf8Text(ignored.region) + ": " + CallsText(ignored.calls) +
                         " on threads that LIKWID does not count; it counts the thread that called "
                         "INIT, so mark regions there"});
  }
  return notes;
}

double CountOrNothing(double value) {
  return std::isfinite(value) && value >= 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

RunProcess MarkerProcessOf(const MarkerResult& result) {
  RunProcess process;  // `replay` is of runs that Rafter's own library counted
  process.host = Utf8Text(result.host);
  process.pid = result.pid;
  process.start_ticks = result.start_ticks;
  process.boot_id = Utf8Text(result.boot_id);
  process.executable = Utf8Text(result.executable);
  process.rank = result.rank;
  process.ending = "exit";
  for (const MarkerResultGpu& gpu : result.gpus) process.devices.push_back(DeviceOf(gpu));
  process.notes = NotesOf(result);
  return process;
}

MarkerReadings MarkerReadingsOf(const MarkerResult& result, const MarkerCounting& counting,
                                int64_t process) {
  MarkerReadings readings;
  readings.process = process;
  readings.run = counting.run;
  readings.source = counting.name;
  readings.events = {counting.events};
  readings.scale = counting.scale;
  readings.origin = counting.origin;
  std::set<std::string> counted;
  for (const MarkerResultReading& each : result.readings) {
    MarkerReading reading;
    reading.region = Utf8Text(each.region);
    reading.gpu = static_cast<int>(each.gpu);
    reading.calls = each.calls;
    if (each.calls > 0) reading.time_s = static_cast<double>(each.time_ns) / kNanosecondsPerSecond;
    for (const double value : each.values) reading.values.push_back(CountOrNothing(value));
    counted.insert(each.region);
    readings.readings.push_back(std::move(reading));
  }
  // Regions without any number have a row, which says so.
  const auto add_empty = [&](const std::string& region) {
    if (!counted.insert(region).second) return;
    MarkerReading reading;
    reading.region = Utf8Text(region);
    if (!result.gpus.empty()) reading.gpu = static_cast<int>(result.gpus.front().ordinal);
    reading.values.assign(counting.events.size(), std::numeric_limits<double>::quiet_NaN());
    readings.readings.push_back(std::move(reading));
  };
  for (const MarkerResultIgnored& ignored : result.ignored) {
    add_empty(ignored.region);
  }
  for (const std::string& region : result.regions) add_empty(region);
  return readings;
}

}  // namespace rafter
