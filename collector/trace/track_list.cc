#include "collector/trace/track_list.h"

#include <absl/strings/str_cat.h>

#include "collector/trace/epoch_rates.h"

namespace rafter {
namespace {

// "stencil, rank 2, node1 pid 4242".
std::string NameOf(const RunProcess& process) {
  std::string name = process.executable.substr(process.executable.rfind('/') + 1);
  if (name.empty()) name = "(unnamed program)";
  if (process.rank.has_value()) absl::StrAppend(&name, ", rank ", *process.rank);
  if (process.replay != 0) absl::StrAppend(&name, ", run ", process.replay);
  if (process.pid == 0) return name;
  return absl::StrCat(name, ", ", process.host, " pid ", process.pid);
}

std::string GpuName(const RunDevice& device) { return absl::StrCat("GPU ", device.device); }

}  // namespace

TrackList::TrackList(PacketWriter& writer, const RunProcess& process, int32_t pid)
    : writer_(writer), described_(process), pid_(pid) {
  perfetto::TrackDescriptor descriptor;
  descriptor.mutable_process()->set_pid(pid);
  descriptor.mutable_process()->set_process_name(NameOf(process));
  for (const std::string& word : process.arguments) descriptor.mutable_process()->add_cmdline(word);
  process_track_ = writer_.Track(std::move(descriptor));
}

uint64_t TrackList::Thread(uint32_t thread, size_t lane) {
  const auto [place, is_new] = threads_.try_emplace({thread, lane}, 0);
  if (!is_new) return place->second;
  perfetto::TrackDescriptor descriptor;
  if (thread == 0) {
    descriptor = Child("regions of several threads");
    descriptor.set_description("stretches in which regions were open on several threads at once");
  } else if (lane == 0) {
    descriptor.mutable_thread()->set_pid(pid_);
    descriptor.mutable_thread()->set_tid(thread);
    descriptor.mutable_thread()->set_thread_name(
        thread == described_.pid ? "main thread" : absl::StrCat("thread ", thread));
  } else {
    descriptor = Child(absl::StrCat("thread ", thread, ", crossing ranges"));
    descriptor.set_description("passes that began inside a region and ended after it");
  }
  return place->second = writer_.Track(std::move(descriptor));
}

uint64_t TrackList::Epochs(const RunDevice& device, size_t lane) {
  const auto [place, is_new] = epochs_.try_emplace({device.device, lane}, 0);
  if (!is_new) return place->second;
  perfetto::TrackDescriptor descriptor = Child(GpuName(device) + " counters");
  descriptor.set_description(absl::StrCat(
      device.name, " ", device.uuid,
      ": which set of counters was on from when to when; between them nothing was measured"));
  return place->second = writer_.Track(std::move(descriptor));
}

uint64_t TrackList::Rate(const RunDevice& device, size_t kind) {
  const auto [place, is_new] = rates_.try_emplace({device.device, kind}, 0);
  if (!is_new) return place->second;
  const RateKind& rate = EpochRates::Kinds()[kind];
  perfetto::TrackDescriptor descriptor =
      Child(absl::StrCat(GpuName(device), " ", rate.name, " [", rate.unit, "]"));
  descriptor.mutable_counter()->set_unit_name(rate.unit);
  descriptor.set_description(
      absl::StrCat("mean of each epoch that measured it, at the epoch's start and end: ", rate.how,
                   "; between epochs nothing was measured and the line holds the last value"));
  return place->second = writer_.Track(std::move(descriptor));
}

perfetto::TrackDescriptor TrackList::Child(const std::string& name) const {
  perfetto::TrackDescriptor descriptor;
  descriptor.set_parent_uuid(process_track_);
  descriptor.set_name(name);
  return descriptor;
}

}  // namespace rafter
