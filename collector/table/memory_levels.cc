#include "collector/table/memory_levels.h"

#include <absl/status/status.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "collector/table/derived.h"
#include "collector/table/device_peaks.h"
#include "collector/table/formulas.h"

namespace rafter {
namespace {

using DeviceKey = std::tuple<std::string, std::string, std::string>;
using Peaks = std::map<DeviceKey, DevicePeaks>;

DeviceKey KeyOf(const Row& row) {
  return {row.hardware, row.device_uuid,
          row.device_uuid.empty() ? row.host + "/" + row.device : ""};
}

std::optional<double> ValueOf(const Row& row, std::string_view metric) {
  const auto found = row.metrics.find(std::string(metric));
  return found == row.metrics.end() ? std::nullopt : found->second;
}

// Over the microsecond that the range of an empty region takes, clocks are noise.
bool LaunchedNothing(const Row& row) {
  return ValueOf(row, kBlocksMetric) == 0.0 || row.launches == uint64_t{0};
}

Row AtLevel(const Row& row, const std::string& level, const Peaks& peaks) {
  Row at = row;
  at.memory_level = level;
  at.traffic_bytes = ValueOf(row, TrafficMetric(level));
  at.exclusive_traffic_bytes.reset();
  at.flop_per_byte.reset();
  at.peak_bytes_per_s = peaks.at(KeyOf(row)).Of(PeakBandwidth(level));
  if (!at.traffic_bytes) {
    at.reason += (at.reason.empty() ? "" : "; ") + std::string(TrafficMetric(level)) +
                 " has no value here; it is in set memory";
  }
  if (at.flop && at.traffic_bytes && *at.traffic_bytes > 0 && !WithholdsRatios(row)) {
    at.flop_per_byte = *at.flop / *at.traffic_bytes;
  }
  return at;
}

// All that names a row but its level.
std::vector<std::string> IdentityOf(const Row& row) {
  std::vector<std::string> identity;
  for (const auto field :
       {&Row::benchmark_problem, &Row::paradigm, &Row::precision, &Row::hardware, &Row::executable,
        &Row::region, &Row::kernel_id, &Row::kernel, &Row::kernel_signature, &Row::grid_size,
        &Row::block_size, &Row::source, &Row::rank, &Row::host, &Row::process, &Row::device,
        &Row::device_uuid}) {
    identity.push_back(row.*field);
  }
  return identity;
}

}  // namespace

std::vector<size_t> SameAtAllLevels(const std::vector<Row>& rows) {
  std::map<std::vector<std::string>, size_t> times;  // that an identity was met at a level
  std::map<std::vector<std::string>, size_t> places;
  std::vector<size_t> numbers;
  for (const Row& row : rows) {
    std::vector<std::string> key = IdentityOf(row);
    std::vector<std::string> at_level = key;
    at_level.push_back(row.memory_level);
    key.push_back(std::to_string(times[at_level]++));
    numbers.push_back(places.try_emplace(std::move(key), places.size()).first->second);
  }
  return numbers;
}

absl::StatusOr<std::vector<std::string>> ParseMemoryLevels(std::string_view text) {
  std::vector<std::string> levels;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    std::string level(text.substr(start, end - start));
    if (TrafficMetric(level).empty()) {
      return absl::InvalidArgumentError("\"" + level +
                                        "\" is no memory level; use dram, l2 or l1, or several as "
                                        "in dram,l2,l1");
    }
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
      return absl::InvalidArgumentError(level + " is there twice; name each level once");
    }
    levels.push_back(std::move(level));
    start = end + 1;
  }
  return levels;
}

Table AtMemoryLevels(const Table& table, const std::vector<std::string>& levels) {
  Peaks peaks;
  for (const Row& row : table.rows) {
    DevicePeaks& of_device = peaks[KeyOf(row)];
    of_device.NotePeaks(row);
    if (!LaunchedNothing(row)) of_device.NoteClocks(row);
  }
  const std::vector<size_t> numbers = SameAtAllLevels(table.rows);
  std::map<size_t, std::vector<const Row*>> same;
  for (size_t i = 0; i < numbers.size(); ++i) same[numbers[i]].push_back(&table.rows[i]);
  Table result{{}, table.notes, table.unmarked};
  for (const auto& [number, rows] : same) {
    const Row& first = *rows.front();
    // A row that says why a command gave none has no level.
    if (first.memory_level.empty() && first.metrics.empty()) {
      result.rows.push_back(first);
      continue;
    }
    for (const std::string& level : levels) {
      const auto own = std::find_if(rows.begin(), rows.end(),
                                    [&](const Row* row) { return row->memory_level == level; });
      result.rows.push_back(own != rows.end() ? **own : AtLevel(first, level, peaks));
    }
  }
  return result;
}

}  // namespace rafter
