#include "inject/counters/installed_plan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_message.hpp>

#include "cupti/host.h"
#include "cupti/sets.h"
#include "inject/record/wire_fields.h"
#include "proto/frame.h"
#include "proto/plan_cache.h"

namespace rafter {
namespace {

template <typename Field>
using Message = protozero::pbf_message<Field>;

Status Broken(const char* what) {
  return Status::Failed(std::string("the plan for counting cannot be read: ") + what);
}

PlannedSet ParseSet(Message<field::PlanSet> message) {
  PlannedSet set;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case Typed(field::PlanSet::kName, kText):
        set.name = message.get_string();
        break;
      case Typed(field::PlanSet::kFirstPass, kNumber):
        set.first_pass = message.get_uint32();
        break;
      case Typed(field::PlanSet::kPasses, kNumber):
        set.passes = message.get_uint32();
        break;
      case Typed(field::PlanSet::kCounters, kText): {
        Message<field::Counter> counter(message.get_message());
        while (counter.next()) {
          if (counter.tag_and_type() == Typed(field::Counter::kMetric, kText)) {
            set.metrics.push_back(counter.get_string());
          } else {
            counter.skip();
          }
        }
        break;
      }
      default:
        message.skip();
    }
  }
  return set;
}

// A plan that would make us misread counters is worse than none.
Status CheckSense(const InstalledPlan& plan) {
  if (!plan.error.empty()) return Status::Ok();
  if (plan.configuration.empty()) return Broken("it has no configuration");
  if (plan.passes == 0 || plan.passes > Scheduler::kMaxPasses) {
    return Status::Failed("the plan for counting cannot be used: it has " +
                          std::to_string(plan.passes) + " passes, and a run goes round 1 to " +
                          std::to_string(Scheduler::kMaxPasses) + "; ask for fewer sets (--set)");
  }
  uint32_t next = 0;
  for (const PlannedSet& set : plan.sets) {
    if (set.first_pass != next || set.passes == 0 || set.passes > plan.passes ||
        set.metrics.empty()) {
      return Broken("its sets do not cover its passes");
    }
    next += set.passes;
  }
  if (next != plan.passes) return Broken("its sets do not cover its passes");
  return Status::Ok();
}

