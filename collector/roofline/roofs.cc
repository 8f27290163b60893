#include "collector/roofline/roofs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "collector/roofline/hardware.h"
#include "collector/table/number_text.h"

namespace rafter {
namespace {

constexpr uint32_t kRidgeColor = 0x6b7280;
constexpr double kLabelGap = 4;    // between a roof and its label
constexpr double kLabelStep = 14;  // between places that are tried
constexpr double kApart = 3;       // labels of roofs from each other, at least
constexpr double kSameRidge = 4;   // ridges nearer than this share a label
constexpr double kRidgeRadius = 3.6;
constexpr double kCovers = 2;  // trouble of a label that stands on a line or a marker
// As much trouble as this many units away from a roof, where it may be taken for another
// hardware's.
constexpr double kAway = 12;

const TextStyle kRoofText{.size = 12, .is_bold = true, .color = 0x1f2937};
const TextStyle kRidgeText{.size = 10.5, .color = 0x4b5563};

// How roofs of one hardware look: greys, since colours are those of points, that differ in
// lightness and in width. The first is that of a chart of one hardware, and of roofs that were
// given for all; html/roofs.js has the same.
struct RoofLook {
  uint32_t color;
  double width;
};
constexpr std::array<RoofLook, kMostHardware + 1> kRoofLooks = {
    {{0x1f2937, 2}, {0x6b7280, 4}, {0x1f2937, 1}, {0x8d97a7, 6.5}, {0x6b7280, 1.5}}};

// The place of a roof's look. Roofs that are of no hardware keep the first for themselves.
size_t LookOf(const Roofline& roofline, const RoofHardware& hardware) {
  if (!hardware) return 0;
  const auto is_for_all = [](const auto& roof) { return !roof.hardware; };
  const bool any_for_all =
      std::any_of(roofline.compute.begin(), roofline.compute.end(), is_for_all) ||
      std::any_of(roofline.memory.begin(), roofline.memory.end(), is_for_all);
  const auto place = std::find(roofline.hardware.begin(), roofline.hardware.end(), *hardware);
  const auto index = static_cast<size_t>(place - roofline.hardware.begin());
  return std::min(index + (any_for_all ? 1 : 0), kRoofLooks.size() - 1);
}

std::vector<double> Dashes(const std::string& kind) {
  if (kind == "fp64" || kind == "l2") return {9, 4};
  if (kind == "fp16" || kind == "l1") return {9, 3, 2, 3};
  if (kind.starts_with("tensor")) return {2, 3};
  return {};
}

// "NVIDIA H200 FP32"; the hardware where the chart has several.
std::string WhoseText(const RoofHardware& hardware, const std::string& kind) {
  if (!hardware) return kind;
  return HardwareText(*hardware) + (kind.empty() ? "" : " ") + kind;
}

std::string RoofText(const std::string& kind, double per_s, std::string_view unit,
                     RoofOrigin origin) {
  return kind + (kind.empty() ? "" : " ") + SiText(per_s, unit) + " (" +
         std::string(OriginText(origin)) + ")";
}

// Of the roofs that meet another; 0 without any.
double HighestMemory(const Roofline& roofline, const ComputeRoof& under) {
  double highest = 0;
  for (const MemoryRoof& roof : roofline.memory) {
    if (Meet(under, roof)) highest = std::max(highest, roof.bytes_per_s);
  }
  return highest;
}

double HighestCompute(const Roofline& roofline, const MemoryRoof& below) {
  double highest = 0;
  for (const ComputeRoof& roof : roofline.compute) {
    if (Meet(roof, below)) highest = std::max(highest, roof.flop_per_s);
  }
  return highest;
}

// A text along a line, over or under it, beginning at a distance from its
// left end.
struct AlongLine {
  Spot corner;
  double angle = 0;
  std::vector<Box> cover;  // what it covers, in small boxes
};

AlongLine PlaceAlong(const Segment& line, const Box& size, double start, bool is_over) {
  const double angle = std::atan2(line.to.y - line.from.y, line.to.x - line.from.x);
  const Spot along = {std::cos(angle), std::sin(angle)};
  const Spot up = {std::sin(angle), -std::cos(angle)};
  const double lift = is_over ? kLabelGap + size.height : -kLabelGap;
  const Spot corner = {line.from.x + along.x * start + up.x * lift,
                       line.from.y + along.y * start + up.y * lift};
  AlongLine placed{corner, angle, {}};
  const double half = size.height / 2;
  for (double at = half; at < size.width + half; at += half) {
    const double step = std::min(at, size.width - half);
    placed.cover.push_back(
        Around({corner.x + along.x * step - up.x * half, corner.y + along.y * step - up.y * half},
               size.height, size.height));
  }
  return placed;
}

bool IsLevel(const Segment& line) { return line.from.y == line.to.y; }

class RoofDrawing {
 public:
  RoofDrawing(const ChartFrame& frame, const PointsOnPage& points, TextSetter& text, Canvas& canvas,
              LabelPlacer& placer)
      : frame_(frame),
        points_(points),
        text_(text),
        canvas_(canvas),
        placer_(placer),
        lines_(points.joins) {}

