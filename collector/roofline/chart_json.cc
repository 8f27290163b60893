#include "collector/roofline/chart_json.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "collector/roofline/drawable.h"
#include "collector/roofline/points.h"
#include "collector/roofline/roofs.h"
#include "collector/roofline/series.h"
#include "collector/table/columns.h"
#include "collector/table/json_writer.h"

namespace rafter {
namespace {

// Columns of the CSV that the page has a use for; the rest would make it
// larger and is in the CSV.
constexpr std::array<std::string_view, 16> kWordColumns = {"Benchmark Problem",
                                                           "Paradigm",
                                                           "Precision",
                                                           "Hardware",
                                                           "Executable",
                                                           "Region",
                                                           "Kernel ID",
                                                           "Kernel",
                                                           "Source",
                                                           "Validity",
                                                           "Reason",
                                                           "Rank",
                                                           "Host",
                                                           "Memory Level",
                                                           "Process",
                                                           "Device"};
constexpr std::array<std::string_view, 9> kNumberColumns = {
    "Duration", "FLOP",           "Memory Traffic", "Peak Performance", "Peak Bandwidth",
    "Calls",    "Measured Calls", "Kernel Time",    "Launches"};

// Names of plotly.js for the shapes of series.h, in its order.
constexpr std::array<std::string_view, 16> kShapeNames = {
    "circle",      "square",    "triangle-up", "diamond",       "triangle-down",
    "pentagon",    "cross",     "star",        "triangle-left", "triangle-right",
    "x",           "hourglass", "bowtie",      "diamond-tall",  "diamond-wide",
    "star-diamond"};
static_assert(kShapeNames.size() == static_cast<size_t>(MarkerShape::kSpark) + 1);

template <typename Roofs, typename Kind, typename PerS>
void WriteRoofs(std::string_view name, const Roofs& roofs, Kind kind, PerS per_s,
                JsonWriter& json) {
  json.List(name, roofs, [&](const auto& roof) {
    json.StartObject();
    json.Text("kind", KindText(roof.*kind));
    json.Key("per_s");
    json.Number(roof.*per_s);
    json.Text("origin", OriginText(roof.origin));
    json.Key("hardware");
    if (roof.hardware) {
      json.Text(*roof.hardware);
    } else {
      json.Null();
    }
    json.EndObject();
  });
}

void WriteRoofs(const std::vector<ComputeRoof>& compute, const std::vector<MemoryRoof>& memory,
                JsonWriter& json) {
  WriteRoofs("compute", compute, &ComputeRoof::precision, &ComputeRoof::flop_per_s, json);
  WriteRoofs("memory", memory, &MemoryRoof::level, &MemoryRoof::bytes_per_s, json);
}

// All that the points of a table are held against.
void WriteLimits(const Roofline& roofline, JsonWriter& json) {
  Roofs all{roofline.compute, roofline.memory};
  const Roofs& more = roofline.left_out;
  all.compute.insert(all.compute.end(), more.compute.begin(), more.compute.end());
  all.memory.insert(all.memory.end(), more.memory.begin(), more.memory.end());
  json.Key("limits");
  json.StartObject();
  WriteRoofs(all.compute, all.memory, json);
  json.EndObject();
}

void WriteWords(const std::vector<std::string>& cells, JsonWriter& json) {
  std::map<std::string_view, uint32_t> places;
  std::vector<std::string_view> words;
  std::vector<uint32_t> of;
  for (const std::string& cell : cells) {
    const auto [place, is_new] = places.try_emplace(cell, words.size());
    if (is_new) words.push_back(cell);
    of.push_back(place->second);
  }
  json.List("words", words, [&](std::string_view word) { json.Text(word); });
  json.List("of", of, [&](uint32_t index) { json.Count(index); });
}

void WriteColumn(const Column& column, const Table& table, JsonWriter& json) {
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), column.name) != names.end();
  };
  const bool is_number = among(kNumberColumns);
  if (!is_number && !among(kWordColumns)) return;
  std::vector<std::string> cells;
  for (const Row& row : table.rows) cells.push_back(column.get(row));
  if (std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.empty(); })) {
    return;
  }
  json.StartObject();
  json.Text("name", column.name);
  json.Text("unit", column.unit);
  if (is_number) {
    json.List("numbers", cells, [&](const std::string& cell) { json.Digits(cell); });
  } else {
    WriteWords(cells, json);
  }
  json.EndObject();
}

