// ChipMetrics is what CUPTI's host half knows of one chip, with the counter
// availability of one device.
//
//   Threads   as CuptiHost.
//   Blocking  as CuptiHost.
//   Memory    refers to its owner's objects.
//   Lifetime  no longer than the host and the names it was made from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/host.h"
#include "cupti/status.h"

namespace rafter {

inline constexpr std::string_view kPassTime = "gpu__time_duration.sum";

struct ChipMetrics {
  CuptiHost& host;
  const std::string& chip;
  const std::vector<uint8_t>& availability;

  Result<bool> Has(const std::string& metric) const {
    return host.HasMetric(chip, availability, metric);
  }
  Result<std::vector<std::string>> Names() const { return host.BaseMetrics(chip, availability); }
  // One group: metrics that may share passes.
  Result<PlannedConfiguration> Plan(const std::vector<std::string>& metrics) const {
    return host.Plan(chip, availability, {metrics});
  }
};

// Peaks are facts of the device and take no counter in any pass.
inline bool IsFactOfDevice(std::string_view metric) {
  return metric.ends_with(".peak_sustained") || metric.ends_with(".max_rate");
}

}  // namespace rafter
