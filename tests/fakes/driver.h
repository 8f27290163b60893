// FakeDriver holds what the functions of the fake libcuda.so.1 share.
//
//   Threads   any; `mutex` guards the lists.
//   Blocking  as GpuTimeline.
//   Memory    contexts, modules and functions are never freed, so that a stale
//             handle is recognised instead of crashing.
//   Lifetime  one for each process, never destroyed.
#pragma once

#include <cuda.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/fakes/answers.h"
#include "tests/fakes/link.h"
#include "tests/fakes/timeline.h"
#include "tests/fakes/work.h"

struct CUctx_st {
  int device = 0;
  uint32_t uid = 0;
  unsigned int flags = 0;
  bool primary = false;
  uint32_t generation = 0;  // of the driver, which fakecuda_reset begins anew
  std::atomic<bool> alive = true;
};

struct CUmod_st {
  CUcontext context = nullptr;
};

// Also what a CUkernel points to, as in the real driver, which takes either for a
// launch.
struct CUfunc_st {
  std::string symbol;  // the name as given
  bool is_kernel = false;
  CUfunc_st* function = nullptr;  // of a kernel
  rafter::fakes::KernelWork work;
};

struct CUstream_st {
  CUcontext context = nullptr;
};

struct CUgraphNode_st {
  CUfunction function = nullptr;
  uint64_t blocks = 0;
};

// A graph, or one made ready: kernels, one after the other.
struct CUgraph_st {
  std::vector<CUgraphNode_st*> nodes;
};
struct CUgraphExec_st {
  std::vector<CUgraphNode_st> nodes;
};

namespace rafter::fakes {

struct PrimaryContext {
  CUcontext context = nullptr;
  int references = 0;
};

struct FakeDriver {
  FakeDriver();

  AnswerBook answers;
  std::recursive_mutex mutex;
  pid_t initialised_in = 0;  // process that called cuInit
  int devices = 1;
  std::vector<std::unique_ptr<CUctx_st>> contexts;
  std::vector<PrimaryContext> primaries;
  uint32_t revivals = 0;  // of primary contexts
  uint32_t generation = 0;
  std::unique_ptr<GpuTimeline> timeline;
  std::atomic<const FakeCudaLink*> link = nullptr;
  std::atomic<uint64_t> correlation = 0;
};

FakeDriver& Driver();

// CUDA_ERROR_NOT_INITIALIZED before cuInit and in a child forked after it.
CUresult Ready();

// The calling thread's current context, or null.
CUcontext CurrentContext();
bool IsAlive(CUcontext context);

// Runs one kernel or copy on the current context; `blocks` of its grid are counted.
CUresult Launch(const KernelWork& work, uint64_t blocks, CUstream stream,
                Launched what = Launched::kKernel);

// A driver function that needs cuInit.
template <typename Body>
CUresult Call(const char* function, Body&& body) {
  return Answered<CUresult>(Driver().answers, function, [&]() -> CUresult {
    const CUresult ready = Ready();
    return ready == CUDA_SUCCESS ? body() : ready;
  });
}

// The same, reported to the fake CUPTI at entry and exit.
template <typename Params, typename Body>
CUresult TracedCall(const char* function, uint32_t cbid, const Params& params, const char* symbol,
                    Body&& body) {
  return Call(function, [&]() -> CUresult {
    const FakeCudaLink* link = Driver().link.load();
    const uint64_t correlation = ++Driver().correlation;
    const CUcontext context = CurrentContext();
    if (link != nullptr) {
      link->on_api(false, cbid, function, &params, nullptr, symbol, context, correlation);
    }
    CUresult result = body();
    if (link != nullptr) {
      link->on_api(true, cbid, function, &params, &result, symbol, context, correlation);
    }
    return result;
  });
}

}  // namespace rafter::fakes
