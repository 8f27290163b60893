// Lanes, rates and packets of a timeline. Whole traces: contract.perfetto_trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/trace/epoch_rates.h"
#include "collector/trace/packet_writer.h"
#include "collector/trace/slice_lanes.h"
#include "collector/trace/trace.h"
#include "tests/unit/run_maker.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::Pair;

class Lanes : public ::testing::Test {
 protected:
  std::optional<size_t> Begin(uint32_t path, uint64_t start_ns, uint64_t end_ns) {
    return lanes_.Begin(path, start_ns, end_ns);
  }

  std::vector<std::pair<size_t, uint64_t>> ended_;
  SliceLanes lanes_{[this](size_t lane, uint64_t end_ns) { ended_.emplace_back(lane, end_ns); },
                    // 2 is below 1; nothing else is below anything.
                    [](uint32_t path, uint32_t above) { return path == 2 && above == 1; }};
};

TEST_F(Lanes, PassesThatNestStayInTheThreadsOwn) {
  EXPECT_THAT(Begin(1, 0, 100), Optional(0u));
  EXPECT_THAT(Begin(2, 10, 50), Optional(0u));
  EXPECT_THAT(Begin(2, 50, 100), Optional(0u));
  EXPECT_THAT(ended_, ElementsAre(Pair(0, 50)));
  lanes_.Finish();
  EXPECT_THAT(ended_, ElementsAre(Pair(0, 50), Pair(0, 100), Pair(0, 100)));
}

TEST_F(Lanes, WhatCrossesGetsALaneThatIsUsedAgain) {
  EXPECT_THAT(Begin(3, 0, 100), Optional(0u));
  EXPECT_THAT(Begin(4, 50, 150), Optional(1u));
  EXPECT_THAT(Begin(5, 60, 160), Optional(2u));
  EXPECT_THAT(Begin(3, 200, 300), Optional(0u));
  EXPECT_THAT(Begin(4, 250, 350), Optional(1u));
  EXPECT_THAT(ended_, ElementsAre(Pair(0, 100), Pair(1, 150), Pair(2, 160)));
}

TEST_F(Lanes, APassOfNoLengthAtTheEndOfItsRegionIsInsideAndAtThatOfAnotherBehind) {
  Begin(1, 0, 100);
  Begin(2, 100, 100);
  EXPECT_THAT(ended_, ElementsAre());
  Begin(3, 100, 100);
  EXPECT_THAT(ended_, ElementsAre(Pair(0, 100), Pair(0, 100)));
}

TEST_F(Lanes, MoreThanCanBeDrawnAreRefused) {
  for (size_t at = 0; at < SliceLanes::kMostLanes; ++at) {
    EXPECT_THAT(Begin(3, at, 1000 + at), Optional(at));
  }
  EXPECT_EQ(Begin(3, 500, 5000), std::nullopt);
  EXPECT_THAT(Begin(3, 600, 700), Optional(0u));
}

class Rates : public ::testing::Test {
 protected:
  Rates() {
    process_.devices.emplace_back();
    process_.devices[0].sets = {TimeSet(), MemorySet(), FlopSet()};
  }
  Epoch& Add(const std::string& set, std::vector<SlotValues> slots) {
    Epoch& epoch = process_.epochs.emplace_back();
    epoch.epoch = static_cast<uint32_t>(process_.epochs.size());
    epoch.set = set;
    epoch.slots = std::move(slots);
    return epoch;
  }
  static SlotValues Slot(uint32_t path, uint64_t calls, Values values) {
    return {path, calls, 0, calls, true, std::move(values)};
  }
  std::vector<std::optional<double>> Of(const Epoch& epoch) const {
    return EpochRates(process_, process_.devices[0]).Of(epoch);
  }

  RunProcess process_;
};

TEST_F(Rates, TrafficIsByTheTimeOfAllRangesAndTheClockIsWeighted) {
  Values fast = Memory(1000, 3000);
  Values slow = Memory(3000, 1000);
  fast[4] = 2e9;
  slow[4] = 1e9;
  const auto rates = Of(Add("memory", {Slot(1, 1, fast), Slot(2, 1, slow)}));
  EXPECT_THAT(rates[0], Optional(DoubleEq(1e9)));
  EXPECT_THAT(rates[4], Optional(DoubleEq(1.25e9)));
  EXPECT_EQ(rates[1], std::nullopt);
}

