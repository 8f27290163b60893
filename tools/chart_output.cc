#include "tools/chart_output.h"

#include <map>
#include <utility>

#include "tools/message.h"

namespace rafter {

Result<ChartFormat> ChartFormatOf(const std::string& path) {
  const auto ends = [&](const char* suffix) { return path.ends_with(suffix); };
  if (ends(".svg")) return ChartFormat::kSvg;
  if (ends(".pdf")) return ChartFormat::kPdf;
  if (ends(".png")) return ChartFormat::kPng;
  if (ends(".html")) {
    return Status::Failed(path +
                          ": HTML charts are not in this version; choose .svg, .pdf or .png");
  }
  return Status::Failed(path + ": no chart format has this suffix; choose .svg, .pdf or .png");
}

Result<std::string> DrawChart(const Roofline& roofline, const std::string& path,
                              std::vector<std::string>& notes) {
  Result<ChartFormat> format = ChartFormatOf(path);
  if (!format.ok()) return format.status();
  absl::StatusOr<std::string> drawing = DrawRoofline(roofline, *format);
  if (!drawing.ok()) {
    return Status::Failed(path + ": not drawn: " + std::string(drawing.status().message()));
  }
  notes.push_back(path + ": " + CountText(roofline.points.size(), "point", "points"));
  std::map<std::string, std::vector<std::string>> undrawn;
  for (const Undrawn& row : roofline.undrawn) undrawn[row.reason].push_back(row.label);
  for (const auto& [reason, labels] : undrawn) {
    std::string line = path + ": not drawn: " + labels.front();
    if (labels.size() > 1) line += " and " + std::to_string(labels.size() - 1) + " more";
    notes.push_back(line + ": " + reason);
  }
  return *std::move(drawing);
}

}  // namespace rafter
