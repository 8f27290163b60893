#include "collector/table/columns.h"

#include <algorithm>
#include <cmath>

#include "collector/table/number_text.h"

namespace rafter {
namespace {

template <std::string Row::*field>
Column Text(std::string name, std::string unit = "") {
  return {std::move(name), std::move(unit),
          [](const Row& row, std::string&) { return std::string_view(row.*field); },
          [](Row& row, std::string_view cell) {
            row.*field = cell;
            return true;
          }};
}

// The seeds' tables write precisions and memory levels in capitals. So do
// ours; in memory they are in small letters, whatever a file has.
template <std::string Row::*field>
Column Keyword(std::string name) {
  return {std::move(name), "",
          [](const Row& row, std::string& text) {
            text = row.*field;
            for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            // "Tensor", "Tensor.BF16".
            if (text.starts_with("TENSOR")) {
              for (size_t i = 1; i < 6; ++i) text[i] = (row.*field)[i];
            }
            return std::string_view(text);
          },
          [](Row& row, std::string_view cell) {
            std::string text(cell);
            for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            row.*field = text;
            return true;
          }};
}

template <std::optional<double> Row::*field>
Column Number(std::string name, std::string unit) {
  return {std::move(name), std::move(unit),
          [](const Row& row, std::string& room) {
            room.clear();
            if (row.*field) AppendNumber(*(row.*field), room);
            return std::string_view(room);
          },
          [](Row& row, std::string_view cell) {
            const std::optional<double> value = ParseNumber(cell);
            // NaN and infinities of other tools are no measurements.
            row.*field = value && std::isfinite(*value) ? value : std::nullopt;
            return value.has_value();
          }};
}

template <std::optional<uint64_t> Row::*field>
Column Count(std::string name) {
  return {std::move(name), "",
          [](const Row& row, std::string& room) {
            room = row.*field ? std::to_string(*(row.*field)) : std::string();
            return std::string_view(room);
          },
          [](Row& row, std::string_view cell) {
            row.*field = ParseCount(cell);
            return (row.*field).has_value();
          }};
}

}  // namespace

std::string HeaderText(std::string_view name, std::string_view unit) {
  std::string text(name);
  if (!unit.empty()) text += " [" + std::string(unit) + "]";
  return text;
}

Header ParseHeader(std::string_view text) {
  const size_t bracket = text.rfind(" [");
  if (bracket == std::string_view::npos || !text.ends_with(']')) return {text, {}};
  return {text.substr(0, bracket), text.substr(bracket + 2, text.size() - bracket - 3)};
}

const std::vector<Column>& LeadingColumns() {
  static const auto* const columns = new std::vector<Column>{
      Text<&Row::benchmark_problem>("Benchmark Problem"),
      Text<&Row::paradigm>("Paradigm"),
      Keyword<&Row::precision>("Precision"),
      Text<&Row::hardware>("Hardware"),
      Text<&Row::executable>("Executable"),
      Text<&Row::region>("Region"),
      Text<&Row::kernel_id>("Kernel ID"),
      Text<&Row::kernel>("Kernel"),
      Text<&Row::kernel_signature>("Kernel Signature"),
      Text<&Row::grid_size>("Grid Size", "blocks"),
      Text<&Row::block_size>("Block Size", "threads/block"),
      Number<&Row::duration_s>("Duration", "s"),
      Keyword<&Row::memory_level>("Memory Level"),
      Number<&Row::flop>("FLOP", "FLOP"),
      Number<&Row::traffic_bytes>("Memory Traffic", "Byte"),
      Number<&Row::flop_per_byte>("Arithmetic Intensity", "FLOP/Byte"),
      Number<&Row::flop_per_s>("Performance", "FLOP/s"),
      Number<&Row::peak_flop_per_s>("Peak Performance", "FLOP/s"),
      Number<&Row::peak_bytes_per_s>("Peak Bandwidth", "Byte/s"),
  };
  return *columns;
}

const std::vector<Column>& FlopColumns() {
  static const auto* const columns = new std::vector<Column>{
      Number<&Row::flop_fp32>("FLOP FP32", "FLOP"),
      Number<&Row::flop_fp64>("FLOP FP64", "FLOP"),
      Number<&Row::flop_fp16>("FLOP FP16", "FLOP"),
      Number<&Row::flop_tensor>("FLOP Tensor", "FLOP"),
  };
  return *columns;
}

const std::vector<Column>& TrailingColumns() {
  static const auto* const columns = new std::vector<Column>{
      Text<&Row::source>("Source"),
      Text<&Row::validity>("Validity"),
      Text<&Row::reason>("Reason"),
      Count<&Row::calls>("Calls"),
      Count<&Row::measured_calls>("Measured Calls"),
      Number<&Row::duration_spread>("Duration Spread", "1"),
      Number<&Row::kernel_time_s>("Kernel Time", "s"),
      Count<&Row::launches>("Launches"),
      Text<&Row::rank>("Rank"),
      Text<&Row::host>("Host"),
      Text<&Row::process>("Process"),
      Text<&Row::device>("Device"),
      Text<&Row::device_uuid>("Device UUID"),
      Number<&Row::sm_clock_hz>("SM Clock", "Hz"),
      Number<&Row::dram_clock_hz>("DRAM Clock", "Hz"),
  };
  return *columns;
}

const std::vector<Column>& DetailColumns() {
  static const auto* const columns = new std::vector<Column>{
      Text<&Row::category>("Category"),
      Text<&Row::payload>("Payload"),
      Number<&Row::rank_imbalance>("Rank Imbalance", "1"),
  };
  return *columns;
}

bool IsMetricName(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  const size_t mark = name.find("__");
  return mark != std::string_view::npos && mark > 0 && mark + 2 < name.size() &&
         std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace rafter
