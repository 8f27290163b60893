#include <absl/status/status.h>

#include <cmath>

#include "collector/roofline/canvas.h"
#include "collector/roofline/chart_frame.h"
#include "collector/roofline/chart_lists.h"
#include "collector/roofline/drawable.h"
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

void DrawHeading(const Roofline& roofline, Canvas& canvas) {
  canvas.Text(OneLine(roofline.title, kMostTitleCharacters), {.size = 21, .is_bold = true},
              {kMargin, 22});
  canvas.Text(OneLine(roofline.subtitle, kMostSubtitleCharacters),
              {.size = 13, .color = 0x4b5563, .width = kPageWidth - 2 * kMargin}, {kMargin, 54});
}

}  // namespace

absl::StatusOr<std::string> DrawRoofline(const Roofline& roofline, ChartFormat format) {
  const absl::StatusOr<Roofline> checked = Drawable(roofline);
  if (!checked.ok()) return checked.status();
  const Roofline& drawable = *checked;
  TextSetter text;
  if (absl::Status fonts = text.Check(); !fonts.ok()) return fonts;
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
  PointsOnPage points{MarkerBoxes(drawable, frame, styles), {}};
  for (const LevelLine& level : LevelLines(drawable, frame)) points.joins.push_back(level.line);
  DrawRoofs(roofs, frame, points, text, canvas, placer);
  for (const Segment& join : points.joins) placer.Avoid(join);
  DrawPoints(drawable, frame, styles, named, placer, text, canvas);
  if (beside > 0) {
    DrawLegend(content, {plot.right() + kLegendGap, plot.top, kLegendWidth, plot.height}, text,
               canvas);
  }
  DrawLists(content, lists, text, &canvas);
  return canvas.Finish();
}

}  // namespace rafter
