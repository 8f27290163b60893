// Cases of regions inside regions, on one thread.
#include "tests/gpu/cases.h"
#include "tests/gpu/cuda_check.h"

namespace rafter {
namespace {

constexpr int kStreams = 4;

std::vector<cudaStream_t> Streams(int count) {
  std::vector<cudaStream_t> streams(static_cast<size_t>(count));
  for (cudaStream_t& stream : streams) {
    Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  return streams;
}

// Every region has an amount of its own, so that work in the wrong one shows.
std::string Nested(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  const std::vector<cudaStream_t> streams = Streams(kStreams);
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("a");
    tally.Launch(kFfma, 32, streams[0]);
    tally.Open("b");
    tally.Launch(kFfma, 64, streams[1]);
    tally.Open("c");
    tally.Launch(kFfma, 16, streams[2]);
    tally.Launch(kFadd, 16, streams[3]);
    tally.Close();
    tally.Launch(kFfma, 8, streams[3]);
    tally.Close();
    tally.Open("d");
    tally.Launch(kFmul, 24, streams[3]);
    tally.Close();
    tally.Launch(kFfma, 4, streams[1]);
    tally.Close();
  }
  return "";
}

void Recurse(int depth, Tally& tally) {
  tally.Open("f");
  tally.Launch(kFfma, 8 * depth);
  if (depth > 1) Recurse(depth - 1, tally);
  tally.Launch(kFfma, 4);
  tally.Close();
}

std::string Recursion(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  for (unsigned long long i = 0; i < settings.instances; ++i) Recurse(3, tally);
  return "";
}

// `whole` is pushed before the first CUDA call and the context is made inside
// `whole/first`, so their first pass cannot be counted; those of `step` can.
std::string Early(const CaseSettings& settings, Tally& tally) {
  tally.Open("whole");
  tally.Claim(FlopClaim::kHonest, "");
  tally.Open("first");
  tally.Claim(FlopClaim::kHonest, "");
  RequireDevice();
  tally.Prepare();
  tally.Launch(kFfma, 32);
  tally.Close();
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("step");
    tally.Launch(kFfma, 16);
    tally.Close();
  }
  tally.Close();
  return "";
}

}  // namespace

std::vector<Case> NestingCases() {
  return {
      {"nested", "regions three deep, kernels on four streams, never synchronised", Nested},
      {"recursion", "a region inside itself, three deep", Recursion},
      {"early", "a push before CUDA starts, the context made inside a region", Early, true},
  };
}

}  // namespace rafter
