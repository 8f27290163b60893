// GpuUuidText is the name of a GPU as people and files know it, the same in the
// target, the collector and nvidia-smi. Includes nothing of ours and no protobuf.
//
//   Threads   a pure function.
//   Blocking  never.
//   Memory    returns a value.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>

namespace rafter {

// "GPU-07070707-0707-0707-0707-070707070707"; empty when there are not 16 bytes.
inline std::string GpuUuidText(const void* uuid, size_t size_bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  if (size_bytes != 16) return "";
  const auto* bytes = static_cast<const unsigned char*>(uuid);
  std::string text = "GPU-";
  for (size_t i = 0; i < size_bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[bytes[i] >> 4];
    text += kHex[bytes[i] & 15];
  }
  return text;
}

}  // namespace rafter
