#include "collector/ingest/from_wire.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

#include "collector/evaluate/counter_image.h"
#include "collector/store/uncounted.h"
#include "collector/store/utf8.h"
#include "proto/gpu_uuid.h"

namespace rafter {
namespace {

// Kernels of template libraries reach 20 KB; what is longer stays mangled.
constexpr size_t kMaxDemangledSymbolBytes = 64u << 10;

std::string Demangled(const std::string& symbol) {
  if (symbol.size() > kMaxDemangledSymbolBytes) return symbol;
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string demangled = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return demangled;
}

// What no process can have counted would overflow the sums.
bool IsSoundSlot(const wire::Slot& slot) {
  return slot.path() != 0 && slot.cut_segments() <= slot.segments() &&
         slot.crossed() <= slot.incomplete() && slot.instances() <= kMostNs &&
         slot.incomplete() <= kMostNs && slot.segments() <= kMostNs && slot.counted_ns() <= kMostNs;
}

// Of an instance or a mark. A number that is none is no payload.
template <typename Event>
StoredPayload ToPayload(const Event& event) {
  switch (event.payload_case()) {
    case Event::kPayloadUnsigned:
      if (event.payload_unsigned() > INT64_MAX) return std::to_string(event.payload_unsigned());
      return static_cast<int64_t>(event.payload_unsigned());
    case Event::kPayloadSigned:
      return event.payload_signed();
    case Event::kPayloadReal:
      if (!std::isfinite(event.payload_real())) return {};
      return event.payload_real();
    default:
      return {};
  }
}

// Of a launch or of a kernel that was seen.
template <typename Sized, typename Converted>
void PutSizes(const Sized& from, Converted& to) {
  to.grid[0] = from.grid_x();
  to.grid[1] = from.grid_y();
  to.grid[2] = from.grid_z();
  to.block[0] = from.block_x();
  to.block[1] = from.block_y();
  to.block[2] = from.block_z();
}

static_assert(wire::COUNTED == 0 && wire::NOT_CHOSEN == 16 && wire::Uncounted_MAX == 16,
              "collector/store/uncounted.cc has words for these numbers");

}  // namespace

std::string Utf8Text(std::string_view bytes) {
  std::string text;
  text.reserve(std::min(bytes.size(), kMaxTextBytes));
  while (!bytes.empty() && text.size() < kMaxTextBytes) {
    const size_t length = bytes.front() == '\0' ? 0 : Utf8CharacterBytes(bytes);
    if (length == 0) {
      text += kUtf8Replacement;
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

RunProcess ToProcess(const wire::Hello& hello) {
  RunProcess process;
  process.host = Utf8Text(hello.host());
  process.pid = hello.pid();
  process.start_ticks = hello.start_ticks();
  process.boot_id = Utf8Text(hello.boot_id());
  process.executable = Utf8Text(hello.executable());
  for (const std::string& argument : hello.arguments()) {
    if (process.arguments.size() == kMaxArguments) break;
    process.arguments.push_back(Utf8Text(argument));
  }
  if (hello.has_rank()) process.rank = hello.rank();
  process.job = Utf8Text(hello.job());
  for (const wire::Variable& variable : hello.environment()) {
    if (process.environment.size() == kMaxVariables) break;
    process.environment[Utf8Text(variable.name())] = Utf8Text(variable.value());
  }
  process.monotonic_ns = hello.monotonic_ns();
  process.realtime_ns = hello.realtime_ns();
  process.library_version = Utf8Text(hello.library_version());
  return process;
}

RunDevice ToDevice(const wire::Device& device) {
  RunDevice converted;
  converted.device = device.device();
  converted.uuid = GpuUuidText(device.uuid().data(), device.uuid().size());
  converted.pci_address = Utf8Text(device.pci_address());
  converted.name = Utf8Text(device.name());
  converted.chip = Utf8Text(device.chip());
  converted.driver_version = device.driver_version();
  converted.cupti_version = device.cupti_version();
  converted.cupti_path = Utf8Text(device.cupti_path());
  converted.sm_count = device.sm_count();
  converted.memory_bytes = device.memory_bytes();
  converted.sm_clock_hz = device.sm_clock_hz();
  converted.memory_clock_hz = device.memory_clock_hz();
  converted.memory_bus_bits = device.memory_bus_bits();
  converted.l2_bytes = device.l2_bytes();
  converted.compute_major = device.compute_major();
  converted.compute_minor = device.compute_minor();
  converted.wanted_sets = Utf8Text(device.wanted_sets());
  return converted;
}

void PutPlan(const wire::Plan& plan, RunDevice& device) {
  device.sets.clear();
  device.missing.clear();
  for (const wire::PlanSet& set : plan.sets()) {
    CounterSet& put = device.sets.emplace_back();
    put.name = Utf8Text(set.name());
    put.first_pass = set.first_pass();
    put.passes = set.passes();
    for (const wire::Counter& counter : set.counters()) {
      put.counters.push_back(
          {Utf8Text(counter.metric()), Utf8Text(counter.unit()), Utf8Text(counter.description())});
    }
  }
  for (const wire::MissingMetric& missing : plan.missing()) {
    device.missing.push_back(
        {Utf8Text(missing.set()), Utf8Text(missing.metric()), Utf8Text(missing.reason())});
  }
  device.plan_origin = Utf8Text(plan.origin());
  device.plan_error = Utf8Text(plan.error());
}

LaunchKind ToLaunchKind(const wire::Launch& launch) {
  LaunchKind converted;
  converted.symbol = Utf8Text(launch.symbol());
  if (!converted.symbol.empty()) converted.signature = Utf8Text(Demangled(converted.symbol));
  PutSizes(launch, converted);
  converted.dynamic_shared_bytes = launch.dynamic_shared_bytes();
  converted.static_shared_bytes = launch.static_shared_bytes();
  converted.registers = launch.registers();
  return converted;
}

RegionPath ToPath(const wire::Path& path) {
  RegionPath converted;
  converted.path = path.path();
  converted.parent = path.parent();
  converted.name = Utf8Text(path.name());
  converted.domain = Utf8Text(path.domain());
  converted.members.assign(path.members().begin(), path.members().end());
  if (path.has_launch()) converted.launch = ToLaunchKind(path.launch());
  return converted;
}

StoredInstance ToInstance(const wire::Instance& instance) {
  StoredInstance converted;
  converted.path = instance.path();
  converted.thread = instance.thread();
  converted.start_ns = instance.start_ns();
  converted.duration_ns = instance.duration_ns();
  converted.epoch = instance.epoch();
  converted.uncounted = static_cast<uint32_t>(instance.uncounted());
  if (instance.has_launches()) converted.launches = instance.launches();
  converted.device = instance.device();
  converted.category = instance.category();
  converted.payload = ToPayload(instance);
  return converted;
}

StoredMark ToMark(const wire::Mark& mark) {
  return {mark.path(), mark.thread(), mark.time_ns(), mark.category(), ToPayload(mark)};
}

RunKernel ToKernel(const wire::Kernel& kernel) {
  RunKernel converted;
  converted.path = kernel.path();
  converted.symbol = Utf8Text(kernel.symbol());
  converted.signature = Utf8Text(Demangled(converted.symbol));
  PutSizes(kernel, converted);
  converted.shared_bytes = kernel.shared_bytes();
  converted.launches = kernel.launches();
  converted.device = kernel.device();
  return converted;
}

RunNote ToNote(const wire::Note& note) {
  constexpr std::array<const char*, 3> kSeverities = {"information", "warning", "failure"};
  const auto severity = static_cast<size_t>(note.severity());
  return {severity < kSeverities.size() ? kSeverities[severity] : "warning", Utf8Text(note.about()),
          Utf8Text(note.text())};
}

RunCost ToCost(const wire::Cost& cost) {
  return {cost.wall_ns(), cost.set_up_ns(), cost.rotation_ns(), cost.border_ns(), cost.slowed_ns()};
}

std::optional<Epoch> ToEpoch(const wire::Image& image) {
  Epoch epoch;
  epoch.epoch = image.epoch();
  epoch.device = image.device();
  epoch.pass = image.pass();
  epoch.start_ns = image.start_ns();
  epoch.end_ns = image.end_ns();
  epoch.baseline = image.baseline();
  epoch.chain = image.chain();
  if (epoch.epoch == 0 || image.slots_size() > static_cast<int>(kMaxSlots)) return std::nullopt;
  if (epoch.chain > epoch.epoch) return std::nullopt;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> seen;
  std::set<uint32_t> ranges;
  for (const wire::Slot& slot : image.slots()) {
    const bool is_new = seen.insert({slot.path(), slot.call(), slot.range()}).second &&
                        (slot.range() == 0 || ranges.insert(slot.range()).second);
    if (!is_new || !IsSoundSlot(slot)) return std::nullopt;
    SlotValues& put = epoch.slots.emplace_back();
    put.path = slot.path();
    put.instances = slot.instances();
    put.incomplete = slot.incomplete();
    put.segments = slot.segments();
    put.cut_segments = slot.cut_segments();
    put.counted_ns = slot.counted_ns();
    put.call = slot.call();
    put.range = slot.range();
    put.crossed = slot.crossed();
  }
  return epoch;
}

}  // namespace rafter