void WriteSeries(const SeriesOfPoints& series, JsonWriter& json) {
  json.Text("by", series.by_paradigm ? "Paradigm" : series.by_executable ? "Executable" : "Region");
  json.List("series", series.series, [&](const Series& each) {
    std::array<char, 8> color;
    std::snprintf(color.data(), color.size(), "#%06x", each.color & 0xffffffu);
    json.StartObject();
    json.Text("name", each.name);
    json.Text("color", color.data());
    json.Text("shape", kShapeNames[static_cast<size_t>(each.shape)]);
    json.EndObject();
  });
}

void WritePoints(const Roofline& roofline, JsonWriter& json) {
  const SeriesOfPoints series = ChooseSeries(roofline.points);
  const std::vector<MarkerStyle> styles = MarkerStyles(roofline, series);
  const std::vector<RooflinePoint>& points = roofline.points;
  WriteSeries(series, json);
  json.Key("points");
  json.StartObject();
  json.List("row", points, [&](const auto& point) { json.Count(point.row); });
  json.List("label", points, [&](const auto& point) { json.Text(point.label); });
  json.List("x", points, [&](const auto& point) { json.Number(point.flop_per_byte); });
  json.List("y", points, [&](const auto& point) { json.Number(point.flop_per_s); });
  json.List("series", series.of_point, [&](size_t index) { json.Count(index); });
  json.List("hollow", styles, [&](const auto& style) { json.Count(style.is_hollow ? 1 : 0); });
  json.List("levels", points, [&](const auto& point) {
    json.Digits(point.levels_of ? std::to_string(*point.levels_of) : "-1");
  });
  json.List("above", styles, [&](const auto& style) { json.Count(style.is_flagged ? 1 : 0); });
  json.EndObject();
}

void WriteTable(const Roofline& roofline, const HtmlChart& chart, JsonWriter& json) {
  json.StartObject();
  json.Text("name", chart.name);
  json.Key("rows");
  json.Count(chart.table.rows.size());
  json.Key("columns");
  json.StartArray();
  for (const Column& column : LeadingColumns()) WriteColumn(column, chart.table, json);
  for (const Column& column : TrailingColumns()) WriteColumn(column, chart.table, json);
  json.EndArray();
  WritePoints(roofline, json);
  WriteLimits(roofline, json);
  json.Key("undrawn");
  json.StartObject();
  const std::vector<Undrawn>& undrawn = roofline.undrawn;
  json.List("row", undrawn, [&](const Undrawn& row) { json.Count(row.row); });
  json.List("label", undrawn, [&](const Undrawn& row) { json.Text(row.label); });
  json.List("reason", undrawn, [&](const Undrawn& row) { json.Text(row.reason); });
  json.EndObject();
  json.EndObject();
}

// Inside of strings only: JSON's own signs are others.
std::string WithoutMarkup(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

// Like the chart's own; a baseline without any point is no reason to fail.
Roofline DrawableOrBare(const Roofline& roofline) {
  absl::StatusOr<Roofline> drawable = Drawable(roofline);
  return drawable.ok() ? *std::move(drawable) : roofline;
}

}  // namespace

std::string ChartJson(const HtmlChart& chart, const HtmlChart* baseline) {
  JsonWriter json;
  const Roofline& roofline = chart.roofline;
  json.StartObject();
  json.Text("title", roofline.title);
  json.Text("subtitle", roofline.subtitle);
  json.List("notes", NotesOf(roofline), [&](const auto& note) { json.Text(note); });
  WriteRoofs(roofline.compute, roofline.memory, json);
  json.Texts("hardware", roofline.hardware);
  json.Key("chart");
  WriteTable(roofline, chart, json);
  json.Key("baseline");
  if (baseline == nullptr) {
    json.Null();
  } else {
    WriteTable(DrawableOrBare(baseline->roofline), *baseline, json);
  }
  json.EndObject();
  return WithoutMarkup(json.Finish());
}

}  // namespace rafter
