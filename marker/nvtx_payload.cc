#include "marker/nvtx_payload.h"

#include <cstddef>
#include <cstdlib>

#include "marker/nvtx_calls.h"
#include "marker/nvtx_schema.h"
#include "marker/nvtx_tool.h"

namespace rafter {
namespace {

// NVTX's own count; ids beyond it are the other tool's alone.
constexpr size_t kSlots = NVTX3EXT_CBID_nvtxEventBatchSubmit + 1;

// The other tool's functions of the extension, by NVTX3EXT_CBID. 0: none.
struct ToolSlots {
  intptr_t slots[kSlots] = {};
  bool operator==(const ToolSlots&) const = default;
};
SetList<ToolSlots> g_slots;
std::atomic<uint32_t> g_modules{0};

using EventFunction = int (*)(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t);
using MarkFunction = void (*)(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t);
using StartFunction = nvtxRangeId_t (*)(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t);
using EndFunction = void (*)(nvtxDomainHandle_t, nvtxRangeId_t, const nvtxPayloadData_t*, size_t);
using SchemaFunction = uint64_t (*)(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t*);
using EnumFunction = uint64_t (*)(nvtxDomainHandle_t, const nvtxPayloadEnumAttr_t*);
using EnabledFunction = uint8_t (*)(nvtxDomainHandle_t);

// Calls `use` with an event that has its name from its payloads.
template <typename Use>
auto WithPayloads(uint32_t domain, const nvtxPayloadData_t* payloads, size_t count, Use&& use) {
  const wchar_t* wide = nullptr;
  const NameBytes name = NameOf(domain, payloads, count, wide);
  if (wide == nullptr) return use(Named(name));
  return WithWide(wide, [&](NameBytes text) { return use(Named(text)); });
}

template <typename Function>
intptr_t Address(Function* function) {
  return reinterpret_cast<intptr_t>(function);
}

// As in nvtx_source.cc.
template <int kTool>
struct Extended {
  template <typename Function>
  static Function Theirs(size_t id) {
    if constexpr (kTool == kNoTool) return nullptr;
    return reinterpret_cast<Function>(g_slots[kTool < 0 ? 0 : kTool].slots[id]);
  }

