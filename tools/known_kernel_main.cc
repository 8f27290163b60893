// rafter-known-kernel [FILE | --account | --ptx]: does known work in marked
// regions, for `rafter run --source likwid --counter-scale auto`, and writes the
// account of it. The marker calls are those that are in the process already: the
// marker library, which is put in front of it.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "tools/known_kernel.h"

namespace rafter {
namespace {

// The few functions of cuda.h that are called, as the driver exports them.
using Module = void*;
using Function = void*;
using Address = uint64_t;  // CUdeviceptr

constexpr int kJitOptimisation = 7;  // CU_JIT_OPTIMIZATION_LEVEL

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "rafter-known-kernel: %s\n", what.c_str());
  std::exit(1);
}

class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) Fail(std::string("no CUDA driver: ") + dlerror());
  }

  template <typename... Arguments>
  void Call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr) Fail(std::string("the CUDA driver has no ") + name);
    const int error = function(arguments...);
    if (error == 0) return;
    const auto describe =
        reinterpret_cast<int (*)(int, const char**)>(dlsym(library_, "cuGetErrorString"));
    const char* text = nullptr;
    if (describe == nullptr || describe(error, &text) != 0 || text == nullptr) text = "no text";
    Fail(std::string(name) + " answers " + std::to_string(error) + " (" + text + ")");
  }

 private:
  void* const library_;
};

// LIKWID's marker functions, of whoever put them into this process.
struct Markers {
  void (*init)();
  void (*close)();
  int (*start)(const char*);
  int (*stop)(const char*);

  Markers() {
    const auto find = [](const char* name) {
      void* const found = dlsym(RTLD_DEFAULT, name);
      if (found == nullptr)
        Fail(std::string("nobody answers ") + name + "; \"rafter run\" starts it");
      return found;
    };
    init = reinterpret_cast<void (*)()>(find("nvmon_markerInit"));
    close = reinterpret_cast<void (*)()>(find("nvmon_markerClose"));
    start = reinterpret_cast<int (*)(const char*)>(find("nvmon_markerStartRegion"));
    stop = reinterpret_cast<int (*)(const char*)>(find("nvmon_markerStopRegion"));
  }
};

// The GPU, with the kernels and the memory that they work on.
class Work {
 public:
  explicit Work(int ordinal) {
    driver_.Call("cuInit", 0u);
    int device = 0;
    driver_.Call("cuDeviceGet", &device, ordinal);
    void* context = nullptr;
    driver_.Call("cuDevicePrimaryCtxRetain", &context, device);
    driver_.Call("cuCtxSetCurrent", context);
    const std::string ptx = KnownKernelPtx();
    int option = kJitOptimisation;
    void* level = nullptr;  // 0, by value
    driver_.Call("cuModuleLoadDataEx", &module_, static_cast<const void*>(ptx.c_str()), 1u, &option,
                 &level);
    constexpr uint64_t kThreads = uint64_t{kReadBlocks} * kThreadsPerBlock;
    static_assert(kReadBlocks >= kArithmeticBlocks);
    driver_.Call("cuMemAlloc_v2", &array_, static_cast<size_t>(kThreads * sizeof(double)));
    driver_.Call("cuMemAlloc_v2", &parts_, static_cast<size_t>(kParts * kPartBytes));
    driver_.Call("cuMemsetD8_v2", array_, static_cast<unsigned char>(0),
                 static_cast<size_t>(kThreads * sizeof(double)));
    Arithmetics();
    Settle();
  }

  // What was cleared since, as by a profiler for its own memory, is written back now.
  void Settle() {
    for (uint32_t i = 0; i < kParts; ++i) Read();
    Wait();
  }

  void Units(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      Read();
      Arithmetics();
    }
    Wait();
  }

 private:
  Function Find(const char* name) {
    Function function = nullptr;
    driver_.Call("cuModuleGetFunction", &function, module_, name);
    return function;
  }

  void Launch(const char* name, uint32_t blocks, void** parameters) {
    driver_.Call("cuLaunchKernel", Find(name), blocks, 1u, 1u, kThreadsPerBlock, 1u, 1u, 0u,
                 static_cast<void*>(nullptr), parameters, static_cast<void**>(nullptr));
  }

  void Read() {
    Address part = parts_ + next_part_ * kPartBytes;
    next_part_ = (next_part_ + 1) % kParts;
    uint64_t words = kPartBytes / 16;
    void* parameters[] = {&part, &words, &array_};
    Launch(kReadKernel, kReadBlocks, parameters);
  }

  // Operands are 0: what is counted is the instruction, not its result.
  void Arithmetics() {
    for (const ArithmeticKernel& kernel : ArithmeticKernels()) {
      uint32_t rounds = kArithmeticRounds;
      double operand = 0;  // its bytes are those of any other 0
      void* parameters[] = {&array_, &rounds, &operand, &operand};
      Launch(kernel.name, kArithmeticBlocks, parameters);
    }
  }

  void Wait() { driver_.Call("cuCtxSynchronize"); }

  const Driver driver_;
  Module module_ = nullptr;
  Address array_ = 0;
  Address parts_ = 0;
  uint64_t next_part_ = 0;
};

// As KnownRegions says.
void DoKnownWork(const Markers& markers, Work& work) {
  const auto region = [&](const char* name, const std::function<void()>& body) {
    if (markers.start(name) != 0) Fail(std::string("region ") + name + " could not be started");
    body();
    if (markers.stop(name) != 0) Fail(std::string("region ") + name + " could not be stopped");
  };
  region("first", [&] { work.Units(1); });
  region("triple", [&] { work.Units(3); });
  region("first", [&] { work.Units(1); });
  work.Units(1);
  region("outer", [&] {
    work.Units(1);
    region("inner", [&] { work.Units(2); });
    work.Units(1);
  });
  region("empty", [] {});
}

// The first of LIKWID's GPUs, the only one that it is sure to have right.
int FirstGpu() {
  const char* const gpus = std::getenv("LIKWID_NVMON_GPUS");
  return gpus == nullptr ? 0 : std::atoi(gpus);
}

int Run(const char* file) {
  const Markers markers;
  Work work(FirstGpu());
  markers.init();
  work.Settle();  // a line that is written back inside a region would be traffic of it
  DoKnownWork(markers, work);
  markers.close();
  std::ofstream account(file);
  account << KnownAccount();
  account.close();
  if (!account) Fail(std::string(file) + ": cannot be written");
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--ptx") == 0) {
    return std::fputs(rafter::KnownKernelPtx().c_str(), stdout) < 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--account") == 0) {
    return std::fputs(rafter::KnownAccount().c_str(), stdout) < 0;
  }
  if (argc != 2) rafter::Fail("usage: rafter-known-kernel FILE | --account | --ptx");
  return rafter::Run(argv[1]);
}
