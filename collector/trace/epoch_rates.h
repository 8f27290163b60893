// EpochRates are the rates that single epochs measured on one device, for the
// counter tracks of a trace. A rate is right or it is not there.
//
//   Threads   const after construction.
//   Blocking  never.
//   Memory    one time for each region.
//   Lifetime  must not outlive the RunProcess it was made from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/store/run.h"

namespace rafter {

// One counter track of a device.
struct RateKind {
  std::string name;  // "DRAM traffic"
  std::string unit;  // "Byte/s"
  std::string how;   // the formula in words
};

class EpochRates {
 public:
  EpochRates(const RunProcess& process, const RunDevice& device);

  // By position in Of()'s answer.
  static const std::vector<RateKind>& Kinds();

  // Means over the time of the epoch's ranges, in the units of Kinds(). Nothing for
  // what its set does not count, and where any of its ranges lacks a value.
  //
  //   DRAM traffic  dram__bytes.sum / gpu__time_duration.sum
  //   FP32, FP64, FP16 work  FlopTerms (collector/table/formulas.h) / the GPU time that
  //                 as many calls of the same regions take in sets that do not slow
  //                 kernels, set `time` first; calls must be whole
  //   SM clock      SmClockMetrics, weighted by gpu__time_duration.sum
  std::vector<std::optional<double>> Of(const Epoch& epoch) const;

 private:
  const CounterSet* SetOf(const Epoch& epoch) const;
  void LearnTimes();
  std::optional<double> UnslowedTimeNs(const Epoch& epoch) const;

  const RunProcess& process_;
  const RunDevice& device_;
  std::map<uint32_t, double> ns_per_call_;  // by path, without the regions below
};

}  // namespace rafter
