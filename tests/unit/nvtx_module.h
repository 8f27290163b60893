// HandMadeModule is a module of a program as NVTX's headers make one, with tables of
// any size; RecordedSink is a sink that writes down what it is told.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns the tables.
//   Lifetime  one module at a time is attached; what it got stays valid.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "marker/nvtx_abi.h"
#include "marker/nvtx_limits.h"
#include "marker/region_sink.h"

namespace rafter {

class HandMadeModule {
 public:
  // What a call of NVTX is before a tool has come.
  static void Untouched() {}

  HandMadeModule() {
    constexpr unsigned int kSizes[] = {0,
                                       NVTX_CBID_CORE_SIZE,
                                       NVTX_CBID_CUDA_SIZE,
                                       NVTX_CBID_OPENCL_SIZE,
                                       NVTX_CBID_CUDART_SIZE,
                                       NVTX_CBID_CORE2_SIZE,
                                       NVTX_CBID_SYNC_SIZE};
    for (int module = 1; module < NVTX_CB_MODULE_SIZE; ++module) Resize(module, kSizes[module]);
  }

  // Functions beyond `size` are there, and must not be touched. 0: no such table.
  void Resize(int module, unsigned int size) {
    sizes_[module] = size;
    functions_[module].assign(kRoom, &Untouched);
    tables_[module].clear();
    for (auto& function : functions_[module]) tables_[module].push_back(&function);
    tables_[module][0] = nullptr;
  }
  void SetStructSize(size_t size) { callbacks_.struct_size = size; }

  // What InitializeInjectionNvtx2 is given.
  const void* door() {
    current_ = this;
    return reinterpret_cast<const void*>(&GetExportTable);
  }

  template <typename Function>
  Function Get(int module, unsigned int id) const {
    return reinterpret_cast<Function>(functions_[module][id]);
  }
  bool IsUntouched(int module, unsigned int id) const {
    return functions_[module][id] == &Untouched;
  }
  static constexpr unsigned int kRoom = 24;

 private:
  static const void* NVTX_API GetExportTable(uint32_t id) {
    return id == NVTX_ETID_CALLBACKS ? &current_->callbacks_ : nullptr;
  }
  static int NVTX_API GetTable(NvtxCallbackModule module, NvtxFunctionTable* table,
                               unsigned int* size) {
    if (module <= 0 || module >= NVTX_CB_MODULE_SIZE || current_->sizes_[module] == 0) return 0;
    *table = current_->tables_[module].data();
    *size = current_->sizes_[module];
    return 1;
  }

  static inline HandMadeModule* current_ = nullptr;
  unsigned int sizes_[NVTX_CB_MODULE_SIZE] = {};
  std::vector<NvtxFunctionPointer> functions_[NVTX_CB_MODULE_SIZE];
  std::vector<NvtxFunctionPointer*> tables_[NVTX_CB_MODULE_SIZE];
  NvtxExportTableCallbacks callbacks_ = {sizeof(NvtxExportTableCallbacks), &GetTable};
};

// One line for each call: "push DOMAIN NAME" and, where there is one, " #CATEGORY" and
// " kind:bits".
class RecordedSink {
 public:
  static std::vector<std::string>& lines() {
    static std::vector<std::string> lines;
    return lines;
  }
  // What the next calls answer.
  static inline int level = 0;
  static inline uint64_t range = 77;
  static inline uint32_t number = 1;

  // The lines so far; starts anew.
  static std::vector<std::string> Take() {
    std::vector<std::string> taken;
    taken.swap(lines());
    return taken;
  }

  static const RegionSink* sink() {
    static const RegionSink kSink = {
        .push = [](uint32_t domain, const RegionEvent& e) { return Add("push", domain, e), level; },
        .pop = [](uint32_t domain) { return Add("pop", domain, {}), level; },
        .start = [](uint32_t domain,
                    const RegionEvent& e) { return Add("start", domain, e), range; },
        .end = [](uint64_t id) { lines().push_back("end " + std::to_string(id)); },
        .mark = [](uint32_t domain, const RegionEvent& e) { Add("mark", domain, e); },
        .domain =
            [](NameBytes name) {
              lines().push_back("domain " + std::string(name.data, name.size));
              return number;
            },
        .category =
            [](uint32_t domain, uint32_t category, NameBytes name) {
              Add("category", domain, {name, category, {}});
            },
        .open_named = [](NameBytes) { return false; },
        .close_named = [](NameBytes) { return false; },
        .note =
            [](NameBytes text) { lines().push_back("note " + std::string(text.data, text.size)); },
    };
    return &kSink;
  }

 private:
  static void Add(const char* call, uint32_t domain, const RegionEvent& event) {
    static constexpr const char* kKinds[] = {"none", "unsigned", "signed", "double", "float"};
    std::string line =
        std::string(call) + ' ' +
        (domain == kUntrackedDomain ? "untracked" : std::to_string(domain)) + ' ' +
        std::string(event.name.data == nullptr ? "" : event.name.data, event.name.size);
    if (event.category != 0) line += " #" + std::to_string(event.category);
    if (event.payload.kind != Payload::Kind::kNone) {
      line += std::string(" ") + kKinds[static_cast<int>(event.payload.kind)] + ':' +
              std::to_string(event.payload.bits);
    }
    lines().push_back(line);
  }
};

}  // namespace rafter
