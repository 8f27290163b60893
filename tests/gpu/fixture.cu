// rafter-fixture runs regions whose work is known on paper and prints that truth
// as JSON, for tests/gpu/check_truth.py to hold a Rafter table against.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"
#include "tests/gpu/truth.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-fixture [options]\n"
    "  --instances N     passes through each region (default 20)\n"
    "  --single          one region `all` around each repetition instead of one for each part\n"
    "  --only A,B,...    these regions only\n"
    "  --nested          adds `outer` with `inner` inside\n"
    "  --sync            waits for the device inside each region\n"
    "  --bytes N         size of a traffic buffer (default: 100 x the L2, whole GiB)\n"
    "  --no-warmup       no launch before the first region\n"
    "  --truth FILE      writes the truth there instead of to standard output\n"
    "  --list            names of the regions\n";

// Two blocks for each of an H200's 132 multiprocessors: enough to fill it, and
// the same work on any device.
constexpr int kBlocks = 264;
constexpr int kRounds = 256;  // about 35 us of FP32 on an H200
constexpr int kSmallRounds = 32;
constexpr int kLargeRounds = 320;  // ten times `small`, three times over

struct KnownRegion {
  std::string name;
  std::string description;
  Truth truth;                 // of one pass
  std::function<void()> work;  // asynchronous
  bool read_claimed = false;   // see TrafficRegions
  bool write_claimed = false;
  Kind kernel_kind = kKinds;  // of the only kernel; kKinds: not one arithmetic kernel
};

struct Settings {
  unsigned long long instances = 20;
  unsigned long long bytes = 0;
  bool single = false;
  bool nested = false;
  bool sync = false;
  bool warmup = true;
  bool list = false;
  std::set<std::string> only;
  std::string truth_file;
};

// Device memory of all regions.
struct Buffers {
  void* scratch = nullptr;  // what arithmetic kernels store
  void* source = nullptr;
  void* target = nullptr;
  size_t bytes = 0;  // of source and of target
};

KnownRegion Arithmetic(const std::string& name, const std::string& description, Kind kind,
                       int launches, int rounds, const Buffers& buffers) {
  KnownRegion region;
  region.name = name;
  region.description = description;
  region.kernel_kind = kind;
  region.truth.launches = static_cast<unsigned long long>(launches);
  region.truth.counts[kind] = region.truth.launches * ArithmeticCount(kBlocks, rounds);
  region.work = [kind, launches, rounds, &buffers] {
    for (int i = 0; i < launches; ++i) {
      LaunchArithmetic(kind, buffers.scratch, kBlocks, rounds, nullptr);
    }
  };
  return region;
}

KnownRegion Traffic(const std::string& name, const std::string& description,
                    unsigned long long read_bytes, unsigned long long write_bytes,
                    std::function<void()> work) {
  KnownRegion region;
  region.name = name;
  region.description = description;
  region.truth.launches = 1;
  region.truth.traffic_known = true;
  region.truth.read_bytes = read_bytes;
  region.truth.write_bytes = write_bytes;
  region.work = std::move(work);
  region.read_claimed = read_bytes > 0;
  region.write_claimed = write_bytes > 0;
  return region;
}

// What lies changed in the L2 at a border is written back in the next region, so
// the order matters: `read` comes last and leaves the L2 clean for the next
// round, and takes over what `write` left, which is why it claims no write bytes.
std::vector<KnownRegion> TrafficRegions(const Buffers& buffers, int blocks) {
  const unsigned long long bytes = buffers.bytes;
  std::vector<KnownRegion> regions;
  regions.push_back(Traffic("copy", "copies one buffer to another", bytes, bytes, [=, &buffers] {
    LaunchCopy(buffers.target, buffers.source, buffers.bytes, blocks, nullptr);
  }));
  regions.push_back(
      Traffic("saxpy", "y = a x + y over two buffers of floats", 2 * bytes, bytes, [=, &buffers] {
        LaunchSaxpy(buffers.target, buffers.source, buffers.bytes, blocks, nullptr);
      }));
  regions.back().truth.counts[kFfma] = bytes / sizeof(float);
  regions.push_back(
      Traffic("mixed", "copies floats through 16 multiply-adds each", bytes, bytes, [=, &buffers] {
        LaunchMixed(buffers.target, buffers.source, buffers.bytes, blocks, nullptr);
      }));
  regions.back().truth.counts[kFfma] = bytes / sizeof(float) * kMixedFfma;
  regions.push_back(Traffic("write", "fills a buffer", 0, bytes, [=, &buffers] {
    LaunchWrite(buffers.target, buffers.bytes, blocks, nullptr);
  }));
  regions.push_back(Traffic("read", "reads a buffer", bytes, 0, [=, &buffers] {
    LaunchRead(buffers.source, buffers.bytes, buffers.scratch, blocks, nullptr);
  }));
  return regions;
}

