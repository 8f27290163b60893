#include "collector/table/row_fold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "collector/table/derived.h"
#include "collector/table/formulas.h"
#include "collector/table/metric.h"
#include "collector/table/reason_text.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

using Rows = std::vector<const Row*>;
using TextField = std::string Row::*;
using NumberField = std::optional<double> Row::*;
using CountField = std::optional<uint64_t> Row::*;

constexpr size_t kMostReasons = 6;

// Above this a double no longer holds every whole number.
constexpr double kMostExact = 9007199254740992.0;  // 2^53

constexpr std::array<TextField, 19> kTexts = {&Row::benchmark_problem,
                                              &Row::paradigm,
                                              &Row::hardware,
                                              &Row::executable,
                                              &Row::region,
                                              &Row::kernel_id,
                                              &Row::kernel,
                                              &Row::kernel_signature,
                                              &Row::grid_size,
                                              &Row::block_size,
                                              &Row::memory_level,
                                              &Row::source,
                                              &Row::rank,
                                              &Row::host,
                                              &Row::process,
                                              &Row::device,
                                              &Row::device_uuid,
                                              &Row::category,
                                              &Row::payload};

constexpr std::array<NumberField, 11> kAmounts = {
    &Row::duration_s,          &Row::flop,
    &Row::traffic_bytes,       &Row::flop_fp32,
    &Row::flop_fp64,           &Row::flop_fp16,
    &Row::flop_tensor,         &Row::kernel_time_s,
    &Row::exclusive_flop,      &Row::exclusive_traffic_bytes,
    &Row::exclusive_duration_s};

constexpr std::array<CountField, 3> kCounts = {&Row::calls, &Row::measured_calls, &Row::launches};

double Folded(const std::vector<double>& values, Fold fold) {
  if (fold == Fold::kLeast) return *std::min_element(values.begin(), values.end());
  if (fold == Fold::kGreatest) return *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return fold == Fold::kSum ? sum : sum / static_cast<double>(values.size());
}

// Nothing where one of them has nothing.
template <typename Get>
std::optional<std::vector<double>> AllOf(const Rows& rows, Get get) {
  std::vector<double> values;
  for (const Row* row : rows) {
    const auto value = get(*row);
    if (!value) return std::nullopt;
    values.push_back(static_cast<double>(*value));
  }
  return values;
}

std::optional<double> MetricOf(const Row& row, const std::string& metric) {
  const auto found = row.metrics.find(metric);
  return found == row.metrics.end() ? std::nullopt : found->second;
}

// The mean of rates, weighed by GPU time; rates that are all the same need no weights.
template <typename Get>
std::optional<double> Weighed(const Rows& rows, Get get) {
  const auto values = AllOf(rows, get);
  if (!values) return std::nullopt;
  if (std::equal(values->begin() + 1, values->end(), values->begin())) return values->front();
  double sum = 0;
  double time_s = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = *rows[i];
    const std::optional<double>& weight_s = row.duration_s ? row.duration_s : row.kernel_time_s;
    if (!weight_s) return std::nullopt;
    sum += (*values)[i] * *weight_s;
    time_s += *weight_s;
  }
  return time_s > 0 ? std::optional<double>(sum / time_s) : std::nullopt;
}

// Numbers of one launch ("launch__registers_per_thread") have no dot: no mean of them
// means anything.
bool IsOfOneLaunch(const std::string& metric) { return metric.find('.') == std::string::npos; }

std::optional<double> FoldMetric(const Rows& rows, const std::string& metric, Fold fold) {
  const auto get = [&](const Row& row) { return MetricOf(row, metric); };
  const auto values = AllOf(rows, get);
  if (!values) return std::nullopt;
  if (KindOf(metric) == MetricKind::kPeak) return Folded(*values, Fold::kGreatest);
  if (fold == Fold::kLeast || fold == Fold::kGreatest) return Folded(*values, fold);
  if (IsOfOneLaunch(metric)) {
    const bool same = std::equal(values->begin() + 1, values->end(), values->begin());
    return same ? std::optional<double>(values->front()) : std::nullopt;
  }
  return KindOf(metric) == MetricKind::kAmount ? Folded(*values, fold) : Weighed(rows, get);
}

void FoldMetrics(const Rows& rows, Fold fold, Row& folded) {
  for (const Row* row : rows) {
    folded.metrics.insert(row->metrics.begin(), row->metrics.end());
    folded.metric_units.insert(row->metric_units.begin(), row->metric_units.end());
  }
  for (auto& [metric, value] : folded.metrics) value = FoldMetric(rows, metric, fold);
  if (fold == Fold::kLeast || fold == Fold::kGreatest) return;
  for (const DerivedMetric& derived : DerivedMetrics()) {
    const auto found = folded.metrics.find(derived.name);
    if (found != folded.metrics.end()) found->second = DerivedValue(derived, folded);
  }
}

