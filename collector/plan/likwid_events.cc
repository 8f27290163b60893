#include "collector/plan/likwid_events.h"

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

namespace rafter {
namespace {

struct RollUp {
  std::string_view event;  // "MAX_RATE"
  std::string_view metric;
};
constexpr RollUp kRollUps[] = {{"MAX_RATE", ".max_rate"}, {"SUM", ".sum"}, {"AVG", ".avg"},
                               {"MAX", ".max"},           {"MIN", ".min"}, {"PCT", ".pct"},
                               {"RATIO", ".ratio"}};

bool EndsInWord(std::string_view event, std::string_view word) {
  return event.size() > word.size() + 1 && event.ends_with(word) &&
         event[event.size() - word.size() - 1] == '_';
}

const RollUp* FindRollUp(std::string_view event) {
  for (const RollUp& roll_up : kRollUps) {
    if (EndsInWord(event, roll_up.event)) return &roll_up;
  }
  return nullptr;
}

constexpr size_t kMostQuotedBytes = 200;

absl::Status Bad(std::string_view event, const std::string& why) {
  const std::string name(event.substr(0, kMostQuotedBytes));
  return absl::InvalidArgumentError(name.empty() ? why : absl::StrCat("\"", name, "\": ", why));
}

std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// "DRAM_BYTES_SUM:GPU0", with blanks around.
absl::StatusOr<ListedEvent> ParseEvent(std::string_view item) {
  item = Stripped(item);
  const size_t colon = item.find(':');
  const std::string_view name = Stripped(item.substr(0, colon));
  if (name.empty()) return Bad(item, "an event has no name; separate events by one comma");
  const auto allowed = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  if (!std::all_of(name.begin(), name.end(), allowed)) {
    return Bad(name, "a name of an event has letters, digits and \"_\" only; as in DRAM_BYTES_SUM");
  }
  if (colon == std::string_view::npos) return ListedEvent{std::string(name), false};
  const std::string_view counter = Stripped(item.substr(colon + 1));
  const bool is_gpu = counter.starts_with("GPU") && counter.size() > 3 &&
                      std::all_of(counter.begin() + 3, counter.end(), absl::ascii_isdigit);
  if (!is_gpu) return Bad(item, "what follows the \":\" is GPU and a number, as in :GPU0");
  return ListedEvent{std::string(name), true};
}

absl::StatusOr<std::vector<ListedEvent>> ParseGroup(std::string_view text) {
  std::vector<ListedEvent> group;
  for (const std::string_view item : Split(text, ',')) {
    absl::StatusOr<ListedEvent> event = ParseEvent(item);
    if (!event.ok()) return event.status();
    const auto is_same = [&](const ListedEvent& other) { return other.name == event->name; };
    if (std::any_of(group.begin(), group.end(), is_same)) {
      return Bad(event->name, "stands in one group twice; LIKWID would report one of them");
    }
    if (group.size() == kMostGroupEvents) {
      return Bad(
          "", absl::StrCat("a group has more than ", kMostGroupEvents, " events; LIKWID takes 30"));
    }
    group.push_back(*std::move(event));
  }
  return group;
}

}  // namespace

std::string LikwidEventOf(std::string_view cupti_metric) {
  std::string event;
  event.reserve(cupti_metric.size());
  for (size_t i = 0; i < cupti_metric.size(); ++i) {
    const char c = cupti_metric[i];
    if (c == '_' && i + 1 < cupti_metric.size() && cupti_metric[i + 1] == '_') continue;
    event += c == '.' ? '_' : absl::ascii_toupper(c);
  }
  return event;
}

std::optional<std::string> MetricOfEvent(std::string_view event,
                                         const std::vector<std::string>& metrics) {
  for (const std::string& metric : metrics) {
    if (LikwidEventOf(metric) == event) return metric;
  }
  return std::nullopt;
}

std::string MetricOfEvent(std::string_view event) {
  const RollUp* roll_up = FindRollUp(event);
  std::string_view counter = event;
  if (roll_up != nullptr) counter.remove_suffix(roll_up->event.size() + 1);
  std::string metric(counter);
  for (char& c : metric) c = absl::ascii_tolower(c);
  const size_t unit_end = metric.find('_');
  if (unit_end != std::string::npos) metric.insert(unit_end, "_");
  return roll_up == nullptr ? metric : metric + std::string(roll_up->metric);
}

std::string_view RollUpOf(std::string_view event) {
  const RollUp* roll_up = FindRollUp(event);
  return roll_up == nullptr ? std::string_view() : roll_up->event;
}

bool AddsUp(std::string_view event) { return RollUpOf(event) == "SUM"; }

bool CountsInstructions(std::string_view event) {
  return AddsUp(event) && event.find("INST_EXECUTED") != std::string_view::npos;
}

absl::StatusOr<std::vector<std::vector<ListedEvent>>> ParseEventList(std::string_view list) {
  if (Stripped(list).empty()) return Bad("", "the list of events is empty");
  std::vector<std::vector<ListedEvent>> groups;
  for (const std::string_view text : Split(list, '|')) {
    if (Stripped(text).empty()) {
      return Bad("", "a group of events is empty; separate groups by one \"|\"");
    }
    absl::StatusOr<std::vector<ListedEvent>> group = ParseGroup(text);
    if (!group.ok()) return group.status();
    if (groups.size() == kMostEventGroups) {
      return Bad("", absl::StrCat("there are more than ", kMostEventGroups, " groups"));
    }
    groups.push_back(*std::move(group));
  }
  return groups;
}

}  // namespace rafter
