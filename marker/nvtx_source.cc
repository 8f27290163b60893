#include "marker/nvtx_source.h"

#include <cstddef>

#include "marker/nvtx_calls.h"
#include "marker/nvtx_tool.h"

namespace rafter {
namespace {

uint32_t FoundDomain(NameBytes name) {
  const uint32_t domain = Sink().domain(name);
  if (domain == kUntrackedDomain) {
    Note(
        "NVTX: the program makes more domains than are kept; regions of later ones are not "
        "recorded; use fewer domains");
  }
  return domain;
}

// The functions that a module gets: `kTool` is the place of the other tool's own
// in NvtxTool::calls(), or kNoTool, when all that concerns it is left out. The
// tool is told of beginnings before us and of ends after us, so that its time is not in
// the region. Each is a hot path: without a tool a few instructions around the sink's.
template <int kTool>
struct On {
  template <typename Function>
  static Function Core(NvtxCallbackIdCore id) {
    if constexpr (kTool == kNoTool) return nullptr;
    return reinterpret_cast<Function>(NvtxTool::calls()[kTool < 0 ? 0 : kTool].core[id]);
  }
  template <typename Function>
  static Function Core2(NvtxCallbackIdCore2 id) {
    if constexpr (kTool == kNoTool) return nullptr;
    return reinterpret_cast<Function>(NvtxTool::calls()[kTool < 0 ? 0 : kTool].core2[id]);
  }

  template <typename Ask>
  static nvtxRangeId_t Start(uint32_t domain, const RegionEvent& event, bool has, Ask&& ask) {
    if constexpr (kTool == kNoTool) return Sink().start(domain, event);
    return StartBoth(domain, event, has, ask);
  }
  template <typename Tell>
  static void End(nvtxRangeId_t id, bool has, Tell&& tell) {
    if constexpr (kTool == kNoTool) return Sink().end(id);
    EndBoth(id, has, tell);
  }

  // --- marks

  static void NVTX_API MarkA(const char* message) {
    const auto theirs = Core<nvtxMarkA_impl_fntype>(NVTX_CBID_CORE_MarkA);
    if (theirs != nullptr) theirs(message);
    Sink().mark(0, Named(NameOf(message)));
  }
  static void NVTX_API MarkW(const wchar_t* message) {
    const auto theirs = Core<nvtxMarkW_impl_fntype>(NVTX_CBID_CORE_MarkW);
    if (theirs != nullptr) theirs(message);
    WithWide(message, [](NameBytes name) { return Sink().mark(0, Named(name)), 0; });
  }
  static void NVTX_API MarkEx(const nvtxEventAttributes_t* attributes) {
    const auto theirs = Core<nvtxMarkEx_impl_fntype>(NVTX_CBID_CORE_MarkEx);
    if (theirs != nullptr) theirs(ForTool(attributes).get());
    WithEvent(attributes, [](const RegionEvent& event) { return Sink().mark(0, event), 0; });
  }
  static void NVTX_API DomainMarkEx(nvtxDomainHandle_t domain,
                                    const nvtxEventAttributes_t* attributes) {
    const auto theirs = Core2<nvtxDomainMarkEx_impl_fntype>(NVTX_CBID_CORE2_DomainMarkEx);
    if (theirs != nullptr) theirs(TheirDomain(domain), ForTool(attributes).get());
    WithEvent(attributes, [domain](const RegionEvent& event) {
      return Sink().mark(DomainOf(domain), event), 0;
    });
  }

  // --- regions of a thread

