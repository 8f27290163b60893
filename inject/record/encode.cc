#include "inject/record/encode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <protozero/pbf_builder.hpp>

#include "proto/frame.h"

namespace rafter {
namespace {

template <typename Field>
using Builder = protozero::pbf_builder<Field>;

// Patches are compared in words of this size.
constexpr size_t kWord = 8;
constexpr size_t kJoinWithin = 16;

template <typename Field>
void AddPatches(Builder<Field>& message, Field field, std::span<const uint8_t> below,
                std::span<const uint8_t> image) {
  for (const PatchRange& range : Differences(below, image)) {
    Builder<field::Patch> patch(message, field);
    patch.add_uint64(field::Patch::kOffset, range.offset);
    patch.add_bytes(field::Patch::kData, reinterpret_cast<const char*>(image.data()) + range.offset,
                    range.size);
  }
}

void AddLaunch(Builder<field::Path>& path, std::string_view symbol, const LaunchKind& kind) {
  using F = field::Launch;
  Builder<F> launch(path, field::Path::kLaunch);
  launch.add_bytes(F::kSymbol, symbol.data(), symbol.size());
  launch.add_uint32(F::kGridX, kind.grid[0]);
  launch.add_uint32(F::kGridY, kind.grid[1]);
  launch.add_uint32(F::kGridZ, kind.grid[2]);
  launch.add_uint32(F::kBlockX, kind.block[0]);
  launch.add_uint32(F::kBlockY, kind.block[1]);
  launch.add_uint32(F::kBlockZ, kind.block[2]);
  launch.add_uint32(F::kDynamicSharedBytes, kind.dynamic_shared_bytes);
  launch.add_uint32(F::kStaticSharedBytes, kind.static_shared_bytes);
  launch.add_uint32(F::kRegisters, kind.registers);
}

// Fields of the same names in Instance and Mark.
template <typename F>
void AddPayload(Builder<F>& message, const Payload& payload) {
  switch (payload.kind) {
    case Payload::Kind::kNone:
      return;
    case Payload::Kind::kUnsigned:
      return message.add_uint64(F::kPayloadUnsigned, payload.bits);
    case Payload::Kind::kSigned:
      return message.add_sint64(F::kPayloadSigned, static_cast<int64_t>(payload.bits));
    case Payload::Kind::kDouble:
      return message.add_double(F::kPayloadReal, std::bit_cast<double>(payload.bits));
    case Payload::Kind::kFloat:
      return message.add_double(F::kPayloadReal,
                                std::bit_cast<float>(static_cast<uint32_t>(payload.bits)));
  }
}

void AddMark(Builder<field::Batch>& message, const FinishedRegion& seen) {
  using F = field::Mark;
  Builder<F> mark(message, field::Batch::kMarks);
  mark.add_uint32(F::kPath, static_cast<uint32_t>(seen.path));
  mark.add_uint32(F::kThread, seen.thread);
  mark.add_uint64(F::kTimeNs, seen.start_ns);
  if (seen.category != 0) mark.add_uint32(F::kCategory, seen.category);
  AddPayload(mark, seen.payload);
}

}  // namespace

std::vector<PatchRange> Differences(std::span<const uint8_t> below,
                                    std::span<const uint8_t> image) {
  std::vector<PatchRange> ranges;
  constexpr uint8_t kZeros[kWord] = {};
  for (size_t offset = 0; offset < image.size(); offset += kWord) {
    const size_t size = std::min(kWord, image.size() - offset);
    const uint8_t* under = below.empty() ? kZeros : below.data() + offset;
    if (std::memcmp(image.data() + offset, under, size) == 0) continue;
    if (!ranges.empty() && offset - (ranges.back().offset + ranges.back().size) < kJoinWithin) {
      ranges.back().size = offset + size - ranges.back().offset;
    } else {
      ranges.push_back({offset, size});
    }
  }
  return ranges;
}

std::string EncodeHello(const Identity& identity, const Options& options, std::string_view entry) {
  using F = field::Hello;
  std::string text;
  Builder<F> hello(text);
  hello.add_uint32(F::kProtocol, kProtocolVersion);
  hello.add_bytes(F::kLibraryVersion, RAFTER_VERSION);
  hello.add_bytes(F::kHost, identity.host);
  hello.add_uint32(F::kPid, identity.pid);
  hello.add_uint64(F::kStartTicks, identity.start_ticks);
  hello.add_bytes(F::kBootId, identity.boot_id);
  hello.add_bytes(F::kExecutable, identity.executable);
  for (const std::string& argument : identity.arguments) hello.add_bytes(F::kArguments, argument);
  if (options.rank.has_value()) hello.add_uint32(F::kRank, *options.rank);
  hello.add_bytes(F::kRankVariable, options.rank_variable);
  hello.add_bytes(F::kJob, options.job);
  for (const auto& [name, value] : options.environment) {
    Builder<field::Variable> variable(hello, F::kEnvironment);
    variable.add_bytes(field::Variable::kName, name);
    variable.add_bytes(field::Variable::kValue, value);
  }
  hello.add_uint64(F::kMonotonicNs, identity.monotonic_ns);
  hello.add_uint64(F::kRealtimeNs, identity.realtime_ns);
  hello.add_bytes(F::kEntry, entry.data(), entry.size());
  return text;
}

std::string EncodeDevice(uint32_t device, const DeviceFacts& facts, uint32_t cupti_version,
                         std::string_view cupti_path, std::string_view wanted_sets) {
  using F = field::Device;
  std::string text;
  Builder<F> message(text);
  const auto bytes = [](const std::vector<uint8_t>& data) {
    return protozero::data_view(reinterpret_cast<const char*>(data.data()), data.size());
  };
  message.add_uint32(F::kDevice, device);
  message.add_bytes(F::kUuid, bytes(facts.uuid));
  message.add_bytes(F::kPciAddress, facts.pci_address);
  message.add_bytes(F::kName, facts.name);
  message.add_bytes(F::kChip, facts.chip);
  message.add_uint32(F::kDriverVersion, static_cast<uint32_t>(facts.driver_version));
  message.add_uint32(F::kCuptiVersion, cupti_version);
  message.add_bytes(F::kCuptiPath, cupti_path.data(), cupti_path.size());
  message.add_uint32(F::kSmCount, facts.sm_count);
  message.add_uint64(F::kMemoryBytes, facts.memory_bytes);
  message.add_uint64(F::kSmClockHz, facts.sm_clock_hz);
  message.add_uint64(F::kMemoryClockHz, facts.memory_clock_hz);
  message.add_uint32(F::kMemoryBusBits, facts.memory_bus_bits);
  message.add_uint64(F::kL2Bytes, facts.l2_bytes);
  message.add_uint32(F::kComputeMajor, facts.compute_major);
  message.add_uint32(F::kComputeMinor, facts.compute_minor);
  message.add_bytes(F::kCounterAvailability, bytes(facts.counter_availability));
  message.add_bytes(F::kWantedSets, wanted_sets.data(), wanted_sets.size());
  return text;
}

std::string EncodePlan(uint32_t device, const InstalledPlan& plan) {
  // Protobuf lets the last of a single field win, so these go behind the rest.
  std::string text = plan.message;
  Builder<field::Plan> message(text);
  message.add_uint32(field::Plan::kDevice, device);
  message.add_bytes(field::Plan::kOrigin, plan.origin);
  return text;
}

std::string EncodeBaseline(uint32_t device, uint32_t baseline, uint32_t slots,
                           std::span<const uint8_t> image) {
  using F = field::Baseline;
  std::string text;
  Builder<F> message(text);
  message.add_uint32(F::kDevice, device);
  message.add_uint32(F::kBaseline, baseline);
  message.add_uint64(F::kSize, image.size());
  message.add_uint32(F::kSlots, slots);
  AddPatches(message, F::kPatches, {}, image);
  return text;
}

std::string EncodeNames(PathTable& paths, uint32_t first, uint32_t last) {
  std::string text;
  Builder<field::Names> message(text);
  for (uint32_t number = first; number <= last; ++number) {
    const PathEntry* entry = paths.Entry(static_cast<PathId>(number));
    if (entry == nullptr) continue;
    Builder<field::Path> path(message, field::Names::kPaths);
    path.add_uint32(field::Path::kPath, number);
    path.add_uint32(field::Path::kParent, static_cast<uint32_t>(entry->parent));
    std::string_view name(entry->name, entry->name_size);
    LaunchKind kind;
    const bool is_launch = PathTable::ReadLaunch(*entry, name, kind);
    path.add_bytes(field::Path::kName, name.data(), name.size());
    if (is_launch) AddLaunch(path, name, kind);
    const bool is_mark = PathTable::IsMark(*entry);
    if (is_mark) path.add_bool(field::Path::kMark, true);
    const std::string_view domain =
        paths.DomainName(is_mark ? entry->domain - PathTable::kFirstMarkDomain : entry->domain);
    path.add_bytes(field::Path::kDomain, domain.data(), domain.size());
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < entry->member_count; ++i) {
      members.push_back(static_cast<uint32_t>(entry->members[i]));
    }
    if (!members.empty()) {
      path.add_packed_uint32(field::Path::kMembers, members.begin(), members.end());
    }
  }
  return text;
}