TEST_F(Rates, ARangeWithoutAValueLeavesNoRateButOneThatWasNotUsedDoes) {
  Values lacking = Memory(1000, 1000);
  lacking[1] = std::nullopt;
  EXPECT_EQ(Of(Add("memory", {Slot(1, 1, Memory(1, 1)), Slot(2, 1, lacking)}))[0], std::nullopt);
  SlotValues unused = Slot(2, 0, lacking);
  EXPECT_THAT(Of(Add("memory", {Slot(1, 1, Memory(1000, 500)), unused}))[0],
              Optional(DoubleEq(0.5e9)));
  SlotValues unevaluated = Slot(1, 1, {});
  unevaluated.evaluated = false;
  EXPECT_EQ(Of(Add("memory", {unevaluated}))[0], std::nullopt);
}

TEST_F(Rates, WorkIsByTheTimeThatTheSameCallsTakeUnslowed) {
  Add("memory", {Slot(1, 2, Memory(1000, 1))});
  Add("time", {Slot(1, 2, {800.0})});
  // 2 calls of 400 ns: 10 + 20 + 2 x 30 operations in 800 ns.
  Epoch& flop = Add("flop", {Slot(1, 2, {10.0, 20.0, 30.0, 1.0})});
  EXPECT_THAT(Of(flop)[1], Optional(DoubleEq(90 / 800e-9)));
  EXPECT_EQ(Of(flop)[2], std::nullopt) << "no FP64 counter in this set";
  flop.slots.push_back(Slot(7, 1, {0.0, 0.0, 0.0, 1.0}));
  EXPECT_EQ(Of(flop)[1], std::nullopt) << "nobody knows how long region 7 takes";
}

TEST_F(Rates, WorkOfACallThatIsNotWholeHasNoRate) {
  Add("time", {Slot(1, 2, {800.0})});
  Epoch& flop = Add("flop", {Slot(1, 2, {10.0, 20.0, 30.0, 1.0})});
  ASSERT_NE(Of(flop)[1], std::nullopt);
  flop.slots[0].incomplete = 1;
  EXPECT_EQ(Of(flop)[1], std::nullopt);
}

// A run file of two processes that had one pid on two hosts.
class TraceFile : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = RunFile::Create(folder_ / "a.rafter", RunFile::Existing::kRefuse);
    ASSERT_TRUE(made.ok()) << made.status();
    file_ = *std::move(made);
    for (const char* host : {"node1", "node2"}) {
      RunProcess process;
      process.host = host;
      process.pid = 77;
      process.executable = "/opt/bench";
      process.monotonic_ns = 1000;
      process.realtime_ns = 5000;
      const auto id = file_->AddProcess(process);
      ASSERT_TRUE(id.ok());
      processes_.push_back(*id);
    }
  }
  perfetto::Trace Make() {
    const auto run = file_->Read();
    EXPECT_TRUE(run.ok());
    return Written(*file_, {{*run, BuildTable(*run, {})}});
  }
  static perfetto::Trace Written(RunFile& file, const std::vector<TracedRun>& runs) {
    std::string bytes;
    const auto counts = WriteTrace(file, runs, [&](std::string_view more) {
      bytes += more;
      return absl::OkStatus();
    });
    EXPECT_TRUE(counts.ok()) << counts.status();
    perfetto::Trace trace;
    EXPECT_TRUE(trace.ParseFromString(bytes));
    return trace;
  }
  void AddRegion(uint32_t path, const char* name, std::vector<StoredInstance> instances) {
    RegionPath region;
    region.path = path;
    region.name = name;
    ASSERT_TRUE(file_->AddPath(processes_[0], region).ok());
    ASSERT_TRUE(file_->AddInstances(processes_[0], instances).ok());
  }

  TemporaryFolder folder_;
  std::unique_ptr<RunFile> file_;
  std::vector<int64_t> processes_;
};

TEST_F(TraceFile, ProcessesOfOnePidOnTwoHostsStayApart) {
  std::vector<int32_t> pids;
  const perfetto::Trace trace = Make();
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_descriptor().has_process()) {
      pids.push_back(packet.track_descriptor().process().pid());
    }
  }
  EXPECT_THAT(pids, ElementsAre(77, (1 << 22) + 2));
}

