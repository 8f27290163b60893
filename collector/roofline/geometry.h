// Geometry is boxes and lines on the page. Lengths are in page units (1/72
// inch in PDF, half a pixel in PNG); y grows downwards.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain values.
#pragma once

#include <algorithm>
#include <cmath>

namespace rafter {

struct Spot {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  Spot center() const { return {left + width / 2, top + height / 2}; }
};

struct Segment {
  Spot from;
  Spot to;
};

inline Box Around(Spot center, double width, double height) {
  return {center.x - width / 2, center.y - height / 2, width, height};
}

inline Box Grown(const Box& box, double by) {
  return {box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by};
}

inline bool Overlap(const Box& a, const Box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

inline double OverlapArea(const Box& a, const Box& b) {
  const double width = std::min(a.right(), b.right()) - std::max(a.left, b.left);
  const double height = std::min(a.bottom(), b.bottom()) - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

inline bool Contains(const Box& outer, const Box& inner) {
  return inner.left >= outer.left && inner.top >= outer.top && inner.right() <= outer.right() &&
         inner.bottom() <= outer.bottom();
}

inline double Distance(Spot a, Spot b) { return std::hypot(a.x - b.x, a.y - b.y); }

// Whether a line and a box have a point in common.
bool Crosses(const Segment& line, const Box& box);

// Whether two lines cross.
bool Crosses(const Segment& a, const Segment& b);

// The point of the box's border or inside nearest to `spot`.
Spot NearestIn(const Box& box, Spot spot);

}  // namespace rafter