  static int Push(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count) {
    const auto theirs = Theirs<EventFunction>(NVTX3EXT_CBID_nvtxRangePushPayload);
    const int level = theirs == nullptr ? kNotAsked : theirs(TheirDomain(domain), payloads, count);
    const uint32_t number = DomainOf(domain);
    return WithPayloads(number, payloads, count, [=](const RegionEvent& event) {
      return Level(Sink().push(number, event), level);
    });
  }
  static int Pop(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count) {
    const int level = Sink().pop(DomainOf(domain));
    const auto theirs = Theirs<EventFunction>(NVTX3EXT_CBID_nvtxRangePopPayload);
    return Level(level,
                 theirs == nullptr ? kNotAsked : theirs(TheirDomain(domain), payloads, count));
  }
  static nvtxRangeId_t Start(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads,
                             size_t count) {
    const auto theirs = Theirs<StartFunction>(NVTX3EXT_CBID_nvtxRangeStartPayload);
    const uint32_t number = DomainOf(domain);
    return WithPayloads(number, payloads, count, [=](const RegionEvent& event) {
      // An end may come through the core, where a tool's id is looked for in a pair.
      if (!NvtxTool::Named()) return Sink().start(number, event);
      return StartBoth(number, event, theirs != nullptr,
                       [=] { return theirs(TheirDomain(domain), payloads, count); });
    });
  }
  static void End(nvtxDomainHandle_t domain, nvtxRangeId_t range, const nvtxPayloadData_t* payloads,
                  size_t count) {
    const auto theirs = Theirs<EndFunction>(NVTX3EXT_CBID_nvtxRangeEndPayload);
    EndBoth(range, theirs != nullptr,
            [=](uint64_t id) { theirs(TheirDomain(domain), id, payloads, count); });
  }
  static void Mark(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count) {
    const auto theirs = Theirs<MarkFunction>(NVTX3EXT_CBID_nvtxMarkPayload);
    if (theirs != nullptr) theirs(TheirDomain(domain), payloads, count);
    const uint32_t number = DomainOf(domain);
    WithPayloads(number, payloads, count,
                 [=](const RegionEvent& event) { return Sink().mark(number, event), 0; });
  }
  static uint64_t RegisterSchema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attr) {
    const auto theirs = Theirs<SchemaFunction>(NVTX3EXT_CBID_nvtxPayloadSchemaRegister);
    uint64_t id = theirs == nullptr ? 0 : theirs(TheirDomain(domain), attr);
    if (attr == nullptr) return id;
    const bool named = (attr->fieldMask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID) != 0;
    const uint64_t own = SchemaId(named ? attr->schemaId : 0);
    if (id == 0) id = own;
    const uint32_t number = DomainOf(domain);
    if (FindSchema(number, id) != nullptr) return id;
    const NvtxSchema schema = ReadSchema(*attr);
    KeepSchema(number, id, schema);
    // The program may use the id that it chose, whatever the tool answers.
    if (own != id && named && own == attr->schemaId) KeepSchema(number, own, schema);
    return id;
  }
  static uint64_t RegisterEnum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attr) {
    const auto theirs = Theirs<EnumFunction>(NVTX3EXT_CBID_nvtxPayloadEnumRegister);
    const uint64_t id = theirs == nullptr ? 0 : theirs(TheirDomain(domain), attr);
    if (id != 0 || attr == nullptr) return id;
    const bool named = (attr->fieldMask & NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID) != 0;
    return SchemaId(named ? attr->schemaId : 0);
  }
  // For the other tool alone: a domain's handle of ours would mean nothing to it.
  template <size_t kId, typename Answer, typename... Rest>
  static Answer PassOn(nvtxDomainHandle_t domain, Rest... rest) {
    return Theirs<Answer (*)(nvtxDomainHandle_t, Rest...)>(kId)(TheirDomain(domain), rest...);
  }
  static intptr_t PassedOn(size_t id) {
    switch (id) {
      case NVTX3EXT_CBID_nvtxScopeRegister:
        return Address(PassOn<NVTX3EXT_CBID_nvtxScopeRegister, uint64_t, const nvtxScopeAttr_t*>);
      case NVTX3EXT_CBID_nvtxTimeDomainRegister:
        return Address(PassOn<NVTX3EXT_CBID_nvtxTimeDomainRegister, uint64_t, const void*>);
      case NVTX3EXT_CBID_nvtxTimerSource:
        return Address(PassOn<NVTX3EXT_CBID_nvtxTimerSource, void, uint64_t, uint64_t, void*>);
      case NVTX3EXT_CBID_nvtxTimerSourceWithData:
        return Address(
            PassOn<NVTX3EXT_CBID_nvtxTimerSourceWithData, void, uint64_t, uint64_t, void*, void*>);
      case NVTX3EXT_CBID_nvtxTimeSyncPoint:
        return Address(
            PassOn<NVTX3EXT_CBID_nvtxTimeSyncPoint, void, uint64_t, uint64_t, int64_t, int64_t>);
      case NVTX3EXT_CBID_nvtxTimeSyncPointTable:
        return Address(PassOn<NVTX3EXT_CBID_nvtxTimeSyncPointTable, void, uint64_t, uint64_t,
                              const void*, size_t>);
      case NVTX3EXT_CBID_nvtxTimestampConversionFactor:
        return Address(PassOn<NVTX3EXT_CBID_nvtxTimestampConversionFactor, void, uint64_t, uint64_t,
                              double, int64_t, int64_t>);
      case NVTX3EXT_CBID_nvtxEventSubmit:
        return Address(PassOn<NVTX3EXT_CBID_nvtxEventSubmit, void, const void*, size_t>);
      case NVTX3EXT_CBID_nvtxEventBatchSubmit:
        return Address(PassOn<NVTX3EXT_CBID_nvtxEventBatchSubmit, void, const void*>);
      default:
        return 0;
    }
  }
  // We take every domain, so a tool that does not want one must not switch it off.
  static uint8_t IsEnabled(nvtxDomainHandle_t domain) {
    const auto theirs = Theirs<EnabledFunction>(NVTX3EXT_CBID_nvtxDomainIsEnabled);
    if (theirs != nullptr) theirs(TheirDomain(domain));
    return 1;
  }
};

// The function of ours for a call, or 0 where we have no use for it.
template <int kTool>
intptr_t Ours(size_t id, bool they_have_it) {
  using Mine = Extended<kTool>;
  const intptr_t passed_on = they_have_it ? Mine::PassedOn(id) : 0;
  switch (id) {
    case NVTX3EXT_CBID_nvtxPayloadSchemaRegister:
      return Address(Mine::RegisterSchema);
    case NVTX3EXT_CBID_nvtxPayloadEnumRegister:
      return Address(Mine::RegisterEnum);
    case NVTX3EXT_CBID_nvtxMarkPayload:
      return Address(Mine::Mark);
    case NVTX3EXT_CBID_nvtxRangePushPayload:
      return Address(Mine::Push);
    case NVTX3EXT_CBID_nvtxRangePopPayload:
      return Address(Mine::Pop);
    case NVTX3EXT_CBID_nvtxRangeStartPayload:
      return Address(Mine::Start);
    case NVTX3EXT_CBID_nvtxRangeEndPayload:
      return Address(Mine::End);
    case NVTX3EXT_CBID_nvtxDomainIsEnabled:
      return Address(Mine::IsEnabled);
    default:
      return passed_on;
  }
}