std::string EncodeCategories(const PathTable& paths, std::span<const CategoryName> categories) {
  using F = field::Category;
  std::string text;
  Builder<field::Names> message(text);
  for (const CategoryName& named : categories) {
    Builder<F> category(message, field::Names::kCategories);
    const std::string_view domain = paths.DomainName(named.domain);
    category.add_bytes(F::kDomain, domain.data(), domain.size());
    category.add_uint32(F::kCategory, named.category);
    category.add_bytes(F::kName, named.name);
  }
  return text;
}

std::string EncodeBatch(std::span<const FinishedRegion> regions, uint64_t dropped_total,
                        std::span<const std::pair<PathId, uint64_t>> dropped) {
  using F = field::Instance;
  std::string text;
  text.reserve(regions.size() * 40);
  Builder<field::Batch> message(text);
  for (const FinishedRegion& region : regions) {
    if (region.is_mark) {
      AddMark(message, region);
      continue;
    }
    Builder<F> instance(message, field::Batch::kInstances);
    instance.add_uint32(F::kPath, static_cast<uint32_t>(region.path));
    instance.add_uint32(F::kThread, region.thread);
    instance.add_uint64(F::kStartNs, region.start_ns);
    instance.add_uint64(F::kDurationNs, region.duration_ns);
    if (region.epoch != 0) instance.add_uint32(F::kEpoch, region.epoch);
    if (region.uncounted != Uncounted::kCounted) {
      instance.add_enum(F::kUncounted, static_cast<int32_t>(region.uncounted));
    }
    if (region.launches != FinishedRegion::kNotWatched) {
      instance.add_uint32(F::kLaunches, region.launches);
    }
    if (region.device != 0) instance.add_uint32(F::kDevice, region.device);
    if (region.category != 0) instance.add_uint32(F::kCategory, region.category);
    AddPayload(instance, region.payload);
  }
  message.add_uint64(field::Batch::kDroppedInstances, dropped_total);
  for (const auto& [path, instances] : dropped) {
    Builder<field::PathLoss> loss(message, field::Batch::kDropped);
    loss.add_uint32(field::PathLoss::kPath, static_cast<uint32_t>(path));
    loss.add_uint64(field::PathLoss::kInstances, instances);
  }
  return text;
}

