#include "collector/evaluate/evaluator.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "collector/evaluate/counter_image.h"

namespace rafter {
namespace {

std::string VersionText(uint32_t version) {
  return absl::StrCat(CuptiMajor(version), ".", version % 10000 / 100);
}

// 0 for a name that is no path number.
uint32_t PathOfName(const std::string& name) {
  uint32_t path = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, path);
  return error == std::errc() && stop == end ? path : 0;
}

}  // namespace

absl::Status Evaluator::CanEvaluate(const ImageOrigin& origin) {
  Result<CuptiHost*> host = door_.Host();
  if (!host.ok()) return absl::UnavailableError(host.status().message());
  const uint32_t here = (*host)->version();
  if (CuptiMajor(here) == CuptiMajor(origin.cupti_version)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "counted with CUPTI ", VersionText(origin.cupti_version), ", but here is CUPTI ",
      VersionText(here), " (", (*host)->path(),
      "), and images are read by the same major version only; name one with RAFTER_CUPTI_PATH"));
}

absl::StatusOr<std::vector<RangeValues>> Evaluator::Ranges(const ImageOrigin& origin,
                                                           const std::vector<uint8_t>& image,
                                                           const std::vector<Counter>& counters) {
  if (absl::Status can = CanEvaluate(origin); !can.ok()) return can;
  CuptiHost& host = **door_.Host();
  Result<std::vector<std::string>> names = host.RangeNames(image);
  if (!names.ok()) return absl::InvalidArgumentError(names.status().message());
  if (names->size() > kMaxSlots) {
    return absl::InvalidArgumentError(absl::StrCat("an image of ", names->size(), " ranges"));
  }
  std::vector<std::string> metrics;
  for (const Counter& counter : counters) metrics.push_back(counter.metric);
  std::vector<RangeValues> ranges;
  for (size_t i = 0; i < names->size(); ++i) {
    Result<std::vector<std::optional<double>>> values =
        host.Evaluate(origin.chip, origin.availability, image, i, metrics);
    if (!values.ok()) return absl::InvalidArgumentError(values.status().message());
    ranges.push_back({std::move((*names)[i]), std::move(*values)});
  }
  return ranges;
}

std::string FillSlots(const std::vector<RangeValues>& ranges, size_t counters, Epoch& epoch) {
  std::map<uint32_t, const RangeValues*> by_path;
  uint64_t foreign = 0;
  for (const RangeValues& range : ranges) {
    const uint32_t path = PathOfName(range.name);
    const bool wanted =
        path != 0 && std::any_of(epoch.slots.begin(), epoch.slots.end(),
                                 [path](const SlotValues& slot) { return slot.path == path; });
    if (!wanted || !by_path.emplace(path, &range).second) ++foreign;
  }
  uint64_t empty = 0;
  for (SlotValues& slot : epoch.slots) {
    slot.evaluated = true;
    const auto found = by_path.find(slot.path);
    if (found == by_path.end()) {
      slot.values.assign(counters, std::nullopt);
      ++empty;
    } else {
      slot.values = found->second->values;
    }
  }
  if (empty == 0 && foreign == 0) return "";
  return absl::StrCat("epoch ", epoch.epoch, ": its counters lack ", empty,
                      empty == 1 ? " region" : " regions", " that it counted and hold ", foreign,
                      " that it did not");
}

const CounterSet* SetOfPass(const std::vector<CounterSet>& sets, uint32_t pass) {
  for (const CounterSet& set : sets) {
    if (pass >= set.first_pass && pass - set.first_pass < set.passes) return &set;
  }
  return nullptr;
}

}  // namespace rafter
