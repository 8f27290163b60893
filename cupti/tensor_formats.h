// TensorFormats finds in a chip's own list what its tensor cores count, format
// by format, each operation once (docs/decisions/0009-tensor-formats.md).
//
//   Threads   pure functions of their arguments.
//   Blocking  CountersOf plans with CUPTI's host half.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cupti/chip_metrics.h"
#include "cupti/status.h"

namespace rafter {

// What one format of source operands counts.
struct TensorFormat {
  std::string name;                 // "bf16", "fp16", "fp4_fp6_fp8", "int8"
  std::vector<std::string> totals;  // by destination, without roll-up, disjoint:
                                    // "sm__ops_path_tensor_src_fp16_dst_fp32"
};

// Formats of a chip, by name. Splits by instruction or sparsity and the
// "_realtime" twins count the same operations again and are none.
std::vector<TensorFormat> FormatsIn(const std::vector<std::string>& base_metrics);

// How one total is counted: by itself, or where that takes several passes by
// parts that add up to it.
struct TensorCounters {
  std::vector<std::string> metrics;  // with roll-up; empty: it cannot be had
  std::string reason;                // why not
};

// `base_metrics` is the chip's list. Parts are taken only if CUPTI plans the
// same raw counters for them as for the total.
Result<TensorCounters> CountersOf(const ChipMetrics& chip,
                                  const std::vector<std::string>& base_metrics,
                                  const std::string& total);

}  // namespace rafter
