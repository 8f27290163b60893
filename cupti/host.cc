#include "cupti/host.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "cupti/table.h"

namespace rafter {
namespace {

Status Failure(const char* what, CUptiResult code) {
  return Status::Failed(std::string(what) + " failed: CUPTI answered " + CuptiErrorText(code));
}

std::vector<const char*> Pointers(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  pointers.reserve(names.size());
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

Status Stopped() { return Status::Failed("planning was stopped, since the process ends"); }

// CUPTI lists counters, ratios and throughputs apart.
constexpr CUpti_MetricType kMetricTypes[] = {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO,
                                             CUPTI_METRIC_TYPE_THROUGHPUT};

}  // namespace

struct CuptiHost::Chip {
  const CuptiTable* table = nullptr;
  CUpti_Profiler_Host_Object* object = nullptr;
  std::map<std::string, CUpti_MetricType> base_metrics;
  std::map<std::string, std::set<std::string>> roll_ups;

  ~Chip() {
    if (object == nullptr) return;
    RAFTER_CUPTI_PARAMS(*table, CUpti_Profiler_Host_Deinitialize_Params, params);
    params.pHostObject = object;
    table->cuptiProfilerHostDeinitialize(&params);
  }

  static Result<std::unique_ptr<Chip>> Open(const CuptiTable* table, const std::string& chip,
                                            const std::vector<uint8_t>& availability) {
    auto opened = std::make_unique<Chip>();
    opened->table = table;
    RAFTER_CUPTI_PARAMS(*table, CUpti_Profiler_Host_Initialize_Params, params);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    const CUptiResult code = table->cuptiProfilerHostInitialize(&params);
    if (code == CUPTI_ERROR_INVALID_CHIP_NAME) {
      return Status::Failed("CUPTI " + std::to_string(table->version) + " does not know chip \"" +
                            chip + "\"; run \"rafter metrics\" for the names it knows");
    }
    if (code != CUPTI_SUCCESS) return Failure("planning for this chip", code);
    opened->object = params.pHostObject;
    return opened;
  }
};

Result<std::unique_ptr<CuptiHost>> CuptiHost::Open(const CuptiSearch& search) {
  Result<const CuptiTable*> table = LoadCupti(search);
  if (!table.ok()) return table.status();
  return std::unique_ptr<CuptiHost>(new CuptiHost(*table));
}

CuptiHost::CuptiHost(const CuptiTable* table) : table_(table) {}
CuptiHost::~CuptiHost() = default;

const std::string& CuptiHost::path() const { return table_->path; }
uint32_t CuptiHost::version() const { return table_->version; }

Result<std::vector<std::string>> CuptiHost::Chips() {
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetSupportedChips_Params, params);
  const CUptiResult code = table_->cuptiProfilerHostGetSupportedChips(&params);
  if (code != CUPTI_SUCCESS) return Failure("listing the chips", code);
  return std::vector<std::string>(params.ppChipNames, params.ppChipNames + params.numChips);
}

Result<CuptiHost::Chip*> CuptiHost::ChipFor(const std::string& chip,
                                            const std::vector<uint8_t>& availability,
                                            const std::string& gpu) {
  const Key key = {chip, availability, gpu};
  if (chips_.size() >= kMostObjects && !chips_.contains(key)) chips_.clear();
  std::unique_ptr<Chip>& known = chips_[key];
  if (known == nullptr) {
    Result<std::unique_ptr<Chip>> opened = Chip::Open(table_, chip, availability);
    if (!opened.ok()) {
      chips_.erase(key);
      return opened.status();
    }
    known = std::move(*opened);
    if (stop_ && stop_()) {
      chips_.erase(key);
      return Stopped();
    }
    for (const CUpti_MetricType type : kMetricTypes) {
      RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetBaseMetrics_Params, params);
      params.pHostObject = known->object;
      params.metricType = type;
      const CUptiResult code = table_->cuptiProfilerHostGetBaseMetrics(&params);
      if (code != CUPTI_SUCCESS) return Failure("listing the metrics", code);
      for (size_t i = 0; i < params.numMetrics; ++i) {
        known->base_metrics.emplace(params.ppMetricNames[i], type);
      }
    }
  }
  return known.get();
}

Result<std::vector<std::string>> CuptiHost::BaseMetrics(const std::string& chip,
                                                        const std::vector<uint8_t>& availability) {
  Result<Chip*> opened = ChipFor(chip, availability);
  if (!opened.ok()) return opened.status();
  std::vector<std::string> names;
  for (const auto& [name, type] : (*opened)->base_metrics) names.push_back(name);
  return names;
}

Result<std::vector<std::string>> CuptiHost::RollUps(const std::string& chip,
                                                    const std::vector<uint8_t>& availability,
                                                    const std::string& base) {
  Result<Chip*> opened = ChipFor(chip, availability);
  if (!opened.ok()) return opened.status();
  const auto found = (*opened)->base_metrics.find(base);
  if (found == (*opened)->base_metrics.end()) return std::vector<std::string>();
  auto [entry, is_new] = (*opened)->roll_ups.try_emplace(base);
  if (is_new) {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetSubMetrics_Params, params);
    params.pHostObject = (*opened)->object;
    params.metricType = found->second;
    params.pMetricName = base.c_str();
    const CUptiResult code = table_->cuptiProfilerHostGetSubMetrics(&params);
    if (code != CUPTI_SUCCESS) return Failure("listing the roll-ups of a metric", code);
    // Some versions leave the first dot, or the name before it, to the caller.
    for (size_t i = 0; i < params.numOfSubmetrics; ++i) {
      const std::string text = params.ppSubMetrics[i];
      entry->second.insert(text.starts_with('.')          ? text
                           : text.starts_with(base + ".") ? text.substr(base.size())
                                                          : "." + text);
    }
  }
  return std::vector<std::string>(entry->second.begin(), entry->second.end());
}

