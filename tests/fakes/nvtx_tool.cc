// Another NVTX tool: logs every call that it sees, as "call domain name", to the file
// that RAFTER_FAKE_NVTX_LOG names. It gives out handles and ids of its own, and says
// "not mine" when it is handed anything else. RAFTER_FAKE_NVTX: "declines" (its set-up returns 0),
// "no_domains" (sets nothing but the default domain's calls), "own_functions" (each module
// gets functions of its own).
#include <stdlib.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <map>
#include <mutex>
#include <string>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

namespace {

constexpr uint64_t kFirstSchema = uint64_t{1} << 32;

struct State {
  std::mutex mutex;
  std::FILE* log = nullptr;
  std::map<const void*, std::string> domains;  // by handle
  std::map<const void*, std::string> strings;
  std::map<nvtxRangeId_t, std::string> ranges;
  std::map<const void*, int> depths;
  nvtxRangeId_t last_range = 1000;
  uint64_t last_schema = kFirstSchema;
};

State& Mine() {
  static auto* state = new State;
  return *state;
}

bool IsVariant(const char* name) {
  const char* variant = getenv("RAFTER_FAKE_NVTX");
  return variant != nullptr && std::strcmp(variant, name) == 0;
}

std::string Text(const char* text) {
  return text == nullptr ? "(null)" : std::string(text, strnlen(text, 64));
}
std::string Text(const wchar_t* text) {
  if (text == nullptr) return "(null)";
  std::string out = "w";
  for (; *text != 0; ++text) out += ' ' + std::to_string(static_cast<unsigned>(*text));
  return out;
}
std::string Known(const std::map<const void*, std::string>& map, const void* handle) {
  if (handle == nullptr) return "-";
  const auto found = map.find(handle);
  return found == map.end() ? "NOT MINE" : found->second;
}
std::string Name(int type, const nvtxMessageValue_t& message) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return Text(message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return Text(message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return Known(Mine().strings, message.registered);
    default:
      return "(none)";
  }
}
std::string Name(const nvtxEventAttributes_t* a) {
  return Name(a->messageType, a->message) + " size " + std::to_string(a->size) + " category " +
         std::to_string(a->category);
}

// kModule tells the functions of modules apart.
template <int kModule>
struct Tool {
  static void Log(const char* call, const std::string& domain, const std::string& name) {
    std::FILE* log = Mine().log;
    if (log == nullptr) return;
    std::fprintf(log, "%d %s %s %s\n", kModule, call, domain.c_str(), name.c_str());
    std::fflush(log);
  }
  using Lock = std::lock_guard<std::mutex>;
  static std::string In(nvtxDomainHandle_t domain) { return Known(Mine().domains, domain); }
  static nvtxRangeId_t Started(const std::string& name) {
    Mine().ranges[++Mine().last_range] = name;
    return Mine().last_range;
  }
  static void Ended(const char* call, const std::string& domain, nvtxRangeId_t range) {
    const auto found = Mine().ranges.find(range);
    Log(call, domain, found == Mine().ranges.end() ? "NOT MINE" : found->second);
    if (found != Mine().ranges.end()) Mine().ranges.erase(found);
  }
  static int Pushed(nvtxDomainHandle_t domain) { return 100 + Mine().depths[domain]++; }
  static int Popped(nvtxDomainHandle_t domain) { return 100 + --Mine().depths[domain]; }

