#include "collector/roofline/geometry.h"

namespace rafter {
namespace {

// Twice the signed area of a triangle.
double Turn(Spot a, Spot b, Spot c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

bool Crosses(const Segment& a, const Segment& b) {
  const double from_b = Turn(a.from, a.to, b.from) * Turn(a.from, a.to, b.to);
  const double from_a = Turn(b.from, b.to, a.from) * Turn(b.from, b.to, a.to);
  return from_b < 0 && from_a < 0;
}

bool Crosses(const Segment& line, const Box& box) {
  // Clips the line to the box (Liang and Barsky, 1984).
  double enter = 0;
  double leave = 1;
  const double dx = line.to.x - line.from.x;
  const double dy = line.to.y - line.from.y;
  const auto clip = [&](double step, double distance) {
    if (step == 0) return distance >= 0;
    const double at = distance / step;
    if (step < 0) {
      enter = std::max(enter, at);
    } else {
      leave = std::min(leave, at);
    }
    return enter <= leave;
  };
  return clip(-dx, line.from.x - box.left) && clip(dx, box.right() - line.from.x) &&
         clip(-dy, line.from.y - box.top) && clip(dy, box.bottom() - line.from.y);
}

Spot NearestIn(const Box& box, Spot spot) {
  return {std::clamp(spot.x, box.left, box.right()), std::clamp(spot.y, box.top, box.bottom())};
}

}  // namespace rafter
