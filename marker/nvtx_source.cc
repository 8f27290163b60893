#include "marker/nvtx_source.h"

// NVTX's own switch for tools: types and callback tables, no client code.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <cwchar>

namespace rafter {
namespace {

std::atomic<const RegionSink*> g_sink{nullptr};
std::atomic<size_t> g_registered_bytes{0};

// What an nvtxStringHandle_t of ours points to. The text follows.
struct RegisteredString {
  uint64_t magic;
  size_t size;
  char text[1];
};
constexpr uint64_t kStringMagic = 0x7261667465727374;  // "rafterst"

// A domain handle carries the number of the domain; the default domain is null.
nvtxDomainHandle_t HandleOf(uint32_t domain) {
  return reinterpret_cast<nvtxDomainHandle_t>(static_cast<uintptr_t>(domain));
}
uint32_t DomainOf(nvtxDomainHandle_t handle) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle));
}

size_t BoundedLength(const char* text) { return strnlen(text, kMaxNameBytes); }

// Cuts trailing blanks: Fortran hands over fixed-length strings.
NameBytes Trimmed(const char* text, size_t size) {
  while (size > 0 && text[size - 1] == ' ') --size;
  return {text, size};
}

NameBytes NameOf(const char* text) {
  if (text == nullptr) return {"", 0};
  return Trimmed(text, BoundedLength(text));
}

// Calls `use` with the UTF-8 form of a wide string. Short names need no memory.
template <typename Use>
auto WithWide(const wchar_t* text, Use&& use) {
  constexpr size_t kOnStack = 1024;
  char stack[kOnStack];
  if (text == nullptr) return use(NameBytes{"", 0});
  const size_t most = std::wcslen(text) * 4;
  if (most <= kOnStack) return use(Trimmed(stack, WideToUtf8(text, stack, kOnStack)));
  const size_t room = most < kMaxNameBytes ? most : kMaxNameBytes;
  char* heap = static_cast<char*>(std::malloc(room));
  if (heap == nullptr) return use(Trimmed(stack, WideToUtf8(text, stack, kOnStack)));
  auto answer = use(Trimmed(heap, WideToUtf8(text, heap, room)));
  std::free(heap);
  return answer;
}

// Keeps a string for good. Null when the limit is reached.
RegisteredString* Keep(NameBytes name) {
  const size_t bytes = sizeof(RegisteredString) + name.size;
  if (g_registered_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes >
      kMaxRegisteredBytes) {
    g_registered_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  auto* kept = static_cast<RegisteredString*>(std::malloc(bytes));
  if (kept == nullptr) return nullptr;
  kept->magic = kStringMagic;
  kept->size = name.size;
  std::memcpy(kept->text, name.data, name.size);
  kept->text[name.size] = '\0';
  return kept;
}

// Calls `use` with the message of an attribute structure of any version: fields
// beyond the size that the program states are not read.
template <typename Use>
auto WithMessage(const nvtxEventAttributes_t* attributes, Use&& use) {
  constexpr NameBytes kNone{"", 0};
  if (attributes == nullptr ||
      attributes->size < offsetof(nvtxEventAttributes_t, message) + sizeof(attributes->message)) {
    return use(kNone);
  }
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return use(NameOf(attributes->message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE:
      return WithWide(attributes->message.unicode, use);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const auto* kept = reinterpret_cast<const RegisteredString*>(attributes->message.registered);
      if (kept == nullptr || kept->magic != kStringMagic) return use(kNone);
      return use(NameBytes{kept->text, kept->size});
    }
    default:
      return use(kNone);
  }
}

int Push(uint32_t domain, NameBytes name) {
  return g_sink.load(std::memory_order_relaxed)->push(domain, name);
}
nvtxRangeId_t Start(uint32_t domain, NameBytes name) {
  return g_sink.load(std::memory_order_relaxed)->start(domain, name);
}
void End(nvtxRangeId_t range) { g_sink.load(std::memory_order_relaxed)->end(range); }

int NVTX_API OnPushA(const char* message) { return Push(0, NameOf(message)); }
int NVTX_API OnPushW(const wchar_t* message) {
  return WithWide(message, [](NameBytes name) { return Push(0, name); });
}
int NVTX_API OnPushEx(const nvtxEventAttributes_t* attributes) {
  return WithMessage(attributes, [](NameBytes name) { return Push(0, name); });
}
int NVTX_API OnPop() { return g_sink.load(std::memory_order_relaxed)->pop(0); }
nvtxRangeId_t NVTX_API OnStartA(const char* message) { return Start(0, NameOf(message)); }
nvtxRangeId_t NVTX_API OnStartW(const wchar_t* message) {
  return WithWide(message, [](NameBytes name) { return Start(0, name); });
}
nvtxRangeId_t NVTX_API OnStartEx(const nvtxEventAttributes_t* attributes) {
  return WithMessage(attributes, [](NameBytes name) { return Start(0, name); });
}
void NVTX_API OnEnd(nvtxRangeId_t range) { End(range); }

int NVTX_API OnDomainPushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return WithMessage(attributes, [domain](NameBytes name) { return Push(DomainOf(domain), name); });
}
int NVTX_API OnDomainPop(nvtxDomainHandle_t domain) {
  return g_sink.load(std::memory_order_relaxed)->pop(DomainOf(domain));
}
nvtxRangeId_t NVTX_API OnDomainStartEx(nvtxDomainHandle_t domain,
                                       const nvtxEventAttributes_t* attributes) {
  return WithMessage(attributes,
                     [domain](NameBytes name) { return Start(DomainOf(domain), name); });
}
void NVTX_API OnDomainEnd(nvtxDomainHandle_t, nvtxRangeId_t range) { End(range); }
nvtxStringHandle_t NVTX_API OnRegisterA(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(Keep(NameOf(text)));
}
nvtxStringHandle_t NVTX_API OnRegisterW(nvtxDomainHandle_t, const wchar_t* text) {
  return reinterpret_cast<nvtxStringHandle_t>(
      WithWide(text, [](NameBytes name) { return Keep(name); }));
}
nvtxDomainHandle_t NVTX_API OnDomainCreateA(const char* name) {
  return HandleOf(g_sink.load(std::memory_order_relaxed)->domain(NameOf(name)));
}
nvtxDomainHandle_t NVTX_API OnDomainCreateW(const wchar_t* name) {
  return HandleOf(WithWide(
      name, [](NameBytes bytes) { return g_sink.load(std::memory_order_relaxed)->domain(bytes); }));
}
void NVTX_API OnDomainDestroy(nvtxDomainHandle_t) {}

