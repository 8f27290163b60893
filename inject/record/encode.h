// Encode makes the messages of proto/rafter.proto with protozero: no generated
// code and no libprotobuf in the target.
//
//   Threads   pure functions of their arguments.
//   Blocking  never.
//   Memory    returns the serialised message; allocates.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inject/counters/installed_plan.h"
#include "inject/counters/range_borders.h"
#include "inject/cupti/cuda_driver.h"
#include "inject/health.h"
#include "inject/options.h"
#include "inject/record/identity.h"
#include "inject/record/path_table.h"
#include "inject/record/region_ring.h"
#include "inject/record/wire_fields.h"

namespace rafter {

// A kind of launch seen inside a region.
struct KernelCount {
  PathId path = PathId::kNone;
  uint16_t device = 0;  // its number plus one
  std::string symbol;
  uint32_t grid[3] = {0, 0, 0};
  uint32_t block[3] = {0, 0, 0};
  uint32_t shared_bytes = 0;
  uint64_t launches = 0;
};

// What the program calls a category of a domain.
struct CategoryName {
  uint32_t domain = 0;
  uint32_t category = 0;
  std::string name;
};

// What counting has cost so far; wire.Cost.
struct WireCost {
  uint64_t wall_ns = 0;
  uint64_t set_up_ns = 0;
  uint64_t rotation_ns = 0;
  uint64_t border_ns = 0;
  uint64_t slowed_ns = 0;
};

std::string EncodeHello(const Identity& identity, const Options& options, std::string_view entry);
std::string EncodeDevice(uint32_t device, const DeviceFacts& facts, uint32_t cupti_version,
                         std::string_view cupti_path, std::string_view wanted_sets);
// The plan in use: the message as it came, for this device, with its origin.
std::string EncodePlan(uint32_t device, const InstalledPlan& plan);
std::string EncodeBaseline(uint32_t device, uint32_t baseline, uint32_t slots,
                           std::span<const uint8_t> image);
std::string EncodeNames(PathTable& paths, uint32_t first, uint32_t last);
std::string EncodeCategories(const PathTable& paths, std::span<const CategoryName> categories);
// Regions and marks in the order that they came.
// `dropped`: pairs of path and instances that no batch holds.
std::string EncodeBatch(std::span<const FinishedRegion> regions, uint64_t dropped_total,
                        std::span<const std::pair<PathId, uint64_t>> dropped);
std::string EncodeImage(uint32_t device, uint32_t baseline, const EndedEpoch& epoch,
                        std::span<const uint8_t> baseline_image, std::span<const uint8_t> image);
std::string EncodeKernels(std::span<const KernelCount> kernels);
std::string EncodeHealth(std::span<const HealthNote> notes, const HealthRecord& health,
                         const WireCost& cost);
std::string EncodeGoodbye(std::string_view reason, uint64_t end_ns);

// A stretch of `image` that differs from what lies below it.
struct PatchRange {
  size_t offset = 0;
  size_t size = 0;
};
// Stretches in which the images differ, or, with an empty `below`, in which
// `image` is not zero. Stretches closer than 16 bytes are one: a stretch costs
// about that much on the wire.
std::vector<PatchRange> Differences(std::span<const uint8_t> below, std::span<const uint8_t> image);

}  // namespace rafter
