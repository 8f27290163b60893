// The fake libcupti.so.13: range sessions, as gpu-facts.md section 4 found them.
#include <algorithm>
#include <bitset>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/fakes/cupti_fake.h"
#include "tests/fakes/gpu_lock.h"
#include "tests/fakes/images.h"

namespace rafter::fakes {
namespace {

struct Range {
  std::string name;
  RawCounts counts = {};
};

// What one Start/Stop collected, waiting to be decoded.
struct CollectedPass {
  std::bitset<kRawCounters> raw;
  std::vector<Range> ranges;
};

}  // namespace
}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

struct CUpti_RangeProfiler_Object {
  CUcontext context = nullptr;
  int device = 0;
  bool enabled = true;
  bool holds_gpu = false;
  bool refused = false;  // the last Start was; push and pop answer 1 from then on
  bool started = false;
  std::vector<ConfigPass> passes;
  std::vector<uint8_t> first_config;  // another one on the same object collects nothing
  bool config_changed = false;
  size_t pass = 0;
  size_t max_ranges = 0;
  size_t tree_nodes = 0;  // of the image; one is needed for each range kept
  size_t pushed = 0;      // ranges of this Start/Stop, whatever their names
  uint8_t* image = nullptr;
  size_t image_bytes = 0;
  char chip[16] = {};
  std::vector<std::string> stack;
  std::vector<Range> ranges;  // of this Start/Stop; the same name sums
  std::vector<CollectedPass> undecoded;
  bool auto_ranges = false;  // each kernel is a range, replayed until all passes are collected
};

