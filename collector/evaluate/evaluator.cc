#include "collector/evaluate/evaluator.h"

#include <absl/strings/str_cat.h>

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "collector/evaluate/counter_image.h"

namespace rafter {
namespace {

std::string VersionText(uint32_t version) {
  return absl::StrCat(CuptiMajor(version), ".", version % 10000 / 100);
}

// What names a range: the path and call of a slot of ours or, where CUPTI repeats
// launches, their running number.
using RangeKey = std::pair<uint64_t, uint32_t>;

RangeKey KeyOf(const SlotValues& slot) {
  if (slot.range != 0) return {slot.range - 1, 0};
  return {slot.path, slot.call};
}

// "7" -> {7, 0}, "7.3" -> {7, 3}; nothing for any other name.
std::optional<RangeKey> KeyOfName(const std::string& name) {
  RangeKey key{0, 0};
  const char* end = name.data() + name.size();
  auto read = std::from_chars(name.data(), end, key.first);
  if (read.ec == std::errc() && read.ptr == end) return key;
  if (read.ec != std::errc() || *read.ptr != '.') return std::nullopt;
  read = std::from_chars(read.ptr + 1, end, key.second);
  if (read.ec != std::errc() || read.ptr != end || key.second == 0) return std::nullopt;
  return key;
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
        host.Evaluate(origin.chip, origin.availability, origin.gpu, image, i, metrics);
    if (!values.ok()) return absl::InvalidArgumentError(values.status().message());
    ranges.push_back({std::move((*names)[i]), std::move(*values)});
  }
  return ranges;
}

std::string FillSlots(const std::vector<RangeValues>& ranges, size_t counters, Epoch& epoch) {
  std::map<RangeKey, const RangeValues*> by_key;
  bool names_are_ours = true;
  for (const SlotValues& slot : epoch.slots) {
    if (slot.segments > 0 || slot.range == 0) by_key[KeyOf(slot)] = nullptr;
    names_are_ours = names_are_ours && slot.range == 0;
  }
  uint64_t foreign = 0;
  for (const RangeValues& range : ranges) {
    const std::optional<RangeKey> key = KeyOfName(range.name);
    const auto wanted = key ? by_key.find(*key) : by_key.end();
    if (wanted != by_key.end() && wanted->second == nullptr) {
      wanted->second = &range;
    } else if (names_are_ours) {  // else it is a launch outside of regions
      ++foreign;
    }
  }
  uint64_t empty = 0;
  for (SlotValues& slot : epoch.slots) {
    slot.evaluated = true;
    const auto named = by_key.find(KeyOf(slot));
    // A slot without stretches has no range; its name may be a launch's number.
    const bool has_range = slot.segments > 0 || names_are_ours;
    const RangeValues* const found = named == by_key.end() || !has_range ? nullptr : named->second;
    if (found != nullptr) {
      slot.values = found->values;
      continue;
    }
    slot.values.assign(counters, std::nullopt);
    if (slot.segments > 0) ++empty;
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
