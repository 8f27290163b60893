#include "inject/record/encode.h"

#include <gtest/gtest.h>

#include <memory>

#include "proto/rafter.pb.h"

namespace rafter {
namespace {

std::vector<uint8_t> Bytes(size_t size, uint8_t value = 0) {
  return std::vector<uint8_t>(size, value);
}

std::vector<uint8_t> Rebuild(std::span<const uint8_t> below, size_t size,
                             const google::protobuf::RepeatedPtrField<wire::Patch>& patches) {
  std::vector<uint8_t> image(below.begin(), below.end());
  image.resize(size);
  for (const wire::Patch& patch : patches) {
    std::copy(patch.data().begin(), patch.data().end(),
              image.begin() + static_cast<std::ptrdiff_t>(patch.offset()));
  }
  return image;
}

TEST(Differences, FindsNothingInEqualImages) {
  EXPECT_TRUE(Differences(Bytes(1000, 7), Bytes(1000, 7)).empty());
  EXPECT_TRUE(Differences({}, Bytes(1000)).empty());
}

TEST(Differences, JoinsNeighboursAndKeepsDistantStretchesApart) {
  std::vector<uint8_t> image = Bytes(200);
  image[3] = image[17] = image[100] = 1;
  const auto ranges = Differences({}, image);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].offset, 0u);
  EXPECT_EQ(ranges[0].size, 24u);
  EXPECT_EQ(ranges[1].offset, 96u);
}

TEST(Differences, CoversATailShorterThanAWord) {
  std::vector<uint8_t> image = Bytes(21);
  image[20] = 1;
  const auto ranges = Differences({}, image);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].offset + ranges[0].size, 21u);
}

// What protozero writes, libprotobuf must read, field by field.

