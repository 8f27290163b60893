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