  void Draw(const RoofsOnPage& roofs) {
    const bool labelled = roofs.ridges.size() <= kMostLabelledRidges;
    for (const Ridge& ridge : roofs.ridges) {
      if (labelled) DrawPlumbLine(ridge);
    }
    for (const RoofLine* roof : WidestFirst(roofs.lines)) canvas_.Line(roof->line, roof->style);
    for (const RoofLine& roof : roofs.lines) {
      lines_.push_back(roof.line);
      placer_.Avoid(roof.line);
    }
    for (const RoofLine* roof : InOrderOfLabels(roofs.lines)) DrawRoofLabel(*roof);
    for (const Ridge& ridge : roofs.ridges) {
      if (labelled) DrawRidgeLabel(ridge);
      DrawRidgeMark(ridge);
    }
  }

 private:
  // So that none hides another that it lies on.
  static std::vector<const RoofLine*> WidestFirst(const std::vector<RoofLine>& lines) {
    std::vector<const RoofLine*> sorted;
    for (const RoofLine& line : lines) sorted.push_back(&line);
    std::stable_sort(sorted.begin(), sorted.end(), [](const RoofLine* a, const RoofLine* b) {
      return a->style.width > b->style.width;
    });
    return sorted;
  }

  // Of several kinds of hardware the level ones first: they lie near each other at the right, and
  // have fewer places.
  static std::vector<const RoofLine*> InOrderOfLabels(const std::vector<RoofLine>& lines) {
    std::vector<const RoofLine*> sorted;
    for (const RoofLine& line : lines) sorted.push_back(&line);
    std::stable_partition(sorted.begin(), sorted.end(), [](const RoofLine* roof) {
      return roof->has_hardware && IsLevel(roof->line);
    });
    return sorted;
  }

  // A level roof is labelled at its right end, a slanted one at its left. A level roof
  // that is shorter than its label has room to the left of its ridge.
  void DrawRoofLabel(const RoofLine& roof) {
    if (roof.text.empty()) return;
    const Box size = text_.Measure(roof.text, kRoofText);
    const double length = Distance(roof.line.from, roof.line.to);
    const bool is_level = IsLevel(roof.line);
    const double room = is_level ? roof.line.to.x - frame_.plot.left : length;
    std::optional<AlongLine> best;
    double least = std::numeric_limits<double>::infinity();
    for (const bool is_over : {true, false}) {
      for (double step = kLabelStep; step + size.width < room; step += kLabelStep) {
        const double start = is_level ? length - size.width - step : step;
        const AlongLine place = PlaceAlong(roof.line, size, start, is_over);
        const double away = start < 0 ? 1 + (roof.has_hardware ? -start / kAway : 0) : 0;
        const double trouble = Trouble(place) + (is_over ? 0 : 0.5) + away;
        if (trouble < least) least = trouble, best = place;
      }
    }
    if (!best) best = PlaceAlong(roof.line, size, 0, true);
    Put(roof.text, kRoofText, *best);
  }

