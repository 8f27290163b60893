// ChartFrame is the plotting area with its axes: which values it shows, the
// grid, the ticks and the titles.
//
//   Threads   pure functions; drawing on one canvas at a time.
//   Blocking  never.
//   Memory    plain values.
//   Lifetime  plain values.
#pragma once

#include "collector/roofline/axis.h"
#include "collector/roofline/canvas.h"
#include "collector/roofline/geometry.h"
#include "collector/roofline/roofline.h"

namespace rafter {

struct ChartFrame {
  Box plot;
  LogAxis x;  // FLOP/Byte
  LogAxis y;  // FLOP/s

  Spot At(double flop_per_byte, double flop_per_s) const {
    return {x.At(flop_per_byte), y.At(flop_per_s)};
  }
};

// FLOP/s; 0 without a compute roof.
double HighestCompute(const Roofline& roofline);

// Shows every point, every compute roof and every ridge, with room around.
ChartFrame FrameFor(const Roofline& roofline, const Box& plot);

void DrawFrame(const ChartFrame& frame, TextSetter& text, Canvas& canvas);

}  // namespace rafter