std::string EncodeImage(uint32_t device, uint32_t baseline, const EndedEpoch& epoch,
                        std::span<const uint8_t> baseline_image, std::span<const uint8_t> image) {
  using F = field::Image;
  std::string text;
  Builder<F> message(text);
  message.add_uint32(F::kDevice, device);
  message.add_uint32(F::kEpoch, epoch.epoch);
  message.add_uint32(F::kPass, epoch.pass);
  message.add_uint32(F::kBaseline, baseline);
  message.add_uint64(F::kStartNs, epoch.start_ns);
  message.add_uint64(F::kEndNs, epoch.end_ns);
  for (const EpochSlot& slot : epoch.slots) {
    Builder<field::Slot> entry(message, F::kSlots);
    entry.add_uint32(field::Slot::kPath, static_cast<uint32_t>(slot.path));
    entry.add_uint64(field::Slot::kInstances, slot.instances);
    entry.add_uint64(field::Slot::kIncomplete, slot.incomplete);
    entry.add_uint64(field::Slot::kSegments, slot.segments);
    if (slot.cut_segments != 0) entry.add_uint64(field::Slot::kCutSegments, slot.cut_segments);
    entry.add_uint64(field::Slot::kCountedNs, slot.counted_ns);
    if (slot.call != 0) entry.add_uint32(field::Slot::kCall, slot.call);
    if (slot.range != 0) entry.add_uint32(field::Slot::kRange, slot.range);
    if (slot.crossed != 0) entry.add_uint64(field::Slot::kCrossed, slot.crossed);
  }
  if (epoch.chain != 0) message.add_uint32(F::kChain, epoch.chain);
  AddPatches(message, F::kPatches, baseline_image, image);
  return text;
}

