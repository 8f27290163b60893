// rafter-paced runs a fixed number of regions of about one length, of eight
// kinds in turn, and prints how long they took: the program whose slowing-down
// is the price of counting. With --calibration the work is the same in every
// run: the first one measures how much fits into a region and writes it down.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-paced [options]\n"
    "  --regions N          regions to run, all kinds together (default 800)\n"
    "  --region-us N        GPU time of one (default 1000)\n"
    "  --one-kind           only the FP32 kind, as one region name\n"
    "  --region-before      one region before the timed loop, in which counting is set up\n"
    "  --calibration FILE   amounts of work: read where the file is, else written\n"
    "  --unmarked           no regions: kernels only\n"
    "  --label TEXT         repeated in the output\n";

using Clock = std::chrono::steady_clock;

constexpr int kBlocks = 264;
constexpr size_t kBufferBytes = size_t{4} << 30;
constexpr int kWaitEvery = 64;  // regions in flight before the host waits
constexpr int kWarmup = 3;      // launches before one is timed
constexpr int kTimed = 5;       // of which the mean is taken

// One kind of region: `work(amount)` launches one kernel.
struct PacedKind {
  const char* name;
  unsigned long long step;   // amounts are multiples of it
  unsigned long long first;  // amount that is timed
  unsigned long long most;
  std::function<void(unsigned long long)> work;
};

struct Buffers {
  void* scratch = nullptr;
  void* source = nullptr;
  void* target = nullptr;
};

std::vector<PacedKind> Kinds(const Buffers& buffers, int traffic_blocks) {
  const auto arithmetic = [&buffers](Kind kind) {
    return [&buffers, kind](unsigned long long rounds) {
      LaunchArithmetic(kind, buffers.scratch, kBlocks, static_cast<int>(rounds), nullptr);
    };
  };
  constexpr unsigned long long kMostRounds = 1u << 30;
  constexpr size_t kStep = 4096;
  constexpr size_t kFirst = size_t{256} << 20;
  return {
      {"fp32 fma", 1, 4096, kMostRounds, arithmetic(kFfma)},
      {"fp32 add", 1, 4096, kMostRounds, arithmetic(kFadd)},
      {"fp64 fma", 1, 2048, kMostRounds, arithmetic(kDfma)},
      {"fp16 fma", 1, 512, kMostRounds, arithmetic(kHfma)},
      {"copy", kStep, kFirst, kBufferBytes,
       [&buffers, traffic_blocks](unsigned long long bytes) {
         LaunchCopy(buffers.target, buffers.source, bytes, traffic_blocks, nullptr);
       }},
      {"read", kStep, kFirst, kBufferBytes,
       [&buffers, traffic_blocks](unsigned long long bytes) {
         LaunchRead(buffers.source, bytes, buffers.scratch, traffic_blocks, nullptr);
       }},
      {"saxpy", kStep, kFirst, kBufferBytes,
       [&buffers, traffic_blocks](unsigned long long bytes) {
         LaunchSaxpy(buffers.target, buffers.source, bytes, traffic_blocks, nullptr);
       }},
      {"mixed", kStep, kFirst, kBufferBytes,
       [&buffers, traffic_blocks](unsigned long long bytes) {
         LaunchMixed(buffers.target, buffers.source, bytes, traffic_blocks, nullptr);
       }},
  };
}

double MeanUs(const PacedKind& kind, unsigned long long amount) {
  cudaEvent_t first = nullptr;
  cudaEvent_t last = nullptr;
  Check(cudaEventCreate(&first), "creating an event");
  Check(cudaEventCreate(&last), "creating an event");
  for (int i = 0; i < kWarmup; ++i) kind.work(amount);
  Check(cudaEventRecord(first), "recording an event");
  for (int i = 0; i < kTimed; ++i) kind.work(amount);
  Check(cudaEventRecord(last), "recording an event");
  Check(cudaEventSynchronize(last), "waiting for the timed launches");
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, first, last), "reading events");
  return static_cast<double>(milliseconds) * 1000 / kTimed;
}

// The amount that takes about `region_us`.
unsigned long long Calibrate(const PacedKind& kind, double region_us) {
  double amount = static_cast<double>(kind.first);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto steps = static_cast<unsigned long long>(amount / static_cast<double>(kind.step));
    const unsigned long long tried =
        std::min(kind.most, std::max<unsigned long long>(steps, 1) * kind.step);
    amount = static_cast<double>(tried) * region_us / MeanUs(kind, tried);
  }
  const auto steps = static_cast<unsigned long long>(amount / static_cast<double>(kind.step));
  return std::min(kind.most, std::max<unsigned long long>(steps, 1) * kind.step);
}

