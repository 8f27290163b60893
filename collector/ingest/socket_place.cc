#include "collector/ingest/socket_place.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace rafter {
namespace {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  int get() const { return file_; }
  int Give() {
    const int file = file_;
    file_ = -1;
    return file;
  }

 private:
  int file_;
};

absl::Status Failed(const std::string& path, const std::string& why) {
  return absl::UnavailableError(absl::StrCat("cannot listen at ", path, ": ", why));
}

absl::Status FailedWith(const std::string& path, const std::string& what, int error) {
  return Failed(path, absl::StrCat(what, ": ", std::strerror(error)));
}

// The folder of the socket, made when it is missing, ours and closed to others.
absl::Status PrepareFolder(const std::string& path, const std::string& folder) {
  std::error_code error;
  const std::filesystem::path above = std::filesystem::path(folder).parent_path();
  if (!above.empty()) std::filesystem::create_directories(above, error);
  if (error) return FailedWith(path, "folder " + above.string() + " cannot be made", error.value());
  if (mkdir(folder.c_str(), 0700) == 0) return absl::OkStatus();
  if (errno != EEXIST) return FailedWith(path, "folder " + folder + " cannot be made", errno);
  struct stat link {};
  struct stat status {};
  if (lstat(folder.c_str(), &link) != 0 || stat(folder.c_str(), &status) != 0) {
    return FailedWith(path, "folder " + folder, errno);
  }
  if (!S_ISDIR(status.st_mode)) return Failed(path, folder + " is not a folder");
  const bool foreign_link = S_ISLNK(link.st_mode) && link.st_uid != geteuid() && link.st_uid != 0;
  if (status.st_uid != geteuid() || foreign_link) {
    return Failed(path, absl::StrCat("folder ", folder, " belongs to user ",
                                     foreign_link ? link.st_uid : status.st_uid,
                                     ", not to you; choose another path (RAFTER_COLLECTOR)"));
  }
  if ((status.st_mode & 077) != 0) {
    const std::string mode =
        absl::StrCat(absl::Hex(status.st_mode >> 6 & 7), absl::Hex(status.st_mode >> 3 & 7),
                     absl::Hex(status.st_mode & 7));
    return Failed(path, absl::StrCat("folder ", folder, " is open to others (mode 0", mode,
                                     "); close it with \"chmod 700 ", folder,
                                     "\" or choose another path (RAFTER_COLLECTOR)"));
  }
  return absl::OkStatus();
}

int MakeSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// Whether what lies at the path may go: the socket of a collector that died.
absl::Status RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? absl::OkStatus() : FailedWith(path, "what is there", errno);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Failed(path, "a file that is not a socket is there; choose another path");
  }
  if (status.st_uid != geteuid()) {
    return Failed(path, absl::StrCat("user ", status.st_uid,
                                     " owns the socket that is there; "
                                     "choose another path (RAFTER_COLLECTOR)"));
  }
  const Descriptor probe(MakeSocket());
  if (probe.get() < 0) return FailedWith(path, "making a socket", errno);
  const int connected =
      connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  // EAGAIN: alive, with more clients waiting than it has accepted.
  if (connected == 0 || errno == EAGAIN) {
    return absl::AlreadyExistsError(absl::StrCat("a collector is already listening at ", path,
                                                 "; use it, or choose another path "
                                                 "(RAFTER_COLLECTOR)"));
  }
  if (errno != ECONNREFUSED) return FailedWith(path, "the socket that is there", errno);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return FailedWith(path, "the socket of a dead collector cannot be removed", errno);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ListeningSocket> ListenAt(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen at ", path, ": the path is ", path.size(),
                     " bytes long and a socket's may be ", sizeof(address.sun_path) - 1,
                     "; choose a shorter one (RAFTER_COLLECTOR)"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  if (absl::Status prepared = PrepareFolder(path, folder); !prepared.ok()) return prepared;
  // One collector at a time decides about the path.
  const Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.get() < 0 || flock(lock.get(), LOCK_EX) != 0) {
    return FailedWith(path, "locking folder " + folder, errno);
  }
  if (absl::Status removed = RemoveStale(path, address); !removed.ok()) return removed;
  Descriptor listening(MakeSocket());
  if (listening.get() < 0) return FailedWith(path, "making a socket", errno);
  if (bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return FailedWith(path, "binding", errno);
  }
  struct stat made {};
  if (chmod(path.c_str(), 0600) != 0 || lstat(path.c_str(), &made) != 0 ||
      listen(listening.get(), SOMAXCONN) != 0) {
    const int error = errno;
    unlink(path.c_str());
    return FailedWith(path, "listening", error);
  }
  return ListeningSocket{listening.Give(), made.st_dev, made.st_ino, made.st_ctim};
}

void Unlisten(const std::string& path, const ListeningSocket& socket) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && status.st_dev == socket.device &&
      status.st_ino == socket.inode && status.st_ctim.tv_sec == socket.made.tv_sec &&
      status.st_ctim.tv_nsec == socket.made.tv_nsec) {
    unlink(path.c_str());
  }
}

}  // namespace rafter
