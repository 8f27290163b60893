// Series says in which colour and shape a point is drawn, so that points of
// one paradigm (or, without paradigms, of one executable where there are several,
// else of one region) look alike. Shapes tell apart what colours do not for the
// colour-blind: each paradigm has its own.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  the palettes are constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/roofline/roofline.h"

namespace rafter {

enum class MarkerShape {
  kCircle,
  kSquare,
  kTriangle,
  kDiamond,
  kTriangleDown,
  kPentagon,
  kCross,
  kStar,
  kTriangleLeft,
  kTriangleRight,
  kSaltire,  // a cross on its side
  kHourglass,
  kBowTie,
  kTallDiamond,
  kWideDiamond,
  kSpark  // a star of four rays
};

struct Series {
  std::string name;    // shown in the legend; empty: never shown
  uint32_t color = 0;  // 0xRRGGBB
  MarkerShape shape = MarkerShape::kCircle;
};

struct SeriesOfPoints {
  std::vector<Series> series;    // in order of first appearance
  std::vector<size_t> of_point;  // by point: index into `series`
  bool by_paradigm = false;      // else by executable or region
  bool by_executable = false;
};

SeriesOfPoints ChooseSeries(const std::vector<RooflinePoint>& points);

}  // namespace rafter
