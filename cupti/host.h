// CuptiHost plans counter configurations and evaluates counter-data images
// with CUPTI's host half. It needs neither GPU nor driver. Free of NVIDIA's
// headers.
//
//   Threads   one thread at a time for one object.
//   Blocking  the first use of a chip takes about 80 ms and 112 MB.
//   Memory    keeps one CUPTI host object per chip and availability.
//   Lifetime  objects are freed with it; the library stays mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cupti/library.h"
#include "cupti/status.h"

namespace rafter {

struct CuptiTable;

// What CUPTI says of one metric.
struct MetricProperties {
  std::string description;  // one sentence
  std::string unit;         // dimension, e.g. "bytes"; empty when it has none
  std::string hardware;     // unit of the chip, e.g. "dram"
};

// A configuration image for one chip and what it costs.
struct PlannedConfiguration {
  std::vector<uint8_t> image;
  size_t passes = 0;  // never 0
};

class CuptiHost {
 public:
  // Loads CUPTI as `search` says, or fails with what was tried.
  static Result<std::unique_ptr<CuptiHost>> Open(const CuptiSearch& search);
  ~CuptiHost();

  const std::string& path() const;  // the library file
  uint32_t version() const;         // 130001 = 13.0 Update 1

  // Chip names that this library knows ("GH100"), in its own order.
  Result<std::vector<std::string>> Chips();

  // Names without roll-up ("dram__bytes") of all counters, ratios and
  // throughputs of a chip. `availability` may be empty: the full list then.
  Result<std::vector<std::string>> BaseMetrics(const std::string& chip,
                                               const std::vector<uint8_t>& availability);

  // Whether the chip has this metric, given with its roll-up.
  Result<bool> HasMetric(const std::string& chip, const std::vector<uint8_t>& availability,
                         const std::string& metric);

  Result<MetricProperties> Properties(const std::string& chip,
                                      const std::vector<uint8_t>& availability,
                                      const std::string& metric);

  // One configuration in which each group of metrics has passes of its own, in
  // the order given. Every metric must exist: CUPTI's host object is poisoned
  // by the first unknown name.
  Result<PlannedConfiguration> Plan(const std::string& chip,
                                    const std::vector<uint8_t>& availability,
                                    const std::vector<std::vector<std::string>>& groups);

  // Names of the ranges in an image, in slot order.
  Result<std::vector<std::string>> RangeNames(std::span<const uint8_t> image);

  // Values of `metrics` for one range, by position. A value that CUPTI calls
  // not a number is absent.
  Result<std::vector<std::optional<double>>> Evaluate(const std::string& chip,
                                                      const std::vector<uint8_t>& availability,
                                                      std::span<const uint8_t> image, size_t range,
                                                      const std::vector<std::string>& metrics);

 private:
  struct Chip;
  explicit CuptiHost(const CuptiTable* table);
  Result<Chip*> ChipFor(const std::string& chip, const std::vector<uint8_t>& availability);

  const CuptiTable* table_;
  std::map<std::pair<std::string, std::vector<uint8_t>>, std::unique_ptr<Chip>> chips_;
};

}  // namespace rafter