std::string_view View(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string CacheFile(const std::string& folder, const DeviceFacts& facts, uint32_t cupti_version,
                      const std::string& sets) {
  return folder + "/" +
         PlanCacheFile(facts.chip, cupti_version, facts.counter_availability.data(),
                       facts.counter_availability.size(), sets);
}

bool MakeFolders(const std::string& folder) {
  for (size_t slash = folder.find('/', 1); slash != std::string::npos;
       slash = folder.find('/', slash + 1)) {
    mkdir(folder.substr(0, slash).c_str(), 0700);
  }
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

std::string EncodeChosen(const ChosenPlan& chosen, const DeviceFacts& facts, uint32_t cupti_version,
                         const std::string& sets) {
  using F = field::Plan;
  std::string text;
  protozero::pbf_builder<F> plan(text);
  plan.add_bytes(F::kChip, facts.chip);
  plan.add_uint32(F::kCuptiVersion, cupti_version);
  plan.add_fixed64(F::kAvailabilityHash,
                   PlanHash(facts.counter_availability.data(), facts.counter_availability.size()));
  plan.add_bytes(F::kWantedSets, sets);
  for (const ChosenSet& chosen_set : chosen.sets) {
    protozero::pbf_builder<field::PlanSet> set(plan, F::kSets);
    set.add_bytes(field::PlanSet::kName, chosen_set.name);
    set.add_uint32(field::PlanSet::kFirstPass, static_cast<uint32_t>(chosen_set.first_pass));
    set.add_uint32(field::PlanSet::kPasses, static_cast<uint32_t>(chosen_set.passes));
    for (const SetMetric& metric : chosen_set.metrics) {
      protozero::pbf_builder<field::Counter> counter(set, field::PlanSet::kCounters);
      counter.add_bytes(field::Counter::kMetric, metric.name);
      counter.add_bytes(field::Counter::kUnit, metric.unit);
      counter.add_bytes(field::Counter::kDescription, metric.description);
    }
  }
  plan.add_uint32(F::kPasses, static_cast<uint32_t>(chosen.configuration.passes));
  const std::string_view image = View(chosen.configuration.image);
  plan.add_bytes(F::kConfiguration, image.data(), image.size());
  for (const AbsentMetric& absent : chosen.absent) {
    protozero::pbf_builder<field::MissingMetric> missing(plan, F::kMissing);
    missing.add_bytes(field::MissingMetric::kSet, absent.set);
    missing.add_bytes(field::MissingMetric::kMetric, absent.name);
    missing.add_bytes(field::MissingMetric::kReason, absent.reason);
  }
  return text;
}

}  // namespace

std::vector<std::string> InstalledPlan::Metrics() const {
  std::vector<std::string> all;
  for (const PlannedSet& set : sets) {
    for (const std::string& metric : set.metrics) {
      if (std::find(all.begin(), all.end(), metric) == all.end()) all.push_back(metric);
    }
  }
  return all;
}

std::vector<ScheduledPass> InstalledPlan::Passes() const {
  std::vector<ScheduledPass> cycle;
  for (const PlannedSet& set : sets) {
    const bool patches = std::any_of(set.metrics.begin(), set.metrics.end(), PatchesKernels);
    cycle.insert(cycle.end(), set.passes,
                 ScheduledPass{set.name, Scheduler::QuotaOf(set.name), false, patches});
  }
  return cycle;
}

const PlannedSet* InstalledPlan::Find(std::string_view name) const {
  for (const PlannedSet& set : sets) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

std::vector<std::string> InstalledPlan::PatchedSets() const {
  std::vector<std::string> names;
  for (const PlannedSet& set : sets) {
    if (std::any_of(set.metrics.begin(), set.metrics.end(), PatchesKernels)) {
      names.push_back(set.name);
    }
  }
  return names;
}

const std::string& InstalledPlan::SetOfPass(size_t pass) const {
  for (const PlannedSet& set : sets) {
    if (pass >= set.first_pass && pass < set.first_pass + set.passes) return set.name;
  }
  return sets.front().name;  // CheckSense has seen to it that every pass has a set
}

Result<InstalledPlan> ParsePlan(std::string_view text) {
  using F = field::Plan;
  InstalledPlan plan;
  plan.message.assign(text);
  try {
    Message<F> message(text.data(), text.size());
    while (message.next()) {
      switch (message.tag_and_type()) {
        case Typed(F::kChip, kText):
          plan.chip = message.get_string();
          break;
        case Typed(F::kCuptiVersion, kNumber):
          plan.cupti_version = message.get_uint32();
          break;
        case Typed(F::kWantedSets, kText):
          plan.wanted_sets = message.get_string();
          break;
        case Typed(F::kSets, kText):
          plan.sets.push_back(ParseSet(message.get_message()));
          break;
        case Typed(F::kPasses, kNumber):
          plan.passes = message.get_uint32();
          break;
        case Typed(F::kConfiguration, kText): {
          const protozero::data_view bytes = message.get_view();
          plan.configuration.assign(bytes.data(), bytes.data() + bytes.size());
          break;
        }
        case Typed(F::kError, kText):
          plan.error = message.get_string();
          break;
        case Typed(F::kDevice, kNumber):
          plan.device = message.get_uint32();
          break;
        case Typed(F::kOrigin, kText):
          plan.origin = message.get_string();
          break;
        default:
          message.skip();
      }
    }
  } catch (const std::exception& broken) {
    return Broken(broken.what());
  }
  RAFTER_RETURN_IF_ERROR(CheckSense(plan));
  return plan;
}

std::optional<InstalledPlan> ReadCachedPlan(const std::string& folder, const DeviceFacts& facts,
                                            uint32_t cupti_version, const std::string& sets) {
  if (folder.empty()) return std::nullopt;
  const int file =
      open(CacheFile(folder, facts, cupti_version, sets).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat found;
  std::string text;
  // A file of somebody else's could make us count something else.
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
      found.st_size > 0 && found.st_size < static_cast<off_t>(kMaxFrameBytes)) {
    text.resize(static_cast<size_t>(found.st_size));
    if (read(file, text.data(), text.size()) != found.st_size) text.clear();
  }
  close(file);
  if (text.empty()) return std::nullopt;
  Result<InstalledPlan> plan = ParsePlan(text);
  if (!plan.ok() || !plan->error.empty() || plan->chip != facts.chip ||
      plan->cupti_version != cupti_version || plan->wanted_sets != sets) {
    return std::nullopt;
  }
  plan->origin = "cache";
  return *plan;
}

void WriteCachedPlan(const std::string& folder, const DeviceFacts& facts, uint32_t cupti_version,
                     const InstalledPlan& plan) {
  if (folder.empty() || !MakeFolders(folder)) return;
  const std::string name = CacheFile(folder, facts, cupti_version, plan.wanted_sets);
  const std::string temporary = name + "." + std::to_string(getpid());
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool whole = write(file, plan.message.data(), plan.message.size()) ==
                     static_cast<ssize_t>(plan.message.size());
  close(file);
  if (!whole || rename(temporary.c_str(), name.c_str()) != 0) unlink(temporary.c_str());
}

Result<InstalledPlan> PlanInProcess(const CuptiSearch& search, const DeviceFacts& facts,
                                    const std::string& sets, std::function<bool()> stop) {
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
  if (!host.ok()) return host.status();
  (*host)->StopWhen(std::move(stop));
  Result<std::vector<std::string>> names = ParseSetList(sets);
  if (!names.ok()) return names.status();
  Result<ChosenPlan> chosen = PlanSets(**host, facts.chip, facts.counter_availability, *names);
  if (!chosen.ok()) return chosen.status();
  Result<InstalledPlan> plan = ParsePlan(EncodeChosen(*chosen, facts, (*host)->version(), sets));
  if (plan.ok()) plan->origin = "process";
  return plan;
}

}  // namespace rafter
