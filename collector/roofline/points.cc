#include "collector/roofline/points.h"

#include <algorithm>
#include <map>
#include <string>

#include "collector/table/utf8.h"

namespace rafter {
namespace {

const TextStyle kNameStyle{.size = 11.5, .color = 0x111827};
const TextStyle kNumberStyle{.size = 9, .color = 0x111827};
constexpr uint32_t kLeaderColor = 0x7b8494;

double RadiusFor(size_t points) {
  if (points <= kMostNamedPoints) return 5.5;
  return points <= 120 ? 4.6 : 3.8;
}

// Markers of other shapes reach a little beyond their radius, flags far.
double ReachOf(const MarkerStyle& style) { return style.radius * (style.is_flagged ? 2.1 : 1.35); }

// Beside a point that is joined to a named one its level is enough.
std::string NameOf(const RooflinePoint& point) {
  return OneLine(point.short_label.empty() ? point.label : point.short_label, kMostPlotCharacters);
}

void DrawLeaders(const std::vector<PlacedLabel>& places, Canvas& canvas) {
  for (const PlacedLabel& place : places) {
    if (!place.has_leader) continue;
    canvas.Line(place.leader, {.color = kLeaderColor, .width = 0.8, .dashes = {}});
  }
}

}  // namespace

bool IsWhole(const std::string& validity) {
  return validity.empty() || validity == "measured" || validity == "extrapolated";
}

std::vector<MarkerStyle> MarkerStyles(const Roofline& roofline, const SeriesOfPoints& series) {
  std::vector<MarkerStyle> styles;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const Series& of_point = series.series[series.of_point[i]];
    styles.push_back({.shape = of_point.shape,
                      .color = of_point.color,
                      .radius = RadiusFor(roofline.points.size()),
                      .is_hollow = !IsWhole(roofline.points[i].validity),
                      .is_flagged = roofline.points[i].above_roof});
  }
  return styles;
}

std::vector<Box> MarkerBoxes(const Roofline& roofline, const ChartFrame& frame,
                             const std::vector<MarkerStyle>& styles) {
  std::vector<Box> boxes;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    const double reach = 2 * ReachOf(styles[i]);
    boxes.push_back(Around(frame.At(point.flop_per_byte, point.flop_per_s), reach, reach));
  }
  return boxes;
}

std::vector<LevelLine> LevelLines(const Roofline& roofline, const ChartFrame& frame) {
  std::map<size_t, std::vector<size_t>> sets;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    if (roofline.points[i].levels_of) sets[*roofline.points[i].levels_of].push_back(i);
  }
  const auto at = [&](size_t i) {
    return frame.At(roofline.points[i].flop_per_byte, roofline.points[i].flop_per_s);
  };
  std::vector<LevelLine> lines;
  for (auto& [number, points] : sets) {
    std::stable_sort(points.begin(), points.end(), [&](size_t a, size_t b) {
      return roofline.points[a].flop_per_byte < roofline.points[b].flop_per_byte;
    });
    for (size_t i = 1; i < points.size(); ++i) {
      lines.push_back({{at(points[i - 1]), at(points[i])}, points[i]});
    }
  }
  return lines;
}

bool AreNamed(const Roofline& roofline, const Box& plot, TextSetter& text) {
  const auto names =
      std::count_if(roofline.points.begin(), roofline.points.end(),
                    [](const RooflinePoint& point) { return point.short_label.empty(); });
  if (static_cast<size_t>(names) > kMostNamedPoints) return false;
  double covered = 0;
  for (const RooflinePoint& point : roofline.points) {
    const Box size = text.Measure(NameOf(point), kNameStyle);
    covered += size.width * size.height;
  }
  return covered <= kMostNamedShare * plot.width * plot.height;
}

void DrawPoints(const Roofline& roofline, const ChartFrame& frame,
                const std::vector<MarkerStyle>& styles, bool named, const LabelPlacer& placer,
                TextSetter& text, Canvas& canvas) {
  const TextStyle& style = named ? kNameStyle : kNumberStyle;
  std::vector<LabelRequest> requests;
  std::vector<std::string> labels;
  for (size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    if (i >= kMostNumberedPoints) break;
    labels.push_back(named ? NameOf(point) : std::to_string(i + 1));
    const Box size = text.Measure(labels.back(), style);
    requests.push_back({frame.At(point.flop_per_byte, point.flop_per_s), ReachOf(styles[i]),
                        size.width, size.height});
  }
  const std::vector<PlacedLabel> places = placer.Place(requests);
  for (const LevelLine& level : LevelLines(roofline, frame)) {
    canvas.Line(level.line, {.color = styles[level.point].color, .width = 1.4, .dashes = {}});
  }
  // Under the markers where they are many; over them where they are few, so
  // that each line can be followed to the middle of its marker in a heap.
  if (!named) DrawLeaders(places, canvas);
  // Flagged points last, so that none hides behind another.
  for (const bool flagged : {false, true}) {
    for (size_t i = 0; i < roofline.points.size(); ++i) {
      const RooflinePoint& point = roofline.points[i];
      if (styles[i].is_flagged != flagged) continue;
      canvas.Marker(frame.At(point.flop_per_byte, point.flop_per_s), styles[i]);
    }
  }
  if (named) DrawLeaders(places, canvas);
  for (size_t i = 0; i < places.size(); ++i) {
    canvas.Text(labels[i], style, {places[i].box.left, places[i].box.top});
  }
}

}  // namespace rafter
