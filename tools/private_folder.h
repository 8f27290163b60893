// PrivateFolder makes folders that only this user can enter, for sockets.
//
//   Threads   one.
//   Blocking  file system calls.
//   Memory    owns its path.
//   Lifetime  the folder and what is in it go with the object.
#pragma once

#include <string>

#include "cupti/status.h"
#include "tools/variables.h"

namespace rafter {

// A new folder of mode 0700: below $XDG_RUNTIME_DIR where that can be used and
// a socket in it has a short enough name, else below /tmp.
class PrivateFolder {
 public:
  static Result<PrivateFolder> Make(const Variables& variables);
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Makes `path` with mode 0700 or accepts it where it is a folder of this user's
// that nobody else may write to.
Status EnsurePrivateFolder(const std::string& path);

}  // namespace rafter
