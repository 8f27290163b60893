#include "collector/ingest/frame_reader.h"

#include <absl/strings/str_cat.h>

namespace rafter {
namespace {

absl::Status FaultText(FrameFault fault, uint32_t length) {
  switch (fault) {
    case FrameFault::kTooLong:
      return absl::InvalidArgumentError(absl::StrCat("a frame says that it is ", length,
                                                     " bytes long; the limit is ", kMaxFrameBytes));
    case FrameFault::kReservedNotZero:
    case FrameFault::kTypeZero:
      return absl::InvalidArgumentError("the bytes are not a frame of Rafter");
    case FrameFault::kNone:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

void FrameReader::Append(std::string_view bytes) {
  if (taken_ != 0) {
    buffer_.erase(0, taken_);
    taken_ = 0;
  }
  buffer_.append(bytes);
}

absl::StatusOr<std::optional<Frame>> FrameReader::Next() {
  if (pending_bytes() < kFrameHeaderBytes) return std::nullopt;
  FrameHeader header;
  const auto* start = reinterpret_cast<const uint8_t*>(buffer_.data() + taken_);
  const FrameFault fault = ReadFrameHeader(start, header);
  if (fault != FrameFault::kNone) return FaultText(fault, header.length);
  if (pending_bytes() - kFrameHeaderBytes < header.length) return std::nullopt;
  const std::string_view message(buffer_.data() + taken_ + kFrameHeaderBytes, header.length);
  taken_ += kFrameHeaderBytes + header.length;
  total_taken_bytes_ += kFrameHeaderBytes + header.length;
  return Frame{header.type, message};
}

}  // namespace rafter
