#include "inject/cupti/range_session.h"

#include "cupti/table.h"
#include "inject/cupti/undo.h"

namespace rafter {
namespace {

CUpti_RangeProfiler_Object* Object(void* object) {
  return static_cast<CUpti_RangeProfiler_Object*>(object);
}

std::string FailureText(const char* step, CUptiResult code) {
  return "counters off: CUPTI " + std::string(step) + " answered " + CuptiErrorText(code) +
         "; run \"rafter doctor\"";
}

// Translates the support query flag by flag.
Status CheckSupport(const CuptiTable& cupti, CUdevice device) {
  RAFTER_CUPTI_PARAMS(cupti, CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  const CUptiResult code = cupti.cuptiProfilerDeviceSupported(&params);
  if (code != CUPTI_SUCCESS) {
    return Status::Failed(FailureText("cuptiProfilerDeviceSupported", code));
  }
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return Status::Ok();
  struct Flag {
    CUpti_Profiler_Support_Level level;
    const char* reason;
  };
  const Flag flags[] = {
      {params.architecture, "the GPU is older than Turing (compute capability 7.5)"},
      {params.sli, "SLI is on"},
      {params.vGpu, params.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                        ? "this virtual GPU was started without profiling (enable_profiling)"
                        : "this virtual GPU cannot be profiled"},
      {params.confidentialCompute, "confidential computing is on"},
      {params.cmp, "it is a mining card"},
      {params.wsl, "this version of WSL cannot profile"},
  };
  for (const Flag& flag : flags) {
    if (flag.level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
        flag.level == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
      return Status::Failed("counters off: this device cannot be counted: " +
                            std::string(flag.reason) + "; run \"rafter doctor\"");
    }
  }
  return Status::Failed(
      "counters off: CUPTI says that this device cannot be counted and gives no reason; run "
      "\"rafter doctor\"");
}

// Makes a context current for as long as it lives, where another one is.
class WithContext {
 public:
  WithContext(const CudaDriver* driver, void* context) noexcept : driver_(driver) {
    if (driver_ == nullptr) return;
    before_ = driver_->CurrentContext();
    if (before_ == context) {
      driver_ = nullptr;
    } else {
      driver_->SetCurrent(context);
    }
  }
  ~WithContext() {
    if (driver_ != nullptr) driver_->SetCurrent(before_);
  }
  WithContext(const WithContext&) = delete;
  WithContext& operator=(const WithContext&) = delete;

 private:
  const CudaDriver* driver_;
  void* before_ = nullptr;
};

}  // namespace

// Names the step that failed; the remedy is in the text of the code.
Status RangeSession::Failed(const char* step, int code) {
  busy_ = code == CUPTI_ERROR_HARDWARE_BUSY;
  return Status::Failed(FailureText(step, static_cast<CUptiResult>(code)));
}

Status RangeSession::Open(const CuptiTable* cupti, void* context, DeviceFacts& facts) {
  cupti_ = cupti;
  context_ = context;
  busy_ = false;
  push_params_bytes_ = CuptiStructSize(cupti->version, "CUpti_RangeProfiler_PushRange_Params");
  pop_params_bytes_ = CuptiStructSize(cupti->version, "CUpti_RangeProfiler_PopRange_Params");
  RAFTER_CUPTI_PARAMS(*cupti, CUpti_Profiler_Initialize_Params, initialize);
  CUptiResult code = cupti->cuptiProfilerInitialize(&initialize);
  if (code != CUPTI_SUCCESS) return Failed("cuptiProfilerInitialize", code);

  RAFTER_RETURN_IF_ERROR(CheckSupport(*cupti, facts.ordinal));

  RAFTER_CUPTI_PARAMS(*cupti, CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = static_cast<size_t>(facts.ordinal);
  code = cupti->cuptiDeviceGetChipName(&chip);
  if (code != CUPTI_SUCCESS) return Failed("cuptiDeviceGetChipName", code);
  facts.chip = chip.pChipName;

  // May fail while a session is open, so it comes before Enable.
  RAFTER_CUPTI_PARAMS(*cupti, CUpti_Profiler_GetCounterAvailability_Params, availability);
  availability.ctx = static_cast<CUcontext>(context);
  code = cupti->cuptiProfilerGetCounterAvailability(&availability);
  if (code != CUPTI_SUCCESS) return Failed("cuptiProfilerGetCounterAvailability", code);
  facts.counter_availability.resize(availability.counterAvailabilityImageSize);
  availability.pCounterAvailabilityImage = facts.counter_availability.data();
  code = cupti->cuptiProfilerGetCounterAvailability(&availability);
  if (code != CUPTI_SUCCESS) return Failed("cuptiProfilerGetCounterAvailability", code);
  facts.counter_availability.resize(availability.counterAvailabilityImageSize);
  return Status::Ok();
}

Status RangeSession::Configure(std::span<const uint8_t> configuration,
                               const std::vector<std::string>& metrics, size_t slots, size_t ranges,
                               Ranges kind) {
  const WithContext with(driver_, context_);
  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = static_cast<CUcontext>(context_);
  CUptiResult code = cupti_->cuptiRangeProfilerEnable(&enable);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerEnable", code);
  object_ = enable.pRangeProfilerObject;
  Undo disable = [this]() noexcept { Close(true); };

  configuration_.assign(configuration.begin(), configuration.end());
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = Object(object_);
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = slots;
  // One node for each range of an epoch, of which CUPTI may hold twice as many
  // as it was told; 68 bytes each.
  size.maxNumRangeTreeNodes = static_cast<uint32_t>(2 * ranges);
  code = cupti_->cuptiRangeProfilerGetCounterDataSize(&size);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerGetCounterDataSize", code);
  image_.assign(size.counterDataSize, 0);

  RAFTER_RETURN_IF_ERROR(Refresh());
  baseline_ = image_;

  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_SetConfig_Params, config);
  config.pRangeProfilerObject = Object(object_);
  config.configSize = configuration_.size();
  config.pConfig = configuration_.data();
  config.counterDataImageSize = image_.size();
  config.pCounterDataImage = image_.data();
  config.range = kind == Ranges::kOurs ? CUPTI_UserRange : CUPTI_AutoRange;
  config.replayMode = kind == Ranges::kOurs ? CUPTI_UserReplay : CUPTI_KernelReplay;
  config.maxRangesPerPass = ranges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  code = cupti_->cuptiRangeProfilerSetConfig(&config);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerSetConfig", code);
  std::move(disable).Cancel();
  return Status::Ok();
}

Status RangeSession::Refresh() {
  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, fresh);
  fresh.pRangeProfilerObject = Object(object_);
  fresh.counterDataSize = image_.size();
  fresh.pCounterData = image_.data();
  const CUptiResult code = cupti_->cuptiRangeProfilerCounterDataImageInitialize(&fresh);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerCounterDataImageInitialize", code);
  return Status::Ok();
}

Status RangeSession::Start() {
  const WithContext with(driver_, context_);
  // Decoding into an image that holds an earlier epoch gives means instead of
  // sums (gpu-facts.md, section 4).
  RAFTER_RETURN_IF_ERROR(Refresh());
  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_Start_Params, params);
  params.pRangeProfilerObject = Object(object_);
  const CUptiResult code = cupti_->cuptiRangeProfilerStart(&params);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerStart", code);
  return Status::Ok();
}

