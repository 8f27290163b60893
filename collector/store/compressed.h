// Compressed is how images and baselines lie in the run file: one zstd frame
// that knows its own size.
//
//   Threads   pure functions.
//   Blocking  never; takes time with the size.
//   Memory    returns the result; refuses to grow beyond the limit given.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace rafter {

absl::StatusOr<std::string> Compress(std::string_view data);

// Fails for data that is damaged or would become longer than `limit_bytes`.
absl::StatusOr<std::string> Decompress(std::string_view compressed, size_t limit_bytes);

}  // namespace rafter
