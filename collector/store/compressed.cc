#include "collector/store/compressed.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <zstd.h>

namespace rafter {
namespace {

// zstd's own default: one thread must keep up with every process of a node.
constexpr int kLevel = 3;

}  // namespace

absl::StatusOr<std::string> Compress(std::string_view data) {
  std::string out(ZSTD_compressBound(data.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), data.data(), data.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    return absl::InternalError(absl::StrCat("compressing failed: ", ZSTD_getErrorName(size)));
  }
  out.resize(size);
  return out;
}

absl::StatusOr<std::string> Decompress(std::string_view compressed, size_t limit_bytes) {
  const unsigned long long size =  // NOLINT(google-runtime-int): zstd's own type
      ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return absl::DataLossError("compressed data is damaged: no size in it");
  }
  if (size > limit_bytes) {
    return absl::DataLossError(absl::StrCat("compressed data says that it holds ", size,
                                            " bytes; the limit is ", limit_bytes));
  }
  std::string out(size, '\0');
  const size_t got = ZSTD_decompress(out.data(), out.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(got) != 0) {
    return absl::DataLossError(
        absl::StrCat("compressed data is damaged: ", ZSTD_getErrorName(got)));
  }
  if (got != size) return absl::DataLossError("compressed data is damaged: too short");
  return out;
}

}  // namespace rafter