void FoldCounts(const Rows& rows, Fold fold, Row& folded) {
  for (const CountField field : kCounts) {
    folded.*field = std::nullopt;
    const auto values = AllOf(rows, [&](const Row& row) { return row.*field; });
    if (!values) continue;
    const double value = Folded(*values, fold);
    // A mean of calls that is no whole number is no number of calls.
    if (value != std::floor(value) || value > kMostExact) continue;
    folded.*field = static_cast<uint64_t>(value);
  }
}

void FoldPeak(const Rows& rows, NumberField field, Row& folded) {
  folded.*field = std::nullopt;
  for (const Row* row : rows) {
    if (row->*field) folded.*field = std::max((folded.*field).value_or(0), *(row->*field));
  }
}

void FoldRates(const Rows& rows, Fold fold, Row& folded) {
  const bool is_bound = fold == Fold::kLeast || fold == Fold::kGreatest;
  for (const NumberField field : {&Row::sm_clock_hz, &Row::dram_clock_hz}) {
    const auto get = [&](const Row& row) { return row.*field; };
    const auto values = AllOf(rows, get);
    folded.*field = !values    ? std::nullopt
                    : is_bound ? std::optional<double>(Folded(*values, fold))
                               : Weighed(rows, get);
  }
  for (const NumberField field : {&Row::flop_per_byte, &Row::flop_per_s}) {
    const auto values = AllOf(rows, [&](const Row& row) { return row.*field; });
    folded.*field = std::nullopt;
    if (is_bound && values) folded.*field = Folded(*values, fold);
  }
  const bool withheld =
      std::any_of(rows.begin(), rows.end(), [](const Row* row) { return WithholdsRatios(*row); });
  if (!is_bound && !withheld) FillRatios(folded);
}

// "FLOP of 1 of 3 rows is missing", for what makes a point.
void AddLacking(const Rows& rows, std::vector<std::string>& reasons) {
  const std::array<std::pair<NumberField, const char*>, 3> needed = {
      {{&Row::flop, "FLOP"}, {&Row::traffic_bytes, "traffic"}, {&Row::duration_s, "GPU time"}}};
  for (const auto& [field, name] : needed) {
    const auto lacking = static_cast<size_t>(std::count_if(
        rows.begin(), rows.end(), [f = field](const Row* row) { return !(row->*f).has_value(); }));
    if (lacking == 0 || lacking == rows.size()) continue;
    reasons.push_back(std::string(name) + " of " + Count(lacking) + " of " + Count(rows.size()) +
                      " rows put together is missing");
  }
}

void FoldVerdict(const Rows& rows, Row& folded) {
  std::optional<Validity> worst;
  std::vector<std::string> reasons;
  for (const Row* row : rows) {
    if (const auto validity = ValidityOf(row->validity)) {
      worst = worst ? std::max(*worst, *validity) : *validity;
    } else if (!row->validity.empty() && folded.validity.empty()) {
      folded.validity = row->validity;
    }
    const bool is_new = std::find(reasons.begin(), reasons.end(), row->reason) == reasons.end();
    if (!row->reason.empty() && is_new) reasons.push_back(row->reason);
  }
  const size_t texts = reasons.size();
  if (texts > kMostReasons) {
    reasons.resize(kMostReasons);
    reasons.push_back("and " + Count(texts - kMostReasons) + " more reasons");
  }
  AddLacking(rows, reasons);
  if (worst) folded.validity = ValidityText(*worst);
  folded.reason = Join(reasons, "; ");
}

// The name of the precision that all rows with one have.
std::string OnlyPrecision(const Rows& rows) {
  std::set<std::string> names;
  for (const Row* row : rows) {
    if (!row->precision.empty()) names.insert(row->precision);
  }
  return names.size() == 1 ? *names.begin() : "";
}

}  // namespace

Row FoldRows(const std::vector<const Row*>& rows, Fold fold) {
  if (rows.size() == 1 && fold == Fold::kSum) return *rows.front();
  Row folded;
  for (const TextField field : kTexts) {
    const std::string& first = rows.front()->*field;
    const bool agree =
        std::all_of(rows.begin(), rows.end(), [&](const Row* row) { return row->*field == first; });
    if (agree) folded.*field = first;
  }
  folded.precision = OnlyPrecision(rows);
  for (const NumberField field : kAmounts) {
    const auto values = AllOf(rows, [&](const Row& row) { return row.*field; });
    if (values) folded.*field = Folded(*values, fold);
  }
  FoldCounts(rows, fold, folded);
  FoldMetrics(rows, fold, folded);
  FoldPeak(rows, &Row::peak_flop_per_s, folded);
  FoldPeak(rows, &Row::peak_bytes_per_s, folded);
  FoldVerdict(rows, folded);
  FoldRates(rows, fold, folded);
  return folded;
}

}  // namespace rafter