// Runs of a batch: the pids of one may come again in another, with other verdicts.
TEST_F(TraceFile, RunsOfSeveralProgramsAreOneTraceAndStayApart) {
  AddRegion(1, "step", {{1, 77, 1500, 100, 0, 1, std::nullopt}});
  ASSERT_TRUE(file_->AddCollectorLoss("epochs refused", 3).ok());
  ASSERT_TRUE(file_->Close().ok());
  auto all = RunFile::CreateEmpty(folder_ / "all.rafter");
  ASSERT_TRUE(all.ok());
  std::vector<TracedRun> runs;
  for (const char* name : {"one", "two"}) {
    auto source = RunFile::OpenForReading(folder_ / "a.rafter");
    ASSERT_TRUE((*all)->AppendCommand(**source, name, {}).ok());
    auto run = (*all)->ReadCommand(static_cast<uint32_t>(runs.size()) + 1);
    ASSERT_TRUE(run.ok());
    Table table = BuildTable(*run, {});
    table.rows.at(0).validity = name;
    runs.push_back({*std::move(run), std::move(table)});
  }
  const perfetto::Trace trace = Written(**all, runs);
  std::set<int32_t> pids;
  std::vector<std::string> verdicts;
  std::map<uint64_t, std::string> texts;
  int losses = 0;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_descriptor().has_process()) {
      pids.insert(packet.track_descriptor().process().pid());
    }
    for (const auto& text : packet.interned_data().debug_annotation_string_values()) {
      texts[text.iid()] = text.str();
    }
    losses += packet.track_event().type() == perfetto::TrackEvent::TYPE_INSTANT ? 1 : 0;
    if (packet.track_event().type() != perfetto::TrackEvent::TYPE_SLICE_BEGIN) continue;
    EXPECT_EQ(packet.timestamp(), 5500u);
    for (const auto& annotation : packet.track_event().debug_annotations()) {
      const std::string& text = texts[annotation.string_value_iid()];
      if (text == "one" || text == "two") verdicts.push_back(text);
    }
  }
  EXPECT_EQ(pids.size(), 4u);
  EXPECT_EQ(losses, 2) << "what the collector lost of each program";
  EXPECT_THAT(verdicts, ElementsAre("one", "two"));
}

TEST_F(TraceFile, APassOnTwoDevicesIsOneSliceThatSaysWhatEachCounted) {
  AddRegion(1, "both",
            {{1, 77, 1500, 100, 0, 1, std::nullopt, 1}, {1, 77, 1500, 100, 0, 9, std::nullopt, 2}});
  int begins = 0;
  std::vector<std::string> names;
  const perfetto::Trace trace = Make();
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_event().type() != perfetto::TrackEvent::TYPE_SLICE_BEGIN) continue;
    ++begins;
    EXPECT_EQ(packet.timestamp(), 5500u) << "wall clock of the host";
    for (const auto& name : packet.interned_data().debug_annotation_names()) {
      names.push_back(name.name());
    }
  }
  EXPECT_EQ(begins, 1);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"gpu0.not_counted", "gpu1.not_counted"}));
}

TEST_F(TraceFile, PayloadsKeepTheirKind) {
  StoredInstance instance{1, 77, 1500, 100, 0, 0, std::nullopt};
  const StoredPayload payloads[] = {int64_t{-5}, 0.25, std::string("18446744073709551615")};
  std::vector<StoredInstance> instances;
  for (const StoredPayload& payload : payloads) {
    instance.start_ns += 1000;
    instance.payload = payload;
    instances.push_back(instance);
  }
  AddRegion(1, "given", instances);
  std::vector<perfetto::DebugAnnotation> given;
  const perfetto::Trace trace = Make();
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_event().type() != perfetto::TrackEvent::TYPE_SLICE_BEGIN) continue;
    given.push_back(packet.track_event().debug_annotations(0));
  }
  ASSERT_EQ(given.size(), 3u);
  EXPECT_EQ(given[0].int_value(), -5);
  EXPECT_EQ(given[1].double_value(), 0.25);
  EXPECT_EQ(given[2].uint_value(), UINT64_MAX);
}

TEST_F(TraceFile, LostPassesAreAnEventOfTheirOwn) {
  AddRegion(1, "hot", {{1, 77, 1500, 100, 0, 1, std::nullopt}});
  ASSERT_TRUE(file_->SetDroppedInstances(processes_[0], 1, 12).ok());
  std::vector<uint64_t> lost;
  const perfetto::Trace trace = Make();
  for (const perfetto::TracePacket& packet : trace.packet()) {
    if (packet.track_event().type() != perfetto::TrackEvent::TYPE_INSTANT) continue;
    ASSERT_EQ(packet.track_event().debug_annotations_size(), 1);
    EXPECT_EQ(packet.interned_data().debug_annotation_names(0).name(), "calls of hot");
    lost.push_back(packet.track_event().debug_annotations(0).uint_value());
  }
  EXPECT_THAT(lost, ElementsAre(12));
}

TEST_F(TraceFile, AFullDiskEndsIt) {
  AddRegion(1, "hot", {{1, 77, 1500, 100, 0, 1, std::nullopt}});
  const auto run = file_->Read();
  ASSERT_TRUE(run.ok());
  int calls = 0;
  const auto counts = WriteTrace(*file_, {{*run, {}}}, [&](std::string_view) {
    ++calls;
    return absl::DataLossError("no space");
  });
  EXPECT_EQ(counts.status().message(), "no space");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace rafter
