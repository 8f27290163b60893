#include "inject/counters/gpu_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "inject/clock.h"
#include "proto/gpu_lock_place.h"

namespace rafter {
namespace {

// Bytes of the file, of which only locks are used; it stays empty. Whoever counts
// has a write lock on byte 0. Whoever waits has a read lock on one byte of the
// line, whose place is the time at which it began to wait: those who wait longer
// lie before it, and a process that dies leaves the line by itself.
constexpr off_t kCounts = 0;
constexpr off_t kProbe = 1;
constexpr off_t kLine = 2;
constexpr off_t kToTheEnd = 0;  // a length

off_t PlaceInLine(uint64_t since_ns) { return kLine + static_cast<off_t>(since_ns); }

struct flock Stretch(short type, off_t start, off_t length) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

// F_RDLCK, F_WRLCK or F_UNLCK on one byte. False: another process has it, or errno
// tells.
bool SetLock(int fd, short type, off_t byte) {
  struct flock lock = Stretch(type, byte, 1);
  return fcntl(fd, F_SETLK, &lock) == 0;
}

// A lock of another process in a stretch of bytes, if there is one.
std::optional<struct flock> LockOfAnother(int fd, off_t start, off_t length) {
  struct flock lock = Stretch(F_WRLCK, start, length);
  if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock;
}

// The first place in a stretch of the line that another process has; 0 when none
// has one. The kernel names any of them, so one call for each that waits.
off_t FirstInLine(int fd, off_t length) {
  off_t first = 0;
  while (const std::optional<struct flock> lock = LockOfAnother(fd, kLine, length)) {
    first = lock->l_start;
    if (first <= kLine) break;
    length = first - kLine;
  }
  return first;
}

std::string ErrorText(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof buffer);  // GNU's form returns the text
}

Status Refused(const std::string& uuid, const std::string& cause, const std::string& remedy) {
  return Status::Failed("no lock on " + uuid + ": " + cause + "; " + remedy);
}

constexpr char kOtherFolder[] = "set XDG_RUNTIME_DIR to a folder of your own";

// The folder as a descriptor, so that what was looked at is what is used.
Result<int> OpenFolder(const std::string& folder, const std::string& uuid) {
  if (!folder.starts_with('/')) {
    return Refused(uuid, "folder \"" + folder + "\" is no absolute path", kOtherFolder);
  }
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Refused(uuid, "folder " + folder + " cannot be made: " + ErrorText(errno), kOtherFolder);
  }
  const int fd = open(folder.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return Refused(uuid, "folder " + folder + ": " + ErrorText(errno), kOtherFolder);
  struct stat found;
  Status fault = Status::Ok();
  if (fstat(fd, &found) != 0) {
    fault = Refused(uuid, "folder " + folder + ": " + ErrorText(errno), kOtherFolder);
  } else if (S_ISLNK(found.st_mode)) {
    fault = Refused(uuid, folder + " is a symbolic link, not a folder", "remove it");
  } else if (!S_ISDIR(found.st_mode)) {
    fault = Refused(uuid, folder + " is not a folder", "remove it");
  } else if (found.st_uid != geteuid()) {
    fault = Refused(
        uuid, "folder " + folder + " belongs to user " + std::to_string(found.st_uid) + ", not you",
        kOtherFolder);
  } else if ((found.st_mode & 077) != 0) {
    fault = Refused(uuid, "folder " + folder + " is open to others",
                    "close it with \"chmod 700 " + folder + "\"");
  }
  if (fault.ok()) return fd;
  close(fd);
  return fault;
}

// The lock file as a descriptor above the program's, on a file system that locks.
Result<int> OpenFile(const std::string& folder, const std::string& file, const std::string& uuid) {
  const Result<int> inside = OpenFolder(folder, uuid);
  if (!inside.ok()) return inside.status();
  const int fd = MoveUp(
      openat(*inside, file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  const int error = errno;
  close(*inside);
  const std::string path = folder + "/" + file;
  if (fd < 0) return Refused(uuid, "file " + path + ": " + ErrorText(error), "remove it");
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid()) {
    close(fd);
    return Refused(uuid, path + " is not a file of yours", "remove it");
  }
  // The probe is a read lock, which several processes may have at once.
  if (!SetLock(fd, F_RDLCK, kProbe) || !SetLock(fd, F_UNLCK, kProbe)) {
    const std::string cause = "file " + path + " cannot be locked: " + ErrorText(errno);
    close(fd);
    return Refused(uuid, cause, kOtherFolder);
  }
  return fd;
}

// The name of a process; empty when it cannot be had.
std::string NameOf(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/comm";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  char text[64];
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  std::string name(text, got > 0 ? static_cast<size_t>(got) : 0);
  while (!name.empty() && name.back() == '\n') name.pop_back();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  }
  return name;
}

}  // namespace

