#include "inject/options.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "proto/gpu_lock_place.h"
#include "proto/launch_variables.h"
#include "proto/plan_cache.h"

namespace rafter {
namespace {

std::string Get(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <typename Number>
bool ReadNumber(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "2.5" -> 25,000 millionths. Without floating point, which would leave marks on the
// program's thread.
bool ReadPercent(const std::string& text, uint64_t& ppm) {
  constexpr size_t kDecimals = 4;
  const size_t point = text.find('.');
  std::string digits = text.substr(0, point);
  std::string decimals = point == std::string::npos ? "" : text.substr(point + 1);
  if (digits.empty() || (point != std::string::npos && decimals.empty())) return false;
  decimals.resize(kDecimals, '0');
  uint64_t value = 0;
  if (digits.size() > 3 || !ReadNumber(digits + decimals, value) || value > 1'000'000) return false;
  ppm = value;
  return true;
}

// How to count. What makes no sense is left at its default, and said.
void ReadCounting(Options& options) {
  const auto wrong = [&](const char* name, const char* wanted) {
    options.wrong.push_back(std::string(name) + "=" + Get(name) + " is not " + wanted +
                            "; the default is taken");
  };
  if (const std::string sets = Get("RAFTER_SET"); !sets.empty()) options.sets = sets;
  std::string metrics = Get("RAFTER_METRICS");
  std::replace(metrics.begin(), metrics.end(), ',', '+');
  if (!metrics.empty()) options.sets += ",metrics:" + metrics;
  if (const std::string text = Get("RAFTER_OVERHEAD"); !text.empty()) {
    if (!ReadPercent(text, options.overhead_ppm))
      wrong("RAFTER_OVERHEAD", "a number from 0 to 100");
  }
  if (const std::string text = Get("RAFTER_SKIP"); !text.empty()) {
    if (!ReadNumber(text, options.skip)) wrong("RAFTER_SKIP", "a whole number");
  }
  const std::string granularity = Get("RAFTER_GRANULARITY");
  if (granularity == "instance") {
    options.granularity = Options::Granularity::kInstance;
  } else if (granularity == "kernel") {
    options.granularity = Options::Granularity::kKernel;
  } else if (!granularity.empty() && granularity != "region") {
    wrong("RAFTER_GRANULARITY", "region, instance or kernel");
  }
  const std::string replay = Get("RAFTER_REPLAY");
  options.replay_kernels = replay == "kernel";
  if (!replay.empty() && replay != "kernel" && replay != "none") {
    wrong("RAFTER_REPLAY", "none or kernel");
  }
  const auto read_switch = [&](const char* name, bool& on) {
    const std::string text = Get(name);
    on = text == "1";
    if (!on && !text.empty() && text != "0") wrong(name, "1 or 0");
  };
  read_switch("RAFTER_EXACT", options.exact);
  read_switch("RAFTER_VERBOSE", options.verbose);
  read_switch("RAFTER_QUIET", options.quiet);
}

// One item a line; by hand one is given as it is.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    if (end > start) lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// Which regions count.
void ReadRegions(Options& options) {
  const std::string regions = Get("RAFTER_REGIONS");
  const bool known = regions.empty() || regions == "nvtx" || regions == "nvmarker" ||
                     regions == "both" || regions == "none";
  if (!known) {
    options.wrong.push_back("RAFTER_REGIONS=" + regions +
                            " is not nvtx, nvmarker, both or none; regions of every source count");
  }
  options.nvtx = regions != "nvmarker" && regions != "none";
  options.nvmarker = regions != "nvtx" && regions != "none";
  options.no_regions = regions == "none";
  if (options.no_regions) options.granularity = Options::Granularity::kKernel;
  options.domains = Lines(Get("RAFTER_DOMAIN"));
  options.all_domains =
      std::find(options.domains.begin(), options.domains.end(), "all") != options.domains.end();
  options.regions = Lines(Get("RAFTER_REGION"));
  options.groupings = Lines(Get("RAFTER_GROUP_NAMES"));
}

// What explains a run to whoever reads it later. Never the whole environment:
// it holds secrets.
constexpr const char* kRecordedVariables[] = {
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
    "CUDA_CACHE_DISABLE",   "OMP_NUM_THREADS",   "RAFTER_EXACT",         "RAFTER_GRANULARITY",
    "RAFTER_METRICS",       "RAFTER_OVERHEAD",   "RAFTER_REPLAY",        "RAFTER_SET",
    "RAFTER_SKIP",          "RAFTER_REGIONS",    "RAFTER_DOMAIN",        "RAFTER_REGION",
    "RAFTER_GROUP_NAMES",   "RAFTER_RANKS"};

void ReadRanks(Options& options) {
  std::vector<std::string> names;
  if (std::string named = Get("RAFTER_RANK_VARIABLE"); !named.empty()) names.push_back(named);
  for (const char* name : kRankVariables) names.push_back(name);
  for (const std::string& name : names) {
    const std::string text = Get(name.c_str());
    uint32_t rank = 0;
    if (!ReadNumber(text, rank)) continue;
    options.rank = rank;
    options.rank_variable = name;
    break;
  }
  const std::string wanted = Get("RAFTER_RANKS");
  if (wanted.empty() || ReadRankSpans(wanted, options.ranks).data() == nullptr) return;
  options.ranks.clear();
  options.wrong.push_back("RAFTER_RANKS=" + wanted +
                          " is no list of ranks as in 0,8-15; every rank is counted");
}

bool IsSocket(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode) && found.st_uid == geteuid();
}

bool IsOwnFolder(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

std::vector<std::string> UnknownVariables() {
  std::vector<std::string> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "RAFTER_", 7) != 0) continue;
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (std::find(std::begin(kRafterVariables), std::end(kRafterVariables), name) ==
        std::end(kRafterVariables)) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

std::string OwnPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&NameOurselvesForNvtx), &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  char resolved[PATH_MAX];
  return realpath(info.dli_fname, resolved) == nullptr ? info.dli_fname : resolved;
}

// Whether the value of an injection variable leads to this library: by its path, by
// another path to the same file, or by its bare name.
bool IsOurs(const std::string& named, const std::string& path) {
  if (named.empty()) return false;
  if (named == path || named == path.substr(path.rfind('/') + 1)) return true;
  struct stat there;
  struct stat ours;
  return stat(named.c_str(), &there) == 0 && stat(path.c_str(), &ours) == 0 &&
         there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

// "none" and nothing both mean that no tool is named.
void SetWhereUnset(const char* name, const std::string& path) {
  const std::string present = Get(name);
  if (present.empty() || present == "none") setenv(name, path.c_str(), 1);
}

}  // namespace

void NameOurselvesWhenPreloaded() {
  const char* preload = std::getenv("LD_PRELOAD");
  if (preload == nullptr) return;
  const std::string path = OwnPath();
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || std::strstr(preload, path.c_str() + slash + 1) == nullptr) {
    return;
  }
  SetWhereUnset("CUDA_INJECTION64_PATH", path);
  NameOurselvesForNvtx();
}