template <typename Function>
void Set(NvtxFunctionTable table, unsigned int size, unsigned int id, Function* function) {
  if (id < size && table[id] != nullptr) {
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
}

}  // namespace

size_t WideToUtf8(const wchar_t* text, char* out, size_t room) {
  size_t size = 0;
  for (; *text != 0; ++text) {
    auto code = static_cast<uint32_t>(*text);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size + bytes > room) break;
    if (bytes == 1) {
      out[size++] = static_cast<char>(code);
      continue;
    }
    constexpr unsigned char kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = bytes - 1; i > 0; --i) {
      out[size + i] = static_cast<char>(0x80 | (code & 0x3F));
      code >>= 6;
    }
    out[size] = static_cast<char>(kLead[bytes] | code);
    size += bytes;
  }
  return size;
}

bool NvtxSource::Attach(const void* get_export_table, const RegionSink* sink) {
  const auto get_table =
      reinterpret_cast<NvtxGetExportTableFunc_t>(reinterpret_cast<uintptr_t>(get_export_table));
  if (get_table == nullptr) return false;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks) ||
      callbacks->GetModuleFunctionTable == nullptr) {
    return false;
  }
  g_sink.store(sink, std::memory_order_release);
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 0) {
    Set(table, size, NVTX_CBID_CORE_RangePushA, OnPushA);
    Set(table, size, NVTX_CBID_CORE_RangePushW, OnPushW);
    Set(table, size, NVTX_CBID_CORE_RangePushEx, OnPushEx);
    Set(table, size, NVTX_CBID_CORE_RangePop, OnPop);
    Set(table, size, NVTX_CBID_CORE_RangeStartA, OnStartA);
    Set(table, size, NVTX_CBID_CORE_RangeStartW, OnStartW);
    Set(table, size, NVTX_CBID_CORE_RangeStartEx, OnStartEx);
    Set(table, size, NVTX_CBID_CORE_RangeEnd, OnEnd);
  }
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0) {
    Set(table, size, NVTX_CBID_CORE2_DomainRangePushEx, OnDomainPushEx);
    Set(table, size, NVTX_CBID_CORE2_DomainRangePop, OnDomainPop);
    Set(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, OnDomainStartEx);
    Set(table, size, NVTX_CBID_CORE2_DomainRangeEnd, OnDomainEnd);
    Set(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, OnRegisterA);
    Set(table, size, NVTX_CBID_CORE2_DomainRegisterStringW, OnRegisterW);
    Set(table, size, NVTX_CBID_CORE2_DomainCreateA, OnDomainCreateA);
    Set(table, size, NVTX_CBID_CORE2_DomainCreateW, OnDomainCreateW);
    Set(table, size, NVTX_CBID_CORE2_DomainDestroy, OnDomainDestroy);
  }
  return true;
}

}  // namespace rafter
