// Verdict is how far a row can be trusted, and why not further.
//
//   Threads   plain values and pure functions.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/run.h"
#include "collector/table/region_tree.h"
#include "collector/table/region_values.h"
#include "collector/table/table.h"

namespace rafter {

// From the best to the worst; a row has the worst that applies, and all
// reasons.
enum class Validity {
  kMeasured,
  kExtrapolated,
  kPartial,
  kWorkModel,
  kScaleAssumed,
  kUnlike,
  kOverlapped,
  kShared,
  kMissing
};

std::string_view ValidityText(Validity validity);

// Nothing for a word that is not ours, as in other tools' tables.
std::optional<Validity> ValidityOf(std::string_view text);

class Verdict {
 public:
  void Add(Validity validity, std::string reason);
  Validity validity() const { return validity_; }
  std::string Reason() const;  // joined by "; ", each once

 private:
  Validity validity_ = Validity::kMeasured;
  std::vector<std::string> reasons_;
};

// Everything that a verdict on one row looks at.
struct Evidence {
  const Run& run;
  const RunProcess& process;
  const RunDevice& device;
  const RegionPath& region;
  const RegionTree& tree;
  const RegionValues& values;
  const TableOptions& options;
  const InstanceSums& instances;           // of the region, on the device
  std::vector<const RunProcess*> sharers;  // others that used the device meanwhile
  bool is_first_row;                       // of the region, where it has one on each device
};

// Bytes or operations per call that differ by more than this share of the
// larger one mean that calls are unlike. FLOP are counted exactly, so a
// thousandth allows for no more than data-dependent branches. Traffic of like
// calls varies with what the caches hold, so a tenth.
inline constexpr double kUnlikeFlopShare = 0.001;
inline constexpr double kUnlikeTrafficShare = 0.10;

// What stays in the L2 at a border is written back in the next region, so calls
// of the same work may differ by as much as it holds; where its size is not
// known, by this: an empty region reads a few hundred bytes to some ten
// thousand.
inline constexpr double kUnlikeTrafficFloorBytes = 1 << 20;

// Reasons why calls of the region are unlike; empty: they are alike, as far as
// the epochs tell. Numbers of different sets must not be mixed otherwise.
std::vector<std::string> UnlikeReasons(const Evidence& evidence);

// Whether nothing was launched in any call: no block, or, where blocks were
// not counted, no launch seen.
bool HasNoKernels(const Evidence& evidence);

// Whether others used the GPU while the region ran, and what counts their work
// as well, which is all but patched kernels, has values.
bool IsShared(const Evidence& evidence);

Verdict Judge(const Evidence& evidence);

}  // namespace rafter
