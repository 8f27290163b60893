// Cases that last: long regions, many regions, a program that goes on while
// others want the GPU.
#include <chrono>
#include <fstream>

#include "tests/gpu/cases.h"
#include "tests/gpu/cuda_check.h"
#include "tests/gpu/subscription.h"

namespace rafter {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned long long kInnerInstances = 10000;
constexpr unsigned long long kStormInstances = 1000000;
constexpr size_t kMoveBytes = size_t{256} << 20;

// Highest resident memory of this process so far, from /proc/self/status.
unsigned long long PeakResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, 6, "VmHWM:") == 0) return std::stoull(line.substr(6));
  }
  std::fprintf(stderr, "/proc/self/status has no VmHWM\n");
  std::exit(1);
}

void Step(const char* name, Kind kind, int rounds, Tally& tally) {
  tally.Open(name);
  tally.Launch(kind, rounds);
  tally.Close();
}

// One region around everything, ten thousand inside.
std::string LongOuter(const CaseSettings&, Tally& tally) {
  tally.Prepare();
  tally.Open("everything");
  tally.Claim(FlopClaim::kHonest, "");
  for (unsigned long long i = 0; i < kInnerInstances; ++i) {
    Step("step", kFfma, 4, tally);
    if (i % 64 == 63) Check(cudaDeviceSynchronize(), "waiting for steps");
  }
  tally.Close();
  return "";
}

// One region without a border inside, for as long as --seconds says.
std::string LongOne(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  for (unsigned long long i = 0; i < settings.instances; ++i) Step("before", kFmul, 16, tally);
  const auto end = Clock::now() + std::chrono::seconds(settings.seconds);
  tally.Open("long");
  tally.Claim(FlopClaim::kHonest, "");
  while (Clock::now() < end) {
    for (int launch = 0; launch < 16; ++launch) tally.Launch(kFfma, 256);
    Check(cudaDeviceSynchronize(), "waiting inside the region");
  }
  tally.Close();
  for (unsigned long long i = 0; i < settings.instances; ++i) Step("after", kFadd, 16, tally);
  return "";
}

std::string Names(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  for (unsigned long long name = 0; name < settings.names; ++name) {
    const std::string region = "region " + std::to_string(name);
    for (unsigned long long i = 0; i < settings.instances; ++i) {
      tally.Open(region);
      tally.Claim(FlopClaim::kHonest, "");
      tally.Launch(kFfma, 1);
      tally.Close();
    }
    if (name % 64 == 63) Check(cudaDeviceSynchronize(), "waiting for regions");
  }
  return "";
}

// A million passes; memory after ten thousand of them and at the end.
std::string Storm(const CaseSettings&, Tally& tally) {
  tally.Prepare();
  unsigned long long early_kib = 0;
  for (unsigned long long i = 0; i < kStormInstances; ++i) {
    Step("storm", kFfma, 1, tally);
    if (i % 256 == 255) Check(cudaDeviceSynchronize(), "waiting for the storm");
    if (i + 1 == 10000) early_kib = PeakResidentKib();
  }
  return "\"resident_kib_at_10000\": " + std::to_string(early_kib) +
         ", \"resident_kib_at_end\": " + std::to_string(PeakResidentKib());
}

// Goes on for --seconds: work for those who want to see counters come and go.
std::string Steady(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  void* source = nullptr;
  void* target = nullptr;
  Check(cudaMalloc(&source, kMoveBytes), "allocating the source");
  Check(cudaMalloc(&target, kMoveBytes), "allocating the target");
  Check(cudaMemset(source, 0, kMoveBytes), "clearing the source");
  const auto end = Clock::now() + std::chrono::seconds(settings.seconds);
  do {
    Step("compute", kFfma, 256, tally);
    tally.Open("move");
    LaunchCopy(target, source, kMoveBytes, 8 * kTallyBlocks, nullptr);
    Truth copy;
    copy.launches = 1;
    tally.Note(copy);
    tally.Close();
    Check(cudaDeviceSynchronize(), "waiting for a round");
  } while (Clock::now() < end);
  return "";
}

// The program itself holds CUPTI's one subscription in the first half.
std::string Subscriber(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  Subscription subscription;
  subscription.Take();
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("held");
    tally.Claim(FlopClaim::kHonest, "");
    tally.Launch(kFfma, 32);
    tally.Close();
  }
  Check(cudaDeviceSynchronize(), "waiting while subscribed");
  subscription.Give();
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("given back");
    tally.Claim(FlopClaim::kHonest, "");
    tally.Launch(kFmul, 32);
    tally.Close();
  }
  return "";
}

}  // namespace

std::vector<Case> LastingCases() {
  return {
      {"long_outer", "one region around ten thousand", LongOuter},
      {"long_one", "one region of --seconds with launches back to back", LongOne},
      {"names", "--names region names, --instances passes of each", Names},
      {"storm", "a million passes through one region", Storm},
      {"steady", "two regions, over and over for --seconds", Steady},
      {"subscriber", "the program holds CUPTI's subscription for a while", Subscriber},
  };
}

}  // namespace rafter
