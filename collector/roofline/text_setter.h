// TextSetter measures and draws text with pango, in one fixed font and without
// hinting, so that text has the same size in SVG, PDF and PNG and on every
// machine that has the font.
//
//   Threads   one thread.
//   Blocking  the first use reads the system's font list.
//   Memory    a font map of its own; freed with it.
//   Lifetime  until its destructor.
#pragma once

#include <absl/status/status.h>
#include <cairo.h>
#include <pango/pangocairo.h>

#include <cstdint>
#include <memory>
#include <string>

#include "collector/roofline/geometry.h"

namespace rafter {

struct TextStyle {
  double size = 12;  // page units
  bool is_bold = false;
  uint32_t color = 0x222222;
  double width = 0;       // 0: one line, as wide as it comes
  bool may_wrap = false;  // with a width: more lines; else the middle is cut with "…"
};

class TextSetter {
 public:
  TextSetter();

  // Fails where the machine has no font with letters: pango then measures and draws
  // anything at all, and says nothing.
  absl::Status Check();

  // Width and height of the text's box.
  Box Measure(const std::string& text, const TextStyle& style);

  // With its upper left corner at `corner`, turned by `angle` (radians,
  // clockwise) about it.
  void Draw(cairo_t* cairo, const std::string& text, const TextStyle& style, Spot corner,
            double angle);

 private:
  template <typename T>
  struct Unref {
    void operator()(T* object) const { g_object_unref(object); }
  };
  template <typename T>
  using Owned = std::unique_ptr<T, Unref<T>>;

  Owned<PangoLayout> Layout(const std::string& text, const TextStyle& style);

  Owned<PangoFontMap> fonts_;
  Owned<PangoContext> context_;
};

}  // namespace rafter
