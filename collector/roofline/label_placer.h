// LabelPlacer finds a place for each label of a crowded chart, near its point
// and over nothing else.
//
//   Threads   one thread.
//   Blocking  never; a few million box tests for 200 labels.
//   Memory    one box for each label and obstacle.
//   Lifetime  plain value.
#pragma once

#include <vector>

#include "collector/roofline/geometry.h"

namespace rafter {

struct LabelRequest {
  Spot anchor;        // the point's middle
  double radius = 0;  // of its marker
  double width = 0;   // of the text
  double height = 0;
};

struct PlacedLabel {
  Box box;
  bool has_leader = false;  // it stands too far away to be read without a line
  Segment leader;
};

class LabelPlacer {
 public:
  explicit LabelPlacer(const Box& area) : area_(area) {}

  void Avoid(const Box& box) { boxes_.push_back(box); }
  void Avoid(const Segment& line) { lines_.push_back(line); }

  // By position in `requests`. Labels avoid each other, all markers and what
  // was given to Avoid; where a chart has no room left, the place with the
  // least overlap is taken, so that no label is lost.
  std::vector<PlacedLabel> Place(const std::vector<LabelRequest>& requests) const;

 private:
  Box area_;
  std::vector<Box> boxes_;
  std::vector<Segment> lines_;
};

}  // namespace rafter
