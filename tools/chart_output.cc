#include "tools/chart_output.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tools/message.h"

namespace rafter {
namespace {

// Rows named in one line about what is not drawn.
constexpr size_t kMostNamed = 4;

}  // namespace

Result<std::optional<ChartFormat>> ChartFormatOf(const std::string& path) {
  using Format = std::optional<ChartFormat>;
  const auto ends = [&](const char* suffix) { return path.ends_with(suffix); };
  if (ends(".svg")) return Format(ChartFormat::kSvg);
  if (ends(".pdf")) return Format(ChartFormat::kPdf);
  if (ends(".png")) return Format(ChartFormat::kPng);
  if (!ends(".html")) {
    return Status::Failed(path +
                          ": no chart format has this suffix; choose .html, .svg, .pdf or .png");
  }
  if (!CanMakeHtml()) return Status::Failed(path + ": " + WhyNoHtml());
  return Format();
}

Result<std::string> DrawChart(const HtmlChart& chart, const std::string& path,
                              std::vector<std::string>& notes, const HtmlChart* baseline) {
  const Result<std::optional<ChartFormat>> format = ChartFormatOf(path);
  if (!format.ok()) return format.status();
  const Roofline& roofline = chart.roofline;
  absl::StatusOr<std::string> drawing =
      *format ? DrawRoofline(roofline, **format) : ToHtml(chart, baseline);
  if (!drawing.ok()) {
    return Status::Failed(path + ": not drawn: " + std::string(drawing.status().message()));
  }
  notes.push_back(path + ": " + CountText(roofline.points.size(), "point", "points"));
  std::map<std::string, std::vector<std::string>> undrawn;
  for (const Undrawn& row : roofline.undrawn) undrawn[row.reason].push_back(row.label);
  for (const auto& [reason, labels] : undrawn) {
    std::string line = path + ": not drawn: " + labels.front();
    const size_t named = std::min(labels.size(), kMostNamed);
    // A label may hold commas: "ffma, pid 573".
    const bool has_commas = std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
      return label.find(',') != std::string::npos;
    });
    for (size_t i = 1; i < named; ++i) {
      line += has_commas ? "; " : ", ";
      line += labels[i];
    }
    if (labels.size() > named) line += " and " + std::to_string(labels.size() - named) + " more";
    notes.push_back(line + ": " + reason);
  }
  return *std::move(drawing);
}

}  // namespace rafter