  static int NVTX_API PushA(const char* message) {
    const auto theirs = Core<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA);
    const int level = theirs == nullptr ? kNotAsked : theirs(message);
    return Level(Sink().push(0, Named(NameOf(message))), level);
  }
  static int NVTX_API PushW(const wchar_t* message) {
    const auto theirs = Core<nvtxRangePushW_impl_fntype>(NVTX_CBID_CORE_RangePushW);
    const int level = theirs == nullptr ? kNotAsked : theirs(message);
    return WithWide(message,
                    [level](NameBytes name) { return Level(Sink().push(0, Named(name)), level); });
  }
  static int NVTX_API PushEx(const nvtxEventAttributes_t* attributes) {
    const auto theirs = Core<nvtxRangePushEx_impl_fntype>(NVTX_CBID_CORE_RangePushEx);
    const int level = theirs == nullptr ? kNotAsked : theirs(ForTool(attributes).get());
    return WithEvent(attributes, [level](const RegionEvent& event) {
      return Level(Sink().push(0, event), level);
    });
  }
  static int NVTX_API Pop() {
    const int level = Sink().pop(0);
    const auto theirs = Core<nvtxRangePop_impl_fntype>(NVTX_CBID_CORE_RangePop);
    return Level(level, theirs == nullptr ? kNotAsked : theirs());
  }
  static int NVTX_API DomainPushEx(nvtxDomainHandle_t domain,
                                   const nvtxEventAttributes_t* attributes) {
    const auto theirs = Core2<nvtxDomainRangePushEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangePushEx);
    const int level =
        theirs == nullptr ? kNotAsked : theirs(TheirDomain(domain), ForTool(attributes).get());
    return WithEvent(attributes, [domain, level](const RegionEvent& event) {
      return Level(Sink().push(DomainOf(domain), event), level);
    });
  }
  static int NVTX_API DomainPop(nvtxDomainHandle_t domain) {
    const int level = Sink().pop(DomainOf(domain));
    const auto theirs = Core2<nvtxDomainRangePop_impl_fntype>(NVTX_CBID_CORE2_DomainRangePop);
    return Level(level, theirs == nullptr ? kNotAsked : theirs(TheirDomain(domain)));
  }

  // --- regions that any thread ends

