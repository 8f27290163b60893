#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "collector/ingest/collector.h"
#include "collector/ingest/from_wire.h"
#include "collector/ingest/socket_place.h"
#include "collector/ingest/stream.h"
#include "tests/unit/real_cupti.h"
#include "tests/unit/socket_client.h"
#include "tests/unit/temporary_folder.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A run file, a collector and what it said.
class Ingest : public testing::Test {
 protected:
  Ingest() { Open(NoCupti()); }

  static CuptiSearch NoCupti() {
    return {.override_path = "/nowhere", .cuda_home = "", .reuse_mapped = false};
  }
  void Open(const CuptiSearch& search) {
    collector_.reset();
    if (file_ == nullptr) {
      auto made = RunFile::Create(folder_ / "run.rafter", RunFile::Existing::kRefuse);
      ASSERT_TRUE(made.ok()) << made.status();
      file_ = std::move(*made);
    }
    CollectorOptions options;
    options.socket_path = socket_;
    options.cupti = search;
    options.report = [this](const std::string& line) {
      const std::lock_guard<std::mutex> lock(mutex_);
      EXPECT_EQ(line.find('\n'), std::string::npos);
      said_.push_back(line);
    };
    collector_ = std::make_unique<Collector>(*file_, std::move(options));
  }
  absl::Status IngestBytes(const std::string& bytes) {
    WriteFile(folder_ / "a.spool", bytes);
    return collector_->Ingest(folder_ / "a.spool");
  }
  rafter::Run Read() {
    auto run = file_->Read();
    EXPECT_TRUE(run.ok()) << run.status();
    return std::move(*run);
  }
  // Waits until `done` holds, at most 10 s.
  template <typename Condition>
  bool Eventually(Condition done) {
    for (int i = 0; i < 1000; ++i) {
      if (done(collector_->Totals())) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  TemporaryFolder folder_;
  const std::string socket_ = folder_ / "sockets/collector.sock";
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<RunFile> file_;
  std::unique_ptr<Collector> collector_;  // last, so that it goes first
};

// The H200's image, its ranges renamed from "copy" and "fma" to the path
// numbers 1 and 2, as the injected library names them.
std::string NumberedH200Image() {
  std::string image = ReadFile(H200File("image.cdi"));
  for (const auto& [name, number] : {std::pair<std::string, std::string>{"copy", "0001"},
                                     std::pair<std::string, std::string>{"fma", "002"}}) {
    const size_t at = image.find(name + '\0');
    EXPECT_NE(at, std::string::npos);
    image.replace(at, number.size(), number);
  }
  return image;
}

// Where no test needs values: any bytes make an image.
wire::Image SmallImage(uint32_t epoch) {
  wire::Image image;
  image.set_epoch(epoch);
  image.set_baseline(1);
  wire::Slot* slot = image.add_slots();
  slot->set_path(1);
  slot->set_instances(1);
  wire::Patch* patch = image.add_patches();
  patch->set_data("x");
  return image;
}

wire::Baseline SmallBaseline() {
  wire::Baseline baseline;
  baseline.set_baseline(1);
  baseline.set_size(16);
  baseline.set_slots(16);
  return baseline;
}

WireStream Beginning(uint32_t pid) {
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(pid))
      .Add(wire::DEVICE, MakeDevice())
      .Add(wire::PLAN, MakePlan())
      .Add(wire::BASELINE, SmallBaseline())
      .Add(wire::NAMES, MakeNames());
  return stream;
}

wire::Batch BatchOf(uint64_t start_ns, uint32_t epoch, int instances) {
  wire::Batch batch;
  for (int i = 0; i < instances; ++i) {
    AddInstance(batch, 1, start_ns + static_cast<uint64_t>(i), epoch);
  }
  return batch;
}

// Hello to Goodbye with the real image in two parts: zeros below, all of it on
// top of them.
WireStream RealStream(uint32_t pid) {
  const std::string bytes = NumberedH200Image();
  wire::Baseline baseline;
  baseline.set_baseline(1);
  baseline.set_size(bytes.size());
  baseline.set_slots(16);
  wire::Patch* patch = baseline.add_patches();
  patch->set_data(bytes.substr(0, bytes.size() / 2));
  wire::Image image;
  image.set_epoch(1);
  image.set_baseline(1);
  for (const uint32_t path : {1, 2}) {
    wire::Slot* slot = image.add_slots();
    slot->set_path(path);
    slot->set_instances(path == 1 ? 2 : 1);
    slot->set_segments(path == 1 ? 2 : 1);
  }
  patch = image.add_patches();
  patch->set_offset(bytes.size() / 2);
  patch->set_data(bytes.substr(bytes.size() / 2));
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(pid))
      .Add(wire::DEVICE, MakeDevice())
      .Add(wire::PLAN, MakePlan())
      .Add(wire::BASELINE, baseline)
      .Add(wire::NAMES, MakeNames())
      .Add(wire::BATCH, BatchOf(100, 1, 2))
      .Add(wire::IMAGE, image)
      .Add(wire::GOODBYE, MakeGoodbye());
  return stream;
}

