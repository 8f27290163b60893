#include "collector/roofline/text_setter.h"

#include "collector/table/utf8.h"

namespace rafter {
namespace {

// Package fonts-dejavu-core.
constexpr char kFont[] = "DejaVu Sans";

// Nobody reads more in one place, and pango takes seconds for a megabyte.
constexpr size_t kMostCharacters = 2000;

}  // namespace

TextSetter::TextSetter()
    : fonts_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(fonts_.get())) {
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context_.get(), options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(context_.get(), FALSE);
  pango_context_set_language(context_.get(), pango_language_from_string("en"));
  pango_context_set_base_dir(context_.get(), PANGO_DIRECTION_LTR);
}

TextSetter::Owned<PangoLayout> TextSetter::Layout(const std::string& text, const TextStyle& style) {
  Owned<PangoLayout> layout(pango_layout_new(context_.get()));
  PangoFontDescription* const font = pango_font_description_new();
  pango_font_description_set_family_static(font, kFont);
  pango_font_description_set_absolute_size(font, style.size * PANGO_SCALE);
  pango_font_description_set_weight(font, style.is_bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description(layout.get(), font);
  pango_font_description_free(font);
  const std::string line = OneLine(text, kMostCharacters);
  pango_layout_set_text(layout.get(), line.data(), static_cast<int>(line.size()));
  if (style.width > 0) {
    pango_layout_set_width(layout.get(), static_cast<int>(style.width * PANGO_SCALE));
    pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize(layout.get(),
                               style.may_wrap ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_MIDDLE);
  }
  return layout;
}

absl::Status TextSetter::Check() {
  constexpr double kSize = 12;
  constexpr double kLeast = 0.5;
  constexpr double kMost = 4;
  const auto layout = Layout("Rafter 0123456789", {.size = kSize});
  const Box box = Measure("Rafter 0123456789", {.size = kSize});
  const bool has_size = box.width > 0 && box.height > kLeast * kSize && box.height < kMost * kSize;
  if (has_size && pango_layout_get_unknown_glyphs_count(layout.get()) == 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "the chart has no text: fontconfig finds no font with letters on this machine; install a "
      "font, "
      "as in package fonts-dejavu-core, or name a font list in FONTCONFIG_FILE");
}

Box TextSetter::Measure(const std::string& text, const TextStyle& style) {
  int width = 0;
  int height = 0;
  pango_layout_get_size(Layout(text, style).get(), &width, &height);
  return {0, 0, static_cast<double>(width) / PANGO_SCALE,
          static_cast<double>(height) / PANGO_SCALE};
}

void TextSetter::Draw(cairo_t* cairo, const std::string& text, const TextStyle& style, Spot corner,
                      double angle) {
  cairo_save(cairo);
  cairo_set_source_rgb(cairo, ((style.color >> 16) & 0xff) / 255.0,
                       ((style.color >> 8) & 0xff) / 255.0, (style.color & 0xff) / 255.0);
  cairo_move_to(cairo, corner.x, corner.y);
  cairo_rotate(cairo, angle);
  pango_cairo_show_layout(cairo, Layout(text, style).get());
  cairo_restore(cairo);
}

}  // namespace rafter
