#include "collector/roofline/canvas.h"

#include <absl/status/status.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string_view>

namespace rafter {
namespace {

// Pixels for each page unit: sharp on screens of double density.
constexpr double kPngScale = 2;

// PDF wants a date. It is always this one, so that the same chart has the same
// bytes.
constexpr char kPdfDate[] = "2000-01-01T00:00:00Z";

// The flag of a point above its roof.
constexpr uint32_t kFlagColor = 0xc1121f;

cairo_status_t Append(void* bytes, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* MakeSurface(ChartFormat format, double width, double height,
                             const std::string& title, std::string* bytes) {
  switch (format) {
    case ChartFormat::kSvg:
      return cairo_svg_surface_create_for_stream(Append, bytes, width, height);
    case ChartFormat::kPdf: {
      cairo_surface_t* const pdf =
          cairo_pdf_surface_create_for_stream(Append, bytes, width, height);
      cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, kPdfDate);
      cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_MOD_DATE, kPdfDate);
      cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, title.c_str());
      cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "Rafter");
      return pdf;
    }
    case ChartFormat::kPng:
      break;
  }
  cairo_surface_t* const image =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * kPngScale)),
                                 static_cast<int>(std::ceil(height * kPngScale)));
  cairo_surface_set_device_scale(image, kPngScale, kPngScale);
  return image;
}

// cairo numbers its SVG groups by a counter of the whole process: "surface17".
// Numbered anew from 1, the same chart has the same bytes. A name stands after
// a quote or "#"; text is drawn as outlines, so nothing else looks like one.
std::string WithStableIds(std::string_view svg) {
  static constexpr std::string_view kPrefix = "surface";
  std::map<std::string, size_t> numbers;
  std::string stable;
  while (true) {
    const size_t at = svg.find(kPrefix);
    if (at == std::string_view::npos) break;
    size_t end = at + kPrefix.size();
    while (end < svg.size() && svg[end] >= '0' && svg[end] <= '9') ++end;
    const std::string number(svg.substr(at + kPrefix.size(), end - at - kPrefix.size()));
    stable += svg.substr(0, at + kPrefix.size());
    const bool is_name = at > 0 && (svg[at - 1] == '"' || svg[at - 1] == '#');
    if (!is_name) {
      stable += number;
    } else if (!number.empty()) {
      stable += std::to_string(numbers.try_emplace(number, numbers.size() + 1).first->second);
    }
    svg.remove_prefix(end);
  }
  return stable + std::string(svg);
}

// Corners of a regular polygon, the first one at `turn` from the top.
void PolygonPath(cairo_t* cairo, Spot center, int corners, double radius, double turn) {
  for (int i = 0; i < corners; ++i) {
    const double angle = turn + 2 * std::numbers::pi * i / corners;
    cairo_line_to(cairo, center.x + radius * std::sin(angle), center.y - radius * std::cos(angle));
  }
  cairo_close_path(cairo);
}

void StarPath(cairo_t* cairo, Spot center, double radius) {
  constexpr double kInner = 0.45;  // of the outer radius
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * i / 5;
    const double reach = i % 2 == 0 ? radius : radius * kInner;
    cairo_line_to(cairo, center.x + reach * std::sin(angle), center.y - reach * std::cos(angle));
  }
  cairo_close_path(cairo);
}

void CrossPath(cairo_t* cairo, Spot center, double radius) {
  const double arm = radius * 0.38;
  constexpr int kCorners = 12;
  const double x[kCorners] = {-1, 0, 0, 1, 1, 2, 2, 1, 1, 0, 0, -1};
  const double y[kCorners] = {0, 0, -1, -1, 0, 0, 1, 1, 2, 2, 1, 1};
  const auto place = [&](double step) {
    return step == -1 ? -radius : step == 0 ? -arm : step == 1 ? arm : radius;
  };
  for (int i = 0; i < kCorners; ++i) {
    cairo_line_to(cairo, center.x + place(x[i]), center.y + place(y[i]));
  }
  cairo_close_path(cairo);
}

void SaltirePath(cairo_t* cairo, Spot center, double radius) {
  cairo_save(cairo);
  cairo_translate(cairo, center.x, center.y);
  cairo_rotate(cairo, std::numbers::pi / 4);
  CrossPath(cairo, {0, 0}, radius);
  cairo_restore(cairo);
}

// Corners in radii from the center.
void CornersPath(cairo_t* cairo, Spot center, double radius, std::initializer_list<Spot> corners) {
  for (const Spot& corner : corners) {
    cairo_line_to(cairo, center.x + radius * corner.x, center.y + radius * corner.y);
  }
  cairo_close_path(cairo);
}

}  // namespace

Canvas::Canvas(ChartFormat format, double width, double height, const std::string& title,
               TextSetter& text)
    : format_(format),
      text_(text),
      surface_(MakeSurface(format, width, height, title, &bytes_)),
      cairo_(cairo_create(surface_.get())) {
  Fill({0, 0, width, height}, 0xffffff);
}

void Canvas::SetColor(uint32_t color, double opacity) {
  cairo_set_source_rgba(cairo_.get(), ((color >> 16) & 0xff) / 255.0, ((color >> 8) & 0xff) / 255.0,
                        (color & 0xff) / 255.0, opacity);
}

void Canvas::Fill(const Box& box, uint32_t color, double opacity) {
  SetColor(color, opacity);
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width, box.height);
  cairo_fill(cairo_.get());
}