  // Along the plumb line, from the axis upwards.
  void DrawRidgeLabel(const Ridge& ridge) {
    for (const double x : labelled_ridges_) {
      if (std::fabs(x - ridge.at.x) < kSameRidge) return;
    }
    labelled_ridges_.push_back(ridge.at.x);
    const Segment up = {{ridge.at.x, frame_.plot.bottom()}, ridge.at};
    RidgeLabel best = BestAlong(ridge.text, up);
    if (best.trouble >= kCovers) {
      RidgeLabel shorter = BestAlong(ridge.short_text, up);
      if (shorter.trouble < best.trouble) best = std::move(shorter);
    }
    if (best.place) Put(best.text, kRidgeText, *best.place);
  }

  struct RidgeLabel {
    std::string text;
    std::optional<AlongLine> place;
    double trouble = std::numeric_limits<double>::infinity();
  };

  RidgeLabel BestAlong(const std::string& words, const Segment& up) const {
    const Box size = text_.Measure(words, kRidgeText);
    const double length = Distance(up.from, up.to);
    RidgeLabel best;
    best.text = words;
    for (const bool is_over : {true, false}) {
      for (double start = 8; start + size.width < length; start += kLabelStep) {
        const AlongLine place = PlaceAlong(up, size, start, is_over);
        const double trouble = Trouble(place) + (is_over ? 0 : 0.5);
        if (trouble < best.trouble) best.trouble = trouble, best.place = place;
      }
    }
    return best;
  }

  void DrawPlumbLine(const Ridge& ridge) {
    const Segment down = {ridge.at, {ridge.at.x, frame_.plot.bottom()}};
    canvas_.Line(down, {.color = kRidgeColor, .width = 1, .dashes = {1.5, 3}});
    lines_.push_back(down);
    placer_.Avoid(down);
  }

  void DrawRidgeMark(const Ridge& ridge) {
    canvas_.Marker(ridge.at, {.shape = MarkerShape::kCircle,
                              .color = ridge.color,
                              .radius = kRidgeRadius,
                              .is_hollow = true});
    placer_.Avoid(Around(ridge.at, 2 * kRidgeRadius, 2 * kRidgeRadius));
  }

  // How many things a text would stand on.
  double Trouble(const AlongLine& place) const {
    double trouble = 0;
    for (const Box& box : place.cover) {
      const Box inside = Grown(box, -1);
      if (!Contains(frame_.plot, box)) trouble += 4;
      for (const Box& marker : points_.markers)
        trouble += Overlap(inside, Grown(marker, 2)) ? 3 : 0;
      for (const Box& taken : taken_) trouble += Overlap(Grown(box, kApart), taken) ? 3 : 0;
      for (const Segment& line : lines_) trouble += Crosses(line, inside) ? 2 : 0;
    }
    return trouble;
  }

  void Put(const std::string& words, const TextStyle& style, const AlongLine& place) {
    canvas_.Text(words, style, place.corner, place.angle);
    for (const Box& box : place.cover) {
      taken_.push_back(box);
      placer_.Avoid(box);
    }
  }

