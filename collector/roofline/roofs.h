// Roofs are the lines that bound performance, their labels and the ridge
// points where they meet.
//
//   Threads   pure functions; drawing on one canvas at a time.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/roofline/canvas.h"
#include "collector/roofline/chart_frame.h"
#include "collector/roofline/label_placer.h"
#include "collector/roofline/roofline.h"

namespace rafter {

// A roof on the page, from left to right.
struct RoofLine {
  Segment line;
  std::string text;           // empty: another one's names it too
  LineStyle style;            // dashes tell the kind, tone and width the hardware
  bool has_hardware = false;  // beside roofs of other hardware
};

struct Ridge {
  Spot at;
  double flop_per_byte = 0;
  std::string text;        // "ridge FP32 at DRAM: 13.9 FLOP/Byte"
  std::string short_text;  // "13.9 FLOP/Byte", where there is no room for all of it
  uint32_t color = 0;      // of its compute roof
};

struct RoofsOnPage {
  std::vector<RoofLine> lines;
  std::vector<Ridge> ridges;
};

RoofsOnPage PlaceRoofs(const Roofline& roofline, const ChartFrame& frame);

// More ridges than this are listed under the chart instead of being labelled.
inline constexpr size_t kMostLabelledRidges = 4;

// Where points are: what the labels of roofs keep off.
struct PointsOnPage {
  std::vector<Box> markers;
  std::vector<Segment> joins;  // between points of several memory levels
};

// Draws roofs, labels and ridges, and tells `placer` what other labels must avoid.
void DrawRoofs(const RoofsOnPage& roofs, const ChartFrame& frame, const PointsOnPage& points,
               TextSetter& text, Canvas& canvas, LabelPlacer& placer);

// "measured", "given".
std::string_view OriginText(RoofOrigin origin);

// "FP32", "DRAM"; "Tensor".
std::string KindText(const std::string& kind);

}  // namespace rafter