GpuLock::~GpuLock() { Close(); }

bool GpuLock::IsOurs() const { return fd_ >= 0 && file_.has_value() && IdentityOf(fd_) == file_; }

// Closing drops every lock that we have on the file.
void GpuLock::Close() {
  if (IsOurs()) close(fd_);
  fd_ = -1;
  held_ = false;
}

Status GpuLock::Open(const std::string& folder, const std::string& uuid) {
  const std::string file = GpuLockFile(uuid);
  if (file.empty()) return Refused("GPU \"" + uuid + "\"", "that is no UUID", "report this");
  if (path_ == folder + "/" + file && IsOurs()) return Status::Ok();
  Result<int> opened = OpenFile(folder, file, uuid);
  if (!opened.ok()) return opened.status();
  Close();
  fd_ = *opened;
  file_ = IdentityOf(fd_);
  folder_ = folder;
  uuid_ = uuid;
  path_ = folder + "/" + file;
  trouble_.clear();
  waiting_since_ns_ = free_since_ns_ = 0;
  return Status::Ok();
}

// Whether the descriptor is open and of the file that others find at the path.
// Opens it anew where the program closed it, or where the folder was removed and
// made again (at a logout); where only the path is gone, the old file still
// serves all who have it open.
bool GpuLock::Ready() {
  if (path_.empty()) return false;
  const bool ours = IsOurs();
  if (!ours) fd_ = -1;  // the program's, if anybody's
  struct stat there;
  if (ours && lstat(path_.c_str(), &there) == 0 &&
      FileIdentity{there.st_dev, there.st_ino} == *file_) {
    return true;
  }
  Result<int> opened = OpenFile(folder_, GpuLockFile(uuid_), uuid_);
  if (!opened.ok()) {
    if (!ours) trouble_ = opened.status().message();
    return ours;
  }
  Close();
  fd_ = *opened;
  file_ = IdentityOf(fd_);
  trouble_.clear();
  if (waiting_since_ns_ != 0) SetLock(fd_, F_RDLCK, PlaceInLine(waiting_since_ns_));
  return true;
}

// Whether a GPU that may be free is left to those who wait longer than we do.
bool GpuLock::OthersFirst() {
  const off_t before_us =
      waiting_since_ns_ == 0 ? kToTheEnd : static_cast<off_t>(waiting_since_ns_);
  const off_t first = FirstInLine(fd_, before_us);
  if (first != left_to_) free_since_ns_ = 0;
  left_to_ = first;
  if (first == 0) return false;
  if (LockOfAnother(fd_, kCounts, 1).has_value()) {
    free_since_ns_ = 0;
    return true;
  }
  const uint64_t now = NowNs();
  if (free_since_ns_ == 0) free_since_ns_ = now;
  return now - free_since_ns_ < kLetOthersNs;
}

bool GpuLock::TryTake() {
  if (held()) return true;
  held_ = false;
  if (!Ready() || OthersFirst()) return false;
  held_ = SetLock(fd_, F_WRLCK, kCounts);
  free_since_ns_ = 0;
  if (held_) Want(false);
  return held_;
}

void GpuLock::GiveBack() {
  // A number that is the program's by now is not ours to unlock.
  if (held()) SetLock(fd_, F_UNLCK, kCounts);
  held_ = false;
  free_since_ns_ = 0;
}

bool GpuLock::held() const { return held_ && IsOurs(); }

void GpuLock::Want(bool wanted) {
  if (wanted == (waiting_since_ns_ != 0) || (wanted && held())) return;
  if (wanted) {
    if (!Ready()) return;
    waiting_since_ns_ = NowNs();
    SetLock(fd_, F_RDLCK, PlaceInLine(waiting_since_ns_));
    return;
  }
  if (IsOurs()) SetLock(fd_, F_UNLCK, PlaceInLine(waiting_since_ns_));
  waiting_since_ns_ = 0;
}

bool GpuLock::Wanted() const {
  return IsOurs() && LockOfAnother(fd_, kLine, kToTheEnd).has_value();
}

std::string GpuLock::Holder() const {
  if (!IsOurs()) return "another process";
  const std::optional<struct flock> lock = LockOfAnother(fd_, kCounts, 1);
  if (!lock.has_value() || lock->l_pid <= 0) return "another process";
  const std::string name = NameOf(lock->l_pid);
  const std::string process = "process " + std::to_string(lock->l_pid);
  return name.empty() ? process : process + " (" + name + ")";
}

void GpuLock::Forget() {
  if (IsOurs()) close(fd_);
  new (this) GpuLock;  // the parent's recorder may have been in the middle of a string
}

}  // namespace rafter
