#include "cupti/tensor_formats.h"

#include <algorithm>
#include <map>
#include <optional>

namespace rafter {
namespace {

constexpr std::string_view kPath = "sm__ops_path_tensor_";
constexpr std::string_view kRollUp = ".sum";

// "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_on" in its words.
struct Name {
  std::string operation;    // "hmma"; empty: of all instructions
  std::string source;       // "fp16", "fp4_fp6"
  std::string destination;  // "fp32"; empty: of all
  std::string sparsity;     // "on", "off"; empty: of both
};

// Cuts `text` at `mark` and returns what is behind it.
std::string CutAt(std::string_view mark, std::string& text) {
  const size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  std::string behind = text.substr(at + mark.size());
  text.resize(at);
  return behind;
}

// Nothing for what counts something else, or the same at another time.
std::optional<Name> Read(std::string_view metric) {
  if (!metric.starts_with(kPath) || metric.ends_with("_realtime")) return std::nullopt;
  std::string rest(metric.substr(kPath.size()));
  Name name;
  if (rest.starts_with("op_")) {
    const size_t end = rest.find("_src_");
    if (end == std::string::npos) return std::nullopt;
    name.operation = rest.substr(3, end - 3);
    rest = rest.substr(end + 1);
  }
  if (!rest.starts_with("src_")) return std::nullopt;
  rest = rest.substr(4);
  name.sparsity = CutAt("_sparsity_", rest);
  name.destination = CutAt("_dst_", rest);
  name.source = rest;
  return name;
}

// Sets of names that split `total` in one more word each, best first. By
// sparsity there are two by definition; by instruction or destination those that
// the chip lists.
std::vector<std::vector<std::string>> SplitsOf(const std::string& total,
                                               const std::vector<std::string>& base_metrics) {
  const Name whole = *Read(total);
  std::vector<std::string> by_sparsity;
  std::vector<std::string> by_operation;
  std::vector<std::string> by_destination;
  for (const std::string& metric : base_metrics) {
    const std::optional<Name> part = Read(metric);
    if (!part || part->source != whole.source) continue;
    const bool operation = part->operation == whole.operation;
    const bool destination = part->destination == whole.destination;
    const bool sparsity = part->sparsity == whole.sparsity;
    if (operation && destination && whole.sparsity.empty() && !sparsity) {
      by_sparsity.push_back(metric);
    } else if (destination && sparsity && whole.operation.empty() && !operation) {
      by_operation.push_back(metric);
    } else if (operation && sparsity && whole.destination.empty() && !destination) {
      by_destination.push_back(metric);
    }
  }
  std::vector<std::vector<std::string>> splits;
  if (by_sparsity.size() == 2) splits.push_back(std::move(by_sparsity));
  if (!by_operation.empty()) splits.push_back(std::move(by_operation));
  if (!by_destination.empty()) splits.push_back(std::move(by_destination));
  return splits;
}

// Parts of one pass each that a total falls into, whether or not they cover it.
Result<std::vector<std::vector<std::string>>> WaysToCount(
    const ChipMetrics& chip, const std::vector<std::string>& base_metrics,
    const std::string& total) {
  std::vector<std::vector<std::string>> ways;
  Result<PlannedConfiguration> alone = chip.Plan({total + std::string(kRollUp)});
  if (!alone.ok()) return alone.status();
  if (alone->passes == 1) {
    ways.push_back({total + std::string(kRollUp)});
    return ways;
  }
  for (const std::vector<std::string>& split : SplitsOf(total, base_metrics)) {
    std::vector<std::string> way;
    bool whole = true;
    for (const std::string& part : split) {
      auto of_part = WaysToCount(chip, base_metrics, part);
      if (!of_part.ok()) return of_part.status();
      whole = whole && !of_part->empty();
      if (whole) way.insert(way.end(), of_part->front().begin(), of_part->front().end());
    }
    if (whole) ways.push_back(std::move(way));
  }
  return ways;
}

// Whether `more` adds no raw counter to what is counted for `metrics`. Appended,
// since the order of metrics changes which pass CUPTI puts them into.
Result<bool> AddsNothing(const ChipMetrics& chip, std::vector<std::string> metrics,
                         const std::vector<std::string>& more) {
  Result<PlannedConfiguration> without = chip.Plan(metrics);
  if (!without.ok()) return without.status();
  metrics.insert(metrics.end(), more.begin(), more.end());
  Result<PlannedConfiguration> with = chip.Plan(metrics);
  if (!with.ok()) return with.status();
  return with->image == without->image;
}

// Whether the parts are made of exactly the raw counters of the total.
Result<bool> Cover(const ChipMetrics& chip, const std::vector<std::string>& parts,
                   const std::string& total) {
  Result<bool> all_of_total = AddsNothing(chip, parts, {total});
  if (!all_of_total.ok() || !*all_of_total) return all_of_total;
  return AddsNothing(chip, {total}, parts);
}

}  // namespace

std::vector<TensorFormat> FormatsIn(const std::vector<std::string>& base_metrics) {
  std::map<std::string, TensorFormat> formats;
  for (const std::string& metric : base_metrics) {
    const std::optional<Name> name = Read(metric);
    if (!name || !name->operation.empty() || !name->sparsity.empty()) continue;
    TensorFormat& format = formats[name->source];
    format.name = name->source;
    format.totals.push_back(metric);
  }
  std::vector<TensorFormat> list;
  for (auto& [name, format] : formats) list.push_back(std::move(format));
  return list;
}

Result<TensorCounters> CountersOf(const ChipMetrics& chip,
                                  const std::vector<std::string>& base_metrics,
                                  const std::string& total) {
  auto ways = WaysToCount(chip, base_metrics, total);
  if (!ways.ok()) return ways.status();
  const std::string metric = total + std::string(kRollUp);
  for (const std::vector<std::string>& way : *ways) {
    if (way.size() == 1 && way.front() == metric) return TensorCounters{way, ""};
    Result<bool> covers = Cover(chip, way, metric);
    if (!covers.ok()) return covers.status();
    if (*covers) return TensorCounters{way, ""};
  }
  return TensorCounters{{},
                        "it takes several passes on chip " + chip.chip +
                            ", and no parts of one pass each are known to add up to it"};
}

}  // namespace rafter
