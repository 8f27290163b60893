#include <absl/status/status.h>

#include <cmath>

#include "collector/roofline/canvas.h"
#include "collector/roofline/chart_frame.h"
#include "collector/roofline/chart_lists.h"
#include "collector/roofline/label_placer.h"
#include "collector/roofline/points.h"
#include "collector/roofline/roofline.h"
#include "collector/roofline/roofs.h"
#include "collector/roofline/series.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// The page, in page units.
constexpr double kPageWidth = 1200;
constexpr double kMargin = 28;
constexpr double kPlotLeft = 142;  // numbers and title of the axis stand beside
constexpr double kPlotTop = 92;    // title and subtitle stand above
constexpr double kPlotHeight = 600;
constexpr double kUnderPlot = 52;  // numbers and title of the axis
constexpr double kLegendWidth = 190;
constexpr double kLegendGap = 20;

constexpr size_t kMostTitleCharacters = 90;
constexpr size_t kMostSubtitleCharacters = 150;

bool IsDrawable(double value) { return std::isfinite(value) && value > 0; }

// What has no place on a log-log chart is listed, so that one bad number
// cannot hide the rest.
Roofline Drawable(const Roofline& roofline) {
  Roofline drawable = roofline;
  drawable.compute.clear();
  drawable.memory.clear();
  drawable.points.clear();
  for (const ComputeRoof& roof : roofline.compute) {
    if (IsDrawable(roof.flop_per_s)) drawable.compute.push_back(roof);
  }
  for (const MemoryRoof& roof : roofline.memory) {
    if (IsDrawable(roof.bytes_per_s)) drawable.memory.push_back(roof);
  }
  for (const RooflinePoint& point : roofline.points) {
    if (IsDrawable(point.flop_per_byte) && IsDrawable(point.flop_per_s)) {
      drawable.points.push_back(point);
    } else {
      drawable.undrawn.push_back({point.label, "intensity or performance is not a number above 0"});
    }
  }
  return drawable;
}

std::string WhyEmpty(const Roofline& roofline) {
  std::string why = "the roofline has neither roofs nor points, so there is nothing to draw";
  if (roofline.undrawn.empty()) return why;
  const Undrawn& first = roofline.undrawn.front();
  const size_t cause = std::min(first.reason.find("; "), first.reason.find(" ("));
  return why + "; " + OneLine(first.label, kMostTitleCharacters) + ": " +
         first.reason.substr(0, cause) + "; \"rafter report\" tells of all rows";
}

void DrawHeading(const Roofline& roofline, Canvas& canvas) {
  canvas.Text(OneLine(roofline.title, kMostTitleCharacters), {.size = 21, .is_bold = true},
              {kMargin, 22});
  canvas.Text(OneLine(roofline.subtitle, kMostSubtitleCharacters),
              {.size = 13, .color = 0x4b5563, .width = kPageWidth - 2 * kMargin}, {kMargin, 54});
}

}  // namespace

absl::StatusOr<std::string> DrawRoofline(const Roofline& roofline, ChartFormat format) {
  const Roofline drawable = Drawable(roofline);
  if (drawable.compute.empty() && drawable.memory.empty() && drawable.points.empty()) {
    return absl::InvalidArgumentError(WhyEmpty(drawable));
  }
  TextSetter text;
  const SeriesOfPoints series = ChooseSeries(drawable.points);
  const std::vector<MarkerStyle> styles = MarkerStyles(drawable, series);
  const double beside = NeedsLegend(series, styles) ? kLegendWidth + kLegendGap : 0;
  const Box plot{kPlotLeft, kPlotTop, kPageWidth - kMargin - kPlotLeft - beside, kPlotHeight};
  const ChartFrame frame = FrameFor(drawable, plot);
  const RoofsOnPage roofs = PlaceRoofs(drawable, frame);
  const bool named = AreNamed(drawable, plot, text);
  const ListContent content{drawable, series, styles, roofs.ridges, named};

  const Box lists{kMargin, plot.bottom() + kUnderPlot, kPageWidth - 2 * kMargin, 0};
  // Whole units, so that the last row of pixels is white as well.
  const double height = std::ceil(lists.top + DrawLists(content, lists, text, nullptr) + kMargin);
  Canvas canvas(format, kPageWidth, height, OneLine(drawable.title, kMostTitleCharacters), text);
  DrawHeading(drawable, canvas);
  DrawFrame(frame, text, canvas);
  LabelPlacer placer(Grown(plot, -2));
  DrawRoofs(roofs, frame, MarkerBoxes(drawable, frame, styles), text, canvas, placer);
  DrawPoints(drawable, frame, styles, named, placer, text, canvas);
  if (beside > 0) {
    DrawLegend(content, {plot.right() + kLegendGap, plot.top, kLegendWidth, plot.height}, text,
               canvas);
  }
  DrawLists(content, lists, text, &canvas);
  return canvas.Finish();
}

}  // namespace rafter
