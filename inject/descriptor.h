// Descriptors of ours inside somebody else's program: they lie above those that
// programs open and count on, and are told from a file of the program's that got
// our number after it closed what it did not open.
//
//   Threads   any.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain functions.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

namespace rafter {

inline constexpr int kLowestDescriptor = 200;

// Moves a fresh descriptor up, closed on exec. Passes a failed one (-1) through
// with its errno. A limit of descriptors may forbid high numbers: then it stays,
// but 0 to 2 belong to the program, and -1 with EMFILE comes back.
inline int MoveUp(int fd) noexcept {
  if (fd < 0) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kLowestDescriptor);
  if (moved >= 0) {
    close(fd);
    fd = moved;
  }
  if (fd <= STDERR_FILENO) {
    close(fd);
    errno = EMFILE;
    return -1;
  }
  return fd;
}

// Which file a descriptor is of.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Nothing when the descriptor is closed.
inline std::optional<FileIdentity> IdentityOf(int fd) noexcept {
  struct stat found;
  if (fstat(fd, &found) != 0) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino};
}

}  // namespace rafter
