// GpuLockPlace is where the lock files of GPUs lie, so that every process of a
// user looks for the very same file. Includes nothing of ours and no protobuf.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rafter {

// The folder of the lock files: rafter in `runtime_dir` when that is an absolute
// path (XDG base directories ignore others), else rafter-UID in /tmp. The caller
// passes XDG_RUNTIME_DIR where it belongs to the user, else nothing.
inline std::string GpuLockFolder(std::string_view runtime_dir, uint32_t user) {
  if (runtime_dir.starts_with('/')) return std::string(runtime_dir) + "/rafter";
  return "/tmp/rafter-" + std::to_string(user);
}

// "gpu-07070707-0707-0707-0707-070707070707.lock" for the UUID with or without
// "GPU-" in front; empty when it holds anything but letters, digits and hyphens:
// two GPUs must never share a file.
inline std::string GpuLockFile(std::string_view uuid) {
  constexpr size_t kMaxUuidCharacters = 64;
  if (uuid.starts_with("GPU-")) uuid.remove_prefix(4);
  const bool plain = std::all_of(uuid.begin(), uuid.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
  });
  if (uuid.empty() || uuid.size() > kMaxUuidCharacters || !plain) return "";
  return "gpu-" + std::string(uuid) + ".lock";
}

}  // namespace rafter
