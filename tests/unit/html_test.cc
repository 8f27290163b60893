// The HTML chart: the data in its page, and the page around them. What a
// browser makes of it is tested in tests/contract/html_chart_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cmath>
#include <limits>
#include <locale>

#include "collector/roofline/chart_json.h"
#include "collector/roofline/html_parts.h"
#include "collector/roofline/to_html.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Row MakeRow(std::string region, double flop, double bytes, double seconds) {
  Row row;
  row.region = std::move(region);
  row.executable = "bench";
  row.paradigm = "Cuda";
  row.precision = "fp32";
  row.memory_level = "dram";
  row.flop = flop;
  row.traffic_bytes = bytes;
  row.duration_s = seconds;
  row.peak_flop_per_s = 6.69e13;
  row.peak_bytes_per_s = 4.8e12;
  row.validity = "measured";
  return row;
}

Table ThreeRows() {
  Table table;
  table.rows = {MakeRow("stencil", 5.13e11, 2.05e11, 0.418), MakeRow("copy", 0, 2e9, 0.001),
                MakeRow("reduce", 1e9, 4e9, 0.002)};
  table.rows[2].validity = "partial";
  table.rows[2].paradigm = "Hip";
  table.notes = {"7 instances dropped"};
  return table;
}

std::string JsonOf(const Table& table) {
  const Roofline roofline = BuildRoofline(table, {});
  return ChartJson({roofline, table}, nullptr);
}

rapidjson::Document Parsed(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  EXPECT_FALSE(document.HasParseError()) << json;
  return document;
}

std::string Page(const Table& table, const std::string& title = "") {
  RooflineOptions options;
  options.title = title;
  const Roofline roofline = BuildRoofline(table, options);
  absl::StatusOr<std::string> page = ToHtml({roofline, table}, nullptr);
  EXPECT_TRUE(page.ok()) << page.status();
  return page.ok() ? *page : "";
}

size_t CountOf(std::string_view part, std::string_view text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ChartJson, HasEachRowOnceAsAPointOrWithTheReason) {
  const rapidjson::Document json = Parsed(JsonOf(ThreeRows()));
  const auto& chart = json["chart"];
  EXPECT_EQ(chart["rows"].GetUint(), 3u);
  const auto& points = chart["points"];
  ASSERT_EQ(points["row"].Size(), 2u);
  EXPECT_EQ(points["row"][0].GetUint(), 0u);
  EXPECT_EQ(points["row"][1].GetUint(), 2u);
  EXPECT_DOUBLE_EQ(points["x"][0].GetDouble(), 5.13e11 / 2.05e11);
  EXPECT_DOUBLE_EQ(points["y"][0].GetDouble(), 5.13e11 / 0.418);
  const auto& undrawn = chart["undrawn"];
  ASSERT_EQ(undrawn["row"].Size(), 1u);
  EXPECT_EQ(undrawn["row"][0].GetUint(), 1u);
  EXPECT_STREQ(undrawn["reason"][0].GetString(), "no floating-point work");
  EXPECT_STREQ(json["notes"][0].GetString(), "7 instances dropped");
}

TEST(ChartJson, MarksWhatIsNotPlainlyMeasuredAndWhatIsAboveItsRoof) {
  Table table = ThreeRows();
  table.rows[0].flop_per_s = 1e14;
  const rapidjson::Document json = Parsed(JsonOf(table));
  const auto& points = json["chart"]["points"];
  EXPECT_EQ(points["hollow"][0].GetUint(), 0u);
  EXPECT_EQ(points["hollow"][1].GetUint(), 1u);
  EXPECT_EQ(points["above"][0].GetUint(), 1u);
  EXPECT_EQ(points["above"][1].GetUint(), 0u);
}

TEST(ChartJson, HasTheSeedsColoursByParadigm) {
  const rapidjson::Document json = Parsed(JsonOf(ThreeRows()));
  const auto& chart = json["chart"];
  EXPECT_STREQ(chart["by"].GetString(), "Paradigm");
  EXPECT_STREQ(chart["series"][0]["name"].GetString(), "Cuda");
  EXPECT_STREQ(chart["series"][0]["color"].GetString(), "#9467bd");
  EXPECT_STREQ(chart["series"][1]["color"].GetString(), "#000000");
}

