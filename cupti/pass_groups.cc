#include "cupti/pass_groups.h"

#include <algorithm>
#include <span>

namespace rafter {
namespace {

std::vector<std::string> With(std::vector<std::string> group, std::span<const std::string> more) {
  group.insert(group.end(), more.begin(), more.end());
  return group;
}

Result<bool> Fits(const ChipMetrics& chip, const std::vector<std::string>& group,
                  std::span<const std::string> more) {
  Result<PlannedConfiguration> planned = chip.Plan(With(group, more));
  if (!planned.ok()) return planned.status();
  return planned->passes == 1;
}

// Adds to `group` what fits of `wanted`, halving it where all of it does not;
// the rest goes to `left`.
Status Fill(const ChipMetrics& chip, std::span<const std::string> wanted,
            std::vector<std::string>& group, std::vector<std::string>& left) {
  if (wanted.empty()) return Status::Ok();
  Result<bool> fits = Fits(chip, group, wanted);
  if (!fits.ok()) return fits.status();
  if (*fits) {
    group = With(std::move(group), wanted);
    return Status::Ok();
  }
  if (wanted.size() == 1) {
    left.push_back(wanted.front());
    return Status::Ok();
  }
  const size_t half = wanted.size() / 2;
  RAFTER_RETURN_IF_ERROR(Fill(chip, wanted.first(half), group, left));
  return Fill(chip, wanted.subspan(half), group, left);
}

// A metric and how much of a pass it takes up.
struct Alone {
  std::string metric;
  size_t image_bytes = 0;  // of its own configuration
};

// Metrics that take one pass by themselves; the others go to `several`.
Result<std::vector<Alone>> OfOnePass(const ChipMetrics& chip,
                                     const std::vector<std::string>& metrics,
                                     std::vector<PassGroups::Several>& several) {
  std::vector<Alone> single;
  for (const std::string& metric : metrics) {
    Result<PlannedConfiguration> alone = chip.Plan({metric});
    if (!alone.ok()) return alone.status();
    if (alone->passes == 1) {
      single.push_back({metric, alone->image.size()});
    } else {
      several.push_back({metric, alone->passes});
    }
  }
  return single;
}

using Groups = std::vector<std::vector<std::string>>;

Result<Groups> FirstFit(const ChipMetrics& chip, const std::vector<Alone>& metrics) {
  std::vector<std::string> wanted;
  for (const Alone& alone : metrics) wanted.push_back(alone.metric);
  Groups groups;
  while (!wanted.empty()) {
    std::vector<std::string> group;
    std::vector<std::string> left;
    const Status filled = Fill(chip, wanted, group, left);
    if (!filled.ok()) return filled;
    groups.push_back(std::move(group));
    wanted = std::move(left);
  }
  return groups;
}

// In the order given, and with what takes up most of a pass first: the one with
// fewer groups.
Result<Groups> FewestGroups(const ChipMetrics& chip, std::vector<Alone> metrics) {
  Result<Groups> in_order = FirstFit(chip, metrics);
  // Two is the least that can be had, or there would have been one.
  if (!in_order.ok() || in_order->size() <= 2) return in_order;
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const Alone& a, const Alone& b) { return a.image_bytes > b.image_bytes; });
  Result<Groups> large_first = FirstFit(chip, metrics);
  if (!large_first.ok()) return large_first;
  return large_first->size() < in_order->size() ? large_first : in_order;
}

Status AddTime(const ChipMetrics& chip, std::vector<std::string>& group) {
  const std::string time(kPassTime);
  if (std::find(group.begin(), group.end(), time) != group.end()) return Status::Ok();
  Result<bool> has = chip.Has(time);
  if (!has.ok()) return has.status();
  if (!*has) return Status::Ok();
  Result<bool> fits = Fits(chip, group, {&time, 1});
  if (!fits.ok()) return fits.status();
  if (*fits) group.insert(group.begin(), time);
  return Status::Ok();
}

}  // namespace

Result<PassGroups> GroupByPass(const ChipMetrics& chip, const std::vector<std::string>& metrics) {
  std::vector<std::string> counting;
  std::vector<std::string> facts;
  for (const std::string& metric : metrics) {
    (IsFactOfDevice(metric) ? facts : counting).push_back(metric);
  }
  // A pass of nothing but facts needs something to count.
  if (counting.empty() && !facts.empty()) counting.emplace_back(kPassTime);
  PassGroups result;
  if (counting.empty()) return result;
  Result<bool> together = Fits(chip, {}, counting);
  if (!together.ok()) return together.status();
  if (*together) {
    result.groups.push_back(std::move(counting));
  } else {
    Result<std::vector<Alone>> single = OfOnePass(chip, counting, result.several);
    if (!single.ok()) return single.status();
    Result<Groups> groups = FewestGroups(chip, std::move(*single));
    if (!groups.ok()) return groups.status();
    result.groups = std::move(*groups);
  }
  for (std::vector<std::string>& group : result.groups) {
    RAFTER_RETURN_IF_ERROR(AddTime(chip, group));
  }
  if (!result.groups.empty()) result.groups.front() = With(std::move(result.groups.front()), facts);
  return result;
}

}  // namespace rafter
