// RegionSink is where region sources deliver: a table of plain functions, so
// that this folder knows nothing of who counts.
//
//   Threads   every function may be called by any thread at any time.
//   Blocking  as long as the sink says; a source adds nothing.
//   Memory    names are valid during the call only; the sink copies.
//   Lifetime  the sink outlives the process's last call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rafter {

// A name as the program gave it: bytes, without a terminating zero.
struct NameBytes {
  const char* data = nullptr;
  size_t size = 0;
};

// A number that the program attached to an event.
struct Payload {
  enum class Kind : uint8_t { kNone = 0, kUnsigned = 1, kSigned = 2, kDouble = 3, kFloat = 4 };
  Kind kind = Kind::kNone;
  uint64_t bits = 0;  // kSigned: sign-extended; kDouble: its 64 bits; kFloat: its 32, never
                      // converted here, since that would leave marks in the program's registers
};

struct RegionEvent {
  NameBytes name;
  uint32_t category = 0;  // 0: none
  Payload payload = {};
};

// Of the table below. A library of another build that asks for it is answered
// with nothing when the numbers differ.
inline constexpr uint32_t kRegionSinkVersion = 2;

// Domain 0 is the default domain.
struct RegionSink {
  // Opens a region on the calling thread. Returns its level within the domain,
  // from 0, or a negative value when it could not be tracked.
  int (*push)(uint32_t domain, const RegionEvent& event);

  // Closes the innermost region of the domain on the calling thread. Returns
  // the level of that region, or a negative value when there was none.
  int (*pop)(uint32_t domain);

  // Opens a region that any thread may close. Returns its number, never 0
  // unless it could not be tracked; ~0 when regions of the domain are not wanted.
  uint64_t (*start)(uint32_t domain, const RegionEvent& event);
  void (*end)(uint64_t region);

  // Something happened at this moment, inside whatever region is open.
  void (*mark)(uint32_t domain, const RegionEvent& event);

  // Gives the number of a domain; the same name gives the same number.
  uint32_t (*domain)(NameBytes name);

  // Names a category, not 0, of a domain.
  void (*category)(uint32_t domain, uint32_t category, NameBytes name);

  // LIKWID's NvMarker: regions that are told apart by name, not by nesting.
  // Opens one on the calling thread; false when it is open there already.
  bool (*open_named)(NameBytes name);
  // Closes it; false when it is not open on this thread.
  bool (*close_named)(NameBytes name);

  // A sentence that a person should read, in UTF-8; the same one twice is kept once.
  void (*note)(NameBytes text);
};

}  // namespace rafter