Result<bool> CuptiHost::HasMetric(const std::string& chip, const std::vector<uint8_t>& availability,
                                  const std::string& metric) {
  const std::string base(BaseOf(metric));
  if (base.size() == metric.size()) return false;  // CUPTI refuses a name without roll-up
  Result<std::vector<std::string>> roll_ups = RollUps(chip, availability, base);
  if (!roll_ups.ok()) return roll_ups.status();
  return std::binary_search(roll_ups->begin(), roll_ups->end(), metric.substr(base.size()));
}

Result<MetricProperties> CuptiHost::Properties(const std::string& chip,
                                               const std::vector<uint8_t>& availability,
                                               const std::string& metric) {
  Result<Chip*> opened = ChipFor(chip, availability);
  if (!opened.ok()) return opened.status();
  if (stop_ && stop_()) return Stopped();
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetMetricProperties_Params, params);
  params.pHostObject = (*opened)->object;
  params.pMetricName = metric.c_str();
  const CUptiResult code = table_->cuptiProfilerHostGetMetricProperties(&params);
  if (code != CUPTI_SUCCESS) return Failure(("describing metric \"" + metric + "\"").c_str(), code);
  const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  return MetricProperties{.description = text(params.pDescription),
                          .unit = text(params.pDimUnit),
                          .hardware = text(params.pHwUnit)};
}

Result<PlannedConfiguration> CuptiHost::Plan(const std::string& chip,
                                             const std::vector<uint8_t>& availability,
                                             const std::vector<std::vector<std::string>>& groups) {
  // A fresh object: one that has been given metrics before keeps them.
  Result<std::unique_ptr<Chip>> fresh = Chip::Open(table_, chip, availability);
  if (!fresh.ok()) return fresh.status();
  for (const std::vector<std::string>& group : groups) {
    if (stop_ && stop_()) return Stopped();
    std::vector<const char*> names = Pointers(group);
    RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
    params.pHostObject = (*fresh)->object;
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    const CUptiResult code = table_->cuptiProfilerHostConfigAddMetrics(&params);
    if (code != CUPTI_SUCCESS) return Failure("adding metrics to a configuration", code);
  }
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = (*fresh)->object;
  CUptiResult code = table_->cuptiProfilerHostGetConfigImageSize(&size);
  if (code != CUPTI_SUCCESS) return Failure("sizing a configuration", code);
  PlannedConfiguration planned;
  planned.image.resize(size.configImageSize);
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = (*fresh)->object;
  image.configImageSize = planned.image.size();
  image.pConfigImage = planned.image.data();
  code = table_->cuptiProfilerHostGetConfigImage(&image);
  if (code != CUPTI_SUCCESS) return Failure("making a configuration", code);
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = planned.image.size();
  passes.pConfigImage = planned.image.data();
  code = table_->cuptiProfilerHostGetNumOfPasses(&passes);
  if (code != CUPTI_SUCCESS) return Failure("counting the passes of a configuration", code);
  if (passes.numOfPasses == 0) {
    return Status::Failed(
        "CUPTI planned 0 passes for the metrics asked for, which would count nothing; choose other "
        "metrics (\"rafter metrics --chip " +
        chip + "\")");
  }
  planned.passes = passes.numOfPasses;
  return planned;
}

Result<std::vector<std::string>> CuptiHost::RangeNames(std::span<const uint8_t> image) {
  std::vector<std::string> names;
  while (true) {
    RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_GetRangeName_Params, params);
    params.pCounterDataImage = image.data();
    params.counterDataImageSize = image.size();
    params.rangeIndex = names.size();
    params.delimiter = "/";
    const CUptiResult code = table_->cuptiProfilerHostGetRangeName(&params);
    // CUPTI answers "invalid parameter" past the last range; that is the count.
    if (code == CUPTI_ERROR_INVALID_PARAMETER) return names;
    if (code != CUPTI_SUCCESS) return Failure("reading a range name", code);
    names.emplace_back(params.pRangeName == nullptr ? "" : params.pRangeName);
    std::free(const_cast<char*>(params.pRangeName));  // CUPTI hands the memory over
  }
}

Result<std::vector<std::optional<double>>> CuptiHost::Evaluate(
    const std::string& chip, const std::vector<uint8_t>& availability, const std::string& gpu,
    std::span<const uint8_t> image, size_t range, const std::vector<std::string>& metrics) {
  Result<Chip*> opened = ChipFor(chip, availability, gpu);
  if (!opened.ok()) return opened.status();
  std::vector<const char*> names = Pointers(metrics);
  std::vector<double> values(metrics.size(), std::nan(""));
  RAFTER_CUPTI_PARAMS(*table_, CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = (*opened)->object;
  params.pCounterDataImage = image.data();
  params.counterDataImageSize = image.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  const CUptiResult code = table_->cuptiProfilerHostEvaluateToGpuValues(&params);
  if (code != CUPTI_SUCCESS) return Failure("evaluating a range", code);
  std::vector<std::optional<double>> answer(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) answer[i] = values[i];
  }
  return answer;
}

}  // namespace rafter