  const ChartFrame& frame_;
  const PointsOnPage& points_;
  TextSetter& text_;
  Canvas& canvas_;
  LabelPlacer& placer_;
  std::vector<Segment> lines_;
  std::vector<Box> taken_;
  std::vector<double> labelled_ridges_;
};

// The part of a memory roof inside the frame and under the highest compute
// roof; nothing when there is none.
std::optional<Segment> MemoryLine(const MemoryRoof& roof, double highest_compute,
                                  const ChartFrame& frame) {
  const double top =
      highest_compute > 0 ? std::min(highest_compute, frame.y.high()) : frame.y.high();
  const double from = std::max(frame.x.low(), frame.y.low() / roof.bytes_per_s);
  const double to = std::min(frame.x.high(), top / roof.bytes_per_s);
  if (from >= to) return std::nullopt;
  return Segment{frame.At(from, from * roof.bytes_per_s), frame.At(to, to * roof.bytes_per_s)};
}

// "Tensor, Tensor.BF16 989 TFLOP/s (observed)": the label of a compute roof names all that are as
// high; empty for a roof that an earlier one's label names.
std::string ComputeText(const std::vector<ComputeRoof>& roofs, size_t index) {
  const ComputeRoof& roof = roofs[index];
  std::string kinds;
  for (size_t i = 0; i < roofs.size(); ++i) {
    if (roofs[i].flop_per_s != roof.flop_per_s || roofs[i].origin != roof.origin) continue;
    if (roofs[i].hardware != roof.hardware) continue;
    if (i < index) return "";
    kinds += (kinds.empty() ? "" : ", ") + KindText(roofs[i].precision);
  }
  return RoofText(WhoseText(roof.hardware, kinds), roof.flop_per_s, "FLOP/s", roof.origin);
}

LineStyle StyleOf(const Roofline& roofline, const RoofHardware& hardware, const std::string& kind) {
  const RoofLook& look = kRoofLooks[LookOf(roofline, hardware)];
  return {.color = look.color, .width = look.width, .dashes = Dashes(kind)};
}

// Where a compute roof meets memory roofs of its own hardware.
void PlaceRidges(const Roofline& roofline, const ComputeRoof& roof, const ChartFrame& frame,
                 std::vector<Ridge>& ridges) {
  for (const MemoryRoof& memory : roofline.memory) {
    const double flop_per_byte = roof.flop_per_s / memory.bytes_per_s;
    if (!Meet(roof, memory) || !frame.x.Has(flop_per_byte)) continue;
    const RoofHardware& hardware = roof.hardware ? roof.hardware : memory.hardware;
    std::string of = WhoseText(hardware, KindText(roof.precision));
    if (!memory.level.empty()) of += (of.empty() ? "" : " at ") + KindText(memory.level);
    ridges.push_back(
        {frame.At(flop_per_byte, roof.flop_per_s), flop_per_byte,
         "ridge " + of + (of.empty() ? "" : ": ") + RatioText(flop_per_byte, "FLOP/Byte"),
         RatioText(flop_per_byte, "FLOP/Byte"), kRoofLooks[LookOf(roofline, roof.hardware)].color});
  }
}

}  // namespace

std::string_view OriginText(RoofOrigin origin) {
  switch (origin) {
    case RoofOrigin::kMeasured:
      return "measured";
    case RoofOrigin::kObserved:
      return "observed";
    case RoofOrigin::kTheoretical:
      return "theoretical";
    case RoofOrigin::kGiven:
      return "given";
  }
  return "";
}

std::string KindText(const std::string& kind) {
  std::string text = kind;
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  // "Tensor", "Tensor.BF16".
  if (text.starts_with("TENSOR")) {
    for (size_t i = 1; i < 6; ++i) text[i] = kind[i];
  }
  return text;
}

RoofsOnPage PlaceRoofs(const Roofline& roofline, const ChartFrame& frame) {
  RoofsOnPage roofs;
  for (const MemoryRoof& roof : roofline.memory) {
    const auto line = MemoryLine(roof, HighestCompute(roofline, roof), frame);
    if (!line) continue;
    roofs.lines.push_back({*line,
                           RoofText(WhoseText(roof.hardware, KindText(roof.level)),
                                    roof.bytes_per_s, "B/s", roof.origin),
                           StyleOf(roofline, roof.hardware, roof.level),
                           roof.hardware.has_value()});
  }
  for (size_t i = 0; i < roofline.compute.size(); ++i) {
    const ComputeRoof& roof = roofline.compute[i];
    const double highest_memory = HighestMemory(roofline, roof);
    const double ridge = highest_memory > 0 ? roof.flop_per_s / highest_memory : frame.x.low();
    const double from = std::clamp(ridge, frame.x.low(), frame.x.high());
    roofs.lines.push_back(
        {{frame.At(from, roof.flop_per_s), frame.At(frame.x.high(), roof.flop_per_s)},
         ComputeText(roofline.compute, i),
         StyleOf(roofline, roof.hardware, roof.precision),
         roof.hardware.has_value()});
    PlaceRidges(roofline, roof, frame, roofs.ridges);
  }
  return roofs;
}

void DrawRoofs(const RoofsOnPage& roofs, const ChartFrame& frame, const PointsOnPage& points,
               TextSetter& text, Canvas& canvas, LabelPlacer& placer) {
  RoofDrawing(frame, points, text, canvas, placer).Draw(roofs);
}

}  // namespace rafter