void ExpectH200Values(const rafter::Run& run) {
  ASSERT_EQ(run.processes.size(), 1u);
  ASSERT_EQ(run.processes[0].epochs.size(), 1u);
  const Epoch& epoch = run.processes[0].epochs[0];
  EXPECT_EQ(epoch.set, "memory");
  ASSERT_EQ(epoch.slots.size(), 2u);
  const std::vector<std::optional<double>> copy = {1072917248., 486272., 1619863712.,
                                                   1073741824., 962721., 1504.};
  const std::vector<std::optional<double>> fma = {129024., 12896., 439488., 135168., 25437., 1504.};
  EXPECT_TRUE(epoch.slots[0].evaluated);
  EXPECT_EQ(epoch.slots[0].values, copy);
  EXPECT_EQ(epoch.slots[1].values, fma);
}

TEST_F(Ingest, EvaluatesARealImageAsItArrives) {
  RAFTER_NEED_REAL_CUPTI();
  Open(SearchFromEnvironment());
  ASSERT_EQ(IngestBytes(RealStream(1).Spool()), absl::OkStatus());
  const rafter::Run run = Read();
  ExpectH200Values(run);
  EXPECT_EQ(run.processes[0].ending, "exit");
  EXPECT_EQ(run.processes[0].paths[0].counted_calls, 2u);
  EXPECT_THAT(run.processes[0].notes, IsEmpty());
  EXPECT_THAT(run.losses, IsEmpty());
  EXPECT_EQ(collector_->Totals().epochs, 1u);
}

TEST_F(Ingest, EvaluatesLaterWhatWasStoredWithoutCupti) {
  RAFTER_NEED_REAL_CUPTI();
  ASSERT_EQ(IngestBytes(RealStream(1).Spool()), absl::OkStatus());
  rafter::Run run = Read();
  EXPECT_FALSE(run.processes[0].epochs[0].slots[0].evaluated);
  ASSERT_EQ(run.processes[0].notes.size(), 1u);
  EXPECT_THAT(run.processes[0].notes[0].text, HasSubstr("stored without values"));
  EXPECT_EQ(collector_->Totals().unevaluated_epochs, 1u);
  EXPECT_TRUE(absl::IsUnavailable(collector_->EvaluateStored().status()));
  Open(SearchFromEnvironment());
  const absl::StatusOr<uint64_t> evaluated = collector_->EvaluateStored();
  ASSERT_TRUE(evaluated.ok()) << evaluated.status();
  EXPECT_EQ(*evaluated, 1u);
  run = Read();
  ExpectH200Values(run);
  EXPECT_THAT(run.processes[0].notes, IsEmpty());
  EXPECT_EQ(*collector_->EvaluateStored(), 0u);
}

TEST_F(Ingest, KeepsAnImageOfAnotherMajorVersionWithTheReason) {
  RAFTER_NEED_REAL_CUPTI();
  Open(SearchFromEnvironment());
  wire::Device device = MakeDevice();
  device.set_cupti_version(120900);
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(1))
      .Add(wire::DEVICE, device)
      .Add(wire::PLAN, MakePlan())
      .Add(wire::BASELINE, SmallBaseline())
      .Add(wire::IMAGE, SmallImage(1));
  ASSERT_TRUE(IngestBytes(stream.Spool()).ok());
  const rafter::Run run = Read();
  EXPECT_FALSE(run.processes[0].epochs[0].slots[0].evaluated);
  EXPECT_THAT(run.processes[0].notes[0].text, HasSubstr("counted with CUPTI 12.9"));
  EXPECT_EQ(*collector_->EvaluateStored(), 0u);
}

