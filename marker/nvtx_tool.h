// NvtxTool is another NVTX tool that was there before us. It is attached to each
// module as NVTX would attach it, except that it fills tables of ours; what it put
// there is called from our functions, or goes into the module's tables as it is.
//
//   Threads   any.
//   Blocking  as the tool's own set-up does; no lock of ours is held meanwhile.
//   Memory    about 2 KiB for each module, at most kMaxToolModules, kept for good.
//   Lifetime  the tool is never unloaded, not even when it declines.
#pragma once

#include <atomic>
#include <cstdint>

#include "marker/nvtx_abi.h"
#include "marker/nvtx_limits.h"

namespace rafter {

// The tool's functions for the calls that pass through ours; null where it has none.
struct ToolCalls {
  NvtxFunctionPointer core[NVTX_CBID_CORE_SIZE] = {};
  NvtxFunctionPointer core2[NVTX_CBID_CORE2_SIZE] = {};
  NvtxFunctionPointer sync[NVTX_CBID_SYNC_SIZE] = {};
  bool operator==(const ToolCalls&) const = default;
};

// Different values of T that were seen, each with a number for good. The first,
// number 0, is T{}.
template <typename T>
class SetList {
 public:
  // The number of an equal one, or of a new one; -1 when there are too many.
  int NumberOf(const T& value) noexcept {
    if (value == T{}) return 0;
    for (size_t i = 1; i < kCount; ++i) {
      int state = states_[i].load(std::memory_order_acquire);
      if (state == kFree && states_[i].compare_exchange_strong(state, kBusy)) {
        values_[i] = value;
        states_[i].store(kFull, std::memory_order_release);
        return static_cast<int>(i);
      }
      if (state == kFull && values_[i] == value) return static_cast<int>(i);
    }
    return -1;
  }
  const T& operator[](size_t number) const { return values_[number]; }

  static constexpr size_t kCount = 1 + kMaxToolSets;

 private:
  static constexpr int kFree = 0;
  static constexpr int kBusy = 1;  // another thread's value: a double of it does no harm
  static constexpr int kFull = 2;
  T values_[kCount] = {};
  std::atomic<int> states_[kCount] = {};
};

// No tool was named in this process. Other numbers are places in a SetList.
inline constexpr int kNoTool = -1;

// A module's table, and the tool's side of it.
struct ShadowTable {
  NvtxFunctionTable truth = nullptr;
  NvtxFunctionTable table = nullptr;     // what the tool sees: addresses of `slots`
  NvtxFunctionPointer* slots = nullptr;  // at first what the module has
  unsigned int size = 0;

  // What the tool put there, or null.
  NvtxFunctionPointer Theirs(unsigned int id) const;
};

struct ShadowModule {
  NvtxGetExportTableFunc_t get_export_table = nullptr;
  const NvtxExportTableCallbacks* truth = nullptr;
  NvtxExportTableCallbacks callbacks = {};
  ShadowTable tables[NVTX_CB_MODULE_SIZE];
};

class NvtxTool {
 public:
  // What a module's functions do with the tool.
  struct Attached {
    int set = kNoTool;                     // place in calls()
    const ShadowModule* shadow = nullptr;  // null: the tool has nothing here
  };

  // Attaches the tool at `path` to a module, by the entry that the module itself
  // would call. The first call of a process says which tool there is, also that
  // there is none (null or empty).
  static Attached Attach(NvtxGetExportTableFunc_t get_export_table,
                         const NvtxExportTableCallbacks& callbacks, const char* path,
                         const char* entry);

  // Gives the tool a module that is nothing to us.
  static void PassOn(NvtxGetExportTableFunc_t get_export_table, const char* path,
                     const char* entry);

  // Whether a tool was named.
  static bool Named();

  // A function that the tool exports, or null; loads the tool. Says what is wrong when
  // `must`.
  static void* Find(const char* name, bool must);

  static const SetList<ToolCalls>& calls();
};

// Says that the tool has more sets of functions than kMaxToolSets.
void NoteTooManySets();

}  // namespace rafter
