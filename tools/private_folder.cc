#include "tools/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "tools/message.h"

namespace rafter {
namespace {

// sun_path holds 108 bytes; the folder's name and the socket's come after it.
constexpr size_t kLongestParent = 60;

Result<std::string> MakeBelow(const std::string& parent) {
  std::string path = parent + "/rafter-" + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Status::Failed(parent + ": no folder can be made there (" + ErrnoText(errno) +
                          "); free some space or set XDG_RUNTIME_DIR to a folder of yours");
  }
  return path;
}

}  // namespace

Result<PrivateFolder> PrivateFolder::Make(const Variables& variables) {
  const std::string runtime = ValueOf(variables, "XDG_RUNTIME_DIR");
  if (!runtime.empty() && runtime[0] == '/' && runtime.size() <= kLongestParent) {
    Result<std::string> path = MakeBelow(runtime);
    if (path.ok()) return PrivateFolder(*path);
  }
  Result<std::string> path = MakeBelow("/tmp");
  if (!path.ok()) return path.status();
  return PrivateFolder(*path);
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Status EnsurePrivateFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) return Status::Ok();
  if (errno != EEXIST) {
    return Status::Failed(path + ": the folder cannot be made (" + ErrnoText(errno) +
                          "); give another place with --socket");
  }
  struct stat found;
  if (stat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) {
    return Status::Failed(path + ": not a folder; remove it or give another place with --socket");
  }
  if (found.st_uid != geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Status::Failed(path +
                          ": others may write to this folder or own it; give another place with "
                          "--socket");
  }
  return Status::Ok();
}

}  // namespace rafter