  static void MarkA(const char* m) {
    Lock l(Mine().mutex);
    Log("MarkA", "", Text(m));
  }
  static void MarkW(const wchar_t* m) {
    Lock l(Mine().mutex);
    Log("MarkW", "", Text(m));
  }
  static void MarkEx(const nvtxEventAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("MarkEx", "", Name(a));
  }
  static int PushA(const char* m) {
    Lock l(Mine().mutex);
    Log("PushA", "", Text(m));
    return Pushed(nullptr);
  }
  static int PushW(const wchar_t* m) {
    Lock l(Mine().mutex);
    Log("PushW", "", Text(m));
    return Pushed(nullptr);
  }
  static int PushEx(const nvtxEventAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("PushEx", "", Name(a));
    return Pushed(nullptr);
  }
  static int Pop() {
    Lock l(Mine().mutex);
    Log("Pop", "", "");
    return Popped(nullptr);
  }
  static nvtxRangeId_t StartA(const char* m) {
    Lock l(Mine().mutex);
    Log("StartA", "", Text(m));
    return Started(Text(m));
  }
  static nvtxRangeId_t StartW(const wchar_t* m) {
    Lock l(Mine().mutex);
    Log("StartW", "", Text(m));
    return Started(Text(m));
  }
  static nvtxRangeId_t StartEx(const nvtxEventAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("StartEx", "", Name(a));
    return Started(Name(a));
  }
  static void End(nvtxRangeId_t range) {
    Lock l(Mine().mutex);
    Ended("End", "", range);
  }
  static void CategoryA(uint32_t c, const char* n) {
    Lock l(Mine().mutex);
    Log("CategoryA", std::to_string(c), Text(n));
  }
  static void CategoryW(uint32_t c, const wchar_t* n) {
    Lock l(Mine().mutex);
    Log("CategoryW", std::to_string(c), Text(n));
  }
  static void ThreadA(uint32_t, const char* n) {
    Lock l(Mine().mutex);
    Log("ThreadA", "", Text(n));
  }
  static void ThreadW(uint32_t, const wchar_t* n) {
    Lock l(Mine().mutex);
    Log("ThreadW", "", Text(n));
  }
  static void CuDeviceA(int, const char* n) {
    Lock l(Mine().mutex);
    Log("CuDeviceA", "", Text(n));
  }
  static void CudaDeviceA(int, const char* n) {
    Lock l(Mine().mutex);
    Log("CudaDeviceA", "", Text(n));
  }

  static void DomainMark(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("DomainMark", In(d), Name(a));
  }
  static int DomainPush(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("DomainPush", In(d), Name(a));
    return Pushed(d);
  }
  static int DomainPop(nvtxDomainHandle_t d) {
    Lock l(Mine().mutex);
    Log("DomainPop", In(d), "");
    return Popped(d);
  }
  static nvtxRangeId_t DomainStart(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("DomainStart", In(d), Name(a));
    return Started(Name(a));
  }
  static void DomainEnd(nvtxDomainHandle_t d, nvtxRangeId_t range) {
    Lock l(Mine().mutex);
    Ended("DomainEnd", In(d), range);
  }
  static nvtxResourceHandle_t Resource(nvtxDomainHandle_t d, nvtxResourceAttributes_t* a) {
    Lock l(Mine().mutex);
    Log("Resource", In(d), Name(a->messageType, a->message));
    return reinterpret_cast<nvtxResourceHandle_t>(&Mine());
  }
  static void ResourceGone(nvtxResourceHandle_t r) {
    Lock l(Mine().mutex);
    Log("ResourceGone", "", reinterpret_cast<void*>(r) == &Mine() ? "" : "NOT MINE");
  }
  static void DomainCategoryA(nvtxDomainHandle_t d, uint32_t c, const char* n) {
    Lock l(Mine().mutex);
    Log("DomainCategoryA", In(d) + std::to_string(c), Text(n));
  }
  static void DomainCategoryW(nvtxDomainHandle_t d, uint32_t c, const wchar_t* n) {
    Lock l(Mine().mutex);
    Log("DomainCategoryW", In(d) + std::to_string(c), Text(n));
  }
  template <typename Letter>
  static nvtxStringHandle_t Register(nvtxDomainHandle_t d, const Letter* text) {
    Lock l(Mine().mutex);
    Log("Register", In(d), Text(text));
    auto* handle = new char;
    Mine().strings[handle] = Text(text);
    return reinterpret_cast<nvtxStringHandle_t>(handle);
  }
  template <typename Letter>
  static nvtxDomainHandle_t Create(const Letter* text) {
    Lock l(Mine().mutex);
    Log("Create", "", Text(text));
    auto* handle = new char;
    Mine().domains[handle] = Text(text);
    return reinterpret_cast<nvtxDomainHandle_t>(handle);
  }
  static void Destroy(nvtxDomainHandle_t d) {
    Lock l(Mine().mutex);
    Log("Destroy", In(d), "");
  }
  static nvtx_nvtxSyncUser_t Sync(nvtxDomainHandle_t d, const void*) {
    Lock l(Mine().mutex);
    Log("Sync", In(d), "");
    return &Mine();
  }
  static void SyncReleasing(nvtx_nvtxSyncUser_t s) {
    Lock l(Mine().mutex);
    Log("SyncReleasing", "", s == &Mine() ? "" : "NOT MINE");
  }

