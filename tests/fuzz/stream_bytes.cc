#include "tests/fuzz/stream_bytes.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collector/bench_report/bench_report.h"
#include "collector/bench_report/join_report.h"
#include "collector/bench_report/sound_json.h"
#include "collector/ingest/collector.h"
#include "collector/ingest/frame_reader.h"
#include "collector/ingest/ledger.h"
#include "collector/ingest/marker_file.h"
#include "collector/ingest/marker_scale.h"
#include "collector/ingest/stream.h"
#include "collector/plan/likwid_events.h"
#include "collector/table/table.h"

namespace rafter {
namespace {

[[noreturn]] void Abort(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

// What a reader made of the bytes: types and lengths, and whether it ended in a
// fault.
std::vector<uint64_t> Outcome(std::string_view bytes, size_t piece) {
  FrameReader reader;
  std::vector<uint64_t> seen;
  while (!bytes.empty()) {
    reader.Append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      const auto frame = reader.Next();
      if (!frame.ok()) {
        seen.push_back(UINT64_MAX);
        return seen;
      }
      if (!frame->has_value()) break;
      seen.push_back(uint64_t{(*frame)->type} << 32 | (*frame)->message.size());
    }
  }
  return seen;
}

// A folder in memory where there is one: a run file for each input.
std::string Folder() {
  static const std::string* const folder = [] {
    std::string pattern =
        access("/dev/shm", W_OK) == 0 ? "/dev/shm/rafter-fuzz-XXXXXX" : "/tmp/rafter-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) Abort("no temporary folder");
    static std::string made;
    made = pattern;
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(made, ignored);
    });
    return &made;
  }();
  return *folder;
}

CuptiSearch NoCupti() {
  return {.override_path = "/nowhere", .cuda_home = "", .reuse_mapped = false};
}

std::unique_ptr<RunFile> NewRunFile() {
  auto file = RunFile::Create(Folder() + "/fuzz.rafter", RunFile::Existing::kReplace);
  if (!file.ok()) Abort(file.status().ToString());
  return std::move(*file);
}

void CheckReadable(RunFile& file) {
  const absl::StatusOr<Run> run = file.Read();
  if (!run.ok()) Abort("the run cannot be read: " + run.status().ToString());
  for (const RunProcess& process : run->processes) {
    for (const RegionPath& path : process.paths) {
      if (path.parent >= path.path) Abort("a region is above its own parent");
    }
  }
  const Table table = BuildTable(*run, {});
  if (ToCsv(table).empty()) Abort("a table without a header");
  const auto waiting = file.UnevaluatedEpochs();
  if (!waiting.ok()) Abort("epochs cannot be read: " + waiting.status().ToString());
}

}  // namespace

void FeedFrameReader(std::string_view bytes) {
  const std::vector<uint64_t> whole = Outcome(bytes, bytes.size() + 1);
  for (const size_t piece : {1, 7, 64}) {
    if (Outcome(bytes, piece) != whole) Abort("pieces change what a stream means");
  }
}

void FeedStream(std::string_view bytes) {
  const std::unique_ptr<RunFile> file = NewRunFile();
  CollectorOptions options;
  options.cupti = NoCupti();
  Ledger ledger(*file, options);
  {
    uint64_t replies = 0;
    Stream stream(ledger, [&replies](const std::string& frame) { replies += frame.size(); });
    const absl::Status taken = stream.Take(bytes);
    stream.End(taken.ok() ? Stream::Ending::kPeerLeft : Stream::Ending::kRefused);
  }
  CheckReadable(*file);
}

void FeedSpool(std::string_view bytes) {
  const std::unique_ptr<RunFile> file = NewRunFile();
  const std::string path = Folder() + "/fuzz.spool";
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  CollectorOptions options;
  options.cupti = NoCupti();
  Collector collector(*file, options);
  collector.Ingest(path).IgnoreError();
  CheckReadable(*file);
}

void FeedMarkerFile(std::string_view bytes) {
  IsMarkerFile(bytes);
  const std::vector<std::vector<std::string>> lists[] = {
      {{"A_SUM"}}, {{"INST_EXECUTED_SUM", "B_PCT"}, {"DRAM_BYTES_SUM"}}};
  for (const auto& events : lists) {
    const auto file = ParseMarkerFile(bytes, "fuzz.marker", events);
    if (!file.ok()) continue;
    Run run;
    run.markers = {file->markers};
    for (const MarkerReading& reading : file->markers.readings) {
      if (reading.group >= events.size() || reading.values.size() != events[reading.group].size()) {
        Abort("a reading is not of the list of events");
      }
    }
    const KnownTruth truth{{{"a", 1}, {"b", 0}}, {{"a", "A_SUM", 5}}};
    run.markers[0].contradiction = WhyNoConstantScale(run.markers[0], truth);
    ToCsv(BuildTable(run, {}));
  }
}

void FeedBenchReport(std::string_view bytes) {
  if (SoundJson(SoundJson(bytes).text).mended > 0) Abort("mended text is still not sound");
  const auto report = ReadBenchReport(bytes);
  if (!report.ok()) return;
  std::set<std::string> names;
  Table table;
  for (const Benchmark& benchmark : report->benchmarks) {
    if (benchmark.run_name.empty() || benchmark.run_name.size() > BenchReport::kMostNameBytes) {
      Abort("a run name is out of bounds");
    }
    if (!names.insert(benchmark.run_name).second) Abort("a run name is there twice");
    table.rows.emplace_back().region = "a/" + benchmark.run_name + "/b:c";
    if (!ProblemOfRegion(*report, benchmark.run_name)) Abort("a run name is not found");
  }
  std::vector<std::string> notes;
  JoinReport(*report, table, notes);
  ToCsv(table);
}

void FeedEventList(std::string_view bytes) {
  const auto groups = ParseEventList(bytes);
  if (!groups.ok()) return;
  for (const auto& group : *groups) {
    if (group.empty()) Abort("a group of events is empty");
    for (const ListedEvent& event : group) MetricOfEvent(event.name);
  }
}

}  // namespace rafter