std::vector<unsigned long long> Amounts(const std::vector<PacedKind>& kinds, double region_us,
                                        const std::string& file) {
  std::vector<unsigned long long> amounts;
  std::ifstream known(file);
  if (known) {
    for (unsigned long long amount = 0; known >> amount;) amounts.push_back(amount);
    if (amounts.size() == kinds.size()) return amounts;
    std::fprintf(stderr, "%s: %zu amounts instead of %zu; delete it and calibrate again\n",
                 file.c_str(), amounts.size(), kinds.size());
    std::exit(1);
  }
  for (const PacedKind& kind : kinds) amounts.push_back(Calibrate(kind, region_us));
  if (!file.empty()) {
    std::ofstream out(file);
    for (const unsigned long long amount : amounts) out << amount << "\n";
    if (!out.flush()) {
      std::fprintf(stderr, "cannot write %s\n", file.c_str());
      std::exit(1);
    }
  }
  return amounts;
}

struct Settings {
  unsigned long long regions = 800;
  unsigned long long region_us = 1000;
  bool one_kind = false;
  bool region_before = false;
  bool unmarked = false;
  std::string calibration;
  std::string label;
};

Settings Parse(int argc, char** argv) {
  Settings settings;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--regions")) {
      settings.regions = options.Number();
    } else if (options.Is("--region-us")) {
      settings.region_us = options.Number();
    } else if (options.Is("--one-kind")) {
      settings.one_kind = true;
    } else if (options.Is("--unmarked")) {
      settings.unmarked = true;
    } else if (options.Is("--region-before")) {
      settings.region_before = true;
    } else if (options.Is("--calibration")) {
      settings.calibration = options.Value();
    } else if (options.Is("--label")) {
      settings.label = options.Value();
    } else {
      options.Unknown();
    }
  }
  return settings;
}

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

int Main(int argc, char** argv) {
  const auto begin = Clock::now();
  const Settings settings = Parse(argc, argv);
  const cudaDeviceProp device = RequireDevice();
  Buffers buffers;
  Check(cudaMalloc(&buffers.scratch, ArithmeticBytes(kBlocks)), "allocating");
  Check(cudaMalloc(&buffers.source, kBufferBytes), "allocating the source");
  Check(cudaMalloc(&buffers.target, kBufferBytes), "allocating the target");
  Check(cudaMemset(buffers.source, 0, kBufferBytes), "clearing the source");
  Check(cudaMemset(buffers.target, 0, kBufferBytes), "clearing the target");
  std::vector<PacedKind> kinds = Kinds(buffers, device.multiProcessorCount * 8);
  if (settings.one_kind) kinds.resize(1);
  const auto amounts =
      Amounts(kinds, static_cast<double>(settings.region_us), settings.calibration);
  for (size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind].work(amounts[kind]);
  if (settings.region_before) {
    nvtxRangePushA("before the loop");
    kinds[0].work(amounts[0]);
    nvtxRangePop();
  }
  Check(cudaDeviceSynchronize(), "warming up");

  const auto start = Clock::now();
  for (unsigned long long i = 0; i < settings.regions; ++i) {
    const size_t kind = i % kinds.size();
    if (!settings.unmarked) nvtxRangePushA(kinds[kind].name);
    kinds[kind].work(amounts[kind]);
    if (!settings.unmarked) nvtxRangePop();
    if (i % kWaitEvery == kWaitEvery - 1) Check(cudaDeviceSynchronize(), "waiting for regions");
  }
  Check(cudaDeviceSynchronize(), "waiting for the regions");
  const auto end = Clock::now();
  std::printf(
      "{\"program\": \"rafter-paced\", \"device\": \"%s\", \"label\": \"%s\", \"regions\": %llu, "
      "\"region_us\": %llu, \"loop_s\": %.6f, \"total_s\": %.6f, \"mean_region_us\": %.3f}\n",
      device.name, settings.label.c_str(), settings.regions, settings.region_us,
      Seconds(end - start), Seconds(end - begin),
      1e6 * Seconds(end - start) / static_cast<double>(settings.regions));
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
