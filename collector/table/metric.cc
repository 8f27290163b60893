#include "collector/table/metric.h"

namespace rafter {
namespace {

// With the underscore: "ratio" alone is in "duration" as well.
bool HasRate(std::string_view text) {
  for (const std::string_view word : {"_throughput", "_rate", "_ratio"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool IsCycle(std::string_view word) { return word == "cycle" || word.ends_with("_cycle"); }

std::string_view WordText(std::string_view word) {
  if (word == "byte") return "Byte";
  if (word == "nanosecond") return "ns";
  if (word == "second") return "s";
  if (word == "percent") return "%";
  if (word == "cta") return "block";
  if (IsCycle(word)) return "cycle";
  return word;
}

}  // namespace

MetricKind KindOf(std::string_view metric) {
  for (const std::string_view peak : {".peak_sustained", ".peak_burst", ".max_rate"}) {
    if (metric.ends_with(peak)) return MetricKind::kPeak;
  }
  // Some units have dots in their names: "SM_B.TriageCompute.l1tex__throughput".
  const size_t unit = metric.find("__");
  const size_t dot = metric.find('.', unit == std::string_view::npos ? 0 : unit);
  if (dot == std::string_view::npos || HasRate(metric.substr(0, dot))) return MetricKind::kRate;
  const std::string_view rollup = metric.substr(dot);
  // What the unit could have done in these cycles adds up as they do.
  for (const std::string_view possible : {".peak_sustained_active", ".peak_sustained_elapsed"}) {
    if (rollup.ends_with(possible)) return MetricKind::kAmount;
  }
  const bool bare = rollup == ".sum" || rollup == ".max" || rollup == ".min" || rollup == ".avg";
  return bare ? MetricKind::kAmount : MetricKind::kRate;
}

bool IsPatched(std::string_view metric) {
  return metric.find("__sass_") != std::string_view::npos && KindOf(metric) != MetricKind::kPeak;
}

std::string UnitText(std::string_view dimension) {
  if (dimension.empty()) return "1";
  const size_t slash = dimension.find('/');
  if (slash == std::string_view::npos) return std::string(WordText(dimension));
  const std::string_view above = dimension.substr(0, slash);
  const std::string_view below = dimension.substr(slash + 1);
  if (IsCycle(above) && below == "second") return "Hz";
  return std::string(WordText(above)) + "/" + std::string(WordText(below));
}

}  // namespace rafter
