// Evaluator turns the counter-data image of an epoch into values: one range
// after the other, for the counters of the epoch's set.
//
//   Threads   one thread at a time.
//   Blocking  40 to 130 us per range; the first use of a chip 80 ms.
//   Memory    none beyond CUPTI's.
//   Lifetime  the door outlives it.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/plan/cupti_door.h"
#include "collector/store/run.h"

namespace rafter {

// What the image was counted with.
struct ImageOrigin {
  std::string chip;            // "GH100"
  uint32_t cupti_version = 0;  // of the target
  std::vector<uint8_t> availability;
  std::string gpu;  // UUID: images of different GPUs are never evaluated by one object
};

struct RangeValues {
  std::string name;
  std::vector<std::optional<double>> values;  // by position in the counters; absent: not a number
};

class Evaluator {
 public:
  explicit Evaluator(CuptiDoor& door) : door_(door) {}

  // Whether an image of this origin can be evaluated here: Unavailable without
  // CUPTI, FailedPrecondition with another major version than the target's.
  absl::Status CanEvaluate(const ImageOrigin& origin);

  // Every range of an image, in slot order.
  absl::StatusOr<std::vector<RangeValues>> Ranges(const ImageOrigin& origin,
                                                  const std::vector<uint8_t>& image,
                                                  const std::vector<Counter>& counters);

 private:
  CuptiDoor& door_;
};

// Puts the values of ranges, which are named by path numbers in decimal ("7", or
// "7.3" where a slot is of the third call), into the epoch's slots and marks
// them evaluated. A slot whose range is not in the image has absent values. Returns what did not
// fit, one line, or nothing.
std::string FillSlots(const std::vector<RangeValues>& ranges, size_t counters, Epoch& epoch);

// The set whose passes contain `pass`, or null.
const CounterSet* SetOfPass(const std::vector<CounterSet>& sets, uint32_t pass);

}  // namespace rafter
