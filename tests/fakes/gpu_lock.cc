#include "tests/fakes/gpu_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <set>

namespace rafter::fakes {
namespace {

std::set<int>& Taken() {
  static std::set<int>* const taken = new std::set<int>;
  return *taken;
}

// File of a GPU that says which process has it; empty without a folder. No
// descriptor stays open: programs that count or close theirs are tested.
std::string FileOf(int device) {
  const char* folder = std::getenv("RAFTER_FAKE_STATE");
  return folder == nullptr ? "" : std::string(folder) + "/gpu" + std::to_string(device) + ".lock";
}

bool Claim(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const std::string pid = std::to_string(getpid());
  const bool written = write(file, pid.data(), pid.size()) == static_cast<ssize_t>(pid.size());
  close(file);
  return written;
}

// The process that has the GPU has ended.
bool IsAbandoned(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT;
  char pid[16] = {};
  const ssize_t size = read(file, pid, sizeof pid - 1);
  close(file);
  return size > 0 && kill(std::atoi(pid), 0) != 0 && errno == ESRCH;
}

// One process at a time looks and claims: two that find the same abandoned file must
// not both have the GPU.
class Looking {
 public:
  Looking() {
    const char* folder = std::getenv("RAFTER_FAKE_STATE");
    if (folder != nullptr) folder_ = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ >= 0) flock(folder_, LOCK_EX);
  }
  ~Looking() {
    if (folder_ >= 0) close(folder_);
  }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;

 private:
  int folder_ = -1;
};

}  // namespace

bool TakeGpu(int device) {
  if (Taken().contains(device)) return false;
  const Looking alone;
  const std::string path = FileOf(device);
  if (!path.empty() && !Claim(path)) {
    // Where no file can be made at all, only this process is looked at.
    const bool exists = access(path.c_str(), F_OK) == 0;
    if (exists) {
      if (!IsAbandoned(path)) return false;
      unlink(path.c_str());
      if (!Claim(path)) return false;
    }
  }
  Taken().insert(device);
  return true;
}

bool AnotherProcessHasGpu(int device) {
  const std::string path = FileOf(device);
  return !path.empty() && !Taken().contains(device) && access(path.c_str(), F_OK) == 0 &&
         !IsAbandoned(path);
}

void GiveGpuBack(int device) {
  if (Taken().erase(device) == 0) return;
  const std::string path = FileOf(device);
  if (!path.empty()) unlink(path.c_str());
}

void ForgetGpuLocks() {
  while (!Taken().empty()) GiveGpuBack(*Taken().begin());
}

}  // namespace rafter::fakes
