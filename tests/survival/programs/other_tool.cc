// Another NVTX tool, which the user chose before us. Counts what it is told
// and says so at exit.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

namespace {

int g_pushes = 0;
int g_pops = 0;

int Push(const char*) { return g_pushes++, 0; }
int Pop() { return g_pops++, 0; }

struct SaysAtExit {
  ~SaysAtExit() { std::fprintf(stderr, "the other tool saw %d and %d\n", g_pushes, g_pops); }
} g_says_at_exit;

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  auto* tables = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (tables == nullptr ||
      tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(Push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(Pop);
  return 1;
}