  static nvtxRangeId_t NVTX_API StartA(const char* message) {
    const auto theirs = Core<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA);
    return Start(0, Named(NameOf(message)), theirs != nullptr, [=] { return theirs(message); });
  }
  static nvtxRangeId_t NVTX_API StartW(const wchar_t* message) {
    const auto theirs = Core<nvtxRangeStartW_impl_fntype>(NVTX_CBID_CORE_RangeStartW);
    return WithWide(message, [=](NameBytes name) {
      return Start(0, Named(name), theirs != nullptr, [=] { return theirs(message); });
    });
  }
  static nvtxRangeId_t NVTX_API StartEx(const nvtxEventAttributes_t* attributes) {
    const auto theirs = Core<nvtxRangeStartEx_impl_fntype>(NVTX_CBID_CORE_RangeStartEx);
    return WithEvent(attributes, [=](const RegionEvent& event) {
      return Start(0, event, theirs != nullptr, [=] { return theirs(ForTool(attributes).get()); });
    });
  }
  static void NVTX_API RangeEnd(nvtxRangeId_t range) {
    const auto theirs = Core<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd);
    End(range, theirs != nullptr, theirs);
  }
  static nvtxRangeId_t NVTX_API DomainStartEx(nvtxDomainHandle_t domain,
                                              const nvtxEventAttributes_t* attributes) {
    const auto theirs =
        Core2<nvtxDomainRangeStartEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangeStartEx);
    return WithEvent(attributes, [=](const RegionEvent& event) {
      return Start(DomainOf(domain), event, theirs != nullptr,
                   [=] { return theirs(TheirDomain(domain), ForTool(attributes).get()); });
    });
  }
  static void NVTX_API DomainEnd(nvtxDomainHandle_t domain, nvtxRangeId_t range) {
    const auto theirs = Core2<nvtxDomainRangeEnd_impl_fntype>(NVTX_CBID_CORE2_DomainRangeEnd);
    End(range, theirs != nullptr, [=](uint64_t id) { theirs(TheirDomain(domain), id); });
  }

  // --- names

  static void NVTX_API CategoryA(uint32_t category, const char* name) {
    const auto theirs = Core<nvtxNameCategoryA_impl_fntype>(NVTX_CBID_CORE_NameCategoryA);
    if (theirs != nullptr) theirs(category, name);
    NameCategory(0, category, NameOf(name));
  }
  static void NVTX_API CategoryW(uint32_t category, const wchar_t* name) {
    const auto theirs = Core<nvtxNameCategoryW_impl_fntype>(NVTX_CBID_CORE_NameCategoryW);
    if (theirs != nullptr) theirs(category, name);
    WithWide(name, [=](NameBytes bytes) { return NameCategory(0, category, bytes); });
  }
  static void NVTX_API DomainCategoryA(nvtxDomainHandle_t domain, uint32_t category,
                                       const char* name) {
    const auto theirs =
        Core2<nvtxDomainNameCategoryA_impl_fntype>(NVTX_CBID_CORE2_DomainNameCategoryA);
    if (theirs != nullptr) theirs(TheirDomain(domain), category, name);
    NameCategory(DomainOf(domain), category, NameOf(name));
  }
  static void NVTX_API DomainCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                                       const wchar_t* name) {
    const auto theirs =
        Core2<nvtxDomainNameCategoryW_impl_fntype>(NVTX_CBID_CORE2_DomainNameCategoryW);
    if (theirs != nullptr) theirs(TheirDomain(domain), category, name);
    WithWide(name,
             [=](NameBytes bytes) { return NameCategory(DomainOf(domain), category, bytes); });
  }
  static bool NameCategory(uint32_t domain, uint32_t category, NameBytes name) {
    if (category == 0) return false;  // NVTX's "no category"
    Sink().category(domain, category, name);
    return true;
  }

  // --- handles: the program gets the other tool's where it has one

  static nvtxStringHandle_t Registered(NameBytes name, nvtxStringHandle_t theirs) {
    const nvtxStringHandle_t ours = KeepString(name);
    if (theirs == nullptr) return ours;
    CallString(theirs, ours);
    return theirs;
  }
  static nvtxStringHandle_t NVTX_API RegisterA(nvtxDomainHandle_t domain, const char* text) {
    const auto theirs =
        Core2<nvtxDomainRegisterStringA_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringA);
    return Registered(NameOf(text),
                      theirs == nullptr ? nullptr : theirs(TheirDomain(domain), text));
  }
  static nvtxStringHandle_t NVTX_API RegisterW(nvtxDomainHandle_t domain, const wchar_t* text) {
    const auto theirs =
        Core2<nvtxDomainRegisterStringW_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringW);
    const auto handle = theirs == nullptr ? nullptr : theirs(TheirDomain(domain), text);
    return WithWide(text, [handle](NameBytes name) { return Registered(name, handle); });
  }
  static nvtxDomainHandle_t Created(NameBytes name, nvtxDomainHandle_t theirs) {
    const uint32_t domain = FoundDomain(name);
    if (theirs == nullptr) return HandleOf(domain);
    CallDomain(theirs, domain);
    return theirs;
  }
  static nvtxDomainHandle_t NVTX_API CreateA(const char* name) {
    const auto theirs = Core2<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA);
    return Created(NameOf(name), theirs == nullptr ? nullptr : theirs(name));
  }
  static nvtxDomainHandle_t NVTX_API CreateW(const wchar_t* name) {
    const auto theirs = Core2<nvtxDomainCreateW_impl_fntype>(NVTX_CBID_CORE2_DomainCreateW);
    const auto handle = theirs == nullptr ? nullptr : theirs(name);
    return WithWide(name, [handle](NameBytes bytes) { return Created(bytes, handle); });
  }
  // Domains are kept: the same name finds the same one again.
  static void NVTX_API Destroy(nvtxDomainHandle_t domain) {
    const auto theirs = Core2<nvtxDomainDestroy_impl_fntype>(NVTX_CBID_CORE2_DomainDestroy);
    if (theirs != nullptr && !IsOurs(domain)) theirs(domain);
  }

  // --- for the other tool alone, without handles of ours

  static nvtxResourceHandle_t NVTX_API CreateResource(nvtxDomainHandle_t domain,
                                                      nvtxResourceAttributes_t* attributes) {
    const auto theirs =
        Core2<nvtxDomainResourceCreate_impl_fntype>(NVTX_CBID_CORE2_DomainResourceCreate);
    return theirs(TheirDomain(domain), ForTool(attributes).get());
  }
  static nvtx_nvtxSyncUser_t NVTX_API CreateSync(nvtxDomainHandle_t domain,
                                                 const nvtx_nvtxSyncUserAttributes_t* attributes) {
    const auto theirs = reinterpret_cast<nvtxDomainSyncUserCreate_fakeimpl_fntype>(
        NvtxTool::calls()[kTool < 0 ? 0 : kTool].sync[NVTX_CBID_SYNC_DomainSyncUserCreate]);
    return theirs(TheirDomain(domain),
                  ForTool(static_cast<const nvtxSyncUserAttributes_t*>(attributes)).get());
  }
};