TEST_F(Ingest, KeepsWhatCameBeforeABrokenImageAndGoesOn) {
  RAFTER_NEED_REAL_CUPTI();
  Open(SearchFromEnvironment());
  std::string bytes = NumberedH200Image();
  for (size_t i = 64; i < 4000; ++i) bytes[i] = static_cast<char>(i * 37);
  wire::Baseline baseline = SmallBaseline();
  baseline.set_size(bytes.size());
  baseline.add_patches()->set_data(bytes);
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(1))
      .Add(wire::DEVICE, MakeDevice())
      .Add(wire::PLAN, MakePlan())
      .Add(wire::BASELINE, baseline);
  for (uint32_t epoch = 1; epoch <= 6; ++epoch) stream.Add(wire::IMAGE, SmallImage(epoch));
  stream.Add(wire::GOODBYE, MakeGoodbye());
  EXPECT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  EXPECT_EQ(Read().processes[0].epochs.size(), 6u);
  EXPECT_EQ(IngestBytes(RealStream(2).Spool()), absl::OkStatus());
  EXPECT_TRUE(Read().processes[1].epochs[0].slots[0].evaluated);
}

TEST_F(Ingest, LosesOnlyTheTailOfATruncatedSpoolFile) {
  WireStream stream = Beginning(1);
  stream.Add(wire::BATCH, BatchOf(100, 0, 3));
  const size_t whole = stream.Spool().size();
  stream.Add(wire::BATCH, BatchOf(200, 0, 3));
  const absl::Status status = IngestBytes(stream.Spool().substr(0, whole + 20));
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("a.spool"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("breaks off at byte " + std::to_string(whole) + ": its last 20 bytes"));
  const rafter::Run run = Read();
  EXPECT_EQ(run.processes[0].paths[0].calls, 3u);
  EXPECT_EQ(run.losses.at("bytes of incomplete frames"), 20u);
  EXPECT_EQ(run.processes[0].ending, "");
  ASSERT_FALSE(run.processes[0].notes.empty());
  EXPECT_THAT(run.processes[0].notes.back().text, HasSubstr("ended without a goodbye"));
}

TEST_F(Ingest, SaysAtWhichByteASpoolFileIsBroken) {
  WireStream stream = Beginning(1);
  stream.Add(wire::BATCH, BatchOf(100, 0, 3));
  const size_t whole = stream.Spool().size();
  const absl::Status status = IngestBytes(stream.Spool() + std::string(100, '\xff'));
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("is broken at byte " + std::to_string(whole)));
  EXPECT_EQ(Read().processes[0].paths[0].calls, 3u);
  EXPECT_EQ(Read().losses.at("bytes of broken spool files"), 100u);
}

TEST_F(Ingest, TellsMissingForeignEmptyAndNewerSpoolFilesApart) {
  EXPECT_TRUE(absl::IsNotFound(collector_->Ingest(folder_ / "none.spool")));
  const absl::Status foreign = IngestBytes("a,b,c\n1,2,3\nand so on and on\n");
  EXPECT_THAT(std::string(foreign.message()), HasSubstr("is not a spool file of Rafter"));
  EXPECT_THAT(std::string(IngestBytes("").message()), HasSubstr("is empty"));
  std::string newer = Beginning(1).Spool();
  newer[8] = 9;
  EXPECT_THAT(std::string(IngestBytes(newer).message()), HasSubstr("has format 9"));
  EXPECT_THAT(std::string(IngestBytes(WireStream().Spool()).message()),
              HasSubstr("holds no frames"));
  EXPECT_THAT(Read().processes, IsEmpty());
}

TEST_F(Ingest, GoesOnWithAProcessWhoseRestIsInASpoolFile) {
  WireStream first = Beginning(1);
  first.Add(wire::BATCH, BatchOf(100, 0, 3)).Add(wire::IMAGE, SmallImage(1));
  ASSERT_TRUE(IngestBytes(first.Spool()).ok());
  EXPECT_EQ(Read().processes[0].notes.size(), 2u);
  // The rest repeats the last batch and image, but neither device nor names.
  WireStream rest;
  rest.Add(wire::HELLO, MakeHello(1))
      .Add(wire::BATCH, BatchOf(100, 0, 3))
      .Add(wire::IMAGE, SmallImage(1))
      .Add(wire::IMAGE, SmallImage(2))
      .Add(wire::BATCH, BatchOf(200, 2, 1))
      .Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(rest.Spool()), absl::OkStatus());
  const rafter::Run run = Read();
  ASSERT_EQ(run.processes.size(), 1u);
  EXPECT_EQ(run.processes[0].paths[0].calls, 4u);
  EXPECT_EQ(run.processes[0].epochs.size(), 2u);
  EXPECT_EQ(run.processes[0].ending, "exit");
  EXPECT_EQ(run.processes[0].notes.size(), 1u);  // that the stream broke is no longer true
  const CollectorTotals totals = collector_->Totals();
  EXPECT_EQ(totals.duplicate_epochs, 1u);
  EXPECT_EQ(totals.duplicate_instances, 3u);
  EXPECT_EQ(totals.processes, 1u);
  EXPECT_THAT(said_, Contains(HasSubstr("1 epochs and 3 instances came a second time")));
  // In the other order the goodbye stays known.
  ASSERT_TRUE(IngestBytes(first.Spool()).ok());
  EXPECT_EQ(Read().processes[0].ending, "exit");
}

