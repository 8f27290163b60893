#include "collector/table/launch_kinds.h"

#include "collector/table/kernel_name.h"

namespace rafter {
namespace {

void PutAttribute(const LaunchAttribute& attribute, uint32_t value, Row& row) {
  row.metrics[attribute.metric] = value;
  row.metric_units[attribute.metric] = attribute.unit;
}

const std::string& Signature(const LaunchKind& kind) {
  return kind.signature.empty() ? kind.symbol : kind.signature;
}

}  // namespace

std::string LaunchName(const LaunchKind& kind) {
  return kind.symbol.empty() ? "CUDA graph" : KernelName(Signature(kind));
}

LaunchKinds::LaunchKinds(const RunProcess& process) {
  // Paths are numbered as they appear.
  std::map<uint32_t, const LaunchKind*> by_path;
  for (const RegionPath& path : process.paths) {
    if (path.launch) by_path[path.path] = &*path.launch;
  }
  for (const auto& [path, kind] : by_path) numbers_.try_emplace(*kind, numbers_.size());
}

void LaunchKinds::Fill(const LaunchKind& kind, Row& row) const {
  row.kernel_id = std::to_string(numbers_.at(kind));
  row.kernel = LaunchName(kind);
  if (kind.symbol.empty()) return;
  row.kernel_signature = Signature(kind);
  row.grid_size = SizeText(kind.grid);
  row.block_size = SizeText(kind.block);
  PutAttribute(kRegisters, kind.registers, row);
  PutAttribute(kStaticShared, kind.static_shared_bytes, row);
  PutAttribute(kDynamicShared, kind.dynamic_shared_bytes, row);
}

std::string SizeText(const uint32_t (&size)[3]) {
  std::string text = "(";
  for (const uint32_t each : size) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(each);
  }
  return text += ')';
}

}  // namespace rafter