TEST(ChartJson, HasAShapeOfItsOwnForEachParadigm) {
  Table table;
  for (const char* paradigm :
       {"CPP", "Stdpar", "Vulkan", "Slang-Vulkan", "AdaptiveCpp", "Kokkos", "Cuda", "Slang-Cuda",
        "RAJA", "Alpaka", "Cublas", "OpenACC", "OpenCL", "Boost", "OpenMP", "Hip"}) {
    table.rows.push_back(MakeRow(std::string("in ") + paradigm, 4e9, 1e9, 0.1));
    table.rows.back().paradigm = paradigm;
  }
  const auto data = Parsed(JsonOf(table));
  std::vector<std::string> shapes;
  for (const auto& each : data["chart"]["series"].GetArray())
    shapes.push_back(each["shape"].GetString());
  // Symbols of plotly.js, as its documentation of scatter.marker.symbol names them.
  EXPECT_THAT(shapes, ::testing::ElementsAre(
                          "circle", "square", "triangle-up", "diamond", "triangle-down", "pentagon",
                          "cross", "star", "triangle-left", "triangle-right", "x", "hourglass",
                          "bowtie", "diamond-tall", "diamond-wide", "star-diamond"));
}

TEST(ChartJson, HasOneNumberForTheSameLaunchesAtSeveralMemoryLevels) {
  Table table;
  for (const char* region : {"stencil", "reduce"}) {
    for (const char* level : {"dram", "l2"}) {
      table.rows.push_back(MakeRow(region, 4e9, *level == 'd' ? 1e9 : 3e9, 0.1));
      table.rows.back().memory_level = level;
    }
  }
  table.rows.push_back(MakeRow("alone", 4e9, 1e9, 0.1));
  const auto data = Parsed(JsonOf(table));
  std::vector<int> levels;
  for (const auto& each : data["chart"]["points"]["levels"].GetArray()) {
    levels.push_back(each.GetInt());
  }
  EXPECT_THAT(levels, ::testing::ElementsAre(0, 0, 1, 1, -1));
}

TEST(ChartJson, SaysBySeriesOfWhichColumnPointsAreColoured) {
  Table table = ThreeRows();
  EXPECT_STREQ(Parsed(JsonOf(table))["chart"]["by"].GetString(), "Paradigm");
  for (Row& row : table.rows) row.paradigm = "";
  EXPECT_STREQ(Parsed(JsonOf(table))["chart"]["by"].GetString(), "Region");
  table.rows[2].executable = "other";
  EXPECT_STREQ(Parsed(JsonOf(table))["chart"]["by"].GetString(), "Executable");
}

TEST(ChartJson, WritesWordsOnceAndMissingNumbersAsNull) {
  Table table = ThreeRows();
  table.rows[1].duration_s = std::nullopt;
  table.rows[2].duration_s = std::numeric_limits<double>::quiet_NaN();
  const rapidjson::Document json = Parsed(JsonOf(table));
  bool has_words = false;
  for (const auto& column : json["chart"]["columns"].GetArray()) {
    const std::string name = column["name"].GetString();
    EXPECT_NE(name, "Host") << "has no value in any row";
    if (name == "Executable") {
      has_words = true;
      EXPECT_EQ(column["words"].Size(), 1u);
      EXPECT_EQ(column["of"].Size(), 3u);
    }
    if (name == "Duration") {
      EXPECT_DOUBLE_EQ(column["numbers"][0].GetDouble(), 0.418);
      EXPECT_TRUE(column["numbers"][1].IsNull());
      EXPECT_TRUE(column["numbers"][2].IsNull());
    }
  }
  EXPECT_TRUE(has_words);
}