void NameOurselvesForNvtx() {
  const std::string path = OwnPath();
  const std::string named = Get("NVTX_INJECTION64_PATH");
  if (path.empty() || IsOurs(named, path)) return;
  if (!named.empty() && named != "none") setenv("RAFTER_NVTX_NEXT", named.c_str(), 1);
  setenv("NVTX_INJECTION64_PATH", path.c_str(), 1);
}

std::string NextNvtxTool() {
  const std::string next = Get("RAFTER_NVTX_NEXT");
  return next == "none" || IsOurs(next, OwnPath()) ? "" : next;
}

bool Options::WantsDomain(std::string_view name) const {
  if (all_domains) return true;
  if (domains.empty()) return name.empty();
  return std::any_of(domains.begin(), domains.end(), [name](const std::string& wanted) {
    return wanted == name || (name.empty() && wanted == "default");
  });
}

Options ReadOptions() {
  Options options;
  options.collector = Get("RAFTER_COLLECTOR");
  options.collector_given = !options.collector.empty();
  const std::string runtime = Get("XDG_RUNTIME_DIR");
  if (!options.collector_given) {
    const std::string socket = runtime + "/rafter/collector.sock";
    if (!runtime.empty() && IsSocket(socket)) options.collector = socket;
  }
  ReadCounting(options);
  ReadRegions(options);
  options.cupti_path = Get("RAFTER_CUPTI_PATH");
  options.cuda_home = Get("CUDA_HOME");
  if (options.cuda_home.empty()) options.cuda_home = Get("CUDA_PATH");
  options.plan_cache = PlanCacheFolder(Get("XDG_CACHE_HOME"), Get("HOME"));
  options.gpu_locks = GpuLockFolder(IsOwnFolder(runtime) ? runtime : "", geteuid());
  // Under `rafter run` that command says so itself.
  if (!options.collector_given) options.unknown = UnknownVariables();
  ReadRanks(options);
  for (const char* name : kJobVariables) {
    if (options.job.empty()) options.job = Get(name);
  }
  for (const char* name : kRecordedVariables) {
    if (std::getenv(name) != nullptr) options.environment.emplace_back(name, Get(name));
  }
  return options;
}

}  // namespace rafter
