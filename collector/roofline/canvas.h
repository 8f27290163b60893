// Canvas is the page: shapes and text that become SVG, PDF or PNG bytes.
//
//   Threads   one thread; one canvas at a time.
//   Blocking  never.
//   Memory    the finished bytes; PNG also four bytes a pixel.
//   Lifetime  Finish ends it.
#pragma once

#include <absl/status/statusor.h>
#include <cairo.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/roofline/geometry.h"
#include "collector/roofline/roofline.h"
#include "collector/roofline/series.h"
#include "collector/roofline/text_setter.h"

namespace rafter {

struct LineStyle {
  uint32_t color = 0x222222;
  double width = 1;
  std::vector<double> dashes;
};

// How a point looks.
struct MarkerStyle {
  MarkerShape shape = MarkerShape::kCircle;
  uint32_t color = 0;
  double radius = 5;
  bool is_hollow = false;   // not measured in full
  bool is_flagged = false;  // above its roof
};

class Canvas {
 public:
  // `title` goes into the PDF's description.
  Canvas(ChartFormat format, double width, double height, const std::string& title,
         TextSetter& text);

  void Fill(const Box& box, uint32_t color, double opacity = 1);
  void Outline(const Box& box, const LineStyle& style);
  void Line(const Segment& line, const LineStyle& style);
  void Marker(Spot center, const MarkerStyle& style);
  void Text(const std::string& text, const TextStyle& style, Spot corner, double angle = 0);

  // Everything until EndClip is drawn inside `box` only.
  void BeginClip(const Box& box);
  void EndClip();

  absl::StatusOr<std::string> Finish();

 private:
  struct DestroySurface {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  };
  struct DestroyCairo {
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
  };

  void SetColor(uint32_t color, double opacity = 1);
  void ShapePath(Spot center, MarkerShape shape, double radius);

  ChartFormat format_;
  TextSetter& text_;
  std::string bytes_;  // written to by the surface
  std::unique_ptr<cairo_surface_t, DestroySurface> surface_;
  std::unique_ptr<cairo_t, DestroyCairo> cairo_;
};

}  // namespace rafter
