#include "collector/ingest/leases.h"

#include <algorithm>

namespace rafter {

std::optional<LeaseParty> Leases::Ask(const std::string& uuid, const LeaseParty& party) {
  Gpu& gpu = gpus_[uuid];
  if (!gpu.holder.has_value()) gpu.holder = party;
  if (gpu.holder->stream == party.stream) return std::nullopt;
  const bool waits =
      std::any_of(gpu.waiting.begin(), gpu.waiting.end(),
                  [&party](const LeaseParty& other) { return other.stream == party.stream; });
  if (!waits) gpu.waiting.push_back(party);
  return gpu.holder;
}

std::optional<LeaseParty> Leases::Release(const std::string& uuid, uint64_t stream) {
  const auto found = gpus_.find(uuid);
  if (found == gpus_.end()) return std::nullopt;
  Gpu& gpu = found->second;
  std::erase_if(gpu.waiting, [stream](const LeaseParty& other) { return other.stream == stream; });
  if (!gpu.holder.has_value() || gpu.holder->stream != stream) return std::nullopt;
  gpu.holder.reset();
  if (gpu.waiting.empty()) {
    gpus_.erase(found);
    return std::nullopt;
  }
  gpu.holder = gpu.waiting.front();
  gpu.waiting.pop_front();
  return gpu.holder;
}

std::vector<LeaseParty> Leases::ReleaseAll(uint64_t stream) {
  std::vector<std::string> uuids;
  for (const auto& [uuid, gpu] : gpus_) uuids.push_back(uuid);
  std::vector<LeaseParty> next;
  for (const std::string& uuid : uuids) {
    if (std::optional<LeaseParty> party = Release(uuid, stream)) next.push_back(*party);
  }
  return next;
}

}  // namespace rafter
