#include "cupti/set_list.h"

#include <algorithm>
#include <charconv>

#include "cupti/edits.h"

namespace rafter {
namespace {

constexpr std::string_view kMetrics = "metrics";
constexpr std::string_view kTensor = "tensor";

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t end = text.find(at);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text = text.substr(end + 1);
  }
}

bool IsKnown(std::string_view name) {
  return std::find(KnownSets().begin(), KnownSets().end(), name) != KnownSets().end();
}

Status NoSuchSet(std::string_view item) {
  const std::string_view base = item.substr(0, item.find('.'));
  std::string nearest;
  size_t fewest = 0;
  for (const std::string& known : KnownSets()) {
    const size_t edits = Edits(known, base.substr(0, kMaxMetricName));
    if (!nearest.empty() && edits >= fewest) continue;
    nearest = known;
    fewest = edits;
  }
  return Status::Failed("there is no set \"" + std::string(item.substr(0, kMaxMetricName)) +
                        "\"; did you mean \"" + nearest + "\"? Sets are " + Listed(KnownSets()) +
                        ", a tensor format as in tensor.bf16, and metrics:NAME+NAME");
}

// "12" -> 12; 0 for anything else, 0 included.
size_t PartOf(std::string_view text) {
  size_t part = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
  return error == std::errc() && end == text.data() + text.size() ? part : 0;
}

// Words of a tensor format begin with a letter: "bf16", "fp4_fp6".
bool IsFormat(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(), allowed);
}

bool IsMetricName(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kMaxMetricName &&
         std::all_of(name.begin(), name.end(), allowed);
}

Result<AskedSet> ReadMetrics(std::string_view names, char between) {
  AskedSet set;
  set.name = kMetrics;
  for (const std::string_view name : Split(names, between)) {
    if (name.empty()) continue;
    if (!IsMetricName(name)) {
      return Status::Failed("\"" + std::string(name.substr(0, kMaxMetricName)) +
                            "\" is no name of a metric, which has letters, digits, \"_\" and "
                            "\".\", as in dram__bytes.sum");
    }
    if (std::find(set.metrics.begin(), set.metrics.end(), name) != set.metrics.end()) continue;
    set.metrics.emplace_back(name);
  }
  if (set.metrics.empty()) {
    return Status::Failed(
        "no metric is named; write metrics:NAME+NAME, as in "
        "metrics:dram__bytes.sum+lts__t_bytes.sum");
  }
  if (set.metrics.size() > kMaxAskedMetrics) {
    return Status::Failed(std::to_string(set.metrics.size()) +
                          " metrics are named, and a run takes " +
                          std::to_string(kMaxAskedMetrics) + "; ask for them in several runs");
  }
  return set;
}

std::string TextOf(const AskedSet& set) {
  std::string text = set.name;
  if (!set.metrics.empty()) text.append(":").append(Listed(set.metrics, "+"));
  if (set.part > 0) text.append(".").append(std::to_string(set.part));
  return text;
}

// Whether `whole` asks for all that `set` asks for.
bool Holds(const AskedSet& whole, const AskedSet& set) {
  if (whole.part > 0) return whole.name == set.name && whole.part == set.part;
  return whole.name == set.name || set.name.starts_with(whole.name + ".");
}

// A list may name metrics in several items; they are one set.
void Add(AskedSet set, std::vector<AskedSet>& asked) {
  for (AskedSet& earlier : asked) {
    if (set.metrics.empty() || earlier.metrics.empty()) continue;
    for (std::string& name : set.metrics) {
      const auto found = std::find(earlier.metrics.begin(), earlier.metrics.end(), name);
      if (found == earlier.metrics.end()) earlier.metrics.push_back(std::move(name));
    }
    return;
  }
  const auto holds = [&](const AskedSet& earlier) { return Holds(earlier, set); };
  if (std::any_of(asked.begin(), asked.end(), holds)) return;
  std::erase_if(asked, [&](const AskedSet& earlier) { return Holds(set, earlier); });
  asked.push_back(std::move(set));
}

size_t PlaceOf(const AskedSet& set) {
  const std::string base = set.name.substr(0, set.name.find('.'));
  return static_cast<size_t>(std::find(KnownSets().begin(), KnownSets().end(), base) -
                             KnownSets().begin());
}

}  // namespace

const std::vector<std::string>& KnownSets() {
  static const auto* const names = new std::vector<std::string>{
      "time",           "memory", "sm",     "flop", "integer", "occupancy", "memory-workload",
      "speed-of-light", "tensor", "metrics"};
  return *names;
}

const std::vector<std::string>& DefaultSets() {
  static const auto* const names = new std::vector<std::string>{"time", "memory", "sm", "flop"};
  return *names;
}

Result<AskedSet> ReadAskedSet(std::string_view item) {
  if (item == kMetrics || item.starts_with("metrics:") || item.starts_with("metrics.")) {
    const size_t names = std::min(item.size(), kMetrics.size() + 1);
    return ReadMetrics(item.starts_with("metrics:") ? item.substr(names) : "", '+');
  }
  std::vector<std::string_view> words = Split(item, '.');
  AskedSet set;
  set.name = words.front();
  if (!IsKnown(set.name)) return NoSuchSet(item);
  size_t next = 1;
  bool is_good = true;
  if (set.name == kTensor && words.size() > next && IsFormat(words[next])) {
    set.name += "." + std::string(words[next++]);
  }
  // Passes of "tensor" are those of its formats.
  if (words.size() > next && set.name != kTensor) {
    set.part = PartOf(words[next++]);
    is_good = set.part > 0;
  }
  if (!is_good || words.size() > next) return NoSuchSet(item);
  return set;
}

Result<std::vector<std::string>> ParseSetList(std::string_view list) {
  std::vector<AskedSet> asked;
  for (const std::string_view item : Split(list, ',')) {
    if (item.empty()) continue;
    Result<AskedSet> set = ReadAskedSet(item);
    if (!set.ok()) return set.status();
    Add(std::move(*set), asked);
  }
  if (asked.empty()) {
    return Status::Failed("the list of sets is empty; name some of " + Listed(KnownSets()));
  }
  std::stable_sort(asked.begin(), asked.end(),
                   [](const AskedSet& a, const AskedSet& b) { return PlaceOf(a) < PlaceOf(b); });
  std::vector<std::string> items;
  for (const AskedSet& set : asked) {
    if (set.metrics.size() > kMaxAskedMetrics)
      return ReadMetrics(Listed(set.metrics, "+"), '+').status();
    items.push_back(TextOf(set));
  }
  return items;
}

Result<std::string> MetricsItem(std::string_view names) {
  Result<AskedSet> set = ReadMetrics(names, ',');
  if (!set.ok()) return set.status();
  return TextOf(*set);
}

std::string Listed(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

}  // namespace rafter
