// The recording half of Stream: what each kind of frame puts into the run file.
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "collector/evaluate/counter_image.h"
#include "collector/ingest/from_wire.h"
#include "collector/ingest/stream.h"
#include "collector/plan/plan_cache.h"
#include "collector/store/utf8.h"

namespace rafter {
namespace {

bool SameSets(const std::vector<CounterSet>& a, const std::vector<CounterSet>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].first_pass != b[i].first_pass ||
        a[i].passes != b[i].passes || a[i].counters != b[i].counters) {
      return false;
    }
  }
  return true;
}

bool IsTime(uint64_t ns) { return ns <= kMostNs; }

bool IsPath(uint32_t path) { return path != 0 && path <= kMostPathNumber; }

// Index plus one, or 0.
bool IsDevice(uint32_t device) { return device <= kMaxDevices; }

// Parents and members come into being before what they are part of, so a tree
// without cycles follows from the numbers alone.
bool IsSoundPath(const wire::Path& path) {
  if (!IsPath(path.path()) || path.parent() >= path.path()) return false;
  if (path.members_size() > kMaxMembers) return false;
  if (path.has_launch() && path.members_size() != 0) return false;
  for (const uint32_t member : path.members()) {
    if (member == 0 || member >= path.path()) return false;
  }
  return true;
}

}  // namespace

absl::Status Stream::OnDevice(const wire::Device& device) {
  if (device.device() >= kMaxDevices || device.uuid().size() != 16 ||
      device.chip().size() > kMaxChipBytes ||
      device.counter_availability().size() > kMaxAvailabilityBytes) {
    Refuse("devices refused", 1, "a device without a proper index, UUID or chip");
    return absl::OkStatus();
  }
  RunDevice converted = ToDevice(device);
  auto [entry, is_new] = devices_.try_emplace(device.device());
  DeviceState& state = entry->second;
  if (!is_new && state.device.uuid != converted.uuid) {
    Refuse("devices refused", 1, "a device index was used for two GPUs");
    return absl::OkStatus();
  }
  converted.sets = std::move(state.device.sets);
  converted.missing = std::move(state.device.missing);
  converted.plan_origin = std::move(state.device.plan_origin);
  converted.plan_error = std::move(state.device.plan_error);
  state.device = std::move(converted);
  state.availability.assign(device.counter_availability().begin(),
                            device.counter_availability().end());
  if (!ledger_.Stored(ledger_.run_file.AddDevice(process_, state.device, state.availability))) {
    return ledger_.run_file.failure();
  }
  if (!send_) return absl::OkStatus();
  const wire::Plan plan = ledger_.cupti.PlanFor(device);
  if (!plan.error().empty()) {
    ledger_.Report(absl::StrCat(who_, ": no plan for ", OneLine(state.device.name), ": ",
                                OneLine(Utf8Text(plan.error()))));
  }
  if (!state.has_epochs) (void)StorePlan(state, plan);  // a failed store is seen by Take
  Reply(wire::PLAN, plan);
  return absl::OkStatus();
}

absl::Status Stream::StorePlan(DeviceState& state, const wire::Plan& plan) {
  PutPlan(plan, state.device);
  const std::vector<uint8_t> configuration(plan.configuration().begin(),
                                           plan.configuration().end());
  const absl::Status stored = ledger_.run_file.SetPlan(process_, state.device, configuration);
  ledger_.Stored(stored);
  return stored;
}

absl::Status Stream::OnPlan(const wire::Plan& plan) {
  const auto found = devices_.find(plan.device());
  if (found == devices_.end()) {
    Refuse("plans refused", 1, "a plan for a device that was not announced");
    return absl::OkStatus();
  }
  if (plan.error().empty() && !IsSoundPlan(plan)) {
    Refuse("plans refused", 1, "sets and passes of a plan do not fit together");
    return absl::OkStatus();
  }
  DeviceState& state = found->second;
  if (state.has_epochs) {
    RunDevice other;
    PutPlan(plan, other);
    if (!SameSets(other.sets, state.device.sets)) {
      Refuse("plans refused", 1, "the plan changed after counting began");
    }
    return absl::OkStatus();
  }
  return StorePlan(state, plan);
}

