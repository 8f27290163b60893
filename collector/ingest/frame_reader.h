// FrameReader cuts a stream of bytes into frames. It trusts nothing: memory
// grows with the bytes that came, not with the length that a header claims.
//
//   Threads   one thread at a time.
//   Blocking  never.
//   Memory    one frame of at most kMaxFrameBytes and what came behind it.
//   Lifetime  a frame's message is valid until the next Append.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/frame.h"

namespace rafter {

struct Frame {
  uint16_t type = 0;         // rafter.wire.FrameType, or one we do not know
  std::string_view message;  // serialised
};

class FrameReader {
 public:
  void Append(std::string_view bytes);

  // The next whole frame, nothing when more bytes are needed, or the fault
  // after which the stream cannot be read any further.
  absl::StatusOr<std::optional<Frame>> Next();

  size_t pending_bytes() const { return buffer_.size() - taken_; }  // not yet a frame
  uint64_t taken_bytes() const { return total_taken_bytes_; }       // in whole frames

 private:
  std::string buffer_;
  size_t taken_ = 0;  // bytes at the front that have been handed out
  uint64_t total_taken_bytes_ = 0;
};

}  // namespace rafter
