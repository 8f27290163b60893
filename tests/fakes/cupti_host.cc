// The fake libcupti.so.13: planning and evaluation.
#include <cmath>
#include <map>

#include "tests/fakes/chips.h"
#include "tests/fakes/cupti_fake.h"
#include "tests/fakes/images.h"

namespace rafter::fakes {
namespace {

// A list of names as CUPTI hands it out.
class NameList {
 public:
  void Add(std::string name) { names_.push_back(std::move(name)); }
  const char** Pointers() {
    pointers_.clear();
    for (const std::string& name : names_) pointers_.push_back(name.c_str());
    return pointers_.data();
  }
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::vector<const char*> pointers_;
};

}  // namespace
}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

struct CUpti_Profiler_Host_Object {
  const FakeChip* chip = nullptr;
  bool poisoned = false;
  std::vector<ConfigPass> passes;
  std::map<CUpti_MetricType, NameList> base_metrics;
  std::map<std::string, NameList> sub_metrics;
  std::map<std::string, std::string> units;
};

namespace rafter::fakes {
namespace {

// Each call has passes of its own; patched metrics never share with others.
void AddPasses(CUpti_Profiler_Host_Object& object, const std::vector<NamedMetric>& metrics) {
  std::bitset<kRawCounters> plain, patched;
  size_t plain_passes = 0, patched_passes = 0;
  for (const NamedMetric& metric : metrics) {
    if (metric.base->is_patched()) {
      patched |= RawOf(metric);
      if (metric.needs_a_pass()) patched_passes = 1;
    } else {
      plain |= RawOf(metric);
      plain_passes = std::max(plain_passes, metric.base->passes);
    }
  }
  // Peaks alone still make a pass, as on the real library.
  if (plain_passes + patched_passes == 0) plain_passes = 1;
  patched.reset(kElapsedNs);
  for (size_t i = 0; i < plain_passes; ++i) object.passes.push_back({plain.to_ullong(), 0});
  for (size_t i = 0; i < patched_passes; ++i) object.passes.push_back({patched.to_ullong(), 1});
}

CUptiResult AddMetrics(CUpti_Profiler_Host_Object& object, const char** names, size_t count) {
  if (object.poisoned) return CUPTI_ERROR_UNKNOWN;
  std::vector<NamedMetric> metrics;
  for (size_t i = 0; i < count; ++i) {
    NamedMetric metric;
    if (names[i] == nullptr || !FindMetric(*object.chip, names[i], metric)) {
      object.poisoned = true;
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    metrics.push_back(metric);
  }
  if (count == 0) return CUPTI_ERROR_INVALID_PARAMETER;
  AddPasses(object, metrics);
  return CUPTI_SUCCESS;
}

CUptiResult Evaluate(const FakeChip& chip, const uint8_t* image, size_t size, size_t range,
                     const char** names, size_t count, double* values) {
  CounterHeader header;
  CounterSlot slot;
  if (!ReadPlain(image, size, 0, header) ||
      std::memcmp(header.magic, kCounterMagic, sizeof header.magic) != 0 || range >= header.used ||
      header.chip != chip.name ||
      !ReadPlain(image, size, sizeof header + range * sizeof slot, slot)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  std::array<double, kRawCounters> counts;
  std::bitset<kRawCounters> collected;
  for (size_t i = 0; i < kRawCounters; ++i) {
    counts[i] = slot.mean[i];
    collected[i] = slot.decoded[i] != 0;
  }
  for (size_t i = 0; i < count; ++i) {
    NamedMetric metric;
    if (!FindMetric(chip, names[i], metric)) return CUPTI_ERROR_INVALID_PARAMETER;
    const std::bitset<kRawCounters> needed = RawOf(metric);
    values[i] = (needed & collected) == needed ? ValueOf(metric, counts) : std::nan("");
  }
  return CUPTI_SUCCESS;
}

}  // namespace
}  // namespace rafter::fakes

extern "C" {

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  return Entry("cuptiProfilerHostInitialize", params, 48, [&] {
    if (params->pChipName == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    const FakeChip* chip = FindChip(params->pChipName);
    if (chip == nullptr) return CUPTI_ERROR_INVALID_CHIP_NAME;
    if (params->pCounterAvailabilityImage != nullptr &&
        std::memcmp(params->pCounterAvailabilityImage, kAvailabilityMagic,
                    sizeof kAvailabilityMagic) != 0) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    params->pHostObject = new CUpti_Profiler_Host_Object;
    params->pHostObject->chip = chip;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  return Entry("cuptiProfilerHostDeinitialize", params, 24, [&] {
    delete params->pHostObject;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetSupportedChips(
    CUpti_Profiler_Host_GetSupportedChips_Params* params) {
  return Entry("cuptiProfilerHostGetSupportedChips", params, 32, [&] {
    static NameList* const names = [] {
      auto* list = new NameList;
      for (const FakeChip& chip : FakeChips()) list->Add(chip.name);
      return list;
    }();
    params->numChips = names->size();
    params->ppChipNames = names->Pointers();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* params) {
  return Entry("cuptiProfilerHostGetBaseMetrics", params, 48, [&] {
    if (params->pHostObject == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    NameList& list = params->pHostObject->base_metrics[params->metricType];
    if (list.size() == 0) {
      for (const BaseMetric& metric : params->pHostObject->chip->metrics) {
        if (metric.type == params->metricType) list.Add(metric.name);
      }
    }
    params->numMetrics = list.size();
    params->ppMetricNames = list.Pointers();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params* params) {
  return Entry("cuptiProfilerHostGetSubMetrics", params, 56, [&] {
    if (params->pHostObject == nullptr || params->pMetricName == nullptr) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    const std::string base(std::string(params->pMetricName), 0,
                           std::string(params->pMetricName).find('.'));
    NamedMetric found;
    if (!FindMetric(*params->pHostObject->chip, base + ".sum", found) ||
        found.base->type != params->metricType) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    NameList& list = params->pHostObject->sub_metrics[base];
    if (list.size() == 0) {
      for (const std::string& roll_up : RollUps()) list.Add(roll_up);
    }
    params->numOfSubmetrics = list.size();
    params->ppSubMetrics = list.Pointers();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetMetricProperties(
    CUpti_Profiler_Host_GetMetricProperties_Params* params) {
  return Entry("cuptiProfilerHostGetMetricProperties", params, 60, [&] {
    if (params->pHostObject == nullptr || params->pMetricName == nullptr) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    std::string name = params->pMetricName;
    if (name.find('.') == std::string::npos) name += ".sum";
    NamedMetric found;
    if (!FindMetric(*params->pHostObject->chip, name, found)) return CUPTI_ERROR_INVALID_PARAMETER;
    std::string& unit = params->pHostObject->units[name];
    unit = UnitOf(found);
    params->pDescription = found.base->description.c_str();
    params->pHwUnit = found.base->hardware.c_str();
    params->pDimUnit = unit.c_str();
    params->metricType = found.base->type;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetRangeName(CUpti_Profiler_Host_GetRangeName_Params* params) {
  return Entry("cuptiProfilerHostGetRangeName", params, 56, [&] {
    CounterHeader header;
    CounterSlot slot;
    const uint8_t* image = params->pCounterDataImage;
    if (!ReadPlain(image, params->counterDataImageSize, 0, header) ||
        std::memcmp(header.magic, kCounterMagic, sizeof header.magic) != 0 ||
        params->rangeIndex >= header.used ||
        !ReadPlain(image, params->counterDataImageSize,
                   sizeof header + params->rangeIndex * sizeof slot, slot)) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    params->pRangeName = strndup(slot.name, sizeof slot.name);  // the caller frees it
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  return Entry("cuptiProfilerHostEvaluateToGpuValues", params, 72, [&] {
    if (params->pHostObject == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    return Evaluate(*params->pHostObject->chip, params->pCounterDataImage,
                    params->counterDataImageSize, params->rangeIndex, params->ppMetricNames,
                    params->numMetrics, params->pMetricValues);
  });
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  return Entry("cuptiProfilerHostConfigAddMetrics", params, 40, [&] {
    if (params->pHostObject == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    return AddMetrics(*params->pHostObject, params->ppMetricNames, params->numMetrics);
  });
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  return Entry("cuptiProfilerHostGetConfigImageSize", params, 32, [&] {
    if (params->pHostObject == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    const size_t passes = params->pHostObject->passes.size();
    if (passes == 0) return CUPTI_ERROR_UNKNOWN;
    params->configImageSize = sizeof(ConfigHeader) + passes * sizeof(ConfigPass);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  return Entry("cuptiProfilerHostGetConfigImage", params, 40, [&] {
    if (params->pHostObject == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    const std::vector<ConfigPass>& passes = params->pHostObject->passes;
    const size_t bytes = sizeof(ConfigHeader) + passes.size() * sizeof(ConfigPass);
    if (passes.empty() || params->configImageSize < bytes) return CUPTI_ERROR_INVALID_PARAMETER;
    ConfigHeader header = {};
    std::memcpy(header.magic, kConfigMagic, sizeof header.magic);
    params->pHostObject->chip->name.copy(header.chip, sizeof header.chip - 1);
    header.passes = passes.size();
    std::memcpy(params->pConfigImage, &header, sizeof header);
    std::memcpy(params->pConfigImage + sizeof header, passes.data(),
                passes.size() * sizeof(ConfigPass));
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  return Entry("cuptiProfilerHostGetNumOfPasses", params, 40, [&] {
    ConfigHeader header;
    if (!ReadPlain(params->pConfigImage, params->configImageSize, 0, header) ||
        std::memcmp(header.magic, kConfigMagic, sizeof header.magic) != 0) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    params->numOfPasses = header.passes;
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