TEST(ChartJson, NamesRoofsByKindValueAndOrigin) {
  const Table table = ThreeRows();
  RooflineOptions options;
  options.peak_bytes_per_s = 1e12;
  const Roofline roofline = BuildRoofline(table, options);
  const rapidjson::Document json = Parsed(ChartJson({roofline, table}, nullptr));
  EXPECT_STREQ(json["compute"][0]["kind"].GetString(), "FP32");
  EXPECT_DOUBLE_EQ(json["compute"][0]["per_s"].GetDouble(), 6.69e13);
  EXPECT_STREQ(json["compute"][0]["origin"].GetString(), "observed");
  EXPECT_STREQ(json["memory"][0]["origin"].GetString(), "given");
}

TEST(ChartJson, SaysOfWhichHardwareARoofIs) {
  Table table = ThreeRows();
  EXPECT_TRUE(Parsed(JsonOf(table))["compute"][0]["hardware"].IsNull());
  EXPECT_EQ(Parsed(JsonOf(table))["hardware"].Size(), 0u);
  table.rows[0].hardware = table.rows[1].hardware = "NVIDIA H200";
  table.rows[2].hardware = "NVIDIA RTX5080";
  table.rows[2].peak_flop_per_s = 5.73e13;
  const rapidjson::Document json = Parsed(JsonOf(table));
  ASSERT_EQ(json["compute"].Size(), 2u);
  EXPECT_STREQ(json["compute"][0]["hardware"].GetString(), "NVIDIA H200");
  EXPECT_STREQ(json["compute"][1]["hardware"].GetString(), "NVIDIA RTX5080");
  EXPECT_DOUBLE_EQ(json["compute"][1]["per_s"].GetDouble(), 5.73e13);
  EXPECT_STREQ(json["memory"][1]["hardware"].GetString(), "NVIDIA RTX5080");
  EXPECT_STREQ(json["hardware"][1].GetString(), "NVIDIA RTX5080");
}

TEST(ChartJson, HasAllRoofsThatPointsAreHeldAgainst) {
  Table table;
  for (const char* hardware : {"A", "B", "C", "D", "E"}) {
    table.rows.push_back(MakeRow("r", 1e9, 1e9, 0.1));
    table.rows.back().hardware = hardware;
  }
  Table older = ThreeRows();
  for (Row& row : older.rows) row.peak_flop_per_s = 1e13;
  const Roofline roofline = BuildRoofline(table, {});
  const Roofline older_roofline = BuildRoofline(older, {});
  const HtmlChart baseline{older_roofline, older, "old.csv"};
  const rapidjson::Document json = Parsed(ChartJson({roofline, table}, &baseline));
  EXPECT_EQ(json["compute"].Size(), 4u);
  ASSERT_EQ(json["chart"]["limits"]["compute"].Size(), 5u);
  EXPECT_STREQ(json["chart"]["limits"]["compute"][4]["hardware"].GetString(), "E");
  EXPECT_EQ(json["chart"]["limits"]["memory"].Size(), 5u);
  ASSERT_EQ(json["baseline"]["limits"]["compute"].Size(), 1u);
  EXPECT_DOUBLE_EQ(json["baseline"]["limits"]["compute"][0]["per_s"].GetDouble(), 1e13);
}

TEST(ChartJson, SaysWhyARoofIsNotThere) {
  Table table = ThreeRows();
  for (Row& row : table.rows) row.peak_flop_per_s = std::nullopt;
  EXPECT_THAT(JsonOf(table), HasSubstr("no compute roof"));
}

TEST(ChartJson, KeepsNamesThatLookLikeMarkupOutOfThePagesMarkup) {
  const std::string name = "</script><!-- <b>&amp; \"quoted\" \\ \n \xE2\x80\xA8 \xff";
  Table table = ThreeRows();
  table.rows[0].region = name;
  table.rows[1].executable = name;
  table.rows[0].reason = name;
  table.notes = {name};
  const std::string text = JsonOf(table);
  for (const char* sign : {"<", ">", "&"}) EXPECT_THAT(text, Not(HasSubstr(sign)));
  const rapidjson::Document json = Parsed(text);
  EXPECT_STREQ(json["notes"][0].GetString(),
               "</script><!-- <b>&amp; \"quoted\" \\ \n \xE2\x80\xA8 \xEF\xBF\xBD");
}