// `theirs`: the tool's slots, as many as the module has; null: none.
template <int kTool>
void Fill(const nvtxExtModuleSegment_t& segment, const intptr_t* theirs) {
  for (size_t id = 0; id < segment.slotCount; ++id) {
    const intptr_t tools = theirs == nullptr ? 0 : theirs[id];
    const intptr_t ours = Ours<kTool>(id, tools != 0);
    if (ours != 0 || tools != 0) segment.functionSlots[id] = ours != 0 ? ours : tools;
  }
}

using FillFunction = void (*)(const nvtxExtModuleSegment_t&, const intptr_t*);
constexpr FillFunction kFill[] = {Fill<kNoTool>, Fill<0>, Fill<1>, Fill<2>, Fill<3>, Fill<4>};
static_assert(sizeof kFill / sizeof kFill[0] == 1 + SetList<ToolSlots>::kCount);

// Lets the other tool fill slots of ours. Null when it has nothing here.
const intptr_t* AskTool(const nvtxExtModuleInfo_t& info,
                        NvtxExtInitializeInjectionFunc_t initialise) {
  constexpr size_t kMostSlots = 1024;  // NVTX has 63
  const nvtxExtModuleSegment_t& segment = info.segments[0];
  if (initialise == nullptr || segment.slotCount > kMostSlots) return nullptr;
  if (g_modules.fetch_add(1, std::memory_order_relaxed) >= kMaxToolModules) {
    g_modules.store(kMaxToolModules, std::memory_order_relaxed);
    return nullptr;  // NvtxTool::Attach says so
  }
  // Kept: the tool may write there later.
  auto* slots = static_cast<intptr_t*>(std::calloc(segment.slotCount + 1, sizeof(intptr_t)));
  if (slots == nullptr) return nullptr;
  nvtxExtModuleSegment_t shadow_segment = segment;
  shadow_segment.functionSlots = slots;
  nvtxExtModuleInfo_t shadow = info;
  shadow.segmentsCount = 1;
  shadow.segments = &shadow_segment;
  if (initialise(&shadow) == 0) return nullptr;
  for (size_t id = 0; id < segment.slotCount; ++id) {
    if (slots[id] == 1) slots[id] = 0;  // "switched off", in NVTX's words
  }
  return slots;
}

bool IsPayloads(const nvtxExtModuleInfo_t& info) {
  // The layout of schemas belongs to the upper half of the number.
  return info.moduleId == NVTX_EXT_PAYLOAD_MODULEID &&
         info.compatId >> 8 == NVTX_EXT_PAYLOAD_COMPATID >> 8 && info.segmentsCount >= 1 &&
         info.segments != nullptr && info.segments[0].functionSlots != nullptr;
}

}  // namespace

bool NvtxPayload::Attach(void* module_info, const RegionSink* sink) noexcept {
  auto* info = static_cast<nvtxExtModuleInfo_t*>(module_info);
  if (info == nullptr || info->structSize < offsetof(nvtxExtModuleInfo_t, getExportFunction)) {
    return false;
  }
  g_sink.store(sink, std::memory_order_release);
  const auto initialise = reinterpret_cast<NvtxExtInitializeInjectionFunc_t>(
      NvtxTool::Find("InitializeInjectionNvtxExtension", false));
  if (!IsPayloads(*info)) return initialise == nullptr || initialise(info) != 0;
  const intptr_t* slots = AskTool(*info, initialise);
  ToolSlots calls;
  for (size_t id = 0; slots != nullptr && id < kSlots && id < info->segments[0].slotCount; ++id) {
    if (Ours<kNoTool>(id, true) != 0) calls.slots[id] = slots[id];
  }
  int set = NvtxTool::Named() ? g_slots.NumberOf(calls) : kNoTool;
  if (NvtxTool::Named() && set < 0) {
    NoteTooManySets();
    set = 0;
    slots = nullptr;
  }
  kFill[set + 1](info->segments[0], slots);
  return true;
}

}  // namespace rafter
