// DevicePeaks are the highest peaks per cycle and the highest clocks seen on one
// GPU of one host, over all of its regions: what its roofs are made of.
//
//   Threads   plain value.
//   Blocking  never.
//   Memory    a number for each such metric.
//   Lifetime  plain value.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "collector/store/run.h"
#include "collector/table/formulas.h"
#include "collector/table/table.h"

namespace rafter {

class DevicePeaks {
 public:
  // The clocks of a row that launched something count towards the roofs.
  void NoteClocks(const Row& row);

  // Peaks per cycle are facts of the device, so every evaluated range tells them.
  void NotePeaks(const RunProcess& process, const RunDevice& device);
  void NotePeaks(const Row& row);

  // Nothing where a part of the formula was never seen.
  std::optional<double> Of(const std::optional<PeakFormula>& formula) const;

 private:
  struct Clock {
    double hz = 0;
    double call_s = 0;  // GPU time of a call of the region that it is from
  };

  void RaisePeak(const std::string& metric, double value);
  void RaiseClock(const std::string& metric, const Clock& seen);

  std::map<std::string, double> per_cycle_;
  std::map<std::string, Clock> clocks_;
};

}  // namespace rafter
