// SetList reads which sets a run is asked for:
// "time,memory,tensor.bf16,metrics:dram__bytes.sum+lts__t_bytes.sum". Needs no
// chip: whether a chip has what is named comes out when it is planned (sets.h).
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/status.h"

namespace rafter {

// Metrics that one run may ask for by name: more than the passes of a run can
// hold, and few enough for a variable of the environment.
inline constexpr size_t kMaxAskedMetrics = 256;

// CUPTI's longest names have about 130 characters.
inline constexpr size_t kMaxMetricName = 256;

// One set as it is asked for.
struct AskedSet {
  std::string name;                  // "memory", "tensor", "tensor.bf16", "metrics"
  size_t part = 0;                   // "memory-workload.2": pass 2 of it alone; 0: all of it
  std::vector<std::string> metrics;  // of "metrics": the names
};

// Names of the sets that exist, cheap to dear. "tensor" stands for a set for
// each format of the chip, "tensor.bf16" and the like.
const std::vector<std::string>& KnownSets();

// What is counted when nothing is said: time, memory, sm, flop.
const std::vector<std::string>& DefaultSets();

// Reads one item of a list. Fails with the nearest known name for a misspelt
// one.
Result<AskedSet> ReadAskedSet(std::string_view item);

// A list -> its items in the order of KnownSets(), each once; what a larger item
// holds already ("tensor" holds "tensor.bf16") is left out.
Result<std::vector<std::string>> ParseSetList(std::string_view list);

// "A,B" -> "metrics:A+B", each once. Fails on what cannot be a metric's name.
Result<std::string> MetricsItem(std::string_view names);

// "a, b, c".
std::string Listed(const std::vector<std::string>& words, std::string_view between = ", ");

}  // namespace rafter
