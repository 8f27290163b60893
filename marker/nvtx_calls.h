// What a call of the program becomes when two tools hear it: which answer it gets,
// and what of it the other tool may see.
//
//   Threads   any.
//   Blocking  as the sink and the tool do.
//   Memory    none.
//   Lifetime  plain functions.
#pragma once

#include <climits>
#include <cstring>

#include "marker/nvtx_abi.h"
#include "marker/nvtx_handles.h"
#include "marker/nvtx_text.h"

namespace rafter {

// The answer of a tool that was not asked.
inline constexpr int kNotAsked = INT_MIN;

// The level of ours where we track it, else the other tool's.
inline int Level(int ours, int theirs) { return ours >= 0 || theirs == kNotAsked ? ours : theirs; }

inline RegionEvent Named(NameBytes name) { return {name, 0, {}}; }

// Whether attributes of any version are long enough to have this field.
template <typename Attributes, typename Field>
bool Has(const Attributes* attributes, const Field& field) {
  return attributes != nullptr &&
         attributes->size >= static_cast<size_t>(reinterpret_cast<const char*>(&field + 1) -
                                                 reinterpret_cast<const char*>(attributes));
}

// The number in an event. Bits only: a conversion would leave its marks in the
// program's registers.
inline Payload PayloadOf(const nvtxEventAttributes_t* attributes) {
  uint32_t half = 0;
  std::memcpy(&half, &attributes->payload, sizeof half);
  uint64_t whole = 0;
  std::memcpy(&whole, &attributes->payload, sizeof whole);
  switch (attributes->payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      return {Payload::Kind::kUnsigned, whole};
    case NVTX_PAYLOAD_TYPE_INT64:
      return {Payload::Kind::kSigned, whole};
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      return {Payload::Kind::kDouble, whole};
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      return {Payload::Kind::kUnsigned, half};
    case NVTX_PAYLOAD_TYPE_INT32:
      return {Payload::Kind::kSigned, static_cast<uint64_t>(int64_t{static_cast<int32_t>(half)})};
    case NVTX_PAYLOAD_TYPE_FLOAT:
      return {Payload::Kind::kFloat, half};
    default:
      return {};
  }
}

// Calls `use` with the event of an attribute structure of any version: fields
// beyond the size that the program states are not read.
template <typename Use>
auto WithEvent(const nvtxEventAttributes_t* attributes, Use&& use) {
  RegionEvent event = Named({"", 0});
  if (attributes == nullptr) return use(event);
  if (Has(attributes, attributes->category)) event.category = attributes->category;
  if (Has(attributes, attributes->payload)) event.payload = PayloadOf(attributes);
  if (!Has(attributes, attributes->message)) return use(event);
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      event.name = NameOf(attributes->message.ascii);
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      event.name = NameOf(attributes->message.registered);
      break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      return WithWide(attributes->message.unicode, [&](NameBytes name) {
        event.name = name;
        return use(event);
      });
    default:
      break;
  }
  return use(event);
}

// A domain as the other tool may see it: a handle of ours would mean nothing to it.
inline nvtxDomainHandle_t TheirDomain(nvtxDomainHandle_t domain) {
  return IsOurs(domain) ? nullptr : domain;
}

// Attributes as the other tool may see them: a shallow copy without the string's
// handle where that is one of ours.
template <typename Attributes>
class ForTool {
 public:
  explicit ForTool(const Attributes* given) : shown_(given) {
    if (given == nullptr || !Has(given, given->message) ||
        given->messageType != NVTX_MESSAGE_TYPE_REGISTERED || !IsOurs(given->message.registered)) {
      return;
    }
    const size_t size = given->size < sizeof copy_ ? given->size : sizeof copy_;
    std::memcpy(&copy_, given, size);
    copy_.size = static_cast<uint16_t>(size);
    copy_.message.registered = nullptr;
    shown_ = &copy_;
  }
  // May be written by nobody; NVTX's functions lack the const.
  Attributes* get() const { return const_cast<Attributes*>(shown_); }

 private:
  Attributes copy_;  // as much as was copied
  const Attributes* shown_;
};

// Starts a range in the other tool with `ask`, which is told nothing, and in ours.
// Returns the id for the program.
template <typename Ask>
nvtxRangeId_t StartBoth(uint32_t domain, const RegionEvent& event, bool they_have_it, Ask&& ask) {
  const uint64_t theirs = they_have_it ? ask() : 0;
  const int place = TakePair();
  if (place < 0) {
    Note(
        "NVTX: more than 1,024 start/end ranges are open beside another tool; further ones reach "
        "that tool only; end ranges that are done");
    return theirs;
  }
  const uint64_t ours = Sink().start(domain, event);
  if (ours != 0 && ours != ~uint64_t{0}) return OpenPair(place, {ours, theirs});
  DropPair(place);
  return they_have_it ? theirs : ours;
}

// Ends a range that the program knows by `id`, in ours and with `tell` in the other tool.
template <typename Tell>
void EndBoth(nvtxRangeId_t id, bool they_have_it, Tell&& tell) {
  RangePair pair;
  if (!IsPair(id)) {
    if (they_have_it) {
      tell(id);
    } else {
      Sink().end(id);
    }
    return;
  }
  if (!ClosePair(id, pair)) return Sink().end(0);  // ended before: the sink counts it
  Sink().end(pair.ours);
  if (they_have_it) tell(pair.theirs);
}

}  // namespace rafter
