#include "collector/table/logical_epochs.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace rafter {
namespace {

std::optional<size_t> SetPosition(const RunDevice& device, std::string_view name) {
  for (size_t i = 0; i < device.sets.size(); ++i) {
    if (device.sets[i].name == name) return i;
  }
  return std::nullopt;
}

struct Chain {
  size_t set = 0;
  bool is_whole = false;  // its first epoch arrived
  std::vector<const Epoch*> epochs;
};

// Splits one chain by calls, whose numbers go on through it.
void AddChain(const Chain& chain, std::vector<LogicalEpoch>& epochs) {
  std::map<uint32_t, std::vector<const SlotValues*>> by_call;
  for (const Epoch* epoch : chain.epochs) {
    for (const SlotValues& slot : epoch->slots) by_call[slot.call].push_back(&slot);
  }
  for (auto& [call, slots] : by_call) {
    epochs.push_back({chain.set, std::move(slots), chain.is_whole});
  }
}

}  // namespace

std::vector<LogicalEpoch> LogicalEpochs(const RunProcess& process, const RunDevice& device) {
  std::set<uint32_t> arrived;
  for (const Epoch& epoch : process.epochs) arrived.insert(epoch.epoch);
  std::vector<Chain> chains;
  std::map<std::pair<uint32_t, uint32_t>, size_t> known;  // first epoch and pass -> chain
  for (const Epoch& epoch : process.epochs) {
    const std::optional<size_t> set = SetPosition(device, epoch.set);
    if (epoch.device != device.device || !set) continue;
    const uint32_t first = epoch.chain == 0 ? epoch.epoch : epoch.chain;
    const auto [place, is_new] = known.try_emplace({first, epoch.pass}, chains.size());
    if (is_new) chains.push_back({*set, arrived.contains(first), {}});
    chains[place->second].epochs.push_back(&epoch);
  }
  std::vector<LogicalEpoch> epochs;
  for (const Chain& chain : chains) AddChain(chain, epochs);
  return epochs;
}

}  // namespace rafter