void BusyHost() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::vector<KnownRegion> ComputeRegions(const Buffers& buffers) {
  static constexpr const char* kDescriptions[kKinds] = {
      "FP32 additions",        "FP32 multiplications",        "FP32 fused multiply-adds",
      "FP64 additions",        "FP64 multiplications",        "FP64 fused multiply-adds",
      "packed FP16 additions", "packed FP16 multiplications", "packed FP16 fused multiply-adds"};
  std::vector<KnownRegion> regions;
  for (int kind = 0; kind < kKinds; ++kind) {
    regions.push_back(Arithmetic(kKindNames[kind], kDescriptions[kind], static_cast<Kind>(kind), 1,
                                 kRounds, buffers));
  }
  return regions;
}

std::vector<KnownRegion> BorderRegions(const Buffers& buffers) {
  std::vector<KnownRegion> regions;
  regions.push_back({"empty", "nothing at all", {}, [] {}});
  regions.push_back({"host", "1 ms on the host, nothing on the device", {}, BusyHost});
  regions.push_back(Arithmetic("short", "a kernel of about 2 us", kFfma, 1, 1, buffers));
  regions.push_back(
      Arithmetic("small", "one launch, before `large`", kFfma, 1, kSmallRounds, buffers));
  regions.push_back(Arithmetic("large", "three launches of ten times the work of `small`", kFfma, 3,
                               kLargeRounds, buffers));
  return regions;
}

// `outer` holds one FFMA launch, `inner`, and another; its truth includes inner's.
std::vector<KnownRegion> NestedRegions(const Buffers& buffers, bool marked) {
  const KnownRegion part = Arithmetic("", "", kFfma, 1, kSmallRounds, buffers);
  const KnownRegion inner =
      Arithmetic("outer/inner", "one FMUL launch inside `outer`", kFmul, 1, kSmallRounds, buffers);
  KnownRegion outer;
  outer.name = "outer";
  outer.description = "two FFMA launches around `inner`; counts include inner's";
  Add(part.truth, outer.truth);
  Add(inner.truth, outer.truth);
  Add(part.truth, outer.truth);
  outer.work = [part, inner, marked] {
    part.work();
    if (marked) nvtxRangePushA("inner");
    inner.work();
    if (marked) nvtxRangePop();
    part.work();
  };
  KnownRegion inner_truth = inner;
  inner_truth.work = nullptr;  // done by outer
  return {outer, inner_truth};
}

std::vector<KnownRegion> AllRegions(const Settings& settings, const Buffers& buffers, int blocks) {
  std::vector<KnownRegion> regions = ComputeRegions(buffers);
  for (auto& region : TrafficRegions(buffers, blocks)) regions.push_back(std::move(region));
  for (auto& region : BorderRegions(buffers)) regions.push_back(std::move(region));
  if (settings.nested) {
    for (auto& region : NestedRegions(buffers, !settings.single)) {
      regions.push_back(std::move(region));
    }
  }
  if (settings.only.empty()) return regions;
  std::vector<KnownRegion> chosen;
  for (auto& region : regions) {
    if (settings.only.count(region.name.substr(0, region.name.find('/'))) > 0) {
      chosen.push_back(std::move(region));
    }
  }
  return chosen;
}

// One region that stands for all of `parts`.
KnownRegion Whole(const std::vector<KnownRegion>& parts) {
  KnownRegion whole;
  whole.name = "all";
  whole.description = "everything";
  for (const KnownRegion& part : parts) {
    if (part.work) Add(part.truth, whole.truth);
  }
  whole.read_claimed = whole.truth.traffic_known && whole.truth.read_bytes > 0;
  whole.write_claimed = whole.truth.traffic_known && whole.truth.write_bytes > 0;
  return whole;
}

void Run(const std::vector<KnownRegion>& regions, const Settings& settings) {
  for (unsigned long long instance = 0; instance < settings.instances; ++instance) {
    if (settings.single) nvtxRangePushA("all");
    for (const KnownRegion& region : regions) {
      if (!region.work) continue;
      if (!settings.single) nvtxRangePushA(region.name.c_str());
      region.work();
      if (settings.sync) Check(cudaDeviceSynchronize(), "waiting inside a region");
      if (!settings.single) nvtxRangePop();
    }
    if (settings.single) nvtxRangePop();
    Check(cudaDeviceSynchronize(), "waiting for a repetition");
  }
}

std::string ToJson(const KnownRegion& region, unsigned long long instances) {
  const Truth& truth = region.truth;
  std::ostringstream json;
  json << "    {\"region\": \"" << region.name << "\", \"description\": \"" << region.description
       << "\",\n     \"instances\": " << instances
       << ",\n     \"per_instance\": {\"launches\": " << truth.launches << ", " << CountsJson(truth)
       << ",\n       \"dram_bytes\": "
       << DramBytesJson(truth, region.read_claimed, region.write_claimed) << "}";
  if (region.kernel_kind != kKinds) {
    json << ",\n     \"kernel\": {\"name\": \"" << kKindNames[region.kernel_kind]
         << "_kernel\", \"grid\": \"(" << kBlocks << ", 1, 1)\", \"block\": \"(" << kThreadsPerBlock
         << ", 1, 1)\", \"registers\": " << ArithmeticRegisters(region.kernel_kind) << "}";
  }
  json << "}";
  return json.str();
}

