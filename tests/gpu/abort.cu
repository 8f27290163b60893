// rafter-abort marks regions and then ends without leave: abort(), _exit(), an
// exit from a second thread, or SIGTERM, by option. What was counted before must
// not be lost, and the end must be the program's own.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <unistd.h>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-abort [options]\n"
    "  --how abort|_exit|thread|term|return    the end (default abort); all but the first and\n"
    "                                          `term` end with status 3\n"
    "  --instances N                           regions before (default 20)\n"
    "  --open                                  ends while a region is open\n";
constexpr int kBlocks = 132;
constexpr int kRounds = 64;
constexpr int kStatus = 3;

int End(const std::string& how) {
  if (how == "abort") std::abort();
  if (how == "_exit") _exit(kStatus);
  if (how == "thread") std::thread([] { std::exit(kStatus); }).join();
  if (how == "term") std::raise(SIGTERM);
  return kStatus;
}

int Main(int argc, char** argv) {
  unsigned long long instances = 20;
  std::string how = "abort";
  bool open = false;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--instances")) {
      instances = options.Number();
    } else if (options.Is("--how")) {
      how = options.Value();
    } else if (options.Is("--open")) {
      open = true;
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  void* scratch = nullptr;
  Check(cudaMalloc(&scratch, ArithmeticBytes(kBlocks)), "allocating");
  for (unsigned long long i = 0; i < instances; ++i) {
    Region region("counted");
    LaunchArithmetic(kFfma, scratch, kBlocks, kRounds, nullptr);
  }
  Check(cudaDeviceSynchronize(), "waiting for the regions");
  std::printf("ending by %s\n", how.c_str());
  std::fflush(stdout);
  if (open) nvtxRangePushA("open");
  return End(how);
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
