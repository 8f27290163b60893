#include "tools/marker_events.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cupti/host.h"
#include "tools/nearest.h"

namespace rafter {
namespace {

// Without its roll-up: "DRAM_BYTES".
std::string BaseOfEvent(const std::string& event) {
  const size_t roll_up = RollUpOf(event).size();
  return roll_up == 0 ? event : event.substr(0, event.size() - roll_up - 1);
}

// Takes events off the list, chip by chip, and remembers what names there are.
class EventSearch {
 public:
  explicit EventSearch(const EventGroups& groups) {
    for (const auto& group : groups) {
      for (const ListedEvent& event : group) pending_[event.name] |= event.has_counter;
    }
  }

  bool done() const { return pending_.empty(); }

  Status Look(const CuptiSearch& search, const std::string& chip) {
    // A host of its own, so that no more than one chip's names are in memory.
    Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
    if (!host.ok()) return host.status();
    Result<std::vector<std::string>> metrics = (*host)->BaseMetrics(chip, {});
    if (!metrics.ok()) return metrics.status();
    std::map<std::string, std::string> by_event;
    for (std::string& metric : *metrics) {
      std::string event = LikwidEventOf(metric);
      bases_.insert(event);
      by_event.emplace(std::move(event), std::move(metric));
    }
    for (auto event = pending_.begin(); event != pending_.end();) {
      const auto base = by_event.find(BaseOfEvent(event->first));
      Result<bool> has = base == by_event.end() || RollUpOf(event->first).empty()
                             ? Result<bool>(false)
                             : Has(**host, chip, base->second, event->first);
      if (!has.ok()) return has.status();
      event = *has ? pending_.erase(event) : std::next(event);
    }
    return Status::Ok();
  }

  // Once all chips were looked at.
  Status Verdict(std::vector<std::string>& notes) const {
    const std::vector<std::string> known(bases_.begin(), bases_.end());
    for (const auto& [event, has_counter] : pending_) {
      const std::string base = BaseOfEvent(event);
      const std::string roll_up(RollUpOf(event));
      if (bases_.contains(base)) {
        return Status::Failed(
            "--events: " + event + ": " +
            (roll_up.empty()
                 ? "its roll-up is missing; take " + event + "_SUM where it is a counter"
                 : "CUPTI has " + base + ", but not its " + roll_up + "; correct the name"));
      }
      const std::string nearest = Nearest(base, known);
      if (roll_up.empty() && nearest.empty()) {
        if (!has_counter) return NoEvent(event);
        notes.push_back("--events: " + event + " is not of CUPTI; taken for one of NVML's");
        continue;
      }
      const std::string meant = nearest + "_" + (roll_up.empty() ? "SUM" : roll_up);
      return Status::Failed("--events: " + event + ": no chip that CUPTI knows has it" +
                            (nearest.empty() ? "" : " (did you mean " + meant + "?)") +
                            "; LIKWID writes CUPTI's dram__bytes.sum as DRAM_BYTES_SUM, and "
                            "\"rafter metrics --chip CHIP\" lists the names");
    }
    return Status::Ok();
  }

 private:
  static Result<bool> Has(CuptiHost& host, const std::string& chip, const std::string& base,
                          const std::string& event) {
    const std::string by_rule = MetricOfEvent(event);
    return host.HasMetric(chip, {}, base + by_rule.substr(by_rule.rfind('.')));
  }

  static Status NoEvent(const std::string& name) {
    return Status::Failed("--events: " + name +
                          ": not an event of CUPTI's; if it is one of LIKWID's performance groups, "
                          "give the group's events instead, in its order");
  }

  std::map<std::string, bool> pending_;  // whether ":GPUn" stood behind it
  std::set<std::string> bases_;
};

}  // namespace

Result<EventGroups> ReadEventList(const std::string& list) {
  absl::StatusOr<EventGroups> groups = ParseEventList(list);
  if (groups.ok()) return *std::move(groups);
  return Status::Failed("--events: " + std::string(groups.status().message()));
}

Status CheckEvents(const EventGroups& groups, const CuptiSearch& search,
                   std::vector<std::string>& notes) {
  EventSearch events(groups);
  Result<std::vector<std::string>> chips = [&]() -> Result<std::vector<std::string>> {
    Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
    if (!host.ok()) return host.status();
    return (*host)->Chips();
  }();
  if (!chips.ok()) {
    notes.push_back("--events: the names were not checked: " + chips.status().message());
    return Status::Ok();
  }
  // Some chips are too old for this CUPTI to say anything of them.
  Status last = Status::Ok();
  size_t looked_at = 0;
  for (const std::string& chip : *chips) {
    if (events.done()) return Status::Ok();
    Status looked = events.Look(search, chip);
    if (looked.ok()) ++looked_at;
    if (!looked.ok()) last = std::move(looked);
  }
  if (looked_at > 0) return events.Verdict(notes);
  notes.push_back("--events: the names were not checked: " + last.message());
  return Status::Ok();
}

std::vector<std::vector<std::string>> NamesOf(const EventGroups& groups) {
  std::vector<std::vector<std::string>> names;
  for (const auto& group : groups) {
    std::vector<std::string>& of_group = names.emplace_back();
    for (const ListedEvent& event : group) of_group.push_back(event.name);
  }
  return names;
}

}  // namespace rafter
