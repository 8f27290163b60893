#include "collector/ingest/spool_file.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "proto/frame.h"

namespace rafter {
namespace {

constexpr size_t kChunkBytes = 1u << 20;

std::string Named(const std::string& path, const std::string& rest) {
  return absl::StrCat("spool file \"", path, "\" ", rest);
}

}  // namespace

absl::Status CheckSpoolHeader(std::string_view header, const std::string& name) {
  if (header.size() < kSpoolHeaderBytes ||
      std::memcmp(header.data(), kSpoolMagic, sizeof(kSpoolMagic)) != 0) {
    return absl::InvalidArgumentError(
        Named(name, header.empty() ? "is empty, so it is not a spool file of Rafter"
                                   : "is not a spool file of Rafter; name a *.spool file"));
  }
  uint32_t version = 0;
  for (int i = 0; i < 4; ++i) {
    version |= static_cast<uint32_t>(static_cast<unsigned char>(header[8 + i])) << (8 * i);
  }
  if (version != kSpoolVersion) {
    return absl::FailedPreconditionError(
        Named(name, absl::StrCat("has format ", version, ", this Rafter reads ", kSpoolVersion,
                                 "; use the rafter of the same version as its libinject.so")));
  }
  return absl::OkStatus();
}

SpoolFile::SpoolFile(std::string path, std::FILE* file, uint64_t size_bytes)
    : path_(std::move(path)), file_(file), size_bytes_(size_bytes), chunk_(kChunkBytes) {}

absl::StatusOr<std::unique_ptr<SpoolFile>> SpoolFile::Open(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    const std::string why =
        Named(path, errno == ENOENT ? "is not there; correct the name"
                                    : std::string("cannot be read: ") + std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(why) : absl::PermissionDeniedError(why);
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(Named(path, "is not a plain file; name a *.spool file"));
  }
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return absl::PermissionDeniedError(
        Named(path, absl::StrCat("cannot be read: ", std::strerror(errno))));
  }
  std::unique_ptr<SpoolFile> spool(
      new SpoolFile(path, file, static_cast<uint64_t>(status.st_size)));
  char header[kSpoolHeaderBytes];
  const size_t got = std::fread(header, 1, sizeof(header), file);
  if (absl::Status checked = CheckSpoolHeader({header, got}, path); !checked.ok()) return checked;
  return spool;
}

absl::StatusOr<std::string_view> SpoolFile::Read() {
  const size_t got = std::fread(chunk_.data(), 1, chunk_.size(), file_.get());
  if (got == 0 && std::ferror(file_.get()) != 0) {
    return absl::DataLossError(
        Named(path_, absl::StrCat("cannot be read further: ", std::strerror(errno))));
  }
  return std::string_view(chunk_.data(), got);
}

}  // namespace rafter
