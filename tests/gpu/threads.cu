// rafter-threads marks regions on several threads at once, each with a stream of
// its own. With --turns the threads take turns, so that no two regions overlap.
// Prints the FFMA thread instructions of one region, and of all.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-threads [options]\n"
    "  --threads N      threads and streams (default 4)\n"
    "  --instances N    regions of each thread (default 20)\n"
    "  --turns          one region at a time\n";
constexpr int kBlocks = 66;
constexpr int kRounds = 64;

struct Settings {
  unsigned long long threads = 4;
  unsigned long long instances = 20;
  bool turns = false;
};

void Work(unsigned long long index, const Settings& settings, std::mutex& turn) {
  const std::string name = "thread " + std::to_string(index);
  cudaStream_t stream = nullptr;
  void* scratch = nullptr;
  Check(cudaSetDevice(0), "cudaSetDevice");
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  Check(cudaMalloc(&scratch, ArithmeticBytes(kBlocks)), "allocating");
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    std::unique_lock<std::mutex> lock(turn, std::defer_lock);
    if (settings.turns) lock.lock();
    Region region(name.c_str());
    LaunchArithmetic(kFfma, scratch, kBlocks, kRounds, stream);
    Check(cudaStreamSynchronize(stream), "waiting for a stream");
  }
  Check(cudaStreamDestroy(stream), "destroying a stream");
}

int Main(int argc, char** argv) {
  Settings settings;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--threads")) {
      settings.threads = options.Number();
    } else if (options.Is("--instances")) {
      settings.instances = options.Number();
    } else if (options.Is("--turns")) {
      settings.turns = true;
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  std::mutex turn;
  std::vector<std::thread> threads;
  for (unsigned long long i = 0; i < settings.threads; ++i) {
    threads.emplace_back(Work, i, std::cref(settings), std::ref(turn));
  }
  for (std::thread& thread : threads) thread.join();
  const unsigned long long each = ArithmeticCount(kBlocks, kRounds);
  std::printf(
      "{\"program\": \"rafter-threads\", \"instances\": %llu, \"ffma_per_instance\": %llu, "
      "\"ffma\": %llu}\n",
      settings.instances * settings.threads, each, each * settings.instances * settings.threads);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