TEST_F(Ingest, StoresNotesLossesAndKernels) {
  wire::Health health;
  wire::Note* note = health.add_notes();
  note->set_severity(wire::FAILURE);
  note->set_about("flop");
  note->set_text("left out:\nlaunches wait\xff");
  wire::Loss* loss = health.add_losses();
  loss->set_kind("unmatched pops");
  loss->set_count(7);
  wire::Kernels kernels;
  wire::Kernel* kernel = kernels.add_kernels();
  kernel->set_path(1);
  kernel->set_symbol("_Z4copyPKfPf");
  kernel->set_grid_x(132);
  kernel->set_launches(2);
  wire::Batch batch;
  batch.set_dropped_instances(9);
  AddInstance(batch, 2, 100, 0);
  wire::PathLoss* dropped = batch.add_dropped();
  dropped->set_path(2);
  dropped->set_instances(8);
  WireStream stream = Beginning(1);
  stream.Add(wire::HEALTH, health).Add(wire::KERNELS, kernels).Add(wire::BATCH, batch);
  stream.AddRaw(31, "from the future").Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  const RunProcess process = Read().processes[0];
  ASSERT_EQ(process.notes.size(), 1u);
  EXPECT_EQ(process.notes[0].severity, "failure");
  EXPECT_EQ(process.notes[0].text, "left out:\nlaunches wait\xEF\xBF\xBD");
  EXPECT_THAT(said_,
              Contains("process 1 (bench): failure: flop: left out: launches wait\xEF\xBF\xBD"));
  EXPECT_EQ(process.losses.at("unmatched pops"), 7u);
  EXPECT_EQ(process.losses.at("instances dropped"), 9u);
  EXPECT_EQ(process.paths[1].calls, 9u);
  EXPECT_EQ(process.paths[1].dropped_calls, 8u);
  EXPECT_EQ(process.paths[1].uncounted.at("the target's queue of records was full"), 8u);
  ASSERT_EQ(process.kernels.size(), 1u);
  EXPECT_EQ(process.kernels[0].signature, "copy(float const*, float*)");
  EXPECT_EQ(collector_->Totals().unknown_frames, 1u);
}

TEST_F(Ingest, KeepsTheLastCostAndRefusesOneThatCannotBe) {
  const auto health = [](uint64_t wall_ns, uint64_t set_up_ns) {
    wire::Health made;
    made.mutable_cost()->set_wall_ns(wall_ns);
    made.mutable_cost()->set_set_up_ns(set_up_ns);
    made.mutable_cost()->set_border_ns(3);
    return made;
  };
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(1)).Add(wire::HEALTH, health(100, 10));
  stream.Add(wire::HEALTH, health(200, 20)).Add(wire::HEALTH, health(300, UINT64_MAX));
  stream.Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  EXPECT_EQ(Read().processes[0].cost, (RunCost{200, 20, 0, 3, 0}));
  EXPECT_EQ(Read().losses.at("notes refused"), 1u);
}

TEST_F(Ingest, RefusesRecordsThatMakeNoSenseAndKeepsTheRest) {
  wire::Names names;
  names.add_paths()->set_path(0);
  wire::Path* own_parent = names.add_paths();
  own_parent->set_path(5);
  own_parent->set_parent(5);
  wire::Path* sound = names.add_paths();
  sound->set_path(6);
  sound->set_parent(1);
  sound->set_name("sound");
  wire::Batch batch = BatchOf(100, 0, 1);
  AddInstance(batch, 1, UINT64_MAX, 0);
  wire::Image twice = SmallImage(1);
  twice.add_slots()->set_path(1);
  wire::Image outside = SmallImage(2);
  outside.mutable_patches(0)->set_offset(UINT64_MAX);
  wire::Image other_baseline = SmallImage(3);
  other_baseline.set_baseline(77);
  wire::Image other_pass = SmallImage(4);
  other_pass.set_pass(12);
  wire::Baseline huge = SmallBaseline();
  huge.set_baseline(2);
  huge.set_size(UINT64_MAX);
  wire::Device no_uuid = MakeDevice(1);
  no_uuid.clear_uuid();
  WireStream stream = Beginning(1);
  stream.Add(wire::NAMES, names).Add(wire::BATCH, batch).Add(wire::BASELINE, huge);
  for (const wire::Image& image : {twice, outside, other_baseline, other_pass}) {
    stream.Add(wire::IMAGE, image);
  }
  stream.Add(wire::DEVICE, no_uuid).Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  const rafter::Run run = Read();
  EXPECT_EQ(run.losses.at("paths refused"), 2u);
  EXPECT_EQ(run.losses.at("instances refused"), 1u);
  EXPECT_EQ(run.losses.at("epochs refused"), 4u);
  EXPECT_EQ(run.losses.at("baselines refused"), 1u);
  EXPECT_EQ(run.losses.at("devices refused"), 1u);
  EXPECT_EQ(run.processes[0].paths.size(), 3u);
  EXPECT_EQ(run.processes[0].paths[0].calls, 1u);
  EXPECT_THAT(run.processes[0].epochs, IsEmpty());
}

