// A frame is the unit of the wire: an 8-byte header and one protobuf message.
// proto/README.md shows one byte by byte. Includes nothing of ours and no
// protobuf, so that both sides use the same numbers.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    caller's.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rafter {

// Spoken in Hello. A reader refuses any other.
inline constexpr uint32_t kProtocolVersion = 1;

// First 16 bytes of a spool file: the magic, the version of the format (u32,
// little endian) and four zero bytes. Frames follow.
inline constexpr char kSpoolMagic[8] = {'R', 'A', 'F', 'T', 'E', 'R', 'S', 'P'};
inline constexpr uint32_t kSpoolVersion = 1;
inline constexpr size_t kSpoolHeaderBytes = 16;

// Length of the message (u32), type (u16, rafter.wire.FrameType), zero (u16);
// all little endian. The zero makes most foreign bytes fail at once.
inline constexpr size_t kFrameHeaderBytes = 8;

// A counter-data image of 16 slots with every set is about 3 MB before it is
// reduced to patches; 64 MiB holds 300 slots. Anything longer is refused.
inline constexpr uint32_t kMaxFrameBytes = 64u << 20;

struct FrameHeader {
  uint32_t length = 0;  // bytes of the message that follows
  uint16_t type = 0;
};

// Why a header is not one.
enum class FrameFault { kNone, kTooLong, kReservedNotZero, kTypeZero };

inline void WriteFrameHeader(const FrameHeader& header, uint8_t out[kFrameHeaderBytes]) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<uint8_t>(header.length >> (8 * i));
  out[4] = static_cast<uint8_t>(header.type);
  out[5] = static_cast<uint8_t>(header.type >> 8);
  out[6] = 0;
  out[7] = 0;
}

inline FrameFault ReadFrameHeader(const uint8_t in[kFrameHeaderBytes], FrameHeader& header) {
  header.length = static_cast<uint32_t>(in[0]) | static_cast<uint32_t>(in[1]) << 8 |
                  static_cast<uint32_t>(in[2]) << 16 | static_cast<uint32_t>(in[3]) << 24;
  header.type = static_cast<uint16_t>(in[4] | in[5] << 8);
  if (in[6] != 0 || in[7] != 0) return FrameFault::kReservedNotZero;
  if (header.length > kMaxFrameBytes) return FrameFault::kTooLong;
  if (header.type == 0) return FrameFault::kTypeZero;
  return FrameFault::kNone;
}

}  // namespace rafter