absl::Status Stream::OnBaseline(const wire::Baseline& baseline, std::string_view message) {
  const auto found = devices_.find(baseline.device());
  if (found == devices_.end() || baseline.baseline() == 0) {
    Refuse("baselines refused", 1, "a baseline of a device that was not announced");
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<uint8_t>> image = RebuildBaseline(baseline);
  if (!image.ok()) {
    Refuse("baselines refused", 1, std::string(image.status().message()));
    return absl::OkStatus();
  }
  found->second.baseline = baseline.baseline();
  found->second.baseline_image = std::move(*image);
  ledger_.Stored(ledger_.run_file.AddBaseline(process_, baseline.device(), baseline.baseline(),
                                              std::string(message)));
  return absl::OkStatus();
}

absl::Status Stream::OnNames(const wire::Names& names) {
  uint64_t refused = 0;
  for (const wire::Path& path : names.paths()) {
    if (!IsSoundPath(path) || paths_ == kMaxPaths) {
      ++refused;
      continue;
    }
    ++paths_;
    const RegionPath converted = ToPath(path);
    if (!ledger_.Stored(path.mark() ? ledger_.run_file.AddMarkName(process_, converted)
                                    : ledger_.run_file.AddPath(process_, converted))) {
      break;
    }
  }
  for (const wire::Category& category : names.categories()) {
    if (category.category() == 0 || categories_ == kMaxCategories) {
      ++refused;
      continue;
    }
    ++categories_;
    if (!ledger_.Stored(ledger_.run_file.NameCategory(process_, Utf8Text(category.domain()),
                                                      category.category(),
                                                      Utf8Text(category.name())))) {
      break;
    }
  }
  if (refused != 0) {
    Refuse("paths refused", refused, "a path that is not above its parent, or too many names");
  }
  return absl::OkStatus();
}

absl::Status Stream::OnBatch(const wire::Batch& batch) {
  std::vector<StoredInstance> instances;
  instances.reserve(static_cast<size_t>(batch.instances_size()));
  uint64_t refused = 0;
  for (const wire::Instance& instance : batch.instances()) {
    if (!IsPath(instance.path()) || !IsTime(instance.start_ns()) ||
        !IsTime(instance.duration_ns()) || !IsDevice(instance.device())) {
      ++refused;
      continue;
    }
    instances.push_back(ToInstance(instance));
  }
  uint64_t duplicates = 0;
  if (ledger_.Stored(ledger_.run_file.AddInstances(process_, instances, &duplicates))) {
    ledger_.totals.instances += instances.size() - duplicates;
    ledger_.totals.duplicate_instances += duplicates;
    duplicate_instances_ += duplicates;
  }
  std::vector<StoredMark> marks;
  for (const wire::Mark& mark : batch.marks()) {
    if (!IsPath(mark.path()) || !IsTime(mark.time_ns()) || marks_ == kMaxMarks) {
      ++refused;
      continue;
    }
    ++marks_;
    marks.push_back(ToMark(mark));
  }
  ledger_.Stored(ledger_.run_file.AddMarks(process_, marks));
  for (const wire::PathLoss& loss : batch.dropped()) {
    if (!IsPath(loss.path()) || !IsTime(loss.instances())) {
      ++refused;
    } else if (!ledger_.Stored(
                   ledger_.run_file.SetDroppedInstances(process_, loss.path(), loss.instances()))) {
      break;
    }
  }
  if (refused != 0)
    Refuse("instances refused", refused,
           "an instance or mark without a path, a time or a device, or too many marks");
  if (batch.dropped_instances() != 0) {
    ledger_.Stored(
        ledger_.run_file.SetLoss(process_, "instances dropped", batch.dropped_instances()));
  }
  return absl::OkStatus();
}

bool Stream::LoadBaseline(DeviceState& state, uint32_t baseline) {
  if (baseline == 0) return false;
  if (state.baseline == baseline) return true;
  // Of an earlier part of this process, or an earlier one of this stream.
  const absl::StatusOr<std::string> stored =
      ledger_.run_file.Baseline(process_, state.device.device, baseline);
  wire::Baseline message;
  if (!stored.ok() || !message.ParseFromString(*stored)) return false;
  absl::StatusOr<std::vector<uint8_t>> image = RebuildBaseline(message);
  if (!image.ok()) return false;
  state.baseline = baseline;
  state.baseline_image = std::move(*image);
  return true;
}

absl::Status Stream::OnImage(const wire::Image& image, std::string_view message) {
  const auto found = devices_.find(image.device());
  std::optional<Epoch> epoch = ToEpoch(image);
  if (found == devices_.end() || !epoch.has_value() || !IsTime(image.start_ns()) ||
      !IsTime(image.end_ns())) {
    Refuse("epochs refused", 1, "an image without a known device or with slots that make no sense");
    return absl::OkStatus();
  }
  DeviceState& state = found->second;
  const absl::StatusOr<bool> has = ledger_.run_file.HasEpoch(process_, epoch->epoch);
  if (!ledger_.Stored(has.status())) return has.status();
  if (*has) {
    ++ledger_.totals.duplicate_epochs;
    ++duplicate_epochs_;
    return absl::OkStatus();
  }
  if (!LoadBaseline(state, image.baseline())) {
    Refuse("epochs refused", 1, "an image whose baseline was not sent");
    return absl::OkStatus();
  }
  const CounterSet* set = SetOfPass(state.device.sets, image.pass());
  if (set == nullptr) {
    Refuse("epochs refused", 1, "an image of a pass that is in no plan");
    return absl::OkStatus();
  }
  epoch->set = set->name;
  absl::StatusOr<std::vector<uint8_t>> bytes = RebuildImage(state.baseline_image, image);
  if (!bytes.ok()) {
    Refuse("epochs refused", 1, std::string(bytes.status().message()));
    return absl::OkStatus();
  }
  const ImageOrigin origin{state.device.chip, state.device.cupti_version, state.availability,
                           state.device.uuid};
  std::string trouble;
  const absl::Status evaluated =
      crashes_ == kMaxCrashes ? absl::DataLossError("earlier images of this stream crashed CUPTI")
                              : ledger_.Evaluate(origin, *bytes, set->counters, *epoch, trouble);
  if (absl::IsDataLoss(evaluated)) crashes_ = std::min(crashes_ + 1, kMaxCrashes);
  if (!evaluated.ok()) {
    ++ledger_.totals.unevaluated_epochs;
    NoteUnevaluated(evaluated);
  } else if (!trouble.empty()) {
    Note({"warning", "counters", trouble});
  }
  if (ledger_.Stored(ledger_.run_file.AddEpoch(process_, *epoch, std::string(message)))) {
    state.has_epochs = true;
    ++ledger_.totals.epochs;
  }
  return absl::OkStatus();
}

void Stream::NoteUnevaluated(const absl::Status& reason) {
  if (unevaluated_noted_) return;
  unevaluated_noted_ = true;
  const bool elsewhere = absl::IsUnavailable(reason) || absl::IsFailedPrecondition(reason);
  Note({"warning", "counters",
        absl::StrCat(
            kUnevaluatedNote, reason.message(), "; the raw counters are kept",
            elsewhere ? ", and \"rafter report\" evaluates them where that CUPTI is" : "")});
}

absl::Status Stream::OnKernels(const wire::Kernels& kernels) {
  uint64_t refused = 0;
  for (const wire::Kernel& kernel : kernels.kernels()) {
    if (!IsPath(kernel.path()) || kernels_ == kMaxKernels || !IsTime(kernel.launches()) ||
        !IsDevice(kernel.device())) {
      ++refused;
      continue;
    }
    ++kernels_;
    if (!ledger_.Stored(ledger_.run_file.AddKernel(process_, ToKernel(kernel)))) break;
  }
  if (refused != 0) Refuse("kernels refused", refused, "a kernel without a path, or too many");
  return absl::OkStatus();
}

absl::Status Stream::OnHealth(const wire::Health& health) {
  uint64_t refused = 0;
  for (const wire::Note& note : health.notes()) {
    if (notes_ == kMaxNotes) {
      ++refused;
      continue;
    }
    ++notes_;
    Note(ToNote(note));
  }
  for (const wire::Loss& loss : health.losses()) {
    if (loss.count() == 0) continue;
    const std::string kind = Utf8Text(std::string_view(loss.kind()).substr(0, kMaxLossKindBytes));
    const bool too_many = loss_kinds_.size() == kMaxLossKinds && !loss_kinds_.contains(kind);
    if (!IsTime(loss.count()) || too_many) {
      ++refused;
      continue;
    }
    loss_kinds_.insert(kind);
    ledger_.Stored(ledger_.run_file.SetLoss(process_, kind, loss.count()));
  }
  if (health.has_cost()) {
    const RunCost cost = ToCost(health.cost());
    const bool sane = IsTime(cost.wall_ns) && IsTime(cost.set_up_ns) && IsTime(cost.rotation_ns) &&
                      IsTime(cost.border_ns) && IsTime(cost.slowed_ns);
    if (sane) ledger_.Stored(ledger_.run_file.SetCost(process_, cost));
    if (!sane) ++refused;
  }
  if (refused != 0) {
    Refuse("notes refused", refused,
           "more notes or kinds of loss than are kept, or a cost that "
           "no process can have");
  }
  return absl::OkStatus();
}

}  // namespace rafter