namespace rafter::fakes {

void CallDestroying(CUcontext context);

namespace {

using Object = CUpti_RangeProfiler_Object;

std::mutex& Mutex() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

std::vector<std::unique_ptr<Object>>& Objects() {
  static auto* const objects = new std::vector<std::unique_ptr<Object>>;
  return *objects;
}

// Kernels that were ranges of their own on a context, ever: their names.
std::map<CUcontext, uint64_t>& AutoRanges() {
  static auto* const ranges = new std::map<CUcontext, uint64_t>;
  return *ranges;
}

// The enabled object behind a handle, or null.
Object* Live(Object* handle) {
  for (const auto& known : Objects()) {
    if (known.get() == handle && known->enabled) return handle;
  }
  return nullptr;
}

Object* StartedOn(CUcontext context) {
  for (const auto& known : Objects()) {
    if (known->enabled && known->started && known->context == context) return known.get();
  }
  return nullptr;
}

void Disable(Object& object) {
  object.enabled = false;
  object.started = false;
  if (object.holds_gpu) GiveGpuBack(object.device);
  object.holds_gpu = false;
}

// A call on an enabled object, under the lock.
template <typename Params, typename Body>
CUptiResult OnObject(const char* function, Params* params, size_t bytes, Body&& body) {
  return Entry(function, params, bytes, [&]() -> CUptiResult {
    if (InitialisedDriver() == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
    const std::lock_guard<std::mutex> lock(Mutex());
    Object* object = Live(params->pRangeProfilerObject);
    return object == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : body(*object);
  });
}

// A hardware pass keeps twice as many ranges as it was told to, and drops the
// rest without a word (docs/measurements/2026-11-30-ranges-per-pass.md).
bool Keeps(const Object& object) {
  return object.passes[object.pass].patched != 0 || object.pushed <= 2 * object.max_ranges;
}

Range* RangeNamed(Object& object, const std::string& name) {
  for (Range& range : object.ranges) {
    if (range.name == name) return &range;
  }
  object.ranges.push_back({name, {}});
  return &object.ranges.back();
}

CounterSlot* SlotNamed(CounterHeader& header, CounterSlot* slots, const std::string& name) {
  for (uint64_t i = 0; i < header.used; ++i) {
    if (name == slots[i].name) return &slots[i];
  }
  if (header.used >= header.slots) return nullptr;
  CounterSlot* slot = &slots[header.used++];
  *slot = {};
  name.copy(slot->name, sizeof slot->name - 1);
  return slot;
}

void Decode(const CollectedPass& pass, CounterHeader& header, CounterSlot* slots) {
  for (const Range& range : pass.ranges) {
    CounterSlot* slot = SlotNamed(header, slots, range.name);
    if (slot == nullptr) continue;
    for (size_t i = 0; i < kRawCounters; ++i) {
      if (!pass.raw[i]) continue;
      const double seen = static_cast<double>(slot->decoded[i]);
      slot->mean[i] = (slot->mean[i] * seen + static_cast<double>(range.counts[i])) / (seen + 1);
      ++slot->decoded[i];
    }
  }
}

CUptiResult SetConfig(Object& object, const CUpti_RangeProfiler_SetConfig_Params& params) {
  ConfigHeader config;
  CounterHeader image;
  if (object.started) return CUPTI_ERROR_INVALID_OPERATION;
  if (params.range == CUPTI_UserRange && params.replayMode == CUPTI_KernelReplay) {
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  const bool auto_ranges = params.range == CUPTI_AutoRange;
  if (auto_ranges && params.replayMode != CUPTI_KernelReplay) return CUPTI_ERROR_NOT_SUPPORTED;
  if (params.minNestingLevel >= 2) return CrashOr(CUPTI_ERROR_INVALID_PARAMETER);
  if (params.minNestingLevel == 0 || params.numNestingLevels == 0 || params.maxRangesPerPass == 0 ||
      !ReadPlain(params.pConfig, params.configSize, 0, config) ||
      std::memcmp(config.magic, kConfigMagic, sizeof config.magic) != 0 ||
      params.configSize < sizeof config + config.passes * sizeof(ConfigPass) ||
      !ReadPlain(params.pCounterDataImage, params.counterDataImageSize, 0, image) ||
      std::memcmp(image.magic, kCounterMagic, sizeof image.magic) != 0) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const std::vector<uint8_t> bytes(params.pConfig, params.pConfig + params.configSize);
  if (object.first_config.empty()) object.first_config = bytes;
  object.config_changed = object.first_config != bytes;
  object.passes.resize(config.passes);
  std::memcpy(object.passes.data(), params.pConfig + sizeof config,
              config.passes * sizeof(ConfigPass));
  object.pass = 0;  // passIndex does not choose
  object.auto_ranges = auto_ranges;
  object.max_ranges = params.maxRangesPerPass;
  object.image = params.pCounterDataImage;
  object.image_bytes = params.counterDataImageSize;
  std::memcpy(object.chip, config.chip, sizeof object.chip);
  return CUPTI_SUCCESS;
}

CUptiResult Start(Object& object) {
  if (object.passes.empty() || object.started) return CUPTI_ERROR_INVALID_OPERATION;
  if (!object.holds_gpu && !TakeGpu(object.device)) {
    object.refused = true;
    return CUPTI_ERROR_HARDWARE_BUSY;
  }
  object.holds_gpu = true;
  object.refused = false;
  object.started = true;
  object.stack.clear();
  object.ranges.clear();
  object.pushed = 0;
  return CUPTI_SUCCESS;
}

// Replay has collected every pass of each kernel, and they are in one image.
CUptiResult StopAutoRanges(Object& object, CUpti_RangeProfiler_Stop_Params& params) {
  CollectedPass collected;
  for (const ConfigPass& pass : object.passes) collected.raw |= std::bitset<kRawCounters>(pass.raw);
  if (object.config_changed) collected.raw.reset();
  collected.ranges = std::move(object.ranges);
  object.ranges.clear();
  object.undecoded.push_back(std::move(collected));
  params.passIndex = 0;
  params.targetNestingLevel = 1;
  params.isAllPassSubmitted = 1;
  return CUPTI_SUCCESS;
}

CUptiResult Stop(Object& object, CUpti_RangeProfiler_Stop_Params& params) {
  if (!object.started) return CUPTI_ERROR_INVALID_OPERATION;
  object.started = false;
  if (object.auto_ranges) return StopAutoRanges(object, params);
  const size_t kept = std::min(object.pushed, 2 * object.max_ranges);
  if (object.passes[object.pass].patched == 0 && kept > object.tree_nodes) {
    return CrashOr(CUPTI_ERROR_UNKNOWN);  // the real one always crashes
  }
  CollectedPass collected;
  if (!object.config_changed) collected.raw = object.passes[object.pass].raw;
  collected.ranges = std::move(object.ranges);
  object.ranges.clear();
  object.undecoded.push_back(std::move(collected));
  object.pass = (object.pass + 1) % object.passes.size();
  params.passIndex = object.pass;
  params.targetNestingLevel = 1;
  params.isAllPassSubmitted = object.pass == 0;
  return CUPTI_SUCCESS;  // the hardware stays ours until Disable
}

// The kernel runs once for each pass, and the launch returns after the last.
LaunchCharge Replay(Object& object, const KernelWork& work) {
  LaunchCharge charge{true, 0};
  for (const ConfigPass& pass : object.passes) {
    charge.ns += pass.patched != 0 ? work.patched_ns : work.ns;
  }
  object.ranges.push_back({std::to_string(AutoRanges()[object.context]++), work.counts});
  return charge;
}

}  // namespace

// Work goes to the range that is open when it is launched, whoever launches.
// Deeper ranges than the first are not told apart: one level is profiled.
LaunchCharge OnLaunch(CUcontext context, const KernelWork& work, Launched what) {
  const std::lock_guard<std::mutex> lock(Mutex());
  Object* object = StartedOn(context);
  if (object != nullptr && object->auto_ranges) {
    return what == Launched::kKernel ? Replay(*object, work) : LaunchCharge{false, work.ns};
  }
  if (object == nullptr || object->stack.empty()) return {false, work.ns};
  const bool patched = object->passes[object->pass].patched != 0;
  const bool counts = !(patched && what == Launched::kGraphKernel);
  Range* range = counts && Keeps(*object) ? RangeNamed(*object, object->stack.front()) : nullptr;
  if (range != nullptr) {
    for (size_t i = 0; i < kRawCounters; ++i) range->counts[i] += work.counts[i];
  }
  const bool blocks = patched && what != Launched::kGraphKernel;
  return {blocks, blocks ? work.patched_ns : work.ns};
}

void OnContextDestroying(CUcontext context) {
  CallDestroying(context);
  const std::lock_guard<std::mutex> lock(Mutex());
  for (const auto& known : Objects()) {
    if (known->enabled && known->context == context) Disable(*known);
  }
  AutoRanges().erase(context);
}

void ResetRanges() {
  const std::lock_guard<std::mutex> lock(Mutex());
  for (const auto& known : Objects()) Disable(*known);
  AutoRanges().clear();
  ForgetGpuLocks();
}

bool SessionIsOpen(CUcontext context) {
  const std::lock_guard<std::mutex> lock(Mutex());
  return std::any_of(Objects().begin(), Objects().end(), [&](const auto& known) {
    return known->enabled && known->holds_gpu && known->context == context;
  });
}

}  // namespace rafter::fakes

extern "C" {

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  return Entry("cuptiRangeProfilerEnable", params, 32, [&] {
    const FakeCudaFunctions* driver = InitialisedDriver();
    if (driver == nullptr || !ProfilerIsInitialised()) return CrashOr(CUPTI_ERROR_NOT_INITIALIZED);
    const int device = driver->device_of(params->ctx);
    if (device < 0) return CUPTI_ERROR_INVALID_CONTEXT;
    const std::lock_guard<std::mutex> lock(Mutex());
    for (const auto& known : Objects()) {
      if (known->enabled && known->context == params->ctx) return CUPTI_ERROR_INVALID_OPERATION;
    }
    Objects().push_back(std::make_unique<Object>());
    Object* object = Objects().back().get();
    object->context = params->ctx;
    object->device = device;
    params->pRangeProfilerObject = object;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* params) {
  return OnObject("cuptiRangeProfilerDisable", params, 24, [](Object& object) {
    Disable(object);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  return OnObject("cuptiRangeProfilerSetConfig", params, 90,
                  [&](Object& object) { return SetConfig(object, *params); });
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* params) {
  return OnObject("cuptiRangeProfilerStart", params, 24, Start);
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  return OnObject("cuptiRangeProfilerStop", params, 41,
                  [&](Object& object) { return Stop(object, *params); });
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* params) {
  return OnObject("cuptiRangeProfilerPushRange", params, 32, [&](Object& object) {
    if (object.auto_ranges) return CUPTI_ERROR_INVALID_OPERATION;
    if (!object.started || object.refused || params->pRangeName == nullptr) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    object.stack.push_back(params->pRangeName);
    if (object.stack.size() == 1) {
      ++object.pushed;
      if (Keeps(object)) RangeNamed(object, object.stack.front());  // an empty range takes a slot
    }
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* params) {
  return OnObject("cuptiRangeProfilerPopRange", params, 24, [](Object& object) {
    if (!object.started || object.refused || object.stack.empty()) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    object.stack.pop_back();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  return OnObject("cuptiRangeProfilerDecodeData", params, 32, [&](Object& object) {
    if (object.started || object.image == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
    CounterHeader header;
    if (!ReadPlain(object.image, object.image_bytes, 0, header) ||
        std::memcmp(header.magic, kCounterMagic, sizeof header.magic) != 0 ||
        object.image_bytes < CounterImageBytes(header.slots)) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    std::memcpy(header.chip, object.chip, sizeof header.chip);
    std::vector<CounterSlot> slots(header.slots);
    std::memcpy(slots.data(), object.image + sizeof header, header.slots * sizeof(CounterSlot));
    for (const CollectedPass& pass : object.undecoded) Decode(pass, header, slots.data());
    object.undecoded.clear();
    std::memcpy(object.image, &header, sizeof header);
    std::memcpy(object.image + sizeof header, slots.data(), header.slots * sizeof(CounterSlot));
    params->numOfRangeDropped = 0;  // even when some were
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  return OnObject("cuptiRangeProfilerGetCounterDataSize", params, 64, [&](Object& object) {
    if (params->maxNumOfRanges == 0 || params->maxNumRangeTreeNodes < params->maxNumOfRanges ||
        params->pMetricNames == nullptr || params->numMetrics == 0) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    object.tree_nodes = params->maxNumRangeTreeNodes;
    params->counterDataSize = CounterImageBytes(params->maxNumOfRanges);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
  return OnObject("cuptiRangeProfilerCounterDataImageInitialize", params, 40, [&](Object&) {
    if (params->pCounterData == nullptr || params->counterDataSize < CounterImageBytes(1)) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    CounterHeader header = {};
    std::memcpy(header.magic, kCounterMagic, sizeof header.magic);
    header.slots = (params->counterDataSize - sizeof header) / sizeof(CounterSlot);
    std::memset(params->pCounterData, 0, params->counterDataSize);
    std::memcpy(params->pCounterData, &header, sizeof header);
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
