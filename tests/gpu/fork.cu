// rafter-fork forks after CUDA has started and while regions are counted; the
// child executes /bin/echo, or with --stay calls NVTX itself and leaves by
// _exit. The parent counts on. Exit status 0 when both are well.
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-fork [options]\n"
    "  --instances N    regions before the fork, and again after it (default 20)\n"
    "  --stay           the child marks a region and leaves by _exit instead of exec\n";
constexpr int kBlocks = 132;
constexpr int kRounds = 64;

void Regions(const char* name, void* scratch, unsigned long long instances) {
  for (unsigned long long i = 0; i < instances; ++i) {
    Region region(name);
    LaunchArithmetic(kFfma, scratch, kBlocks, kRounds, nullptr);
  }
  Check(cudaDeviceSynchronize(), "waiting for the regions");
}

// In the child. CUDA may not be used there.
[[noreturn]] void Child(bool stay) {
  if (stay) {
    nvtxRangePushA("child");
    nvtxRangePop();
    _exit(0);
  }
  execl("/bin/echo", "echo", "the child speaks", static_cast<char*>(nullptr));
  _exit(127);
}

int Main(int argc, char** argv) {
  unsigned long long instances = 20;
  bool stay = false;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--instances")) {
      instances = options.Number();
    } else if (options.Is("--stay")) {
      stay = true;
    } else {
      options.Unknown();
    }
  }
  RequireDevice();
  void* scratch = nullptr;
  Check(cudaMalloc(&scratch, ArithmeticBytes(kBlocks)), "allocating");
  Regions("before", scratch, instances);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    return 1;
  }
  if (child == 0) Child(stay);
  Regions("after", scratch, instances);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::printf("the child ended with wait status %d\n", status);
    return 1;
  }
  std::printf("parent and child are well\n");
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
