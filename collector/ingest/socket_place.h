// SocketPlace is the file system's side of listening: a folder that is ours
// alone, no second collector at the same path, no leftovers of a dead one.
//
//   Threads   one thread at a time.
//   Blocking  file system calls; connects to a socket that is there already.
//   Memory    none kept.
//   Lifetime  Unlisten removes the socket file, if it is still the one made.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <ctime>
#include <string>

namespace rafter {

// A socket that listens.
struct ListeningSocket {
  int file = -1;  // descriptor; the caller's to close
  dev_t device = 0;
  ino_t inode = 0;
  timespec made = {};  // inode numbers are used again
};

// Fails with path and cause when the path is too long for a socket, its folder
// belongs to somebody else or is open to others, or a live collector is there.
absl::StatusOr<ListeningSocket> ListenAt(const std::string& path);

// Removes the socket file unless somebody else has put another one there.
void Unlisten(const std::string& path, const ListeningSocket& socket);

}  // namespace rafter
