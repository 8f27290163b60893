// The three doors into the target: CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH
// and LD_PRELOAD. Every call from outside is one fenced line.
#include <cstdint>

#include "inject/fence.h"
#include "inject/options.h"
#include "inject/session.h"
#include "marker/nvtx_source.h"

#define RAFTER_EXPORT __attribute__((visibility("default")))

namespace rafter {
namespace {

std::string_view View(NameBytes name) { return {name.data, name.size}; }

const RegionSink kSink = {
    .push =
        [](uint32_t domain, NameBytes name) {
          int level = -2;
          Guarded([&] { level = Session().Push(domain, View(name)); });
          return level;
        },
    .pop =
        [](uint32_t domain) {
          int level = -2;
          Guarded([&] { level = Session().Pop(domain); });
          return level;
        },
    .start =
        [](uint32_t domain, NameBytes name) {
          uint64_t range = 0;
          Guarded([&] { range = Session().StartRange(domain, View(name)); });
          return range;
        },
    .end = [](uint64_t range) { Guarded([&] { Session().EndRange(range); }); },
    .domain =
        [](NameBytes name) {
          uint32_t domain = PathTable::kMaxDomains;  // tracked by nobody; 0 is the default one
          Guarded([&] { domain = Session().Domain(View(name)); });
          return domain;
        },
};

// Under LD_PRELOAD the process has not asked for us by the variables that CUDA
// and NVTX look at, so they are set: the one change that it can see.
__attribute__((constructor)) void OnLoad() {
  Guarded([] { NameOurselvesWhenPreloaded(); });
}

}  // namespace
}  // namespace rafter

// Called once by the CUDA driver inside cuInit. Always reports success: a
// profiler that cannot start is not the target's problem.
extern "C" RAFTER_EXPORT int InitializeInjection() {
  rafter::Guarded([] {
    rafter::NameOurselvesForNvtx();
    rafter::Session().Start("cuda", true);
  });
  return 1;
}

// Called by the NVTX headers at the first NVTX call of each module. Returning 0
// would make them unload us, so the answer is always 1.
extern "C" RAFTER_EXPORT int InitializeInjectionNvtx2(const void* get_export_table) {
  rafter::Guarded([get_export_table] {
    if (rafter::NvtxSource::Attach(get_export_table, &rafter::kSink)) {
      rafter::Session().Start("nvtx", false);
    }
  });
  return 1;
}