Status RangeSession::Stop() {
  const WithContext with(driver_, context_);
  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_Stop_Params, stop);
  stop.pRangeProfilerObject = Object(object_);
  CUptiResult code = cupti_->cuptiRangeProfilerStop(&stop);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerStop", code);
  RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = Object(object_);
  code = cupti_->cuptiRangeProfilerDecodeData(&decode);
  if (code != CUPTI_SUCCESS) return Failed("cuptiRangeProfilerDecodeData", code);
  if (decode.numOfRangeDropped != 0) {
    return Status::Failed("counters off: CUPTI dropped " +
                          std::to_string(decode.numOfRangeDropped) + " ranges of an epoch");
  }
  return Status::Ok();
}

bool RangeSession::Push(const char* name) noexcept {
  const WithContext with(driver_, context_);
  CUpti_RangeProfiler_PushRange_Params params = {};
  params.structSize = push_params_bytes_;
  params.pRangeProfilerObject = Object(object_);
  params.pRangeName = name;
  const CUptiResult code = cupti_->cuptiRangeProfilerPushRange(&params);
  if (code != CUPTI_SUCCESS) last_border_error_ = code;
  return code == CUPTI_SUCCESS;
}

bool RangeSession::Pop() noexcept {
  const WithContext with(driver_, context_);
  CUpti_RangeProfiler_PopRange_Params params = {};
  params.structSize = pop_params_bytes_;
  params.pRangeProfilerObject = Object(object_);
  const CUptiResult code = cupti_->cuptiRangeProfilerPopRange(&params);
  if (code != CUPTI_SUCCESS) last_border_error_ = code;
  return code == CUPTI_SUCCESS;
}

std::string RangeSession::LastBorderError() const { return CuptiErrorText(last_border_error_); }

void RangeSession::Close(bool context_alive) noexcept {
  if (object_ != nullptr && context_alive) {
    const WithContext with(driver_, context_);
    RAFTER_CUPTI_PARAMS(*cupti_, CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = Object(object_);
    cupti_->cuptiRangeProfilerDisable(&params);
  }
  object_ = nullptr;
  context_ = nullptr;
}

}  // namespace rafter