template <typename Function>
NvtxFunctionPointer Plain(Function* function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

// The function of ours for a call, or null where we have no use for it.
template <int kTool>
NvtxFunctionPointer OursInCore(unsigned int id) {
  using Mine = On<kTool>;
  switch (id) {
    case NVTX_CBID_CORE_MarkEx:
      return Plain(Mine::MarkEx);
    case NVTX_CBID_CORE_MarkA:
      return Plain(Mine::MarkA);
    case NVTX_CBID_CORE_MarkW:
      return Plain(Mine::MarkW);
    case NVTX_CBID_CORE_RangeStartEx:
      return Plain(Mine::StartEx);
    case NVTX_CBID_CORE_RangeStartA:
      return Plain(Mine::StartA);
    case NVTX_CBID_CORE_RangeStartW:
      return Plain(Mine::StartW);
    case NVTX_CBID_CORE_RangeEnd:
      return Plain(Mine::RangeEnd);
    case NVTX_CBID_CORE_RangePushEx:
      return Plain(Mine::PushEx);
    case NVTX_CBID_CORE_RangePushA:
      return Plain(Mine::PushA);
    case NVTX_CBID_CORE_RangePushW:
      return Plain(Mine::PushW);
    case NVTX_CBID_CORE_RangePop:
      return Plain(Mine::Pop);
    case NVTX_CBID_CORE_NameCategoryA:
      return Plain(Mine::CategoryA);
    case NVTX_CBID_CORE_NameCategoryW:
      return Plain(Mine::CategoryW);
    default:
      return nullptr;
  }
}

template <int kTool>
NvtxFunctionPointer OursInCore2(unsigned int id, bool they_have_it) {
  using Mine = On<kTool>;
  switch (id) {
    case NVTX_CBID_CORE2_DomainMarkEx:
      return Plain(Mine::DomainMarkEx);
    case NVTX_CBID_CORE2_DomainRangeStartEx:
      return Plain(Mine::DomainStartEx);
    case NVTX_CBID_CORE2_DomainRangeEnd:
      return Plain(Mine::DomainEnd);
    case NVTX_CBID_CORE2_DomainRangePushEx:
      return Plain(Mine::DomainPushEx);
    case NVTX_CBID_CORE2_DomainRangePop:
      return Plain(Mine::DomainPop);
    case NVTX_CBID_CORE2_DomainResourceCreate:
      return they_have_it ? Plain(Mine::CreateResource) : nullptr;
    case NVTX_CBID_CORE2_DomainNameCategoryA:
      return Plain(Mine::DomainCategoryA);
    case NVTX_CBID_CORE2_DomainNameCategoryW:
      return Plain(Mine::DomainCategoryW);
    case NVTX_CBID_CORE2_DomainRegisterStringA:
      return Plain(Mine::RegisterA);
    case NVTX_CBID_CORE2_DomainRegisterStringW:
      return Plain(Mine::RegisterW);
    case NVTX_CBID_CORE2_DomainCreateA:
      return Plain(Mine::CreateA);
    case NVTX_CBID_CORE2_DomainCreateW:
      return Plain(Mine::CreateW);
    case NVTX_CBID_CORE2_DomainDestroy:
      return Plain(Mine::Destroy);
    default:
      return nullptr;
  }
}

template <int kTool>
NvtxFunctionPointer Ours(NvtxCallbackModule which, unsigned int id, bool they_have_it) {
  switch (which) {
    case NVTX_CB_MODULE_CORE:
      return OursInCore<kTool>(id);
    case NVTX_CB_MODULE_CORE2:
      return OursInCore2<kTool>(id, they_have_it);
    case NVTX_CB_MODULE_SYNC:
      if (!they_have_it || id != NVTX_CBID_SYNC_DomainSyncUserCreate) return nullptr;
      return Plain(On<kTool>::CreateSync);
    default:
      return nullptr;
  }
}

// Fills a module's tables: ours, else the other tool's, else nothing, which NVTX
// turns into a call that does nothing.
template <int kTool>
void Fill(const NvtxExportTableCallbacks& callbacks, const ShadowModule* shadow) {
  for (int module = 1; module < NVTX_CB_MODULE_SIZE; ++module) {
    const auto which = static_cast<NvtxCallbackModule>(module);
    NvtxFunctionTable table = nullptr;
    unsigned int size = 0;
    if (callbacks.GetModuleFunctionTable(which, &table, &size) == 0 || table == nullptr) continue;
    for (unsigned int id = 1; id < size; ++id) {
      if (table[id] == nullptr) continue;
      const NvtxFunctionPointer theirs =
          shadow == nullptr ? nullptr : shadow->tables[module].Theirs(id);
      const NvtxFunctionPointer ours = Ours<kTool>(which, id, theirs != nullptr);
      if (ours != nullptr || theirs != nullptr) *table[id] = ours != nullptr ? ours : theirs;
    }
  }
}

using FillFunction = void (*)(const NvtxExportTableCallbacks&, const ShadowModule*);
constexpr FillFunction kFill[] = {Fill<kNoTool>, Fill<0>, Fill<1>, Fill<2>, Fill<3>, Fill<4>};
static_assert(sizeof kFill / sizeof kFill[0] == 1 + SetList<ToolCalls>::kCount);

}  // namespace