TEST(ChartJson, HasTheBaselineBesideTheChart) {
  const Table table = ThreeRows();
  Table older = ThreeRows();
  older.rows.pop_back();
  const Roofline roofline = BuildRoofline(table, {});
  const Roofline older_roofline = BuildRoofline(older, {});
  const HtmlChart baseline{older_roofline, older, "old.csv"};
  const rapidjson::Document json = Parsed(ChartJson({roofline, table}, &baseline));
  EXPECT_EQ(json["baseline"]["rows"].GetUint(), 2u);
  EXPECT_STREQ(json["baseline"]["name"].GetString(), "old.csv");
  EXPECT_TRUE(Parsed(JsonOf(table))["baseline"].IsNull());
}

TEST(ChartJson, TakesABaselineThatHasNoPoints) {
  const Table table = ThreeRows();
  const Table none;
  const Roofline roofline = BuildRoofline(table, {});
  const Roofline nothing = BuildRoofline(none, {});
  const HtmlChart baseline{nothing, none, "empty.csv"};
  const rapidjson::Document json = Parsed(ChartJson({roofline, table}, &baseline));
  EXPECT_EQ(json["baseline"]["points"]["row"].Size(), 0u);
}

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(ChartJson, IsTheSameInALocaleWithDecimalCommas) {
  const std::string plain = JsonOf(ThreeRows());
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const std::string in_comma = JsonOf(ThreeRows());
  std::locale::global(before);
  EXPECT_EQ(plain, in_comma);
}

// Not every build has plotly.js.
class HtmlPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanMakeHtml()) GTEST_SKIP() << WhyNoHtml();
  }
};

TEST_F(HtmlPage, HasTheSameBytesForTheSameInput) {
  const std::string first = Page(ThreeRows());
  EXPECT_EQ(first, Page(ThreeRows()));
  Table other = ThreeRows();
  other.rows[0].flop = 6e11;
  EXPECT_NE(first, Page(other));
}

TEST_F(HtmlPage, HasEverythingInsideAndNoMarkLeft) {
  const std::string page = Page(ThreeRows());
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr(BuiltInHtmlParts().plotly.substr(0, 200)));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted"));
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
  for (const char* mark : {"{{title}}", "{{style}}", "{{data}}", "{{plotly}}", "{{script}}"}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST_F(HtmlPage, HasAsManyScriptsWhateverARegionIsCalled) {
  Table table = ThreeRows();
  const size_t scripts = CountOf("</script", Page(table));
  EXPECT_EQ(scripts, 3u);
  table.rows[0].region = "</script><script>alert(1)</script>{{script}}";
  const std::string page = Page(table, "</title><script>alert(2)</script>{{data}}");
  EXPECT_EQ(CountOf("</script", page), scripts);
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;alert(2)"));
}

TEST_F(HtmlPage, IsRefusedWhereThereIsNothingToDraw) {
  Table table;
  table.rows = {MakeRow("copy", 0, 1e9, 0.1)};
  table.rows[0].peak_flop_per_s = table.rows[0].peak_bytes_per_s = std::nullopt;
  const Roofline roofline = BuildRoofline(table, {});
  const auto page = ToHtml({roofline, table}, nullptr);
  ASSERT_FALSE(page.ok());
  EXPECT_THAT(std::string(page.status().message()), HasSubstr("neither roofs nor points"));
}

TEST(ToHtml, SaysWhatToDoWhereTheBuildHasNoPlotly) {
  HtmlParts parts = BuiltInHtmlParts();
  parts.plotly = {};
  const Table table = ThreeRows();
  const Roofline roofline = BuildRoofline(table, {});
  const auto page = ToHtml({roofline, table}, nullptr, parts);
  ASSERT_FALSE(page.ok());
  EXPECT_THAT(std::string(page.status().message()), HasSubstr("run scripts/setup"));
}

}  // namespace
}  // namespace rafter
