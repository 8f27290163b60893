// Points draws markers and their labels: names where there are few, numbers
// that a list explains where there are many.
//
//   Threads   pure functions; drawing on one canvas at a time.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collector/roofline/canvas.h"
#include "collector/roofline/chart_frame.h"
#include "collector/roofline/label_placer.h"
#include "collector/roofline/roofline.h"
#include "collector/roofline/series.h"

namespace rafter {

// More names than this are numbered instead.
inline constexpr size_t kMostNamedPoints = 40;

// Names that cover more of the plot than this are numbered as well: from about
// here on most names stand far from their points, and their lines cross.
inline constexpr double kMostNamedShare = 0.12;

// Names on the plot lose their middle beyond this many characters.
inline constexpr size_t kMostPlotCharacters = 38;

// More points than this are drawn without a number: nobody finds number 401,
// and placing takes time that grows with the square.
inline constexpr size_t kMostNumberedPoints = 400;

// Whether numbers of this validity are of all that ran; other points are hollow.
bool IsWhole(const std::string& validity);

// By point. Fewer and larger, or more and smaller.
std::vector<MarkerStyle> MarkerStyles(const Roofline& roofline, const SeriesOfPoints& series);

// What the markers cover, by point.
std::vector<Box> MarkerBoxes(const Roofline& roofline, const ChartFrame& frame,
                             const std::vector<MarkerStyle>& styles);

// One line for each two neighbours among points of the same launches at several levels
// of the memory.
struct LevelLine {
  Segment line;
  size_t point = 0;  // one of the two
};
std::vector<LevelLine> LevelLines(const Roofline& roofline, const ChartFrame& frame);

// Whether points carry their names; else numbers.
bool AreNamed(const Roofline& roofline, const Box& plot, TextSetter& text);

void DrawPoints(const Roofline& roofline, const ChartFrame& frame,
                const std::vector<MarkerStyle>& styles, bool named, const LabelPlacer& placer,
                TextSetter& text, Canvas& canvas);

}  // namespace rafter