bool NvtxSource::Attach(const void* get_export_table, const RegionSink* sink,
                        const char* next_tool_path, Door door) noexcept {
  const auto get_table =
      reinterpret_cast<NvtxGetExportTableFunc_t>(reinterpret_cast<uintptr_t>(get_export_table));
  if (get_table == nullptr) return false;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  g_sink.store(sink, std::memory_order_release);
  const bool old = door == Door::kNvtx2;
  const char* entry = old ? "InitializeInjectionNvtx" : "InitializeInjectionNvtx2";
  const size_t known = sizeof(NvtxExportTableCallbacks);
  if (callbacks == nullptr || callbacks->struct_size < known ||
      (old && callbacks->struct_size != known) || callbacks->GetModuleFunctionTable == nullptr) {
    NvtxTool::PassOn(get_table, next_tool_path, entry);
    Note(
        "NVTX: a module offers tables that Rafter does not know, so its regions are not seen; "
        "build it with the headers of NVTX 3, or use libnvToolsExt.so.1 of CUDA 11.8");
    return false;
  }
  const NvtxTool::Attached tool = NvtxTool::Attach(get_table, *callbacks, next_tool_path, entry);
  kFill[tool.set + 1](*callbacks, tool.shadow);
  return true;
}

}  // namespace rafter