TEST_F(Ingest, StoresLaunchesChainsStretchesCallsAndDevices) {
  wire::Names names;
  wire::Path* path = names.add_paths();
  path->set_path(3);
  path->set_parent(1);
  wire::Launch* launch = path->mutable_launch();
  launch->set_symbol("_Z4copyPKfPf");
  launch->set_grid_x(132);
  launch->set_block_z(4);
  launch->set_dynamic_shared_bytes(1024);
  launch->set_static_shared_bytes(48);
  launch->set_registers(32);
  path = names.add_paths();
  path->set_path(4);
  path->mutable_launch();  // a CUDA graph
  wire::Image image = SmallImage(2);
  image.set_chain(1);
  wire::Slot* slot = image.mutable_slots(0);
  slot->set_segments(5);
  slot->set_cut_segments(2);
  slot->set_counted_ns(1234);
  slot->set_call(1);
  slot = image.add_slots();
  slot->set_path(1);
  slot->set_call(2);
  wire::Batch batch = BatchOf(100, 2, 1);
  batch.mutable_instances(0)->set_device(2);
  wire::Kernels kernels;
  kernels.add_kernels()->set_path(1);
  kernels.mutable_kernels(0)->set_device(2);
  WireStream stream = Beginning(1);
  stream.Add(wire::NAMES, names).Add(wire::IMAGE, image).Add(wire::BATCH, batch);
  stream.Add(wire::KERNELS, kernels).Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  EXPECT_THAT(Read().losses, IsEmpty());
  const RunProcess process = Read().processes[0];
  ASSERT_EQ(process.paths.size(), 4u);
  EXPECT_FALSE(process.paths[0].launch.has_value());
  EXPECT_EQ(process.paths[0].by_device.at(2).calls, 1u);
  ASSERT_TRUE(process.paths[2].launch.has_value());
  EXPECT_EQ(process.paths[2].launch->signature, "copy(float const*, float*)");
  EXPECT_EQ(process.paths[2].launch->grid[0], 132u);
  EXPECT_EQ(process.paths[2].launch->block[2], 4u);
  EXPECT_EQ(process.paths[2].launch->dynamic_shared_bytes, 1024u);
  EXPECT_EQ(process.paths[2].launch->static_shared_bytes, 48u);
  EXPECT_EQ(process.paths[2].launch->registers, 32u);
  ASSERT_TRUE(process.paths[3].launch.has_value());
  EXPECT_EQ(process.paths[3].launch->symbol, "");
  ASSERT_EQ(process.epochs.size(), 1u);
  EXPECT_EQ(process.epochs[0].chain, 1u);
  ASSERT_EQ(process.epochs[0].slots.size(), 2u);
  EXPECT_EQ(process.epochs[0].slots[0].cut_segments, 2u);
  EXPECT_EQ(process.epochs[0].slots[0].counted_ns, 1234u);
  EXPECT_EQ(process.epochs[0].slots[1].call, 2u);
  ASSERT_EQ(process.kernels.size(), 1u);
  EXPECT_EQ(process.kernels[0].device, 2u);
}

