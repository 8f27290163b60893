#include "collector/plan/planner.h"

#include <utility>
#include <vector>

#include "cupti/sets.h"
#include "proto/plan_cache.h"

namespace rafter {
namespace {

wire::PlanSet ToWire(const ChosenSet& chosen) {
  wire::PlanSet set;
  set.set_name(chosen.name);
  set.set_first_pass(static_cast<uint32_t>(chosen.first_pass));
  set.set_passes(static_cast<uint32_t>(chosen.passes));
  for (const SetMetric& metric : chosen.metrics) {
    wire::Counter* counter = set.add_counters();
    counter->set_metric(metric.name);
    counter->set_unit(metric.unit);
    counter->set_description(metric.description);
  }
  return set;
}

std::string VersionText(uint32_t version) {
  return std::to_string(CuptiMajor(version)) + "." + std::to_string(version % 10000 / 100);
}

}  // namespace

Planner::Planner(CuptiDoor& door, std::string cache_folder,
                 std::function<void(const std::string&)> report)
    : door_(door), cache_(std::move(cache_folder)), report_(std::move(report)) {}

wire::Plan Planner::PlanFor(const wire::Device& device) {
  if (std::optional<wire::Plan> cached = cache_.Find(device, device.cupti_version())) {
    return *std::move(cached);
  }
  wire::Plan plan;
  plan.set_device(device.device());
  plan.set_chip(device.chip());
  plan.set_wanted_sets(device.wanted_sets());
  const std::string& availability = device.counter_availability();
  plan.set_availability_hash(PlanHash(availability.data(), availability.size()));
  plan.set_origin("collector");
  const Status filled = Fill(device, plan);
  if (!filled.ok()) {
    plan.clear_sets();
    plan.clear_configuration();
    plan.set_passes(0);
    plan.set_error(filled.message());
    return plan;
  }
  const absl::Status kept = cache_.Keep(device, plan);
  if (!kept.ok() && report_) report_(std::string(kept.message()));
  return plan;
}

Status Planner::Fill(const wire::Device& device, wire::Plan& plan) {
  Result<std::vector<std::string>> sets = ParseSetList(device.wanted_sets());
  if (!sets.ok()) return sets.status();
  Result<CuptiHost*> host = door_.Host();
  if (!host.ok()) return host.status();
  plan.set_cupti_version((*host)->version());
  if (CuptiMajor((*host)->version()) != CuptiMajor(device.cupti_version())) {
    return Status::Failed("the collector has CUPTI " + VersionText((*host)->version()) + " (" +
                          (*host)->path() + "), the program uses CUPTI " +
                          VersionText(device.cupti_version()) +
                          ", and a configuration fits one major version only; give the collector "
                          "that CUPTI with RAFTER_CUPTI_PATH");
  }
  const std::vector<uint8_t> availability(device.counter_availability().begin(),
                                          device.counter_availability().end());
  Result<ChosenPlan> chosen = PlanSets(**host, device.chip(), availability, *sets);
  if (!chosen.ok()) return chosen.status();
  for (const ChosenSet& set : chosen->sets) *plan.add_sets() = ToWire(set);
  for (const AbsentMetric& absent : chosen->absent) {
    wire::MissingMetric* missing = plan.add_missing();
    missing->set_set(absent.set);
    missing->set_metric(absent.name);
    missing->set_reason(absent.reason);
  }
  plan.set_passes(static_cast<uint32_t>(chosen->configuration.passes));
  plan.set_configuration(chosen->configuration.image.data(), chosen->configuration.image.size());
  return Status::Ok();
}

}  // namespace rafter
