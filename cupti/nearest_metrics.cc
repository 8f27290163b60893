#include "cupti/nearest_metrics.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cupti/edits.h"
#include "cupti/set_list.h"

namespace rafter {
namespace {

// Names that are offered for a misspelt one.
constexpr size_t kMostOffered = 3;

// Roll-ups that are offered first.
constexpr const char* kPlainRollUps[] = {".sum", ".avg", ".ratio", ".pct",
                                         ".avg.pct_of_peak_sustained_elapsed"};

// The fewest edits first; none where more than a third of the letters differ.
std::vector<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::pair<size_t, std::string>> near;
  const size_t most = std::max<size_t>(1, word.size() / 3);
  for (const std::string& candidate : known) {
    const size_t longer = std::max(candidate.size(), word.size());
    if (longer - std::min(candidate.size(), word.size()) > most) continue;
    const size_t edits = Edits(word, candidate);
    if (edits <= most) near.emplace_back(edits, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(near.size(), kMostOffered); ++i) {
    // Names much farther than the nearest are noise.
    if (near[i].first > 2 * near[0].first + 2) break;
    names.push_back(near[i].second);
  }
  return names;
}

// The roll-up that was written, where this name has it, else a plain one.
Result<std::string> WithRollUp(const ChipMetrics& chip, const std::string& base,
                               std::string_view roll_up) {
  auto has = chip.host.RollUps(chip.chip, chip.availability, base);
  if (!has.ok()) return has.status();
  const auto in_list = [&](std::string_view wanted) {
    return std::find(has->begin(), has->end(), wanted) != has->end();
  };
  if (!roll_up.empty() && in_list(roll_up)) return base + std::string(roll_up);
  for (const char* plain : kPlainRollUps) {
    if (in_list(plain)) return base + plain;
  }
  return has->empty() ? base : base + has->front();
}

// "roll-ups: .avg, .max, .min, .sum and 40 more".
std::string RollUpsText(const std::vector<std::string>& roll_ups) {
  std::vector<std::string> plain;
  for (const std::string& roll_up : roll_ups) {
    if (roll_up.find('.', 1) == std::string::npos) plain.push_back(roll_up);
  }
  if (plain.empty())
    plain.assign(roll_ups.begin(), roll_ups.begin() + std::min<size_t>(3, roll_ups.size()));
  const size_t more = roll_ups.size() - plain.size();
  return "roll-ups: " + Listed(plain) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

Result<std::string> WhyNoRollUp(const ChipMetrics& chip, const std::string& base,
                                const std::string& roll_up) {
  auto has = chip.host.RollUps(chip.chip, chip.availability, base);
  if (!has.ok()) return has.status();
  std::vector<std::string> offers;
  if (!roll_up.empty()) offers = Nearest(roll_up, *has);
  for (const char* plain : kPlainRollUps) {
    const bool known = std::find(has->begin(), has->end(), plain) != has->end();
    if (known && offers.size() < 2) offers.emplace_back(plain);
  }
  for (std::string& offer : offers) offer = base + offer;
  return (roll_up.empty() ? "a roll-up is missing" : "there is no roll-up \"" + roll_up + "\"") +
         "; take " + Listed(offers, " or ") + " (" + RollUpsText(*has) + ")";
}

}  // namespace

Result<std::string> WhyNoMetric(const ChipMetrics& chip, const std::string& metric) {
  Result<bool> has = chip.Has(metric);
  if (!has.ok()) return has.status();
  if (*has) return std::string();
  Result<std::vector<std::string>> names = chip.Names();
  if (!names.ok()) return names.status();
  const std::string base(BaseOf(metric));
  const std::string roll_up = metric.substr(base.size());
  if (std::find(names->begin(), names->end(), base) != names->end()) {
    return WhyNoRollUp(chip, base, roll_up);
  }
  std::string why = "chip " + chip.chip + " does not have it";
  std::vector<std::string> offers;
  for (const std::string& near : Nearest(base, *names)) {
    Result<std::string> offer = WithRollUp(chip, near, roll_up);
    if (!offer.ok()) return offer.status();
    offers.push_back(std::move(*offer));
  }
  return offers.empty() ? why : why + "; the nearest that it has: " + Listed(offers);
}

}  // namespace rafter