TEST_F(Ingest, RefusesChainsStretchesLaunchesAndDevicesThatMakeNoSense) {
  wire::Image later_chain = SmallImage(2);
  later_chain.set_chain(3);
  wire::Image more_cut = SmallImage(3);
  more_cut.mutable_slots(0)->set_cut_segments(1);  // of no stretches
  wire::Image too_long = SmallImage(4);
  too_long.mutable_slots(0)->set_counted_ns(UINT64_MAX);
  wire::Image call_twice = SmallImage(5);
  call_twice.mutable_slots(0)->set_call(1);
  *call_twice.add_slots() = call_twice.slots(0);
  wire::Image range_twice = SmallImage(6);
  range_twice.mutable_slots(0)->set_range(1);
  *range_twice.add_slots() = range_twice.slots(0);
  range_twice.mutable_slots(1)->set_path(2);
  wire::Image too_often = SmallImage(7);
  too_often.mutable_slots(0)->set_instances(UINT64_MAX);
  wire::Names names;
  names.add_paths()->set_path(UINT32_MAX);
  wire::Path* both = names.add_paths();
  both->set_path(3);
  both->add_members(1);
  both->mutable_launch();
  wire::Batch batch = BatchOf(100, 0, 3);
  batch.mutable_instances(0)->set_device(kMaxDevices + 1);
  batch.mutable_instances(1)->set_device(kMaxDevices);
  batch.mutable_instances(2)->set_path(UINT32_MAX);
  wire::Kernels kernels;
  kernels.add_kernels()->set_path(1);
  kernels.mutable_kernels(0)->set_device(UINT32_MAX);
  WireStream stream = Beginning(1);
  for (const wire::Image& image :
       {later_chain, more_cut, too_long, call_twice, range_twice, too_often}) {
    stream.Add(wire::IMAGE, image);
  }
  stream.Add(wire::NAMES, names).Add(wire::BATCH, batch).Add(wire::KERNELS, kernels);
  stream.Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  const rafter::Run run = Read();
  EXPECT_EQ(run.losses.at("epochs refused"), 6u);
  EXPECT_EQ(run.losses.at("paths refused"), 2u);
  EXPECT_EQ(run.losses.at("instances refused"), 2u);
  EXPECT_EQ(run.losses.at("kernels refused"), 1u);
  EXPECT_THAT(run.processes[0].epochs, IsEmpty());
  EXPECT_EQ(run.processes[0].paths.size(), 2u);
}

TEST_F(Ingest, RefusesAPlanThatChangesAfterCountingBegan) {
  wire::Plan other = MakePlan();
  other.mutable_sets(0)->mutable_counters(0)->set_metric("lts__t_bytes.sum");
  WireStream stream = Beginning(1);
  stream.Add(wire::IMAGE, SmallImage(1)).Add(wire::PLAN, MakePlan()).Add(wire::PLAN, other);
  ASSERT_TRUE(IngestBytes(stream.Spool()).ok());
  const rafter::Run run = Read();
  EXPECT_EQ(run.losses.at("plans refused"), 1u);
  EXPECT_EQ(run.processes[0].devices[0].sets[0].counters[0].metric, "dram__bytes.sum");
}

TEST_F(Ingest, RefusesAnotherProtocolAndAStreamWithoutHello) {
  wire::Hello hello = MakeHello(1);
  hello.set_protocol(2);
  EXPECT_THAT(std::string(IngestBytes(WireStream().Add(wire::HELLO, hello).Spool()).message()),
              HasSubstr("protocol 2"));
  EXPECT_THAT(
      std::string(IngestBytes(WireStream().Add(wire::NAMES, MakeNames()).Spool()).message()),
      HasSubstr("not Hello"));
  EXPECT_THAT(
      std::string(IngestBytes(WireStream().AddRaw(wire::HELLO, "\xff\xff").Spool()).message()),
      HasSubstr("Hello message"));
  EXPECT_EQ(collector_->Totals().refused_streams, 3u);
  EXPECT_THAT(Read().processes, IsEmpty());
}

// Who counts on a GPU is between the processes, so two on one GPU get the same
// answer, and nothing comes between two plans.
TEST_F(Ingest, AnswersADeviceWithAPlanAndNothingElse) {
  ASSERT_EQ(collector_->Start(), absl::OkStatus());
  SocketClient first(socket_);
  SocketClient second(socket_);
  uint32_t pid = 0;
  for (SocketClient* client : {&first, &second}) {
    ASSERT_TRUE(client->connected());
    ASSERT_TRUE(client->Send(WireStream()
                                 .Add(wire::HELLO, MakeHello(++pid))
                                 .Add(wire::DEVICE, MakeDevice())
                                 .Add(wire::DEVICE, MakeDevice())
                                 .bytes));
    const auto plan = client->Expect<wire::Plan>(wire::PLAN);
    EXPECT_THAT(plan.error(), HasSubstr("RAFTER_CUPTI_PATH"));  // no CUPTI in this test
    client->Expect<wire::Plan>(wire::PLAN);
  }
  EXPECT_EQ(collector_->Stop(milliseconds(0)), absl::OkStatus());
}

