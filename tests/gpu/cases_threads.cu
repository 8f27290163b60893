// Cases of several threads.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/gpu/cases.h"
#include "tests/gpu/cuda_check.h"

namespace rafter {
namespace {

constexpr int kThreads = 4;

// What the threads of one case share.
struct Crew {
  unsigned long long instances = 0;
  bool turns = false;
  std::mutex turn;
  std::atomic<int> ready{0};
  Tally tallies[kThreads];
};

void Work(int index, Crew& crew) {
  Tally& tally = crew.tallies[index];
  const std::string name = "worker " + std::to_string(index);
  cudaStream_t stream = nullptr;
  Check(cudaSetDevice(0), "cudaSetDevice");
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  tally.Prepare();
  crew.ready.fetch_add(1);
  while (crew.ready.load() < kThreads) std::this_thread::yield();
  for (unsigned long long i = 0; i < crew.instances; ++i) {
    std::unique_lock<std::mutex> lock(crew.turn, std::defer_lock);
    if (crew.turns) lock.lock();
    tally.Open(name);
    if (!crew.turns) tally.Claim(FlopClaim::kHonest, "");
    tally.Launch(kFfma, 32 * (index + 1), stream);
    Check(cudaStreamSynchronize(stream), "waiting for a stream");
    tally.Close();
  }
}

std::string Threads(const CaseSettings& settings, bool turns, Tally& tally) {
  Crew crew;
  crew.instances = settings.instances;
  crew.turns = turns;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(Work, i, std::ref(crew));
  for (std::thread& thread : threads) thread.join();
  for (const Tally& each : crew.tallies) tally.Merge(each);
  return "";
}

std::string Turns(const CaseSettings& settings, Tally& tally) {
  return Threads(settings, true, tally);
}

// The checker adds up all rows: what is in none must be named.
std::string AtOnce(const CaseSettings& settings, Tally& tally) {
  Threads(settings, false, tally);
  return "\"overlaps\": true";
}

// As the backward pass of a training step: a second thread launches, and marks
// nothing itself.
std::string Backward(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  void* scratch = nullptr;
  Check(cudaMalloc(&scratch, ArithmeticBytes(kTallyBlocks)), "allocating");
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("step");
    tally.Launch(kFfma, 16);
    std::thread([scratch] {
      Check(cudaSetDevice(0), "cudaSetDevice");
      LaunchArithmetic(kFmul, scratch, kTallyBlocks, 40, cudaStreamPerThread);
      Check(cudaStreamSynchronize(cudaStreamPerThread), "waiting for the second thread");
    }).join();
    tally.Note(Tally::Arithmetic(kFmul, 40));
    tally.Close();
    tally.Open("update");
    tally.Launch(kFadd, 8);
    tally.Close();
  }
  return "";
}

std::string StartEnd(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    const auto range = tally.Start("range");
    tally.Launch(kFfma, 16);
    tally.End(range);
    const auto handed_over = tally.Start("range across threads");
    tally.Launch(kFmul, 24);
    std::thread([&tally, handed_over] { tally.End(handed_over); }).join();
  }
  return "";
}

}  // namespace

std::vector<Case> ThreadCases() {
  return {
      {"turns", "four threads with a stream each, one region at a time", Turns},
      {"at_once", "four threads with a stream each, all at once", AtOnce},
      {"backward", "a second thread launches inside the first one's region", Backward},
      {"start_end", "start/end ranges, some ended by another thread", StartEnd},
  };
}

}  // namespace rafter
