#include "cupti/sets.h"

#include <algorithm>
#include <array>

#include "cupti/edits.h"

namespace rafter {
namespace {

// A wish: the first of these names that the chip has. Several names where
// generations call the same thing differently.
struct Wish {
  std::vector<std::string> names;
};

struct SetWishes {
  const char* name;
  std::vector<Wish> wishes;
};

// What each set wants, cheap to dear (architecture.md, section 4). The peaks
// are computed from device attributes and cost nothing in any pass. `memory`
// takes the SM clock from the GPC counter, which runs on the same clock: one
// counter per SM would make each border cost a millisecond (gpu-facts.md,
// section 3).
const std::vector<SetWishes>& Wishes() {
  static const std::vector<SetWishes>* const wishes = new std::vector<SetWishes>{
      {"time", {{{"gpu__time_duration.sum"}}}},
      {"memory",
       {{{"gpu__time_duration.sum"}},
        {{"dram__bytes.sum"}},
        {{"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
        {{"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
        {{"lts__t_bytes.sum"}},
        {{"gpu__time_active.sum"}},
        {{"gr__ctas_launched.sum"}},
        {{"gpc__cycles_elapsed.max"}},
        {{"gpc__cycles_elapsed.avg.per_second"}},
        {{"dram__cycles_elapsed.avg.per_second"}},
        {{"lts__cycles_elapsed.avg.per_second"}},
        {{"dram__bytes.sum.peak_sustained"}},
        {{"lts__t_bytes.sum.peak_sustained"}}}},
      {"sm",
       {{{"gpu__time_duration.sum"}},
        {{"l1tex__t_bytes.sum"}},
        {{"sm__inst_executed_pipe_tensor.sum"}},
        {{"sm__warps_active.avg.pct_of_peak_sustained_active"}},
        {{"sm__cycles_elapsed.max"}},
        {{"sm__cycles_elapsed.avg.per_second"}},
        {{"l1tex__t_bytes.sum.peak_sustained"}}}},
      {"flop",
       {{{"sm__sass_thread_inst_executed_op_fadd_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_fmul_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_ffma_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_dadd_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_dmul_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_dfma_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_hadd_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_hmul_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_hfma_pred_on.sum"}},
        {{"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"}},
        {{"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"}},
        {{"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"}}}},
  };
  return *wishes;
}

// Data-centre Blackwell executes pairs of FP32 operations in one instruction.
const std::array<const char*, 3> kPackedForms = {
    "sm__sass_thread_inst_executed_op_fadd2_pred_on.sum",
    "sm__sass_thread_inst_executed_op_fmul2_pred_on.sum",
    "sm__sass_thread_inst_executed_op_ffma2_pred_on.sum"};

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> Names(const ChosenSet& set) {
  std::vector<std::string> names;
  for (const SetMetric& metric : set.metrics) names.push_back(metric.name);
  return names;
}

const SetWishes* Find(const std::string& set) {
  for (const SetWishes& candidate : Wishes()) {
    if (candidate.name == set) return &candidate;
  }
  return nullptr;
}

// Adds `name` with what CUPTI says of it.
Status AddMetric(CuptiHost& host, const std::string& chip, const std::vector<uint8_t>& availability,
                 const std::string& name, ChosenSet& set) {
  Result<MetricProperties> properties = host.Properties(chip, availability, name);
  if (!properties.ok()) return properties.status();
  set.metrics.push_back({name, properties->unit, properties->description});
  return Status::Ok();
}

Result<ChosenSet> Choose(CuptiHost& host, const std::string& chip,
                         const std::vector<uint8_t>& availability, const SetWishes& wishes,
                         std::vector<AbsentMetric>& absent) {
  ChosenSet set;
  set.name = wishes.name;
  for (const Wish& wish : wishes.wishes) {
    bool found = false;
    for (const std::string& name : wish.names) {
      Result<bool> has = host.HasMetric(chip, availability, name);
      if (!has.ok()) return has.status();
      if (!*has) continue;
      RAFTER_RETURN_IF_ERROR(AddMetric(host, chip, availability, name, set));
      found = true;
      break;
    }
    if (!found)
      absent.push_back({set.name, wish.names.front(), "chip " + chip + " does not have it"});
  }
  if (set.name == "flop") {
    for (const char* name : kPackedForms) {
      Result<bool> has = host.HasMetric(chip, availability, name);
      if (!has.ok()) return has.status();
      if (*has) RAFTER_RETURN_IF_ERROR(AddMetric(host, chip, availability, name, set));
    }
  }
  return set;
}

}  // namespace

const std::vector<std::string>& KnownSets() {
  static const std::vector<std::string>* const names = [] {
    auto* list = new std::vector<std::string>;
    for (const SetWishes& set : Wishes()) list->push_back(set.name);
    return list;
  }();
  return *names;
}

Result<std::vector<std::string>> ParseSetList(std::string_view list) {
  std::vector<std::string> asked;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string name(list.substr(0, comma));
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
    if (name.empty()) continue;
    if (Find(name) == nullptr) {
      const auto& known = KnownSets();
      const std::string nearest = *std::min_element(
          known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
            return Edits(a, name) < Edits(b, name);
          });
      return Status::Failed("there is no set \"" + name + "\"; did you mean \"" + nearest +
                            "\"? Sets are " + Join(known));
    }
    asked.push_back(name);
  }
  if (asked.empty()) {
    return Status::Failed("the list of sets is empty; name some of " + Join(KnownSets()));
  }
  std::vector<std::string> ordered;
  for (const std::string& name : KnownSets()) {
    if (std::find(asked.begin(), asked.end(), name) != asked.end()) ordered.push_back(name);
  }
  return ordered;
}

Result<ChosenPlan> PlanSets(CuptiHost& host, const std::string& chip,
                            const std::vector<uint8_t>& availability,
                            const std::vector<std::string>& sets) {
  ChosenPlan plan;
  std::vector<std::vector<std::string>> groups;
  size_t next_pass = 0;
  for (const std::string& name : sets) {
    const SetWishes* wishes = Find(name);
    if (wishes == nullptr) return Status::Failed("there is no set \"" + name + "\"");
    Result<ChosenSet> chosen = Choose(host, chip, availability, *wishes, plan.absent);
    if (!chosen.ok()) return chosen.status();
    const auto counts_something = [](const SetMetric& metric) {
      return !metric.name.ends_with(".peak_sustained");
    };
    if (std::none_of(chosen->metrics.begin(), chosen->metrics.end(), counts_something)) {
      plan.absent.push_back(
          {name, "all of set " + name, "chip " + chip + " has none of its metrics"});
      continue;
    }
    // Alone first: that is how many passes of the whole belong to this set.
    Result<PlannedConfiguration> alone = host.Plan(chip, availability, {Names(*chosen)});
    if (!alone.ok()) return alone.status();
    chosen->first_pass = next_pass;
    chosen->passes = alone->passes;
    next_pass += alone->passes;
    groups.push_back(Names(*chosen));
    plan.sets.push_back(std::move(*chosen));
  }
  if (groups.empty()) {
    return Status::Failed("chip " + chip + " has none of the metrics asked for");
  }
  Result<PlannedConfiguration> whole = host.Plan(chip, availability, groups);
  if (!whole.ok()) return whole.status();
  if (whole->passes != next_pass) {
    return Status::Failed("CUPTI planned " + std::to_string(whole->passes) +
                          " passes for sets that take " + std::to_string(next_pass) +
                          " one by one, so no pass can be given to a set; ask for fewer sets");
  }
  plan.configuration = std::move(*whole);
  return plan;
}

Result<size_t> PassesTogether(CuptiHost& host, const std::string& chip,
                              const std::vector<uint8_t>& availability, const ChosenPlan& plan) {
  std::vector<std::string> all;
  for (const ChosenSet& set : plan.sets) {
    for (const SetMetric& metric : set.metrics) {
      if (std::find(all.begin(), all.end(), metric.name) == all.end()) all.push_back(metric.name);
    }
  }
  Result<PlannedConfiguration> together = host.Plan(chip, availability, {all});
  if (!together.ok()) return together.status();
  return together->passes;
}

}  // namespace rafter
