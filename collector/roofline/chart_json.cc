#include "collector/roofline/chart_json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

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
#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

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

void String(std::string_view text, Writer& writer) {
  const std::string valid = ValidUtf8(text);
  writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void Key(std::string_view name, Writer& writer) {
  writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

// A number's digits; nothing is a missing value.
void Number(const std::string& digits, Writer& writer) {
  if (digits.empty()) {
    writer.Null();
  } else {
    writer.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }
}

template <typename Values, typename Write>
void List(std::string_view name, const Values& values, Writer& writer, const Write& write) {
  Key(name, writer);
  writer.StartArray();
  for (const auto& value : values) write(value);
  writer.EndArray();
}

void Named(std::string_view name, std::string_view text, Writer& writer) {
  Key(name, writer);
  String(text, writer);
}

template <typename Roofs, typename Kind, typename PerS>
void WriteRoofs(std::string_view name, const Roofs& roofs, Kind kind, PerS per_s, Writer& writer) {
  List(name, roofs, writer, [&](const auto& roof) {
    writer.StartObject();
    Named("kind", KindText(roof.*kind), writer);
    Key("per_s", writer);
    Number(NumberText(roof.*per_s), writer);
    Named("origin", OriginText(roof.origin), writer);
    writer.EndObject();
  });
}

void WriteWords(const std::vector<std::string>& cells, Writer& writer) {
  std::map<std::string_view, uint32_t> places;
  std::vector<std::string_view> words;
  std::vector<uint32_t> of;
  for (const std::string& cell : cells) {
    const auto [place, is_new] = places.try_emplace(cell, words.size());
    if (is_new) words.push_back(cell);
    of.push_back(place->second);
  }
  List("words", words, writer, [&](std::string_view word) { String(word, writer); });
  List("of", of, writer, [&](uint32_t index) { writer.Uint(index); });
}

void WriteColumn(const Column& column, const Table& table, Writer& writer) {
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
  writer.StartObject();
  Named("name", column.name, writer);
  Named("unit", column.unit, writer);
  if (is_number) {
    List("numbers", cells, writer, [&](const std::string& cell) { Number(cell, writer); });
  } else {
    WriteWords(cells, writer);
  }
  writer.EndObject();
}

void WriteSeries(const SeriesOfPoints& series, Writer& writer) {
  Named("by",
        series.by_paradigm     ? "Paradigm"
        : series.by_executable ? "Executable"
                               : "Region",
        writer);
  List("series", series.series, writer, [&](const Series& each) {
    std::array<char, 8> color;
    std::snprintf(color.data(), color.size(), "#%06x", each.color & 0xffffffu);
    writer.StartObject();
    Named("name", each.name, writer);
    Named("color", color.data(), writer);
    Named("shape", kShapeNames[static_cast<size_t>(each.shape)], writer);
    writer.EndObject();
  });
}

void WritePoints(const Roofline& roofline, Writer& writer) {
  const SeriesOfPoints series = ChooseSeries(roofline.points);
  const std::vector<MarkerStyle> styles = MarkerStyles(roofline, series);
  const std::vector<RooflinePoint>& points = roofline.points;
  WriteSeries(series, writer);
  Key("points", writer);
  writer.StartObject();
  List("row", points, writer, [&](const auto& point) { writer.Uint64(point.row); });
  List("label", points, writer, [&](const auto& point) { String(point.label, writer); });
  List("x", points, writer,
       [&](const auto& point) { Number(NumberText(point.flop_per_byte), writer); });
  List("y", points, writer,
       [&](const auto& point) { Number(NumberText(point.flop_per_s), writer); });
  List("series", series.of_point, writer, [&](size_t index) { writer.Uint64(index); });
  List("hollow", styles, writer, [&](const auto& style) { writer.Uint(style.is_hollow ? 1 : 0); });
  List("levels", points, writer, [&](const auto& point) {
    writer.Int64(point.levels_of ? static_cast<int64_t>(*point.levels_of) : -1);
  });
  List("above", styles, writer, [&](const auto& style) { writer.Uint(style.is_flagged ? 1 : 0); });
  writer.EndObject();
}

void WriteTable(const Roofline& roofline, const HtmlChart& chart, Writer& writer) {
  writer.StartObject();
  Named("name", chart.name, writer);
  Key("rows", writer);
  writer.Uint64(chart.table.rows.size());
  Key("columns", writer);
  writer.StartArray();
  for (const Column& column : LeadingColumns()) WriteColumn(column, chart.table, writer);
  for (const Column& column : TrailingColumns()) WriteColumn(column, chart.table, writer);
  writer.EndArray();
  WritePoints(roofline, writer);
  Key("undrawn", writer);
  writer.StartObject();
  const std::vector<Undrawn>& undrawn = roofline.undrawn;
  List("row", undrawn, writer, [&](const Undrawn& row) { writer.Uint64(row.row); });
  List("label", undrawn, writer, [&](const Undrawn& row) { String(row.label, writer); });
  List("reason", undrawn, writer, [&](const Undrawn& row) { String(row.reason, writer); });
  writer.EndObject();
  writer.EndObject();
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
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  const Roofline& roofline = chart.roofline;
  writer.StartObject();
  Named("title", roofline.title, writer);
  Named("subtitle", roofline.subtitle, writer);
  List("notes", NotesOf(roofline), writer, [&](const auto& note) { String(note, writer); });
  WriteRoofs("compute", roofline.compute, &ComputeRoof::precision, &ComputeRoof::flop_per_s,
             writer);
  WriteRoofs("memory", roofline.memory, &MemoryRoof::level, &MemoryRoof::bytes_per_s, writer);
  Key("chart", writer);
  WriteTable(roofline, chart, writer);
  Key("baseline", writer);
  if (baseline == nullptr) {
    writer.Null();
  } else {
    WriteTable(DrawableOrBare(baseline->roofline), *baseline, writer);
  }
  writer.EndObject();
  return WithoutMarkup({buffer.GetString(), buffer.GetSize()});
}

}  // namespace rafter
