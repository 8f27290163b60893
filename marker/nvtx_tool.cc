#include "marker/nvtx_tool.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "marker/nvtx_handles.h"

namespace rafter {
namespace {

SetList<ToolCalls> g_calls;

// The tool's path, decided by the first module.
const char kNobody[] = "";
std::atomic<const char*> g_path{nullptr};
std::atomic<void*> g_library{nullptr};

std::atomic<uint32_t> g_modules{0};
ShadowModule g_shadows[kMaxToolModules];

// NVTX hands over functions without a word of whose they are, so each shadow has
// a pair of its own.
template <size_t kModule>
const void* NVTX_API ShadowExport(uint32_t id) {
  const ShadowModule& shadow = g_shadows[kModule];
  if (id == NVTX_ETID_CALLBACKS) return &shadow.callbacks;
  return shadow.get_export_table(id);
}

template <size_t kModule>
int NVTX_API ShadowTables(NvtxCallbackModule which, NvtxFunctionTable* table, unsigned int* size) {
  const ShadowModule& shadow = g_shadows[kModule];
  if (which < 0 || which >= NVTX_CB_MODULE_SIZE) {
    return shadow.truth->GetModuleFunctionTable(which, table, size);
  }
  const ShadowTable& mine = shadow.tables[which];
  if (mine.table == nullptr) return 0;
  if (table != nullptr) *table = mine.table;
  if (size != nullptr) *size = mine.size;
  return 1;
}

struct Doors {
  NvtxGetExportTableFunc_t get_export_table;
  decltype(NvtxExportTableCallbacks::GetModuleFunctionTable) get_tables;
};

template <size_t... kModules>
Doors DoorsOf(size_t module, std::index_sequence<kModules...>) {
  static constexpr Doors kDoors[] = {{&ShadowExport<kModules>, &ShadowTables<kModules>}...};
  return kDoors[module];
}

// A table of a module with slots of ours behind it. Nothing when the module has none.
ShadowTable Shadow(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule which) {
  constexpr unsigned int kMost = 1024;  // the largest of NVTX 3 has 16
  ShadowTable shadow;
  if (callbacks.GetModuleFunctionTable(which, &shadow.truth, &shadow.size) == 0) return {};
  if (shadow.truth == nullptr || shadow.size > kMost) return {};
  // One more at the end, null, as NVTX's own have.
  shadow.table =
      static_cast<NvtxFunctionTable>(std::calloc(shadow.size + 1, sizeof(*shadow.table)));
  shadow.slots =
      static_cast<NvtxFunctionPointer*>(std::calloc(shadow.size + 1, sizeof(*shadow.slots)));
  if (shadow.table == nullptr || shadow.slots == nullptr) return {};
  for (unsigned int id = 0; id < shadow.size; ++id) {
    if (shadow.truth[id] == nullptr) continue;
    shadow.slots[id] = *shadow.truth[id];
    shadow.table[id] = &shadow.slots[id];
  }
  return shadow;
}

template <size_t kCount>
void Collect(const ShadowTable& shadow, NvtxFunctionPointer (&calls)[kCount]) {
  for (unsigned int id = 0; id < kCount; ++id) calls[id] = shadow.Theirs(id);
}

// Decides which tool there is; the first caller's word counts.
void Decide(const char* path) {
  if (g_path.load(std::memory_order_acquire) != nullptr) return;
  const char* mine = path == nullptr || *path == '\0' ? kNobody : strdup(path);
  if (mine == nullptr) mine = kNobody;
  const char* none = nullptr;
  if (!g_path.compare_exchange_strong(none, mine) && mine != kNobody) {
    std::free(const_cast<char*>(mine));
  }
}

void NoteTool(const char* what) {
  char sentence[1024];
  std::snprintf(sentence, sizeof sentence,
                "NVTX: %s: %s; Rafter goes on without this tool: correct RAFTER_NVTX_NEXT, or "
                "unset it",
                g_path.load(std::memory_order_acquire), what);
  Note(sentence);
}

// Whether an address is in the library that this function is in.
bool IsInUs(const void* address) {
  Dl_info there = {};
  Dl_info here = {};
  return dladdr(address, &there) != 0 && dladdr(&g_shadows, &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

}  // namespace

NvtxFunctionPointer ShadowTable::Theirs(unsigned int id) const {
  if (id >= size || truth[id] == nullptr || slots[id] == *truth[id]) return nullptr;
  return slots[id];
}

const SetList<ToolCalls>& NvtxTool::calls() { return g_calls; }

bool NvtxTool::Named() {
  const char* path = g_path.load(std::memory_order_acquire);
  return path != nullptr && path != kNobody;
}

void* NvtxTool::Find(const char* name, bool must) {
  if (!Named()) return nullptr;
  void* library = g_library.load(std::memory_order_acquire);
  if (library == nullptr) {
    // Lazily, as NVTX does: a tool may lack what it never calls.
    library = dlopen(g_path.load(std::memory_order_acquire), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      const char* why = dlerror();
      NoteTool(why == nullptr ? "it cannot be loaded" : why);
      return nullptr;
    }
    g_library.store(library, std::memory_order_release);
  }
  void* found = dlsym(library, name);
  if (found == nullptr && must) {
    char what[128];
    std::snprintf(what, sizeof what, "it has no %s, so it is no NVTX tool for this module", name);
    NoteTool(what);
  }
  if (found != nullptr && IsInUs(found)) {
    NoteTool("this is Rafter itself");
    return nullptr;
  }
  return found;
}

NvtxTool::Attached NvtxTool::Attach(NvtxGetExportTableFunc_t get_export_table,
                                    const NvtxExportTableCallbacks& callbacks, const char* path,
                                    const char* entry) {
  Decide(path);
  if (!Named()) return {};
  constexpr Attached kNothing = {.set = 0};
  const auto initialise = reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(Find(entry, true));
  if (initialise == nullptr) return kNothing;
  const uint32_t module = g_modules.fetch_add(1, std::memory_order_relaxed);
  if (module >= kMaxToolModules) {
    g_modules.store(kMaxToolModules, std::memory_order_relaxed);
    NoteTool("the program has loaded more than 128 modules with NVTX, so it misses the later ones");
    return kNothing;
  }
  ShadowModule& shadow = g_shadows[module];
  const Doors doors = DoorsOf(module, std::make_index_sequence<kMaxToolModules>());
  shadow.get_export_table = get_export_table;
  shadow.truth = &callbacks;
  shadow.callbacks = {sizeof shadow.callbacks, doors.get_tables};
  for (int which = 1; which < NVTX_CB_MODULE_SIZE; ++which) {
    shadow.tables[which] = Shadow(callbacks, static_cast<NvtxCallbackModule>(which));
  }
  if (initialise(doors.get_export_table) == 0) return kNothing;  // it declines, which is its right
  ToolCalls calls;
  Collect(shadow.tables[NVTX_CB_MODULE_CORE], calls.core);
  Collect(shadow.tables[NVTX_CB_MODULE_CORE2], calls.core2);
  Collect(shadow.tables[NVTX_CB_MODULE_SYNC], calls.sync);
  const int set = g_calls.NumberOf(calls);
  if (set >= 0) return {.set = set, .shadow = &shadow};
  NoteTooManySets();
  return kNothing;
}

void NvtxTool::PassOn(NvtxGetExportTableFunc_t get_export_table, const char* path,
                      const char* entry) {
  Decide(path);
  const auto initialise = reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(Find(entry, true));
  if (initialise != nullptr) initialise(get_export_table);
}

void NoteTooManySets() {
  NoteTool(
      "it gives more than 4 modules functions of their own, so it misses the calls of later ones");
}

}  // namespace rafter
