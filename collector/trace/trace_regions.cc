#include "collector/trace/trace_regions.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <optional>
#include <variant>

#include "collector/store/uncounted.h"

namespace rafter {
namespace {

// "(132, 1, 1)".
std::string Sizes(const uint32_t (&sizes)[3]) {
  return absl::StrCat("(", sizes[0], ", ", sizes[1], ", ", sizes[2], ")");
}

void AnnotateLaunch(const LaunchKind& launch, Annotations& annotations) {
  if (launch.symbol.empty()) return;
  annotations.push_back({"grid", Sizes(launch.grid)});
  annotations.push_back({"block", Sizes(launch.block)});
  annotations.push_back({"registers", uint64_t{launch.registers}});
  annotations.push_back(
      {"shared_bytes", uint64_t{launch.dynamic_shared_bytes} + launch.static_shared_bytes});
}

bool IsSamePass(const StoredInstance& one, const StoredInstance& next) {
  return one.thread == next.thread && one.path == next.path && one.start_ns == next.start_ns &&
         one.duration_ns == next.duration_ns && one.device < next.device;
}

}  // namespace

RegionVerdicts VerdictsOf(const Table& table) {
  RegionVerdicts verdicts;
  for (const Row& row : table.rows) {
    if (!row.kernel_id.empty() || row.source == "likwid") continue;
    verdicts[{row.host, row.process, row.device, row.region}] = {row.validity, row.reason};
  }
  return verdicts;
}

TraceRegions::TraceRegions(PacketWriter& writer, TrackList& tracks, const RunProcess& process,
                           const RegionVerdicts& verdicts, uint64_t offset_ns)
    : writer_(writer),
      tracks_(tracks),
      process_(process),
      verdicts_(verdicts),
      offset_ns_(offset_ns),
      tree_(process),
      lanes_(
          [this](size_t lane, uint64_t end_ns) {
            writer_.End(tracks_.Thread(thread_, lane), end_ns + offset_ns_);
          },
          [this](uint32_t path, uint32_t above) { return IsBelow(path, above); }) {
  for (const Epoch& epoch : process.epochs) epochs_[epoch.epoch] = &epoch;
}

absl::Status TraceRegions::Write(RunFile& file, TraceCounts& counts) {
  auto categories = file.CategoryNames(process_.id);
  if (!categories.ok()) return categories.status();
  categories_ = *std::move(categories);
  if (absl::Status status = WritePasses(file, counts); !status.ok()) return status;
  return WriteMarks(file, counts);
}

absl::Status TraceRegions::WritePasses(RunFile& file, TraceCounts& counts) {
  Pass pass;
  absl::Status read = file.EachInstance(process_.id, [&](const StoredInstance& instance) {
    if (!pass.empty() && !IsSamePass(pass.back(), instance)) {
      Begin(pass, counts);
      pass.clear();
    }
    pass.push_back(instance);
    return writer_.status();
  });
  if (!read.ok()) return read;
  if (!pass.empty()) Begin(pass, counts);
  lanes_.Finish();
  return writer_.status();
}

void TraceRegions::Begin(const Pass& pass, TraceCounts& counts) {
  const StoredInstance& instance = pass.front();
  if (instance.thread != thread_) {
    lanes_.Finish();
    thread_ = instance.thread;
  }
  const std::optional<size_t> lane =
      lanes_.Begin(instance.path, instance.start_ns, instance.start_ns + instance.duration_ns);
  if (!lane.has_value()) {
    ++counts.not_drawn;
    return;
  }
  ++counts.passes;
  const RegionPath* const region = tree_.Find(instance.path);
  Annotations annotations;
  AnnotateGiven(region == nullptr ? "" : region->domain, instance.category, instance.payload,
                annotations);
  for (const StoredInstance& on_device : pass) {
    const std::string prefix =
        pass.size() == 1 ? "" : absl::StrCat("gpu", on_device.device - 1, ".");
    AnnotateDevice(on_device, prefix, annotations);
  }
  const uint64_t track = tracks_.Thread(thread_, *lane);
  const uint64_t start_ns = instance.start_ns + offset_ns_;
  if (region != nullptr && region->launch.has_value()) {
    AnnotateLaunch(*region->launch, annotations);
    const std::string& signature = region->launch->signature;
    writer_.Begin(track, start_ns, "launch", signature.empty() ? "CUDA graph" : signature,
                  annotations);
    return;
  }
  AnnotateRegion(instance, annotations);
  const bool has_name = region != nullptr && region->members.empty();
  writer_.Begin(track, start_ns, "region", has_name ? region->name : tree_.Name(instance.path),
                annotations);
}

// What counted the pass on one device, or why nothing did.
void TraceRegions::AnnotateDevice(const StoredInstance& instance, const std::string& prefix,
                                  Annotations& annotations) const {
  if (prefix.empty() && instance.device != 0) {
    annotations.push_back({"gpu", uint64_t{instance.device} - 1});
  }
  const std::string why_not = WhyNotCounted(instance);
  if (why_not.empty()) {
    annotations.push_back({prefix + "set", epochs_.at(instance.epoch)->set});
    annotations.push_back({prefix + "epoch", uint64_t{instance.epoch}});
  } else {
    annotations.push_back({prefix + "not_counted", why_not});
  }
  const RegionPath* const region = tree_.Find(instance.path);
  const bool is_launch = region != nullptr && region->launch.has_value();
  if (instance.launches.has_value() && !is_launch) {
    annotations.push_back({prefix + "launches", uint64_t{*instance.launches}});
  }
}

std::string TraceRegions::WhyNotCounted(const StoredInstance& instance) const {
  if (instance.uncounted != 0) return std::string(UncountedReason(instance.uncounted));
  if (instance.epoch == 0) return std::string(kCountingOff);
  if (!epochs_.contains(instance.epoch)) return std::string(kEpochLost);
  return "";
}

// How far the region's row in the table can be trusted.
void TraceRegions::AnnotateRegion(const StoredInstance& instance, Annotations& annotations) const {
  std::string device;
  if (instance.device != 0) {
    device = std::to_string(instance.device - 1);
  } else if (!process_.devices.empty()) {
    device = std::to_string(process_.devices.front().device);
  }
  const auto verdict = verdicts_.find(
      {process_.host, std::to_string(process_.pid), device, tree_.Name(instance.path)});
  if (verdict == verdicts_.end()) return;
  annotations.push_back({"validity", verdict->second.first});
  if (!verdict->second.second.empty()) annotations.push_back({"reason", verdict->second.second});
}

// What the program itself said of a pass or a mark.
void TraceRegions::AnnotateGiven(const std::string& domain, uint32_t category,
                                 const StoredPayload& payload, Annotations& annotations) const {
  if (!domain.empty()) annotations.push_back({"domain", domain});
  if (category != 0) {
    const auto name = categories_.find({domain, category});
    annotations.push_back(
        {"category", name == categories_.end() ? std::to_string(category) : name->second});
  }
  if (const auto* number = std::get_if<int64_t>(&payload)) {
    annotations.push_back({"payload", *number});
  } else if (const auto* real = std::get_if<double>(&payload)) {
    annotations.push_back({"payload", *real});
  } else if (const auto* text = std::get_if<std::string>(&payload)) {
    uint64_t amount = 0;
    if (absl::SimpleAtoi(*text, &amount)) annotations.push_back({"payload", amount});
  }
}

bool TraceRegions::IsBelow(uint32_t path, uint32_t above) const {
  for (const uint32_t one : tree_.WithAncestors(path)) {
    if (one == above) return true;
  }
  return false;
}

absl::Status TraceRegions::WriteMarks(RunFile& file, TraceCounts& counts) {
  const auto names = file.MarkNames(process_.id);
  if (!names.ok()) return names.status();
  return file.EachMark(process_.id, [&](const StoredMark& mark) {
    const auto known = names->find(mark.path);
    const bool has_name = known != names->end();
    Annotations annotations;
    AnnotateGiven(has_name ? known->second.domain : "", mark.category, mark.payload, annotations);
    writer_.Instant(tracks_.Thread(mark.thread, 0), mark.time_ns + offset_ns_, "mark",
                    has_name ? known->second.name : absl::StrCat("(unnamed mark ", mark.path, ")"),
                    annotations);
    ++counts.marks;
    return writer_.status();
  });
}

}  // namespace rafter
