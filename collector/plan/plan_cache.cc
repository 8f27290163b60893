#include "collector/plan/plan_cache.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "proto/plan_cache.h"

namespace rafter {
namespace {

// Configurations are 0.3 to 30 KB, descriptions about as much; a longer file is
// not ours.
constexpr size_t kMaxPlanBytes = 8u << 20;

// Passes of one configuration: all of a chip's metrics take fewer.
constexpr uint32_t kMaxPasses = 4096;

std::string PathOf(const std::string& folder, const wire::Device& device, uint32_t version) {
  const std::string& availability = device.counter_availability();
  return folder + "/" +
         PlanCacheFile(device.chip(), version, availability.data(), availability.size(),
                       device.wanted_sets());
}

std::optional<std::string> ReadSmall(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat status {};
  std::optional<std::string> bytes;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
      status.st_size > 0 && static_cast<size_t>(status.st_size) <= kMaxPlanBytes) {
    std::string content(static_cast<size_t>(status.st_size), '\0');
    size_t got = 0;
    while (got < content.size()) {
      const ssize_t n = read(file, content.data() + got, content.size() - got);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      got += static_cast<size_t>(n);
    }
    if (got == content.size()) bytes = std::move(content);
  }
  close(file);
  return bytes;
}

absl::Status Failed(const std::string& what, const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat("plan cache: ", what, " ", path, ": ",
                                             std::strerror(error),
                                             "; plans are made anew each time"));
}

absl::Status PrepareFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (error) return Failed("cannot make the folder for", folder, error.value());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failed("cannot make", folder, errno);
  }
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return Failed("cannot look at", folder, errno);
  if (!S_ISDIR(status.st_mode)) return Failed("cannot use", folder, ENOTDIR);
  if (status.st_uid != geteuid()) return Failed("somebody else owns", folder, EPERM);
  return absl::OkStatus();
}

bool WriteAll(int file, const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

bool IsSoundPlan(const wire::Plan& plan) {
  if (!plan.error().empty() || plan.configuration().empty()) return false;
  if (plan.passes() == 0 || plan.passes() > kMaxPasses || plan.sets().empty()) return false;
  uint32_t next_pass = 0;
  for (const wire::PlanSet& set : plan.sets()) {
    if (set.first_pass() != next_pass || set.passes() == 0 || set.passes() > plan.passes() ||
        set.counters().empty()) {
      return false;
    }
    next_pass += set.passes();
  }
  return next_pass == plan.passes();
}

std::optional<wire::Plan> PlanCache::Find(const wire::Device& device,
                                          uint32_t cupti_version) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<std::string> bytes = ReadSmall(PathOf(folder_, device, cupti_version));
  if (!bytes.has_value()) return std::nullopt;
  wire::Plan plan;
  if (!plan.ParseFromString(*bytes) || !IsSoundPlan(plan)) return std::nullopt;
  const std::string& availability = device.counter_availability();
  if (plan.chip() != device.chip() || plan.cupti_version() != cupti_version ||
      plan.wanted_sets() != device.wanted_sets() ||
      plan.availability_hash() != PlanHash(availability.data(), availability.size())) {
    return std::nullopt;
  }
  plan.set_device(device.device());
  plan.set_origin("cache");
  return plan;
}

absl::Status PlanCache::Keep(const wire::Device& device, const wire::Plan& plan) const {
  if (folder_.empty()) return absl::OkStatus();
  if (absl::Status prepared = PrepareFolder(folder_); !prepared.ok()) return prepared;
  const std::string path = PathOf(folder_, device, plan.cupti_version());
  std::string beside = path + ".XXXXXX";
  const int file = mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return Failed("cannot write", beside, errno);
  wire::Plan kept = plan;
  kept.set_device(0);
  kept.clear_origin();
  const bool written = WriteAll(file, kept.SerializeAsString());
  int error = errno;
  if (close(file) != 0 || !written || rename(beside.c_str(), path.c_str()) != 0) {
    if (written) error = errno;
    unlink(beside.c_str());
    return Failed("cannot write", path, error);
  }
  return absl::OkStatus();
}

}  // namespace rafter
