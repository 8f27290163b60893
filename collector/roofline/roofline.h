// Roofline makes roofs and points of a table, and a drawing of both. Pure; the
// drawing goes through cairo and pango into SVG, PDF or PNG bytes.
//
//   Threads   one drawing at a time (pango's font map is shared).
//   Blocking  never; no files are read but fonts.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <vector>

#include "collector/table/table.h"

namespace rafter {

// Where a roof comes from; every roof is labelled with it.
enum class RoofOrigin { kMeasured, kObserved, kTheoretical, kGiven };

// Whose roof it is, where a chart has rows of several kinds of hardware: its name, "" for rows
// that name none. Nothing for a roof that counts for every row.
using RoofHardware = std::optional<std::string>;

struct ComputeRoof {
  std::string precision;  // "fp32"
  double flop_per_s = 0;
  RoofOrigin origin = RoofOrigin::kObserved;
  RoofHardware hardware = {};
};

struct MemoryRoof {
  std::string level;  // "dram"
  double bytes_per_s = 0;
  RoofOrigin origin = RoofOrigin::kObserved;
  RoofHardware hardware = {};
};

struct Roofs {
  std::vector<ComputeRoof> compute;
  std::vector<MemoryRoof> memory;
};

struct RooflinePoint {
  size_t row = 0;     // in the table
  std::string label;  // shortest text that tells the points apart
  std::string paradigm;
  std::string precision;
  double flop_per_byte = 0;  // x
  double flop_per_s = 0;     // y
  bool above_roof = false;   // flagged, never clipped
  std::string validity;
  std::string region = {};        // points without a paradigm are coloured by it
  std::string executable = {};    // or by it, where there are several
  std::string memory_level = {};  // "dram"
  // Points of the same launches at several levels have the same number, and are joined.
  std::optional<size_t> levels_of = {};
  std::string short_label = {};  // of a point that is joined: "L2" beside a named one; empty: label
};

// A row that has no place on a log-log chart, and why.
struct Undrawn {
  std::string label;
  std::string reason;
  size_t row = 0;  // in the table
};

struct Roofline {
  std::string title;
  std::vector<ComputeRoof> compute;
  std::vector<MemoryRoof> memory;
  std::vector<RooflinePoint> points;
  std::vector<Undrawn> undrawn;
  std::vector<std::string> notes;  // losses; a chart of incomplete data says so
  std::string subtitle = {};       // hardware, executables, rows drawn
  // Kinds of hardware that `compute` and `memory` are of, where the table has several.
  std::vector<std::string> hardware = {};
  Roofs left_out = {};  // those of further hardware: points are held against them all the same
};

struct RooflineOptions {
  std::string title;
  std::optional<double> peak_flop_per_s;   // --peak-performance
  std::optional<double> peak_bytes_per_s;  // --peak-bandwidth
};

// Points of every row that has work, traffic and time; roofs from the highest
// observed peaks of the table, or the given ones. Rows of several kinds of hardware make roofs
// for each, and a point is held against those of its own; of more than kMostHardware those with
// most points are drawn, and a note names the others. Peaks that the table has no
// counters for were given too, as those of rows that LIKWID counted. Of several memory levels the
// given bandwidth is that of the first. Rows of the least and the greatest over ranks are no
// points.
inline constexpr size_t kMostHardware = 4;
Roofline BuildRoofline(const Table& table, const RooflineOptions& options);

enum class ChartFormat { kSvg, kPdf, kPng };

// Draws. Identical input gives identical bytes (PDF: without a creation date of
// the moment). Fails when a roofline has neither roofs nor points, and says why.
absl::StatusOr<std::string> DrawRoofline(const Roofline& roofline, ChartFormat format);

}  // namespace rafter