  // --- the payload extension
  static std::string Data(const nvtxPayloadData_t* data, size_t count) {
    if (count == 0) return "no data";
    const bool mine = data->schemaId > kFirstSchema && data->schemaId <= Mine().last_schema;
    return mine ? "schema " + std::to_string(data->schemaId - kFirstSchema) : "another's schema";
  }
  static int PayloadPush(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    Lock l(Mine().mutex);
    Log("PayloadPush", In(d), Data(p, n));
    return Pushed(d);
  }
  static int PayloadPop(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    Lock l(Mine().mutex);
    Log("PayloadPop", In(d), Data(p, n));
    return Popped(d);
  }
  static nvtxRangeId_t PayloadStart(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    Lock l(Mine().mutex);
    Log("PayloadStart", In(d), Data(p, n));
    return Started("by payload");
  }
  static void PayloadEnd(nvtxDomainHandle_t d, nvtxRangeId_t r, const nvtxPayloadData_t*, size_t) {
    Lock l(Mine().mutex);
    Ended("PayloadEnd", In(d), r);
  }
  static void PayloadMark(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    Lock l(Mine().mutex);
    Log("PayloadMark", In(d), Data(p, n));
  }
  static uint64_t PayloadSchema(nvtxDomainHandle_t d, const nvtxPayloadSchemaAttr_t* a) {
    Lock l(Mine().mutex);
    Log("PayloadSchema", In(d), Text(a->name));
    return ++Mine().last_schema;
  }
  static uint64_t Scope(nvtxDomainHandle_t d, const nvtxScopeAttr_t*) {
    Lock l(Mine().mutex);
    Log("Scope", In(d), "");
    return 7;
  }