TEST(Encode, HelloIsReadByProtobuf) {
  Identity identity;
  identity.host = "node\xff";  // not UTF-8
  identity.pid = 42;
  identity.start_ticks = 77;
  identity.boot_id = "boot";
  identity.executable = "/bin/x";
  identity.arguments = {"x", "", "-v"};
  identity.monotonic_ns = 5;
  identity.realtime_ns = 6;
  Options options;
  options.rank = 0;
  options.rank_variable = "PMI_RANK";
  options.job = "9";
  options.environment = {{"CUDA_VISIBLE_DEVICES", "1"}};
  wire::Hello hello;
  ASSERT_TRUE(hello.ParseFromString(EncodeHello(identity, options, "nvtx")));
  EXPECT_EQ(hello.protocol(), 1u);
  EXPECT_FALSE(hello.library_version().empty());
  EXPECT_EQ(hello.host(), "node\xff");
  EXPECT_EQ(hello.pid(), 42u);
  EXPECT_EQ(hello.start_ticks(), 77u);
  EXPECT_EQ(hello.boot_id(), "boot");
  EXPECT_EQ(hello.executable(), "/bin/x");
  ASSERT_EQ(hello.arguments_size(), 3);
  EXPECT_EQ(hello.arguments(1), "");
  EXPECT_TRUE(hello.has_rank());
  EXPECT_EQ(hello.rank(), 0u);
  EXPECT_EQ(hello.rank_variable(), "PMI_RANK");
  EXPECT_EQ(hello.job(), "9");
  ASSERT_EQ(hello.environment_size(), 1);
  EXPECT_EQ(hello.environment(0).name(), "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(hello.environment(0).value(), "1");
  EXPECT_EQ(hello.monotonic_ns(), 5u);
  EXPECT_EQ(hello.realtime_ns(), 6u);
  EXPECT_EQ(hello.entry(), "nvtx");
}

TEST(Encode, DeviceIsReadByProtobuf) {
  DeviceFacts facts;
  facts.uuid = Bytes(16, 0xAB);
  facts.pci_address = "0000:3b:00.0";
  facts.name = "NVIDIA H200";
  facts.chip = "GH100";
  facts.driver_version = 13000;
  facts.sm_count = 132;
  facts.memory_bytes = 1;
  facts.sm_clock_hz = 2;
  facts.memory_clock_hz = 3;
  facts.memory_bus_bits = 4;
  facts.l2_bytes = 5;
  facts.compute_major = 9;
  facts.compute_minor = 6;
  facts.counter_availability = {1, 2, 3};
  wire::Device device;
  ASSERT_TRUE(device.ParseFromString(EncodeDevice(7, facts, 130001, "/lib/c", "time,flop")));
  EXPECT_EQ(device.device(), 7u);
  EXPECT_EQ(device.uuid(), std::string(16, '\xAB'));
  EXPECT_EQ(device.pci_address(), "0000:3b:00.0");
  EXPECT_EQ(device.name(), "NVIDIA H200");
  EXPECT_EQ(device.chip(), "GH100");
  EXPECT_EQ(device.driver_version(), 13000u);
  EXPECT_EQ(device.cupti_version(), 130001u);
  EXPECT_EQ(device.cupti_path(), "/lib/c");
  EXPECT_EQ(device.sm_count(), 132u);
  EXPECT_EQ(device.memory_bytes(), 1u);
  EXPECT_EQ(device.sm_clock_hz(), 2u);
  EXPECT_EQ(device.memory_clock_hz(), 3u);
  EXPECT_EQ(device.memory_bus_bits(), 4u);
  EXPECT_EQ(device.l2_bytes(), 5u);
  EXPECT_EQ(device.compute_major(), 9u);
  EXPECT_EQ(device.compute_minor(), 6u);
  EXPECT_EQ(device.counter_availability(), std::string("\1\2\3"));
  EXPECT_EQ(device.wanted_sets(), "time,flop");
}

TEST(Encode, NamesAreReadByProtobuf) {
  auto paths = std::make_unique<PathTable>();
  const PathId a = paths->Find(PathId::kNone, 0, "a");
  const PathId b = paths->Find(a, paths->FindDomain("D"), "b");
  const PathId both[] = {a, b};
  paths->FindOverlap(both);
  wire::Names names;
  ASSERT_TRUE(names.ParseFromString(EncodeNames(*paths, 1, 3)));
  ASSERT_EQ(names.paths_size(), 3);
  EXPECT_EQ(names.paths(0).path(), 1u);
  EXPECT_EQ(names.paths(0).parent(), 0u);
  EXPECT_EQ(names.paths(0).name(), "a");
  EXPECT_EQ(names.paths(1).parent(), 1u);
  EXPECT_EQ(names.paths(1).domain(), "D");
  ASSERT_EQ(names.paths(2).members_size(), 2);
  EXPECT_EQ(names.paths(2).members(1), 2u);
}

TEST(Encode, BatchIsReadByProtobuf) {
  FinishedRegion counted{.start_ns = 1,
                         .duration_ns = 2,
                         .path = PathId{3},
                         .thread = 4,
                         .epoch = 5,
                         .launches = 0,
                         .device = 2,
                         .uncounted = Uncounted::kCounted};
  FinishedRegion uncounted{.start_ns = 6,
                           .duration_ns = 7,
                           .path = PathId{8},
                           .thread = 9,
                           .epoch = 0,
                           .uncounted = Uncounted::kResting};
  const FinishedRegion regions[] = {counted, uncounted};
  const std::pair<PathId, uint64_t> dropped[] = {{PathId{3}, 11}};
  wire::Batch batch;
  ASSERT_TRUE(batch.ParseFromString(EncodeBatch(regions, 11, dropped)));
  ASSERT_EQ(batch.instances_size(), 2);
  EXPECT_EQ(batch.instances(0).path(), 3u);
  EXPECT_EQ(batch.instances(0).thread(), 4u);
  EXPECT_EQ(batch.instances(0).start_ns(), 1u);
  EXPECT_EQ(batch.instances(0).duration_ns(), 2u);
  EXPECT_EQ(batch.instances(0).epoch(), 5u);
  EXPECT_TRUE(batch.instances(0).has_launches());
  EXPECT_EQ(batch.instances(0).launches(), 0u);
  EXPECT_EQ(batch.instances(0).uncounted(), wire::COUNTED);
  EXPECT_EQ(batch.instances(0).device(), 2u);
  EXPECT_FALSE(batch.instances(1).has_launches());
  EXPECT_EQ(batch.instances(1).device(), 0u);
  EXPECT_EQ(batch.instances(1).uncounted(), wire::RESTING);
  EXPECT_EQ(batch.dropped_instances(), 11u);
  ASSERT_EQ(batch.dropped_size(), 1);
  EXPECT_EQ(batch.dropped(0).path(), 3u);
  EXPECT_EQ(batch.dropped(0).instances(), 11u);
}

TEST(Encode, ImagesAreRebuiltByProtobufFromBaselineAndPatches) {
  std::vector<uint8_t> baseline = Bytes(5000);
  for (size_t i = 0; i < baseline.size(); i += 97) baseline[i] = static_cast<uint8_t>(i);
  std::vector<uint8_t> image = baseline;
  for (size_t i = 1000; i < 1040; ++i) image[i] = static_cast<uint8_t>(i * 3 + 1);
  image[4999] = 0x5A;
  wire::Baseline sent_baseline;
  ASSERT_TRUE(sent_baseline.ParseFromString(EncodeBaseline(1, 2, 16, baseline)));
  EXPECT_EQ(sent_baseline.device(), 1u);
  EXPECT_EQ(sent_baseline.baseline(), 2u);
  EXPECT_EQ(sent_baseline.slots(), 16u);
  EXPECT_EQ(Rebuild({}, sent_baseline.size(), sent_baseline.patches()), baseline);
  EndedEpoch epoch;
  epoch.epoch = 3;
  epoch.pass = 1;
  epoch.start_ns = 10;
  epoch.end_ns = 20;
  epoch.chain = 2;
  epoch.slots = {{PathId{4}, 8, 5, 6, 7, 9, 10, 12}};
  wire::Image sent;
  ASSERT_TRUE(sent.ParseFromString(EncodeImage(1, 2, epoch, baseline, image)));
  EXPECT_EQ(sent.device(), 1u);
  EXPECT_EQ(sent.epoch(), 3u);
  EXPECT_EQ(sent.pass(), 1u);
  EXPECT_EQ(sent.baseline(), 2u);
  EXPECT_EQ(sent.start_ns(), 10u);
  EXPECT_EQ(sent.end_ns(), 20u);
  ASSERT_EQ(sent.slots_size(), 1);
  EXPECT_EQ(sent.slots(0).path(), 4u);
  EXPECT_EQ(sent.slots(0).instances(), 5u);
  EXPECT_EQ(sent.slots(0).incomplete(), 6u);
  EXPECT_EQ(sent.slots(0).segments(), 7u);
  EXPECT_EQ(sent.slots(0).call(), 8u);
  EXPECT_EQ(sent.slots(0).cut_segments(), 9u);
  EXPECT_EQ(sent.slots(0).counted_ns(), 10u);
  EXPECT_EQ(sent.slots(0).range(), 12u);
  EXPECT_EQ(sent.chain(), 2u);
  EXPECT_EQ(Rebuild(baseline, baseline.size(), sent.patches()), image);
}

TEST(Encode, KernelsHealthAndFarewellsAreReadByProtobuf) {
  KernelCount count{PathId{1}, 2, "_Z1kv", {2, 3, 4}, {5, 6, 7}, 8, 9};
  wire::Kernels kernels;
  ASSERT_TRUE(kernels.ParseFromString(EncodeKernels({&count, 1})));
  ASSERT_EQ(kernels.kernels_size(), 1);
  const wire::Kernel& kernel = kernels.kernels(0);
  EXPECT_EQ(kernel.path(), 1u);
  EXPECT_EQ(kernel.device(), 2u);
  EXPECT_EQ(kernel.symbol(), "_Z1kv");
  EXPECT_EQ(kernel.grid_x() * 100 + kernel.grid_y() * 10 + kernel.grid_z(), 234u);
  EXPECT_EQ(kernel.block_x() * 100 + kernel.block_y() * 10 + kernel.block_z(), 567u);
  EXPECT_EQ(kernel.shared_bytes(), 8u);
  EXPECT_EQ(kernel.launches(), 9u);
  EXPECT_EQ(kernel.device(), 2u);

  auto record = std::make_unique<HealthRecord>();
  record->Lost(Loss::kUnmatchedPops, 3);
  record->AddNote(NoteSeverity::kFailure, "counters", "why");
  wire::Health health;
  const WireCost cost = {1, 2, 3, 4, 5};
  ASSERT_TRUE(health.ParseFromString(EncodeHealth(record->NotesFrom(0), *record, cost)));
  EXPECT_EQ(health.cost().wall_ns(), 1u);
  EXPECT_EQ(health.cost().set_up_ns(), 2u);
  EXPECT_EQ(health.cost().rotation_ns(), 3u);
  EXPECT_EQ(health.cost().border_ns(), 4u);
  EXPECT_EQ(health.cost().slowed_ns(), 5u);
  ASSERT_EQ(health.notes_size(), 1);
  EXPECT_EQ(health.notes(0).severity(), wire::FAILURE);
  EXPECT_EQ(health.notes(0).about(), "counters");
  EXPECT_EQ(health.notes(0).text(), "why");
  EXPECT_GT(health.notes(0).time_ns(), 0u);
  ASSERT_EQ(health.losses_size(), 1);
  EXPECT_EQ(health.losses(0).kind(), LossName(Loss::kUnmatchedPops));
  EXPECT_EQ(health.losses(0).count(), 3u);
  EXPECT_EQ(health.cost().wall_ns(), 1u);
  EXPECT_EQ(health.cost().set_up_ns(), 2u);
  EXPECT_EQ(health.cost().rotation_ns(), 3u);
  EXPECT_EQ(health.cost().border_ns(), 4u);
  EXPECT_EQ(health.cost().slowed_ns(), 5u);

  wire::Goodbye goodbye;
  ASSERT_TRUE(goodbye.ParseFromString(EncodeGoodbye("exit", 12)));
  EXPECT_EQ(goodbye.reason(), "exit");
  EXPECT_EQ(goodbye.end_ns(), 12u);
}

TEST(Encode, EveryFrameTypeHasTheNumberOfTheSchema) {
  EXPECT_EQ(static_cast<int>(FrameType::kHello), wire::HELLO);
  EXPECT_EQ(static_cast<int>(FrameType::kDevice), wire::DEVICE);
  EXPECT_EQ(static_cast<int>(FrameType::kPlan), wire::PLAN);
  EXPECT_EQ(static_cast<int>(FrameType::kBaseline), wire::BASELINE);
  EXPECT_EQ(static_cast<int>(FrameType::kNames), wire::NAMES);
  EXPECT_EQ(static_cast<int>(FrameType::kBatch), wire::BATCH);
  EXPECT_EQ(static_cast<int>(FrameType::kImage), wire::IMAGE);
  EXPECT_EQ(static_cast<int>(FrameType::kKernels), wire::KERNELS);
  EXPECT_EQ(static_cast<int>(FrameType::kHealth), wire::HEALTH);
  EXPECT_EQ(static_cast<int>(FrameType::kGoodbye), wire::GOODBYE);
  EXPECT_EQ(static_cast<int>(FrameType::kBye), wire::BYE);
}

}  // namespace
}  // namespace rafter
