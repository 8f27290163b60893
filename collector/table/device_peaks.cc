#include "collector/table/device_peaks.h"

#include <algorithm>

#include "collector/table/metric.h"

namespace rafter {
namespace {

// Clocks are cycles over time, so over a few microseconds they are noise: on an
// H200 calls of 8 us read up to 1 % above what the device can run at, calls of
// 150 us none. Only longer calls count towards a roof where there are any, else
// the longest.
constexpr double kSteadyClockS = 100e-6;

}  // namespace

void DevicePeaks::RaisePeak(const std::string& metric, double value) {
  const auto [place, is_new] = per_cycle_.try_emplace(metric, value);
  if (!is_new) place->second = std::max(place->second, value);
}

void DevicePeaks::RaiseClock(const std::string& metric, const Clock& seen) {
  const auto [place, is_new] = clocks_.try_emplace(metric, seen);
  if (is_new) return;
  Clock& known = place->second;
  const bool both_steady = seen.call_s >= kSteadyClockS && known.call_s >= kSteadyClockS;
  if (both_steady ? seen.hz > known.hz : seen.call_s > known.call_s) known = seen;
}

void DevicePeaks::NoteClocks(const Row& row) {
  // Rows of tables without the column are of one launch.
  const uint64_t calls = row.calls.value_or(1);
  if (!row.duration_s || calls == 0) return;
  const double call_s = *row.duration_s / static_cast<double>(calls);
  for (const auto& [metric, value] : row.metrics) {
    if (value && metric.ends_with("__cycles_elapsed.avg.per_second")) {
      RaiseClock(metric, {*value, call_s});
    }
  }
}

void DevicePeaks::NotePeaks(const RunProcess& process, const RunDevice& device) {
  for (const Epoch& epoch : process.epochs) {
    const auto set = std::find_if(device.sets.begin(), device.sets.end(),
                                  [&](const CounterSet& each) { return each.name == epoch.set; });
    if (epoch.device != device.device || set == device.sets.end()) continue;
    for (const SlotValues& slot : epoch.slots) {
      const size_t counters = std::min(slot.values.size(), set->counters.size());
      for (size_t i = 0; slot.evaluated && i < counters; ++i) {
        const std::string& metric = set->counters[i].metric;
        if (slot.values[i] && KindOf(metric) == MetricKind::kPeak) {
          RaisePeak(metric, *slot.values[i]);
        }
      }
    }
  }
}

void DevicePeaks::NotePeaks(const Row& row) {
  for (const auto& [metric, value] : row.metrics) {
    if (value && KindOf(metric) == MetricKind::kPeak) RaisePeak(metric, *value);
  }
}

std::optional<double> DevicePeaks::Of(const std::optional<PeakFormula>& formula) const {
  if (!formula) return std::nullopt;
  std::optional<double> per_cycle;
  for (const Term& term : formula->per_cycle) {
    const auto known = per_cycle_.find(term.metric);
    if (known == per_cycle_.end()) continue;
    per_cycle = std::max(per_cycle.value_or(0), term.weight * known->second);
  }
  std::optional<double> clock_hz;
  for (const std::string& metric : formula->clocks) {
    const auto clock = clocks_.find(metric);
    if (clock != clocks_.end()) clock_hz = std::max(clock_hz.value_or(0), clock->second.hz);
  }
  if (!per_cycle || !clock_hz) return std::nullopt;
  const double peak = *per_cycle * *clock_hz;
  return peak > 0 ? std::optional<double>(peak) : std::nullopt;
}

}  // namespace rafter
