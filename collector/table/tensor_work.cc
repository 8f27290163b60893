#include "collector/table/tensor_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "collector/table/formulas.h"
#include "collector/table/number_text.h"
#include "collector/table/region_values.h"
#include "collector/table/set_words.h"

namespace rafter {
namespace {

// Floating-point formats that were planned, with the operations of each.
std::map<std::string, std::optional<double>> FormatsOf(const Evidence& evidence) {
  std::map<std::string, std::optional<double>> formats;
  for (const CounterSet& set : evidence.device.sets) {
    const std::string format(TensorFormatOf(set.name));
    if (format.empty() || !IsFloatingPoint(format) || formats.contains(format)) continue;
    const auto total =
        FindFlop(evidence.values, "tensor." + format, evidence.options, evidence.instances.calls);
    formats[format] = total ? std::optional<double>(total->value) : std::nullopt;
  }
  return formats;
}

std::string ListOf(const std::map<std::string, std::optional<double>>& formats) {
  std::string text;
  for (const auto& [format, flop] : formats)
    text += (text.empty() ? "tensor." : ", tensor.") + format;
  return text;
}

// A floating-point format of which the plan could not have all; empty: none.
std::string Unplanned(const RunDevice& device) {
  for (const MissingCounter& missing : device.missing) {
    const std::string_view format = TensorFormatOf(missing.set);
    if (!format.empty() && IsFloatingPoint(format)) return missing.set;
  }
  return "";
}

// Why the sum over these formats might count an operation twice; empty: it does
// not.
std::string WhyTwice(const std::map<std::string, std::optional<double>>& formats,
                     const std::string& chip) {
  for (const auto& [format, flop] : formats) {
    for (const auto& [other, other_flop] : formats) {
      if (format >= other || *flop == 0 || *other_flop == 0) continue;
      if (!MayCountTheSame(chip, format, other)) continue;
      return "tensor." + format + " and tensor." + other + " both counted operations, and chip " +
             chip + "'s list of counters does not say whether one holds the other's";
    }
  }
  return "";
}

TensorWork SumOf(const std::map<std::string, std::optional<double>>& formats,
                 const std::string& chip) {
  TensorWork work;
  double sum = 0;
  size_t with_work = 0;
  for (const auto& [format, flop] : formats) {
    if (!flop) {
      work.reason = "FLOP Tensor: no call was counted in tensor." + format;
      return work;
    }
    sum += *flop;
    if (*flop == 0) continue;
    work.format = format;
    ++with_work;
  }
  if (with_work != 1) work.format.clear();
  if (const std::string twice = WhyTwice(formats, chip); !twice.empty()) {
    work.reason = "FLOP Tensor: " + twice;
    return work;
  }
  work.flop = sum;
  return work;
}

// Instructions of the tensor pipe that are work of tensor cores, over all calls: without
// HFMA2.MMA, whose work is in the FP16 counts. Both metrics are of one pass.
std::optional<double> TensorInstructions(const Evidence& evidence) {
  const uint64_t calls = evidence.instances.calls;
  const auto all = FindMetric(evidence.values, kTensorInstructionMetric, calls);
  if (!all) return std::nullopt;
  const auto packed_half = FindMetric(evidence.values, kPackedHalfOnTensorPipeMetric, calls);
  const double left = std::round(all->value - (packed_half ? packed_half->value : 0));
  return std::max(left, 0.0);
}

}  // namespace

TensorWork TensorWorkOf(const Evidence& evidence) {
  const std::optional<double> instructions = TensorInstructions(evidence);
  TensorWork work;
  if (instructions == 0.0 && TensorPipeRunsAll(evidence.device.chip)) {
    work.flop = 0;
    return work;
  }
  const bool ran = instructions.value_or(0) > 0;
  const auto formats = FormatsOf(evidence);
  if (formats.empty()) {
    if (ran) {
      work.reason = NumberText(*instructions) +
                    " tensor instructions ran, and no set of this run counts their operations: "
                    "FLOP are without them; --set tensor counts them";
    } else if (evidence.options.precision.starts_with("tensor")) {
      work.reason = "FLOP Tensor: no set of this run counts it; --set tensor does";
    }
  } else if (!IsWantedWhole(evidence.device, "tensor")) {
    work.reason = "FLOP Tensor: only " + ListOf(formats) +
                  " was asked for; --set tensor counts every format of the chip";
  } else if (const std::string unplanned = Unplanned(evidence.device); !unplanned.empty()) {
    work.reason = "FLOP Tensor: not all of " + unplanned + " can be counted";
  } else {
    work = SumOf(formats, evidence.device.chip);
  }
  work.lacks_work = ran && !work.flop;
  return work;
}

}  // namespace rafter
