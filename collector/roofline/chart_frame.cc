#include "collector/roofline/chart_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "collector/roofline/hardware.h"

namespace rafter {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Room, as a factor on a logarithmic axis.
constexpr double kBesidePoints = 2;
constexpr double kBesideRidge = 12;
constexpr double kBesideRidgeOfSeveral = 60;  // labels of roofs name the hardware too
constexpr double kAboveRoof = 2;              // its label stands there
// As a share of the axis: on one of many decades a factor of 2 is a few pixels.
constexpr double kAboveRoofShare = 0.045;
constexpr double kBelowPoints = 3;
// Where points are many there is no room between them for the labels of roofs, so
// this share of the width stays free of points on the right.
constexpr size_t kManyPoints = 40;
constexpr double kFreeShare = 0.25;
constexpr double kLeastSpan = 1000;  // three decades, however near the points are

constexpr uint32_t kDecadeColor = 0xd5d9e0;
constexpr uint32_t kMinorColor = 0xeff1f4;
constexpr uint32_t kBorderColor = 0x6b7280;
constexpr double kTickSize = 11.5;
constexpr double kTitleSize = 13.5;
constexpr double kTickGap = 6;

struct Range {
  double low = kInfinity;
  double high = 0;

  void Take(double from, double to) {
    low = std::min(low, from);
    high = std::max(high, to);
  }
};

Range IntensityRange(const Roofline& roofline) {
  Range range;
  for (const RooflinePoint& point : roofline.points) {
    range.Take(point.flop_per_byte / kBesidePoints, point.flop_per_byte * kBesidePoints);
  }
  const double points_high = range.high / kBesidePoints;
  const double beside = roofline.hardware.empty() ? kBesideRidge : kBesideRidgeOfSeveral;
  for (const ComputeRoof& compute : roofline.compute) {
    for (const MemoryRoof& memory : roofline.memory) {
      if (!Meet(compute, memory)) continue;
      const double ridge = compute.flop_per_s / memory.bytes_per_s;
      range.Take(ridge / kBesideRidge, ridge * beside);
    }
  }
  if (roofline.points.size() > kManyPoints && !roofline.compute.empty()) {
    const double least_high =
        points_high * std::pow(points_high / range.low, kFreeShare / (1 - kFreeShare));
    if (std::isfinite(least_high)) range.high = std::max(range.high, least_high);
  }
  if (range.high == 0) range.Take(0.01, 1000);  // a lone roof has no place of its own
  const double middle = std::sqrt(range.low) * std::sqrt(range.high);
  range.Take(middle / std::sqrt(kLeastSpan), middle * std::sqrt(kLeastSpan));
  return range;
}

Range PerformanceRange(const Roofline& roofline, const Range& intensity) {
  Range range;
  for (const RooflinePoint& point : roofline.points) {
    range.Take(point.flop_per_s / kBelowPoints, point.flop_per_s * kAboveRoof);
  }
  for (const ComputeRoof& compute : roofline.compute) {
    range.Take(compute.flop_per_s / 10, compute.flop_per_s * kAboveRoof);
  }
  if (range.high == 0) {
    for (const MemoryRoof& memory : roofline.memory) {
      range.Take(memory.bytes_per_s * intensity.low, memory.bytes_per_s * intensity.high);
    }
  }
  range.low = std::min(range.low, range.high / kLeastSpan);
  const double top = HighestCompute(roofline);
  if (top > range.low) {
    const double high = top * std::pow(top / range.low, kAboveRoofShare / (1 - kAboveRoofShare));
    if (std::isfinite(high)) range.high = std::max(range.high, high);
  }
  return range;
}

void DrawTicksX(const ChartFrame& frame, TextSetter& text, Canvas& canvas) {
  const Box& plot = frame.plot;
  double last_right = -kInfinity;
  for (const Tick& tick : frame.x.Ticks("")) {
    const double x = frame.x.At(tick.value);
    canvas.Line({{x, plot.bottom()}, {x, plot.bottom() + (tick.is_decade ? 5 : 3)}},
                {.color = kBorderColor, .width = 1, .dashes = {}});
    if (tick.text.empty()) continue;
    const TextStyle style{.size = kTickSize, .color = 0x374151};
    const Box size = text.Measure(tick.text, style);
    const double left = x - size.width / 2;
    if (left < last_right + kTickGap) continue;
    canvas.Text(tick.text, style, {left, plot.bottom() + kTickGap + 1});
    last_right = left + size.width;
  }
}

void DrawTicksY(const ChartFrame& frame, TextSetter& text, Canvas& canvas) {
  const Box& plot = frame.plot;
  double last_top = kInfinity;
  for (const Tick& tick : frame.y.Ticks("FLOP/s")) {
    const double y = frame.y.At(tick.value);
    canvas.Line({{plot.left - (tick.is_decade ? 5 : 3), y}, {plot.left, y}},
                {.color = kBorderColor, .width = 1, .dashes = {}});
    if (tick.text.empty()) continue;
    const TextStyle style{.size = kTickSize, .color = 0x374151};
    const Box size = text.Measure(tick.text, style);
    if (y + size.height / 2 > last_top) continue;
    canvas.Text(tick.text, style, {plot.left - kTickGap - 2 - size.width, y - size.height / 2});
    last_top = y - size.height / 2;
  }
}

void DrawGrid(const ChartFrame& frame, Canvas& canvas) {
  const Box& plot = frame.plot;
  for (const bool decades : {false, true}) {
    const LineStyle style{
        .color = decades ? kDecadeColor : kMinorColor, .width = decades ? 1.0 : 0.7, .dashes = {}};
    for (const Tick& tick : frame.x.Ticks("")) {
      const double x = frame.x.At(tick.value);
      if (tick.is_decade == decades) canvas.Line({{x, plot.top}, {x, plot.bottom()}}, style);
    }
    for (const Tick& tick : frame.y.Ticks("FLOP/s")) {
      const double y = frame.y.At(tick.value);
      if (tick.is_decade == decades) canvas.Line({{plot.left, y}, {plot.right(), y}}, style);
    }
  }
}

}  // namespace

double HighestCompute(const Roofline& roofline) {
  double highest = 0;
  for (const ComputeRoof& roof : roofline.compute) highest = std::max(highest, roof.flop_per_s);
  return highest;
}

ChartFrame FrameFor(const Roofline& roofline, const Box& plot) {
  const Range x = IntensityRange(roofline);
  const Range y = PerformanceRange(roofline, x);
  return {plot, LogAxis(x.low, x.high, plot.left, plot.right()),
          LogAxis(y.low, y.high, plot.bottom(), plot.top)};
}

void DrawFrame(const ChartFrame& frame, TextSetter& text, Canvas& canvas) {
  const Box& plot = frame.plot;
  DrawGrid(frame, canvas);
  DrawTicksX(frame, text, canvas);
  DrawTicksY(frame, text, canvas);
  canvas.Outline(plot, {.color = kBorderColor, .width = 1, .dashes = {}});
  const TextStyle style{.size = kTitleSize, .color = 0x111827};
  const std::string x_title = "Arithmetic intensity [FLOP/Byte]";
  const Box x_size = text.Measure(x_title, style);
  canvas.Text(x_title, style, {plot.center().x - x_size.width / 2, plot.bottom() + 28});
  const std::string y_title = "Performance [FLOP/s]";
  const Box y_size = text.Measure(y_title, style);
  canvas.Text(y_title, style, {plot.left - 112, plot.center().y + y_size.width / 2},
              -std::numbers::pi / 2);
}

}  // namespace rafter
