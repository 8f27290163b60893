#include "marker/nvtx_schema.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "marker/handle_map.h"
#include "marker/nvtx_handles.h"

namespace rafter {
namespace {

constexpr uint64_t kDynamicIds = uint64_t{1} << 32;
constexpr uint64_t kStaticIds = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START;

std::atomic<uint64_t> g_ids{kDynamicIds};
std::atomic<uint32_t> g_schemas_made{1};
std::atomic<const NvtxSchema*> g_schemas[kMaxSchemas + 1];
HandleMap<2 * kMaxSchemas> g_numbers;

// Ids are the domain's, and of fewer than 48 bits.
constexpr int kDomainShift = 48;
bool IsSmall(uint64_t id) { return id >> kDomainShift == 0; }
uint64_t KeyOf(uint32_t domain, uint64_t id) { return uint64_t{domain} << kDomainShift | id; }

constexpr uint64_t kArrayFlags = uint64_t{7} << 4;

bool IsText(uint64_t type) {
  return type >= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING && type <= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
}

// Size and alignment in bytes of a value of a predefined type; 0: not one of a fixed size.
uint64_t SizeOf(uint64_t type) {
  switch (type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_UCHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT8:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT8:
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR8:
    case NVTX_PAYLOAD_ENTRY_TYPE_BYTE:
      return 1;
    case NVTX_PAYLOAD_ENTRY_TYPE_SHORT:
    case NVTX_PAYLOAD_ENTRY_TYPE_USHORT:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT16:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT16:
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR16:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16:
    case NVTX_PAYLOAD_ENTRY_TYPE_BF16:
      return 2;
    case NVTX_PAYLOAD_ENTRY_TYPE_INT:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_TF32:
    case NVTX_PAYLOAD_ENTRY_TYPE_WCHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR32:
    case NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY:
    case NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32:
      return 4;
    case NVTX_PAYLOAD_ENTRY_TYPE_LONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_SIZE:
    case NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS:
    case NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE:
      return 8;
    default:
      return 0;
  }
}

MessageForm FormOf(const nvtxPayloadSchemaEntry_t& entry) {
  if (entry.type == NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE) {
    return MessageForm::kRegistered;
  }
  const bool wide = entry.type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
  if (!IsText(entry.type) || entry.type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16) {
    return MessageForm::kNone;
  }
  const uint64_t array = entry.flags & kArrayFlags;
  const bool fixed = array == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE || array == 0;
  if ((entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_POINTER) != 0 ||
      (array == 0 && entry.arrayOrUnionDetail == 0 &&
       (entry.flags & (NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                       NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE)) == 0)) {
    return wide ? MessageForm::kWidePointer : MessageForm::kPointer;
  }
  if (wide) return MessageForm::kNone;
  if ((entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE) != 0) return MessageForm::kFromBase;
  if ((entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE) != 0) return MessageForm::kFromHere;
  if (array == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED || fixed) {
    return MessageForm::kEmbedded;
  }
  return MessageForm::kNone;  // of a length that is elsewhere
}

// Size and alignment of what an entry takes in the data. False when it is not known.
bool ExtentOf(const nvtxPayloadSchemaEntry_t& entry, uint64_t& size, uint64_t& alignment) {
  constexpr uint64_t kAddress = 8;
  constexpr uint64_t kMostItems = uint64_t{1} << 32;
  const uint64_t array = entry.flags & kArrayFlags;
  const bool elsewhere =
      (entry.flags & (NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                      NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE)) != 0;
  if (elsewhere || (IsText(entry.type) && array == 0 && entry.arrayOrUnionDetail == 0)) {
    size = alignment = kAddress;
    return true;
  }
  uint64_t items = 1;
  if (array == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE || IsText(entry.type)) {
    if (array != 0 && array != NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE) return false;
    items = entry.arrayOrUnionDetail;
    if (items > kMostItems) return false;
  } else if (array != 0) {
    return false;
  }
  alignment = IsText(entry.type) ? 1 : SizeOf(entry.type);
  if (entry.type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16) alignment = 2;
  if (entry.type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32) alignment = 4;
  size = items * alignment;
  return alignment != 0;
}

// Whether that many bytes from `at` on are in a payload of `size` bytes.
bool Readable(const void* data, uint64_t at, uint64_t bytes, uint64_t size) {
  return data != nullptr && at <= size && bytes <= size - at;
}

uint64_t WordAt(const void* data, uint64_t at) {
  uint64_t word = 0;
  std::memcpy(&word, static_cast<const char*>(data) + at, sizeof word);
  return word;
}

// The text that begins at `at`, of a payload of `size` bytes.
NameBytes TextAt(const void* data, uint64_t at, uint64_t most, uint64_t size) {
  if (!Readable(data, at, 0, size)) return {"", 0};
  uint64_t room = size - at;
  if (most != 0 && most < room) room = most;
  return NameOf(static_cast<const char*>(data) + at, room);
}

// The message in a payload; data null when there is none.
NameBytes MessageIn(const NvtxSchema& schema, const nvtxPayloadData_t& payload,
                    const wchar_t*& wide) {
  constexpr NameBytes kNothing{nullptr, 0};
  constexpr uint64_t kWord = sizeof(uint64_t);
  const uint64_t at = schema.message_at;
  const bool unknown = payload.size == SIZE_MAX && schema.static_size_bytes == 0;
  const uint64_t size =
      payload.size == SIZE_MAX && !unknown ? schema.static_size_bytes : uint64_t{payload.size};
  if (schema.form == MessageForm::kNone || payload.payload == nullptr) return kNothing;
  if (schema.form == MessageForm::kEmbedded) {
    if (!Readable(payload.payload, at, 1, size)) return kNothing;
    return TextAt(payload.payload, at, schema.message_most, size);
  }
  if (!Readable(payload.payload, at, kWord, size)) return kNothing;
  const uint64_t word = WordAt(payload.payload, at);
  switch (schema.form) {
    case MessageForm::kPointer:
      if (word == 0) return kNothing;
      return NameOf(reinterpret_cast<const char*>(word));
    case MessageForm::kWidePointer:
      if (word == 0) return kNothing;
      wide = reinterpret_cast<const wchar_t*>(word);
      return {"", 0};
    case MessageForm::kRegistered:
      if (word == 0) return kNothing;
      return NameOf(reinterpret_cast<nvtxStringHandle_t>(word));
    default: {
      if (unknown) return kNothing;
      const uint64_t base = schema.form == MessageForm::kFromHere ? at + kWord : 0;
      if (word >= size - base) return kNothing;
      return TextAt(payload.payload, base + word, schema.message_most, size);
    }
  }
}

// A payload that is nothing but a text.
NameBytes TextOf(const nvtxPayloadData_t& payload) {
  if (payload.payload == nullptr || payload.size == 0) return {nullptr, 0};
  switch (payload.schemaId) {
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
      return TextAt(payload.payload, 0, 0, payload.size);
    case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE: {
      if (payload.size < sizeof(nvtxStringHandle_t)) return {nullptr, 0};
      const uint64_t handle = WordAt(payload.payload, 0);
      if (handle == 0) return {nullptr, 0};
      return NameOf(reinterpret_cast<nvtxStringHandle_t>(handle));
    }
    default:
      return {nullptr, 0};
  }
}

}  // namespace

NvtxSchema ReadSchema(const nvtxPayloadSchemaAttr_t& attributes) {
  NvtxSchema schema;
  const auto has = [&](uint64_t field) { return (attributes.fieldMask & field) != 0; };
  if (has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME) && attributes.name != nullptr) {
    schema.name = KeepString(NameOf(attributes.name));
  }
  if (has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE)) {
    schema.static_size_bytes = attributes.payloadStaticSize;
  }
  if (!has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES) ||
      !has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES) || attributes.entries == nullptr) {
    return schema;
  }
  const uint64_t pack = has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT) ? attributes.packAlign : 0;
  uint64_t end = 0;  // of the entry before
  bool placed = true;
  for (size_t i = 0; i < attributes.numEntries && i < kMaxSchemaEntries; ++i) {
    const nvtxPayloadSchemaEntry_t& entry = attributes.entries[i];
    uint64_t size = 0;
    uint64_t alignment = 1;
    const bool known = ExtentOf(entry, size, alignment);
    if (pack != 0 && alignment > pack) alignment = pack;
    uint64_t at = entry.offset;
    if (at != 0) {
      placed = true;
    } else if (i > 0 && placed) {
      if (alignment == 0) alignment = 1;
      at = (end + alignment - 1) / alignment * alignment;
    }
    if ((entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE) != 0 && placed) {
      schema.form = FormOf(entry);
      schema.message_at = at;
      schema.message_most = schema.form == MessageForm::kEmbedded ? entry.arrayOrUnionDetail : 0;
      if (schema.form != MessageForm::kNone) return schema;
    }
    placed = placed && known && at < UINT32_MAX;
    end = at + size;
  }
  return schema;
}

