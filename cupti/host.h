// CuptiHost plans counter configurations and evaluates counter-data images
// with CUPTI's host half. It needs neither GPU nor driver. Free of NVIDIA's
// headers.
//
//   Threads   one thread at a time for one object.
//   Blocking  the first use of a chip takes about 80 ms and 112 MB.
//   Memory    keeps one CUPTI host object per chip, availability and GPU that an
//             image came from, at most kMostObjects.
//   Lifetime  objects are freed with it; the library stays mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cupti/library.h"
#include "cupti/status.h"

namespace rafter {

struct CuptiTable;

// "dram__bytes.sum" -> "dram__bytes". A name without roll-up is its own base.
// Some units have dots in their names: "SM_B.TriageCompute.l1tex__throughput".
inline std::string_view BaseOf(std::string_view metric) {
  const size_t unit = metric.find("__");
  return metric.substr(0, metric.find('.', unit == std::string_view::npos ? 0 : unit));
}

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

  // Asked before each call that plans: once it says yes, planning fails at once. For a
  // process that may end meanwhile, in which CUPTI must not be found at work.
  void StopWhen(std::function<bool()> stop) { stop_ = std::move(stop); }

  const std::string& path() const;  // the library file
  uint32_t version() const;         // 130001 = 13.0 Update 1

  // Chip names that this library knows ("GH100"), in its own order.
  Result<std::vector<std::string>> Chips();

  // Names without roll-up ("dram__bytes") of all counters, ratios and
  // throughputs of a chip. `availability` may be empty: the full list then.
  Result<std::vector<std::string>> BaseMetrics(const std::string& chip,
                                               const std::vector<uint8_t>& availability);

  // What may follow a name without roll-up: ".sum", ".avg.per_second". Empty for
  // a name that the chip does not have.
  Result<std::vector<std::string>> RollUps(const std::string& chip,
                                           const std::vector<uint8_t>& availability,
                                           const std::string& base);

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
  // `gpu` names the GPU that the image comes from, by its UUID: CUPTI's object
  // remembers which units the first image's GPU has, and for another GPU of the same
  // chip, where other units are switched off, it answers "not a number" for every
  // counter per SM and L2 slice (docs/measurements/2026-11-30-turns-and-devices.md).
  Result<std::vector<std::optional<double>>> Evaluate(const std::string& chip,
                                                      const std::vector<uint8_t>& availability,
                                                      const std::string& gpu,
                                                      std::span<const uint8_t> image, size_t range,
                                                      const std::vector<std::string>& metrics);

 private:
  struct Chip;
  explicit CuptiHost(const CuptiTable* table);
  Result<Chip*> ChipFor(const std::string& chip, const std::vector<uint8_t>& availability,
                        const std::string& gpu = "");

  const CuptiTable* table_;
  std::function<bool()> stop_;
  // GPUs whose objects are kept: those of a large node twice over. Files of a whole
  // cluster make the first ones anew.
  static constexpr size_t kMostObjects = 32;

  using Key = std::tuple<std::string, std::vector<uint8_t>, std::string>;
  std::map<Key, std::unique_ptr<Chip>> chips_;
};

}  // namespace rafter