  static void Set(const NvtxExportTableCallbacks* callbacks) {
    NvtxFunctionTable table = nullptr;
    unsigned int size = 0;
    const auto set = [&](unsigned int id, auto* function) {
      if (id < size && table[id] != nullptr)
        *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
    };
    callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
    set(NVTX_CBID_CORE_MarkEx, MarkEx);
    set(NVTX_CBID_CORE_MarkA, MarkA);
    set(NVTX_CBID_CORE_MarkW, MarkW);
    set(NVTX_CBID_CORE_RangeStartEx, StartEx);
    set(NVTX_CBID_CORE_RangeStartA, StartA);
    set(NVTX_CBID_CORE_RangeStartW, StartW);
    set(NVTX_CBID_CORE_RangeEnd, End);
    set(NVTX_CBID_CORE_RangePushEx, PushEx);
    set(NVTX_CBID_CORE_RangePushA, PushA);
    set(NVTX_CBID_CORE_RangePushW, PushW);
    set(NVTX_CBID_CORE_RangePop, Pop);
    set(NVTX_CBID_CORE_NameCategoryA, CategoryA);
    set(NVTX_CBID_CORE_NameCategoryW, CategoryW);
    set(NVTX_CBID_CORE_NameOsThreadA, ThreadA);
    set(NVTX_CBID_CORE_NameOsThreadW, ThreadW);
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDA, &table, &size) != 0)
      set(NVTX_CBID_CUDA_NameCuDeviceA, CuDeviceA);
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CUDART, &table, &size) != 0)
      set(NVTX_CBID_CUDART_NameCudaDeviceA, CudaDeviceA);
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_SYNC, &table, &size) != 0) {
      set(NVTX_CBID_SYNC_DomainSyncUserCreate, Sync);
      set(NVTX_CBID_SYNC_DomainSyncUserReleasing, SyncReleasing);
    }
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return;
    set(NVTX_CBID_CORE2_DomainResourceCreate, Resource);
    set(NVTX_CBID_CORE2_DomainResourceDestroy, ResourceGone);
    set(NVTX_CBID_CORE2_DomainMarkEx, DomainMark);
    set(NVTX_CBID_CORE2_DomainRangeStartEx, DomainStart);
    set(NVTX_CBID_CORE2_DomainRangeEnd, DomainEnd);
    set(NVTX_CBID_CORE2_DomainRangePushEx, DomainPush);
    set(NVTX_CBID_CORE2_DomainRangePop, DomainPop);
    if (IsVariant("no_domains")) return;
    set(NVTX_CBID_CORE2_DomainNameCategoryA, DomainCategoryA);
    set(NVTX_CBID_CORE2_DomainNameCategoryW, DomainCategoryW);
    set(NVTX_CBID_CORE2_DomainRegisterStringA, Register<char>);
    set(NVTX_CBID_CORE2_DomainRegisterStringW, Register<wchar_t>);
    set(NVTX_CBID_CORE2_DomainCreateA, Create<char>);
    set(NVTX_CBID_CORE2_DomainCreateW, Create<wchar_t>);
    set(NVTX_CBID_CORE2_DomainDestroy, Destroy);
  }
  static void SetPayloads(nvtxExtModuleSegment_t& segment) {
    const auto set = [&](size_t id, auto* function) {
      segment.functionSlots[id] = reinterpret_cast<intptr_t>(function);
    };
    set(NVTX3EXT_CBID_nvtxMarkPayload, PayloadMark);
    set(NVTX3EXT_CBID_nvtxRangePushPayload, PayloadPush);
    set(NVTX3EXT_CBID_nvtxRangePopPayload, PayloadPop);
    set(NVTX3EXT_CBID_nvtxRangeStartPayload, PayloadStart);
    set(NVTX3EXT_CBID_nvtxRangeEndPayload, PayloadEnd);
    set(NVTX3EXT_CBID_nvtxScopeRegister, Scope);
    if (!IsVariant("no_domains")) set(NVTX3EXT_CBID_nvtxPayloadSchemaRegister, PayloadSchema);
  }
};

int Initialise(NvtxGetExportTableFunc_t get_table) {
  {
    const std::lock_guard<std::mutex> lock(Mine().mutex);
    const char* path = getenv("RAFTER_FAKE_NVTX_LOG");
    if (Mine().log == nullptr && path != nullptr) Mine().log = std::fopen(path, "ae");
  }
  static std::atomic<int> modules{0};
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  const int module = IsVariant("own_functions") ? modules++ : 0;
  module == 0 ? Tool<0>::Set(callbacks) : Tool<1>::Set(callbacks);
  return IsVariant("declines") ? 0 : 1;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  return Initialise(get_table);
}
EXPORT int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table) {
  return Initialise(get_table);
}
EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* info) {
  static std::atomic<int> modules{0};
  if (IsVariant("declines")) return 0;
  if (info->moduleId != NVTX_EXT_PAYLOAD_MODULEID) return 1;
  const int module = IsVariant("own_functions") ? modules++ : 0;
  module == 0 ? Tool<0>::SetPayloads(info->segments[0]) : Tool<1>::SetPayloads(info->segments[0]);
  return 1;
}