void Canvas::Outline(const Box& box, const LineStyle& style) {
  SetColor(style.color);
  cairo_set_line_width(cairo_.get(), style.width);
  cairo_set_dash(cairo_.get(), style.dashes.data(), static_cast<int>(style.dashes.size()), 0);
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width, box.height);
  cairo_stroke(cairo_.get());
}

void Canvas::Line(const Segment& line, const LineStyle& style) {
  SetColor(style.color);
  cairo_set_line_width(cairo_.get(), style.width);
  cairo_set_dash(cairo_.get(), style.dashes.data(), static_cast<int>(style.dashes.size()), 0);
  cairo_move_to(cairo_.get(), line.from.x, line.from.y);
  cairo_line_to(cairo_.get(), line.to.x, line.to.y);
  cairo_stroke(cairo_.get());
}

void Canvas::ShapePath(Spot center, MarkerShape shape, double radius) {
  cairo_t* const cairo = cairo_.get();
  cairo_new_path(cairo);
  // Radii of equal area, about, so that no shape looks more important.
  switch (shape) {
    case MarkerShape::kCircle:
      cairo_arc(cairo, center.x, center.y, radius, 0, 2 * std::numbers::pi);
      return;
    case MarkerShape::kSquare:
      return PolygonPath(cairo, center, 4, radius * 1.25, std::numbers::pi / 4);
    case MarkerShape::kTriangle:
      return PolygonPath(cairo, {center.x, center.y + radius * 0.2}, 3, radius * 1.4, 0);
    case MarkerShape::kDiamond:
      return PolygonPath(cairo, center, 4, radius * 1.3, 0);
    case MarkerShape::kTriangleDown:
      return PolygonPath(cairo, {center.x, center.y - radius * 0.2}, 3, radius * 1.4,
                         std::numbers::pi);
    case MarkerShape::kPentagon:
      return PolygonPath(cairo, center, 5, radius * 1.15, 0);
    case MarkerShape::kCross:
      return CrossPath(cairo, center, radius * 1.2);
    case MarkerShape::kStar:
      return StarPath(cairo, center, radius * 1.5);
    case MarkerShape::kTriangleLeft:
      return PolygonPath(cairo, {center.x + radius * 0.2, center.y}, 3, radius * 1.4,
                         -std::numbers::pi / 2);
    case MarkerShape::kTriangleRight:
      return PolygonPath(cairo, {center.x - radius * 0.2, center.y}, 3, radius * 1.4,
                         std::numbers::pi / 2);
    case MarkerShape::kSaltire:
      return SaltirePath(cairo, center, radius * 1.2);
    case MarkerShape::kHourglass:
      return CornersPath(cairo, center, radius * 1.25, {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}});
    case MarkerShape::kBowTie:
      return CornersPath(cairo, center, radius * 1.25, {{-1, -1}, {1, 1}, {1, -1}, {-1, 1}});
    case MarkerShape::kTallDiamond:
      return CornersPath(cairo, center, radius * 1.6, {{0, -1}, {0.5, 0}, {0, 1}, {-0.5, 0}});
    case MarkerShape::kWideDiamond:
      return CornersPath(cairo, center, radius * 1.6, {{0, -0.5}, {1, 0}, {0, 0.5}, {-1, 0}});
    case MarkerShape::kSpark:
      return CornersPath(cairo, center, radius * 1.6,
                         {{0, -1},
                          {0.25, -0.25},
                          {1, 0},
                          {0.25, 0.25},
                          {0, 1},
                          {-0.25, 0.25},
                          {-1, 0},
                          {-0.25, -0.25}});
  }
}

void Canvas::Marker(Spot center, const MarkerStyle& style) {
  cairo_set_dash(cairo_.get(), nullptr, 0, 0);
  if (style.is_flagged) {
    ShapePath(center, MarkerShape::kCircle, style.radius * 1.9);
    SetColor(kFlagColor);
    cairo_set_line_width(cairo_.get(), 1.8);
    cairo_stroke(cairo_.get());
  }
  ShapePath(center, style.shape, style.radius);
  SetColor(style.color);
  cairo_fill_preserve(cairo_.get());
  // Light colours need a dark border to be seen on white.
  SetColor(0x1a1a1a, 0.8);
  cairo_set_line_width(cairo_.get(), 0.8);
  cairo_stroke(cairo_.get());
  if (!style.is_hollow) return;
  ShapePath(center, style.shape, style.radius * 0.5);
  SetColor(0xffffff);
  cairo_fill(cairo_.get());
}

void Canvas::Text(const std::string& text, const TextStyle& style, Spot corner, double angle) {
  text_.Draw(cairo_.get(), text, style, corner, angle);
}

void Canvas::BeginClip(const Box& box) {
  cairo_save(cairo_.get());
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width, box.height);
  cairo_clip(cairo_.get());
}

void Canvas::EndClip() { cairo_restore(cairo_.get()); }

absl::StatusOr<std::string> Canvas::Finish() {
  cairo_status_t status = cairo_status(cairo_.get());
  cairo_show_page(cairo_.get());
  cairo_.reset();
  if (format_ == ChartFormat::kPng && status == CAIRO_STATUS_SUCCESS) {
    status = cairo_surface_write_to_png_stream(surface_.get(), Append, &bytes_);
  }
  cairo_surface_finish(surface_.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface_.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    return absl::InternalError(std::string("the chart could not be drawn: ") +
                               cairo_status_to_string(status));
  }
  return format_ == ChartFormat::kSvg ? WithStableIds(bytes_) : std::move(bytes_);
}

}  // namespace rafter