// Release (11) and Lease (32) are of libraries from before the lock file.
TEST_F(Ingest, PassesOverWhatAnOlderLibrarySendsAboutLeases) {
  WireStream stream = Beginning(1);
  stream.AddRaw(11, std::string("\x08\x00", 2)).AddRaw(11, "\xff").AddRaw(32, "");
  stream.Add(wire::BATCH, BatchOf(10, 0, 2)).Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_EQ(IngestBytes(stream.Spool()), absl::OkStatus());
  EXPECT_EQ(Read().processes[0].ending, "exit");
  EXPECT_EQ(collector_->Totals().instances, 2u);
  EXPECT_EQ(collector_->Totals().unknown_frames, 3u);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(Ingest, LosesNoneOf200ShortClients) {
  ASSERT_EQ(collector_->Start(), absl::OkStatus());
  std::atomic<uint32_t> next{1};
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const uint32_t pid = next.fetch_add(1);
        SocketClient client(socket_);
        WireStream stream;
        stream.Add(wire::HELLO, MakeHello(pid))
            .Add(wire::NAMES, MakeNames())
            .Add(wire::BATCH, BatchOf(100, 0, 5))
            .Add(wire::GOODBYE, MakeGoodbye());
        if (!client.connected() || !client.Send(stream.bytes)) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // At once: those that still wait in the socket's queue are taken in.
  EXPECT_EQ(collector_->Stop(milliseconds(20000)), absl::OkStatus());
  EXPECT_EQ(failed, 0);
  const CollectorTotals totals = collector_->Totals();
  EXPECT_EQ(totals.streams, 200u);
  EXPECT_EQ(totals.open_streams, 0u);
  EXPECT_EQ(totals.processes, 200u);
  EXPECT_EQ(totals.instances, 1000u);
  const rafter::Run run = Read();
  EXPECT_EQ(run.processes.size(), 200u);
  EXPECT_TRUE(std::all_of(run.processes.begin(), run.processes.end(),
                          [](const RunProcess& process) { return process.ending == "exit"; }));
}

TEST_F(Ingest, OutlivesSilentGarbageAndHalfwayClients) {
  ASSERT_EQ(collector_->Start(), absl::OkStatus());
  SocketClient silent(socket_);
  {
    SocketClient garbage(socket_);
    ASSERT_TRUE(garbage.Send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const auto bye = garbage.Expect<wire::Bye>(wire::BYE);
    EXPECT_THAT(bye.reason(), HasSubstr("not a frame of Rafter"));
    EXPECT_FALSE(garbage.Receive().has_value());
  }
  {
    SocketClient halfway(socket_);
    const std::string bytes = Beginning(1).bytes;
    ASSERT_TRUE(halfway.Send(bytes.substr(0, bytes.size() - 3)));
  }
  SocketClient sound(socket_);
  WireStream stream = Beginning(2);
  stream.Add(wire::GOODBYE, MakeGoodbye());
  ASSERT_TRUE(sound.Send(stream.bytes));
  EXPECT_TRUE(Eventually([](const CollectorTotals& totals) {
    return totals.processes == 2 && totals.refused_streams == 1;
  }));
  EXPECT_EQ(collector_->Stop(milliseconds(50)), absl::OkStatus());
  const rafter::Run run = Read();
  ASSERT_EQ(run.processes.size(), 2u);
  for (const RunProcess& process : run.processes) {
    EXPECT_EQ(process.ending, process.pid == 2 ? "exit" : "");
  }
}

TEST_F(Ingest, SaysByeToThoseStillThereWhenItStops) {
  ASSERT_EQ(collector_->Start(), absl::OkStatus());
  SocketClient client(socket_);
  ASSERT_TRUE(client.Send(WireStream().Add(wire::HELLO, MakeHello(1)).bytes));
  ASSERT_TRUE(Eventually([](const CollectorTotals& totals) { return totals.processes == 1; }));
  EXPECT_EQ(collector_->Stop(milliseconds(0)), absl::OkStatus());
  EXPECT_EQ(client.Expect<wire::Bye>(wire::BYE).reason(), "the collector stops");
  EXPECT_FALSE(client.Receive().has_value());
  EXPECT_THAT(said_, Contains(HasSubstr("1 stream was still open and cut off")));
  EXPECT_THAT(Read().processes[0].notes[0].text, HasSubstr("the collector stopped first"));
  EXPECT_FALSE(std::filesystem::exists(socket_));
  EXPECT_EQ(collector_->Stop(milliseconds(0)), absl::OkStatus());
}

TEST_F(Ingest, WaitsForStreamsToEnd) {
  ASSERT_EQ(collector_->Start(), absl::OkStatus());
  SocketClient client(socket_);
  ASSERT_TRUE(client.Send(WireStream().Add(wire::HELLO, MakeHello(1)).bytes));
  std::thread later([&client] {
    std::this_thread::sleep_for(milliseconds(100));
    client.Send(WireStream().Add(wire::GOODBYE, MakeGoodbye()).bytes);
    client.Close();
  });
  EXPECT_EQ(collector_->Stop(milliseconds(10000)), absl::OkStatus());
  later.join();
  EXPECT_EQ(Read().processes[0].ending, "exit");
}

// A file-size limit stands for a full disk. In a child, since it cannot be taken
// back.
TEST_F(Ingest, SendsProcessesToTheirSpoolFilesWhenTheRunFileCannotBeWritten) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300 << 10, 300 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!collector_->Start().ok()) _exit(2);
    SocketClient client(socket_);
    if (!client.Send(Beginning(1).bytes)) _exit(3);
    client.Receive();  // the plan
    for (uint64_t i = 0; i < 20; ++i) {
      if (!client.Send(WireStream().Add(wire::BATCH, BatchOf(i * 1000, 0, 1000)).bytes)) break;
    }
    const auto bye = client.Receive();
    if (!bye.has_value() || bye->first != wire::BYE) _exit(4);
    if (bye->second.find("cannot write its run file") == std::string::npos) _exit(5);
    const absl::Status stopped = collector_->Stop(milliseconds(0));
    if (stopped.ok() || stopped.message().find("run.rafter") == absl::string_view::npos) _exit(6);
    _exit(said_.empty() ? 7 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Ingest, ReportsALiveCollectorAndReplacesADeadOnesSocket) {
  ASSERT_EQ(collector_->Start(), absl::OkStatus());
  const auto second = ListenAt(socket_);
  EXPECT_TRUE(absl::IsAlreadyExists(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("a collector is already listening at " + socket_));
  ASSERT_EQ(collector_->Stop(milliseconds(0)), absl::OkStatus());
  // One that died leaves its socket file.
  const auto dead = ListenAt(socket_);
  ASSERT_TRUE(dead.ok()) << dead.status();
  close(dead->file);
  const auto next = ListenAt(socket_);
  ASSERT_TRUE(next.ok()) << next.status();
  Unlisten(socket_, *dead);  // no longer its file
  EXPECT_TRUE(std::filesystem::exists(socket_));
  Unlisten(socket_, *next);
  EXPECT_FALSE(std::filesystem::exists(socket_));
  close(next->file);
}

TEST(ListenAt, RefusesFoldersThatAreNotOursAlone) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "open");
  chmod((folder / "open").c_str(), 0755);
  EXPECT_THAT(std::string(ListenAt(folder / "open/c.sock").status().message()),
              HasSubstr("is open to others (mode 0755)"));
  std::filesystem::create_directory(folder / "foreign");
  chmod((folder / "foreign").c_str(), 0700);
  if (chown((folder / "foreign").c_str(), 12345, 12345) == 0) {  // root only
    EXPECT_THAT(std::string(ListenAt(folder / "foreign/c.sock").status().message()),
                HasSubstr("belongs to user 12345"));
  }
  WriteFile(folder / "c.sock", "mine");
  EXPECT_THAT(std::string(ListenAt(folder / "c.sock").status().message()),
              HasSubstr("not a socket"));
  EXPECT_EQ(ReadFile(folder / "c.sock"), "mine");
  const std::string made = folder / "a/b/c.sock";
  const auto listening = ListenAt(made);
  ASSERT_TRUE(listening.ok()) << listening.status();
  struct stat status {};
  ASSERT_EQ(stat((folder / "a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  Unlisten(made, *listening);
  close(listening->file);
}

TEST(ListenAt, NamesTheLimitOfAPathThatIsTooLong) {
  const auto listening = ListenAt("/tmp/" + std::string(200, 'x'));
  EXPECT_THAT(std::string(listening.status().message()),
              HasSubstr("205 bytes long and a socket's may be 107"));
}

TEST(Utf8Text, ReplacesEachByteThatDoesNotBelong) {
  EXPECT_EQ(Utf8Text("k\xC3\xB6rper \xF0\x9F\x9A\x80"), "k\xC3\xB6rper \xF0\x9F\x9A\x80");
  EXPECT_EQ(Utf8Text("a\xff"
                     "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(Utf8Text("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  EXPECT_EQ(Utf8Text("\xED\xA0\x80").size(), 9u);               // surrogate
  EXPECT_EQ(Utf8Text("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut off
  EXPECT_EQ(Utf8Text(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(Utf8Text(std::string(3u << 20, 'x')).size(), kMaxTextBytes);
}

}  // namespace
}  // namespace rafter
