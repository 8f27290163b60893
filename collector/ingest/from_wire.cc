#include "collector/ingest/from_wire.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>

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

static_assert(wire::COUNTED == 0 && wire::SKIPPED == 14 && wire::Uncounted_MAX == 14,
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

std::string OneLine(std::string_view bytes) {
  std::string text = Utf8Text(bytes);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
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

RegionPath ToPath(const wire::Path& path) {
  RegionPath converted;
  converted.path = path.path();
  converted.parent = path.parent();
  converted.name = Utf8Text(path.name());
  converted.domain = Utf8Text(path.domain());
  converted.members.assign(path.members().begin(), path.members().end());
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
  return converted;
}

RunKernel ToKernel(const wire::Kernel& kernel) {
  RunKernel converted;
  converted.path = kernel.path();
  converted.symbol = Utf8Text(kernel.symbol());
  converted.signature = Utf8Text(Demangled(converted.symbol));
  converted.grid[0] = kernel.grid_x();
  converted.grid[1] = kernel.grid_y();
  converted.grid[2] = kernel.grid_z();
  converted.block[0] = kernel.block_x();
  converted.block[1] = kernel.block_y();
  converted.block[2] = kernel.block_z();
  converted.shared_bytes = kernel.shared_bytes();
  converted.launches = kernel.launches();
  return converted;
}

RunNote ToNote(const wire::Note& note) {
  constexpr std::array<const char*, 3> kSeverities = {"information", "warning", "failure"};
  const auto severity = static_cast<size_t>(note.severity());
  return {severity < kSeverities.size() ? kSeverities[severity] : "warning", Utf8Text(note.about()),
          Utf8Text(note.text())};
}

std::optional<Epoch> ToEpoch(const wire::Image& image) {
  Epoch epoch;
  epoch.epoch = image.epoch();
  epoch.device = image.device();
  epoch.pass = image.pass();
  epoch.start_ns = image.start_ns();
  epoch.end_ns = image.end_ns();
  epoch.baseline = image.baseline();
  if (epoch.epoch == 0 || image.slots_size() > static_cast<int>(kMaxSlots)) return std::nullopt;
  std::set<uint32_t> seen;
  for (const wire::Slot& slot : image.slots()) {
    if (slot.path() == 0 || !seen.insert(slot.path()).second) return std::nullopt;
    epoch.slots.push_back(
        {slot.path(), slot.instances(), slot.incomplete(), slot.segments(), false, {}});
  }
  return epoch;
}

}  // namespace rafter