uint64_t SchemaId(uint64_t wanted) {
  if (wanted >= kStaticIds && wanted < kDynamicIds) return wanted;
  return g_ids.fetch_add(1, std::memory_order_relaxed);
}

void KeepSchema(uint32_t domain, uint64_t id, const NvtxSchema& schema) {
  if (domain >= kMaxDomainHandles || id == 0 || !IsSmall(id)) return;
  const uint32_t number = g_schemas_made.fetch_add(1, std::memory_order_relaxed);
  if (number > kMaxSchemas) {
    g_schemas_made.store(kMaxSchemas + 1, std::memory_order_relaxed);
    return Note(
        "NVTX: more than 1,024 payload schemas; regions with a later one are named only by a text "
        "among their payloads; register each schema once");
  }
  auto* kept = static_cast<NvtxSchema*>(std::malloc(sizeof(NvtxSchema)));
  if (kept == nullptr) return;
  *kept = schema;
  g_schemas[number].store(kept, std::memory_order_release);
  g_numbers.Put(KeyOf(domain, id), number);
}

const NvtxSchema* FindSchema(uint32_t domain, uint64_t id) {
  if (domain >= kMaxDomainHandles || id == 0 || !IsSmall(id)) return nullptr;
  return g_schemas[g_numbers.Find(KeyOf(domain, id))].load(std::memory_order_acquire);
}

NameBytes NameOf(uint32_t domain, const nvtxPayloadData_t* payloads, size_t count,
                 const wchar_t*& wide) {
  wide = nullptr;
  if (payloads == nullptr) return {"", 0};
  NameBytes text{nullptr, 0};
  const NvtxSchema* first = nullptr;
  for (size_t i = 0; i < count && i < kMaxPayloads; ++i) {
    const NvtxSchema* schema = FindSchema(domain, payloads[i].schemaId);
    if (schema != nullptr) {
      const NameBytes message = MessageIn(*schema, payloads[i], wide);
      if (message.data != nullptr) return message;
      if (first == nullptr) first = schema;
    } else if (text.data == nullptr) {
      text = TextOf(payloads[i]);
    }
  }
  if (text.data != nullptr) return text;
  if (first != nullptr) return NameOf(first->name);
  return {"", 0};
}

}  // namespace rafter
