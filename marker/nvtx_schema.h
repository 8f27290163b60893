// What is kept of a payload schema: its name, and where in the data the event's
// message is.
//
//   Threads   any.
//   Blocking  never.
//   Memory    40 bytes for each schema, at most kMaxSchemas, kept for good.
//   Lifetime  static.
#pragma once

#include <cstddef>
#include <cstdint>

#include "marker/nvtx_abi.h"
#include "marker/nvtx_text.h"

#include <nvtx3/nvToolsExtPayload.h>

namespace rafter {

// How the entry for the message says it.
enum class MessageForm : uint8_t {
  kNone,
  kPointer,      // address of a text
  kWidePointer,  // address of a text in UTF-32
  kRegistered,   // handle of a registered string
  kEmbedded,     // the text itself
  kFromBase,     // distance of the text from the payload's beginning, 64 bits
  kFromHere,     // the same from the end of the entry
};

struct NvtxSchema {
  nvtxStringHandle_t name = nullptr;
  uint64_t message_at = 0;         // bytes from the payload's beginning
  uint64_t message_most = 0;       // bytes of an embedded text; 0: to its zero
  uint64_t static_size_bytes = 0;  // 0: not stated
  MessageForm form = MessageForm::kNone;
};

// Reads what a program registers. Entries that cannot be placed leave no message.
NvtxSchema ReadSchema(const nvtxPayloadSchemaAttr_t& attributes);

// Keeps a schema under the id by which the program will name it in the domain.
void KeepSchema(uint32_t domain, uint64_t id, const NvtxSchema& schema);

// An id that no other schema has. The program's own where that is a valid one.
uint64_t SchemaId(uint64_t wanted);

// Null for one that is not kept.
const NvtxSchema* FindSchema(uint32_t domain, uint64_t id);

// The name of an event: of its payloads the first message, else the first text,
// else the first schema's name. `wide` is set, and the name empty, when the
// message is in UTF-32.
NameBytes NameOf(uint32_t domain, const nvtxPayloadData_t* payloads, size_t count,
                 const wchar_t*& wide);

}  // namespace rafter