std::string ToJson(const std::vector<KnownRegion>& regions, const Settings& settings,
                   const Buffers& buffers, const cudaDeviceProp& device) {
  std::ostringstream json;
  json << "{\n  \"program\": \"rafter-fixture\",\n  \"device\": \"" << device.name
       << "\",\n  \"compute_capability\": \"" << device.major << "."
       << device.minor
       // Elsewhere the driver assembles the kernels anew, and may choose other instructions.
       << "\",\n  \"counts_checked\": " << (device.major == 9 ? "true" : "false")
       << ",\n  \"l2_bytes\": " << device.l2CacheSize << ",\n  \"buffer_bytes\": " << buffers.bytes
       << ",\n  \"single\": " << (settings.single ? "true" : "false")
       << ",\n  \"sync\": " << (settings.sync ? "true" : "false") << ",\n  \"regions\": [\n";
  for (size_t i = 0; i < regions.size(); ++i) {
    json << ToJson(regions[i], settings.instances) << (i + 1 < regions.size() ? ",\n" : "\n");
  }
  json << "  ]\n}\n";
  return json.str();
}

std::set<std::string> Split(const std::string& list) {
  std::set<std::string> words;
  std::stringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!word.empty()) words.insert(word);
  }
  return words;
}

Settings Parse(int argc, char** argv) {
  Settings settings;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--instances")) {
      settings.instances = options.Number();
    } else if (options.Is("--bytes")) {
      settings.bytes = options.Number();
    } else if (options.Is("--only")) {
      settings.only = Split(options.Value());
    } else if (options.Is("--truth")) {
      settings.truth_file = options.Value();
    } else if (options.Is("--single")) {
      settings.single = true;
    } else if (options.Is("--nested")) {
      settings.nested = true;
    } else if (options.Is("--sync")) {
      settings.sync = true;
    } else if (options.Is("--no-warmup")) {
      settings.warmup = false;
    } else if (options.Is("--list")) {
      settings.list = true;
    } else {
      options.Unknown();
    }
  }
  if (settings.bytes > kMaxTrafficBytes) {
    std::fprintf(stderr, "--bytes: at most %zu\n", kMaxTrafficBytes);
    std::exit(2);
  }
  return settings;
}

// A hundred times the L2, so that what stays there at a border is under 1 %.
size_t DefaultBytes(const cudaDeviceProp& device) {
  constexpr size_t kGiB = size_t{1} << 30;
  const size_t least = size_t{100} * static_cast<size_t>(device.l2CacheSize);
  return (least + kGiB - 1) / kGiB * kGiB;
}

bool NeedsTraffic(const std::vector<KnownRegion>& regions) {
  for (const KnownRegion& region : regions) {
    if (region.truth.traffic_known) return true;
  }
  return false;
}

void Allocate(void** memory, size_t bytes) {
  const cudaError_t status = cudaMalloc(memory, bytes);
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "cannot allocate %zu bytes on the device: %s; try --bytes N\n", bytes,
               cudaGetErrorString(status));
  std::exit(1);
}

int Main(int argc, char** argv) {
  const Settings settings = Parse(argc, argv);
  Buffers buffers;
  if (settings.list) {
    for (const KnownRegion& region : AllRegions(settings, buffers, 1)) {
      std::printf("%s\n", region.name.c_str());
    }
    return 0;
  }
  const cudaDeviceProp device = RequireDevice();
  buffers.bytes = (settings.bytes > 0 ? settings.bytes : DefaultBytes(device)) / 256 * 256;
  const int traffic_blocks = device.multiProcessorCount * 8;  // as many as are resident
  std::vector<KnownRegion> regions = AllRegions(settings, buffers, traffic_blocks);
  if (regions.empty()) {
    std::fprintf(stderr, "--only names no region; rafter-fixture --list names them\n");
    return 2;
  }
  Allocate(&buffers.scratch, ArithmeticBytes(kBlocks));
  if (NeedsTraffic(regions)) {
    Allocate(&buffers.source, buffers.bytes);
    Allocate(&buffers.target, buffers.bytes);
    Check(cudaMemset(buffers.source, 0, buffers.bytes), "clearing the source");
    Check(cudaMemset(buffers.target, 0, buffers.bytes), "clearing the target");
  }
  if (settings.warmup) {
    for (const KnownRegion& region : regions) {
      if (region.work && region.truth.launches > 0) {
        // Nested regions mark inside; their warm-up is the plain kernel's.
        if (region.name != "outer") region.work();
      }
    }
  }
  Check(cudaDeviceSynchronize(), "warming up");
  Run(regions, settings);
  if (settings.single) regions = {Whole(regions)};
  WriteText(ToJson(regions, settings, buffers, device), settings.truth_file);
  cudaFree(buffers.source);
  cudaFree(buffers.target);
  cudaFree(buffers.scratch);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