std::string EncodeKernels(std::span<const KernelCount> kernels) {
  using F = field::Kernel;
  std::string text;
  Builder<field::Kernels> message(text);
  for (const KernelCount& count : kernels) {
    Builder<F> kernel(message, field::Kernels::kKernels);
    kernel.add_uint32(F::kPath, static_cast<uint32_t>(count.path));
    kernel.add_bytes(F::kSymbol, count.symbol);
    kernel.add_uint32(F::kGridX, count.grid[0]);
    kernel.add_uint32(F::kGridY, count.grid[1]);
    kernel.add_uint32(F::kGridZ, count.grid[2]);
    kernel.add_uint32(F::kBlockX, count.block[0]);
    kernel.add_uint32(F::kBlockY, count.block[1]);
    kernel.add_uint32(F::kBlockZ, count.block[2]);
    kernel.add_uint32(F::kSharedBytes, count.shared_bytes);
    kernel.add_uint64(F::kLaunches, count.launches);
    if (count.device != 0) kernel.add_uint32(F::kDevice, count.device);
  }
  return text;
}

std::string EncodeHealth(std::span<const HealthNote> notes, const HealthRecord& health,
                         const WireCost& cost) {
  std::string text;
  Builder<field::Health> message(text);
  for (const HealthNote& note : notes) {
    Builder<field::Note> entry(message, field::Health::kNotes);
    entry.add_enum(field::Note::kSeverity, static_cast<int32_t>(note.severity));
    entry.add_bytes(field::Note::kAbout, note.about);
    entry.add_bytes(field::Note::kText, note.text);
    entry.add_uint64(field::Note::kTimeNs, note.time_ns);
  }
  for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
    const auto loss = static_cast<Loss>(i);
    if (health.lost(loss) == 0) continue;
    Builder<field::Loss> entry(message, field::Health::kLosses);
    entry.add_bytes(field::Loss::kKind, LossName(loss));
    entry.add_uint64(field::Loss::kCount, health.lost(loss));
  }
  Builder<field::Cost> total(message, field::Health::kCost);
  total.add_uint64(field::Cost::kWallNs, cost.wall_ns);
  total.add_uint64(field::Cost::kSetUpNs, cost.set_up_ns);
  total.add_uint64(field::Cost::kRotationNs, cost.rotation_ns);
  total.add_uint64(field::Cost::kBorderNs, cost.border_ns);
  total.add_uint64(field::Cost::kSlowedNs, cost.slowed_ns);
  return text;
}

std::string EncodeGoodbye(std::string_view reason, uint64_t end_ns) {
  std::string text;
  Builder<field::Goodbye> message(text);
  message.add_bytes(field::Goodbye::kReason, reason.data(), reason.size());
  message.add_uint64(field::Goodbye::kEndNs, end_ns);
  return text;
}

}  // namespace rafter
