// ChartLists is what stands beside and under the plot: the legend, the list of
// numbered points, the rows that could not be drawn, and the notes.
//
//   Threads   pure functions; drawing on one canvas at a time.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain values.
#pragma once

#include <vector>

#include "collector/roofline/canvas.h"
#include "collector/roofline/roofline.h"
#include "collector/roofline/roofs.h"
#include "collector/roofline/series.h"

namespace rafter {

// Everything that the lists are made from.
struct ListContent {
  const Roofline& roofline;
  const SeriesOfPoints& series;
  const std::vector<MarkerStyle>& styles;
  const std::vector<Ridge>& ridges;
  bool points_are_named = true;  // so no list of them is needed
};

// Whether the plot needs a legend beside it.
bool NeedsLegend(const SeriesOfPoints& series, const std::vector<MarkerStyle>& styles);

void DrawLegend(const ListContent& content, const Box& area, TextSetter& text, Canvas& canvas);

// Draws the lists from the top of `area` on, as wide as it is, and returns how
// high they are. Without a canvas only measures.
double DrawLists(const ListContent& content, const Box& area, TextSetter& text, Canvas* canvas);

}  // namespace rafter
