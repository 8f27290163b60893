// The doors into the target: CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH, LD_PRELOAD and
// our library that answers to LIKWID's markers. Every call from outside is one fenced line.
#include <cstdint>

#include "inject/fence.h"
#include "inject/health.h"
#include "inject/options.h"
#include "inject/session.h"
#include "marker/nvtx_limits.h"
#include "marker/nvtx_payload.h"
#include "marker/nvtx_source.h"

#define RAFTER_EXPORT __attribute__((visibility("default")))

namespace rafter {
namespace {

std::string_view View(NameBytes name) { return {name.data, name.size}; }

// Sentences of sources, which a program could make without end.
constexpr size_t kMostNoteBytes = 1024;

const RegionSink kSink = {
    .push =
        [](uint32_t domain, const RegionEvent& event) {
          int level = -2;
          Guarded([&] { level = Session().Push(domain, event); });
          return level;
        },
    .pop =
        [](uint32_t domain) {
          int level = -2;
          Guarded([&] { level = Session().Pop(domain); });
          return level;
        },
    .start =
        [](uint32_t domain, const RegionEvent& event) {
          uint64_t range = 0;
          Guarded([&] { range = Session().StartRange(domain, event); });
          return range;
        },
    .end = [](uint64_t range) { Guarded([&] { Session().EndRange(range); }); },
    .mark = [](uint32_t domain,
               const RegionEvent& event) { Guarded([&] { Session().Mark(domain, event); }); },
    .domain =
        [](NameBytes name) {
          uint32_t domain = PathTable::kMaxDomains;
          Guarded([&] { domain = Session().Domain(View(name)); });
          return domain < PathTable::kMaxDomains ? domain : kUntrackedDomain;
        },
    .category =
        [](uint32_t domain, uint32_t category, NameBytes name) {
          Guarded([&] { Session().NameCategory(domain, category, View(name)); });
        },
    .open_named =
        [](NameBytes name) {
          bool opened = true;
          Guarded([&] { opened = Session().OpenNamed(View(name)); });
          return opened;
        },
    .close_named =
        [](NameBytes name) {
          bool closed = true;
          Guarded([&] { closed = Session().CloseNamed(View(name)); });
          return closed;
        },
    .note =
        [](NameBytes text) {
          Guarded([&] {
            Health().AddNote(NoteSeverity::kWarning, "regions",
                             std::string(View(text).substr(0, kMostNoteBytes)));
          });
        },
};

// Attach has no fence around it: it sets another tool up, which may call NVTX and CUDA,
// and what comes back to us meanwhile counts.
void AttachNvtx(const void* get_export_table, NvtxSource::Door door) {
  std::string next;
  Guarded([&] { next = NextNvtxTool(); });
  if (!NvtxSource::Attach(get_export_table, &kSink, next.c_str(), door)) return;
  Guarded([] { Session().Start("nvtx", false); });
}

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
    rafter::Session().WatchEarly();
  });
  return 1;
}

// Called by the NVTX headers at the first NVTX call of each module. Returning 0
// would make them unload us, so the answer is always 1.
extern "C" RAFTER_EXPORT int InitializeInjectionNvtx2(const void* get_export_table) {
  rafter::AttachNvtx(get_export_table, rafter::NvtxSource::Door::kNvtx3);
  return 1;
}

// Called by the library that NVTX 2 was, where it does not find the one above.
extern "C" RAFTER_EXPORT int InitializeInjectionNvtx(const void* get_export_table) {
  rafter::AttachNvtx(get_export_table, rafter::NvtxSource::Door::kNvtx2);
  return 1;
}

// Called by the headers of NVTX's extensions, at the first call of each in a module.
extern "C" RAFTER_EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  return rafter::NvtxPayload::Attach(module_info, &rafter::kSink) ? 1 : 0;
}

// Called by our other library, which answers to the marker functions of LIKWID. Null
// when it was built for another version of the table.
extern "C" RAFTER_EXPORT const void* RafterRegionSink(uint32_t version) {
  return version == rafter::kRegionSinkVersion ? &rafter::kSink : nullptr;
}
