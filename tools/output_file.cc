#include "tools/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tools/message.h"

namespace rafter {
namespace {

Status Failure(const std::string& path, int error, const char* next_step) {
  return Status::Failed(path + ": cannot be written (" + ErrnoText(error) + "); " + next_step);
}

constexpr const char* kElsewhere = "choose a place that you may write to";

// 256 KiB: parts are gathered up to here, so that small ones cost no call each.
constexpr size_t kGatheredBytes = 1 << 18;

constexpr const char* kMoreSpace = "free some space or choose another place";

Status WriteInto(int descriptor, const std::string& path,
                 const std::function<Status(const OutputFile::Put&)>& make) {
  std::string gathered;
  const auto write = [&](std::string_view bytes) {
    return WriteAll(descriptor, bytes) ? Status::Ok() : Failure(path, errno, kMoreSpace);
  };
  Status status = make([&](std::string_view part) {
    if (gathered.size() + part.size() > kGatheredBytes) {
      RAFTER_RETURN_IF_ERROR(write(gathered));
      gathered.clear();
      if (part.size() > kGatheredBytes) return write(part);
    }
    gathered += part;
    return Status::Ok();
  });
  if (status.ok()) status = write(gathered);
  const bool closed = close(descriptor) == 0;
  if (status.ok() && !closed) return Failure(path, errno, kMoreSpace);
  return status;
}

}  // namespace

bool IsSameFile(const std::string& one, const std::string& other) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(one, error) && std::filesystem::exists(one, error)) {
    return false;  // /dev/null may take several
  }
  const auto resolved = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
  };
  return std::filesystem::equivalent(one, other, error) || resolved(one) == resolved(other);
}

Result<OutputFile> OutputFile::Take(const std::string& path, bool force) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    close(descriptor);
    return OutputFile(path, path, true, false);
  }
  if (errno != EEXIST) return Failure(path, errno, kElsewhere);
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return Failure(path, errno, kElsewhere);
  if (S_ISDIR(found.st_mode)) return Failure(path, EISDIR, "name a file");
  if (!S_ISREG(found.st_mode)) return OutputFile(path, path, false, true);
  if (!force) {
    return Status::Failed(path + ": exists; give --force to overwrite it, or another name");
  }
  if (access(path.c_str(), W_OK) != 0) return Failure(path, errno, kElsewhere);
  // A link stays a link: what it points to is replaced.
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  return OutputFile(path, error ? path : resolved.string(), false, false);
}

OutputFile::~OutputFile() {
  if (ours_) unlink(target_.c_str());
}

Status OutputFile::Write(std::string_view content) {
  return WriteParts([&](const Put& put) { return put(content); });
}

Status OutputFile::WriteParts(const std::function<Status(const Put&)>& make) {
  if (special_) {
    const int descriptor = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return Failure(path_, errno, kElsewhere);
    return WriteInto(descriptor, path_, make);
  }
  std::string draft = target_ + ".XXXXXX";
  const int descriptor = mkostemp(draft.data(), O_CLOEXEC);
  if (descriptor < 0) return Failure(path_, errno, kElsewhere);
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);  // mkostemp makes it 0600
  if (Status status = WriteInto(descriptor, path_, make); !status.ok()) {
    unlink(draft.c_str());
    return status;
  }
  return TakeOver(draft);
}

Status OutputFile::TakeOver(const std::string& draft) {
  if (rename(draft.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    unlink(draft.c_str());
    return Failure(path_, error, kElsewhere);
  }
  ours_ = false;
  return Status::Ok();
}

Status OutputFile::WriteNamed(const MakeFile& make) {
  std::string draft = target_ + ".XXXXXX";
  const int descriptor = mkostemp(draft.data(), O_CLOEXEC);
  if (descriptor < 0) return Failure(path_, errno, kElsewhere);
  close(descriptor);
  if (Status status = make(draft, target_); !status.ok()) {
    unlink(draft.c_str());
    return status;
  }
  return TakeOver(draft);
}

}  // namespace rafter
