// The field numbers of proto/rafter.proto, for protozero, which encodes without
// generated code. A contract test decodes every message with libprotobuf, so a
// number that drifts from the schema fails there.
//
//   Threads   constants.
//   Blocking  never.
//   Memory    none.
//   Lifetime  constants.
#pragma once

#include <cstdint>
#include <protozero/types.hpp>

namespace rafter::field {

enum class Hello : protozero::pbf_tag_type {
  kProtocol = 1,
  kLibraryVersion = 2,
  kHost = 3,
  kPid = 4,
  kStartTicks = 5,
  kBootId = 6,
  kExecutable = 7,
  kArguments = 8,
  kRank = 9,
  kRankVariable = 10,
  kJob = 11,
  kEnvironment = 12,
  kMonotonicNs = 13,
  kRealtimeNs = 14,
  kEntry = 15
};
enum class Variable : protozero::pbf_tag_type { kName = 1, kValue = 2 };
enum class Device : protozero::pbf_tag_type {
  kDevice = 1,
  kUuid = 2,
  kPciAddress = 3,
  kName = 4,
  kChip = 5,
  kDriverVersion = 6,
  kCuptiVersion = 7,
  kCuptiPath = 8,
  kSmCount = 9,
  kMemoryBytes = 10,
  kSmClockHz = 11,
  kMemoryClockHz = 12,
  kMemoryBusBits = 13,
  kL2Bytes = 14,
  kComputeMajor = 15,
  kComputeMinor = 16,
  kCounterAvailability = 17,
  kWantedSets = 18
};
enum class Counter : protozero::pbf_tag_type { kMetric = 1, kUnit = 2, kDescription = 3 };
enum class PlanSet : protozero::pbf_tag_type {
  kName = 1,
  kFirstPass = 2,
  kPasses = 3,
  kCounters = 4
};
enum class MissingMetric : protozero::pbf_tag_type { kSet = 1, kMetric = 2, kReason = 3 };
enum class Plan : protozero::pbf_tag_type {
  kDevice = 1,
  kChip = 2,
  kCuptiVersion = 3,
  kAvailabilityHash = 4,
  kWantedSets = 5,
  kSets = 6,
  kPasses = 7,
  kConfiguration = 8,
  kMissing = 9,
  kError = 10,
  kOrigin = 11
};
enum class Patch : protozero::pbf_tag_type { kOffset = 1, kData = 2 };
enum class Baseline : protozero::pbf_tag_type {
  kDevice = 1,
  kBaseline = 2,
  kSize = 3,
  kSlots = 4,
  kPatches = 5
};
enum class Path : protozero::pbf_tag_type {
  kPath = 1,
  kParent = 2,
  kName = 3,
  kDomain = 4,
  kMembers = 5,
  kLaunch = 6,
  kMark = 7
};
enum class Launch : protozero::pbf_tag_type {
  kSymbol = 1,
  kGridX = 2,
  kGridY = 3,
  kGridZ = 4,
  kBlockX = 5,
  kBlockY = 6,
  kBlockZ = 7,
  kDynamicSharedBytes = 8,
  kStaticSharedBytes = 9,
  kRegisters = 10
};
enum class Category : protozero::pbf_tag_type { kDomain = 1, kCategory = 2, kName = 3 };
enum class Names : protozero::pbf_tag_type { kPaths = 1, kCategories = 2 };
enum class Instance : protozero::pbf_tag_type {
  kPath = 1,
  kThread = 2,
  kStartNs = 3,
  kDurationNs = 4,
  kEpoch = 5,
  kUncounted = 6,
  kLaunches = 7,
  kDevice = 8,
  kCategory = 9,
  kPayloadUnsigned = 10,
  kPayloadSigned = 11,
  kPayloadReal = 12
};
enum class Mark : protozero::pbf_tag_type {
  kPath = 1,
  kThread = 2,
  kTimeNs = 3,
  kCategory = 4,
  kPayloadUnsigned = 5,
  kPayloadSigned = 6,
  kPayloadReal = 7
};
enum class PathLoss : protozero::pbf_tag_type { kPath = 1, kInstances = 2 };
enum class Batch : protozero::pbf_tag_type {
  kInstances = 1,
  kDroppedInstances = 2,
  kDropped = 3,
  kMarks = 4
};
enum class Slot : protozero::pbf_tag_type {
  kPath = 1,
  kInstances = 2,
  kIncomplete = 3,
  kSegments = 4,
  kCutSegments = 5,
  kCountedNs = 6,
  kCall = 7,
  kRange = 8,
  kCrossed = 9
};
enum class Image : protozero::pbf_tag_type {
  kDevice = 1,
  kEpoch = 2,
  kPass = 3,
  kBaseline = 4,
  kStartNs = 5,
  kEndNs = 6,
  kSlots = 7,
  kPatches = 8,
  kChain = 9
};
enum class Kernel : protozero::pbf_tag_type {
  kPath = 1,
  kSymbol = 2,
  kGridX = 3,
  kGridY = 4,
  kGridZ = 5,
  kBlockX = 6,
  kBlockY = 7,
  kBlockZ = 8,
  kSharedBytes = 9,
  kLaunches = 10,
  kDevice = 11
};
enum class Kernels : protozero::pbf_tag_type { kKernels = 1 };
enum class Note : protozero::pbf_tag_type { kSeverity = 1, kAbout = 2, kText = 3, kTimeNs = 4 };
enum class Loss : protozero::pbf_tag_type { kKind = 1, kCount = 2 };
enum class Health : protozero::pbf_tag_type { kNotes = 1, kLosses = 2, kCost = 3 };
enum class Cost : protozero::pbf_tag_type {
  kWallNs = 1,
  kSetUpNs = 2,
  kRotationNs = 3,
  kBorderNs = 4,
  kSlowedNs = 5
};
enum class Goodbye : protozero::pbf_tag_type { kReason = 1, kEndNs = 2 };
enum class Bye : protozero::pbf_tag_type { kReason = 1 };

}  // namespace rafter::field

namespace rafter {

// rafter.wire.FrameType.
enum class FrameType : uint16_t {
  kHello = 1,
  kDevice = 2,
  kPlan = 3,
  kBaseline = 4,
  kNames = 5,
  kBatch = 6,
  kImage = 7,
  kKernels = 8,
  kHealth = 9,
  kGoodbye = 10,
  kBye = 33
};

// protozero takes the wire type of a field on trust, and asserts it where
// assertions are on. A reader that may meet foreign bytes compares both, so that
// a known number with another type is passed over like an unknown one.
inline constexpr auto kNumber = protozero::pbf_wire_type::varint;
inline constexpr auto kText = protozero::pbf_wire_type::length_delimited;

template <typename Field>
constexpr uint32_t Typed(Field field, protozero::pbf_wire_type type) {
  return protozero::tag_and_type(field, type);
}

}  // namespace rafter
