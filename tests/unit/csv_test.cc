// CSV as cli.md says, out and in, ours and the seeds'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

#include "collector/store/utf8.h"
#include "collector/table/csv_cells.h"
#include "collector/table/number_text.h"
#include "collector/table/table.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kFixedHeader[] =
    "Benchmark Problem,Paradigm,Precision,Hardware,Executable,Region,Kernel ID,Kernel,Kernel "
    "Signature,Grid Size [blocks],Block Size [threads/block],Duration [s],Memory Level,FLOP "
    "[FLOP],Memory Traffic [Byte],Arithmetic Intensity [FLOP/Byte],Performance [FLOP/s],Peak "
    "Performance [FLOP/s],Peak Bandwidth [Byte/s],";
constexpr char kLastHeader[] =
    "FLOP FP32 [FLOP],FLOP FP64 [FLOP],FLOP FP16 [FLOP],FLOP Tensor [FLOP],Source,Validity,Reason,"
    "Calls,Measured Calls,Duration Spread [1],Kernel Time [s],Launches,Rank,Host,Process,Device,"
    "Device UUID,SM Clock [Hz],DRAM Clock [Hz]\n";

Row SampleRow() {
  Row row;
  row.region = "solve";
  row.precision = "fp32";
  row.memory_level = "dram";
  row.flop = 137438953472.0;
  row.duration_s = 0.0035968320000000003;
  row.calls = 12;
  row.metrics["dram__bytes.sum.peak_sustained"] = 64;
  row.metric_units["dram__bytes.sum.peak_sustained"] = "Byte/cycle";
  row.metrics["dram__bytes.sum"] = std::nullopt;
  row.metric_units["dram__bytes.sum"] = "Byte";
  return row;
}

Table Read(const std::string& text) {
  absl::StatusOr<Table> table = FromCsv(text);
  EXPECT_TRUE(table.ok()) << table.status();
  return table.ok() ? *table : Table{};
}

std::string FailureOf(const std::string& text) {
  return std::string(FromCsv(text).status().message());
}

TEST(ToCsv, WritesTheColumnsOfTheContractInOrder) {
  const std::string text = ToCsv({{SampleRow()}, {}});
  EXPECT_THAT(text, StartsWith(std::string(kFixedHeader) +
                               "dram__bytes.sum [Byte],dram__bytes.sum.peak_sustained "
                               "[Byte/cycle]," +
                               kLastHeader));
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            ",,FP32,,,solve,,,,,,0.0035968320000000003,DRAM,137438953472,,,,,,,64,,,,,,,,12,,,,,,,,"
            ",,,\n");
}

TEST(ToCsv, WritesAHeaderForAnEmptyTable) {
  EXPECT_EQ(ToCsv({}), std::string(kFixedHeader) + kLastHeader);
}

TEST(ToCsv, GivesAMetricOfTwoUnitsTwoColumns) {
  Row bytes = SampleRow();
  Row kilobytes = SampleRow();
  Row unknown = SampleRow();
  bytes.metrics = {{"x__y.sum", 1}};
  bytes.metric_units = {{"x__y.sum", "Byte"}};
  kilobytes.metrics = {{"x__y.sum", 2}};
  kilobytes.metric_units = {{"x__y.sum", "KByte"}};
  unknown.metrics = {{"x__y.sum", 3}};
  unknown.metric_units.clear();
  const std::string text = ToCsv({{bytes, kilobytes, unknown}, {}});
  EXPECT_THAT(text, HasSubstr("x__y.sum [Byte],x__y.sum [KByte]"));
  const Table back = Read(text);
  EXPECT_EQ(back.rows[0].metric_units.at("x__y.sum"), "Byte");
  EXPECT_EQ(back.rows[1].metric_units.at("x__y.sum"), "KByte");
  EXPECT_EQ(back.rows[1].metrics.at("x__y.sum"), 2);
  EXPECT_EQ(back.rows[2].metrics.at("x__y.sum"), 3);
}

TEST(ToCsv, ReadsBackCellForCell) {
  Row row = SampleRow();
  row.region = "=1+2, \"quoted\"\r\n\xF0\x9F\x9A\x80 tab\there ";
  row.kernel_signature = std::string(1 << 20, 'x') + ",\n\"";
  row.reason = "-dash; @at; +plus";
  row.hardware = " leading";
  row.rank = "min";
  row.launches = std::numeric_limits<uint64_t>::max();
  const std::string text = ToCsv({{row}, {}});
  const Table back = Read(text);
  ASSERT_EQ(back.rows.size(), 1u);
  EXPECT_EQ(back.rows[0].region, row.region);
  EXPECT_EQ(back.rows[0].kernel_signature, row.kernel_signature);
  EXPECT_EQ(back.rows[0].reason, row.reason);
  EXPECT_EQ(back.rows[0].hardware, row.hardware);
  EXPECT_EQ(back.rows[0].launches, row.launches);
  EXPECT_EQ(back.rows[0].precision, "fp32");
  EXPECT_EQ(back.rows[0].memory_level, "dram");
  EXPECT_FALSE(back.rows[0].traffic_bytes.has_value());
  EXPECT_FALSE(back.rows[0].metrics.at("dram__bytes.sum").has_value());
  EXPECT_EQ(ToCsv(back), text);
}

TEST(ToCsv, MakesUtf8OfBytesThatAreNot) {
  Row row = SampleRow();
  row.region = "caf\xe9";
  EXPECT_THAT(ToCsv({{row}, {}}), HasSubstr("caf\xEF\xBF\xBD"));
}

TEST(ToCsv, WritesNoNumberForWhatIsNone) {
  Row row;
  row.flop = std::numeric_limits<double>::quiet_NaN();
  row.duration_s = std::numeric_limits<double>::infinity();
  const Table back = Read(ToCsv({{row}, {}}));
  EXPECT_FALSE(back.rows[0].flop.has_value());
  EXPECT_FALSE(back.rows[0].duration_s.has_value());
}

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(ToCsv, IsTheSameInALocaleWithDecimalCommas) {
  const std::string plain = ToCsv({{SampleRow()}, {}});
  const std::string json = ToJson({{SampleRow()}, {}});
  const std::string markdown = ToMarkdown({{SampleRow()}, {}});
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  std::ostringstream probe;
  probe << 1.5;
  const std::string in_comma = ToCsv({{SampleRow()}, {}});
  const std::string json_in_comma = ToJson({{SampleRow()}, {}});
  const std::string markdown_in_comma = ToMarkdown({{SampleRow()}, {}});
  const Table back = Read(plain);
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  ASSERT_EQ(probe.str(), "1,5") << "the test's locale is not in effect";
  EXPECT_EQ(in_comma, plain);
  EXPECT_EQ(json_in_comma, json);
  EXPECT_EQ(markdown_in_comma, markdown);
  EXPECT_EQ(back.rows[0].duration_s, 0.0035968320000000003);
}

TEST(FromCsv, TakesAnyOrderAndColumnsThatAreMissingOrForeign) {
  const Table table = Read(
      "\xEF\xBB\xBFgpu__time_duration.sum,Region,Remarks,Duration\r\n"
      "500.5,\"a,b\",hello,2.5e-3\r\n"
      "\r\n"
      ",c,,\r\n");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].region, "a,b");
  EXPECT_EQ(table.rows[0].duration_s, 0.0025);
  EXPECT_EQ(table.rows[0].metrics.at("gpu__time_duration.sum"), 500.5);
  EXPECT_EQ(table.rows[1].region, "c");
  EXPECT_FALSE(table.rows[1].duration_s.has_value());
  EXPECT_THAT(table.notes, ::testing::ElementsAre("column \"Remarks\" is not known; left out"));
}

TEST(FromCsv, TakesALastLineWithoutItsEndAndFloatsForCounts) {
  const Table table = Read("Region,Calls,FLOP [FLOP]\na,12.0,nan");
  EXPECT_EQ(table.rows[0].calls, 12u);
  EXPECT_FALSE(table.rows[0].flop.has_value());
}

TEST(FromCsv, NamesLineAndColumnOfWhatItCannotRead) {
  EXPECT_EQ(FailureOf(""), "line 1, column 1: there is no header");
  EXPECT_EQ(FailureOf("a,b\n1,2\n"),
            "line 1, column 1: no column that a table of ours has; is this the header?");
  EXPECT_EQ(FailureOf("Region,Duration\na,1\nb,1,5\n"),
            "line 3, column 3: the row has 3 cells, the header 2");
  EXPECT_EQ(FailureOf("Region,Duration\n\"a\nb\",fast\n"),
            "line 2, column 2: \"fast\" is not a number (Duration)");
  EXPECT_EQ(FailureOf("Region,Duration\na,1\n\"b\n\nc,2\n"),
            "line 3, column 1: the quote that opens here is never closed");
  EXPECT_EQ(FailureOf("Region,Calls\na,-1\n"), "line 2, column 2: \"-1\" is not a number (Calls)");
  EXPECT_EQ(FailureOf("Region,Duration [ms]\n"),
            "line 1, column 2: \"Duration [ms]\" has another unit than [s]");
  EXPECT_EQ(FailureOf("Duration,Region,Duration [s]\n"),
            "line 1, column 3: \"Duration\" is there twice");
  EXPECT_EQ(FailureOf("Region\na\"b\"\n"),
            "line 2, column 1: a quote in the middle of a cell; quote the whole cell");
}

// A table of the seeds; nothing when it is not there.
std::optional<std::string> Seed(const std::string& name) {
  std::ifstream file(std::string(RAFTER_SHARED_DIR "/data/ppbcc/") + name, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool IsRequired() {
  const char* required = std::getenv("RAFTER_REQUIRE_CUPTI");
  return required != nullptr && std::string(required) == "1";
}

#define RAFTER_SEED_OR_SKIP(text, name)                                                           \
  const std::optional<std::string> text = Seed(name);                                             \
  if (!text && IsRequired()) FAIL() << RAFTER_SHARED_DIR "/data/ppbcc/" << name << " is missing"; \
  if (!text) GTEST_SKIP() << RAFTER_SHARED_DIR "/data/ppbcc/" << name << " is not here"

// Every cell of the original must be there under its column, with the same
// text, or, for numbers, the same double.
void ExpectSameCells(const std::string& original, const std::string& written) {
  const auto before = ParseCsv(original);
  const auto after = ParseCsv(written);
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_EQ(before->size(), after->size());
  for (size_t c = 0; c < before->front().cells.size(); ++c) {
    const std::string name = before->front().cells[c];
    size_t place = 0;
    const auto& header = after->front().cells;
    const auto is_name = [&](const std::string& text) {
      return text == name || text.substr(0, text.rfind(" [")) == name;
    };
    while (place < header.size() && !is_name(header[place])) ++place;
    ASSERT_LT(place, header.size()) << name;
    for (size_t r = 1; r < before->size(); ++r) {
      const std::string& was = (*before)[r].cells[c];
      const std::string& is = (*after)[r].cells[place];
      if (ParseNumber(was) && name != "Kernel ID") {
        EXPECT_EQ(ParseNumber(was), ParseNumber(is)) << name << " of row " << r;
      } else {
        EXPECT_EQ(was, is) << name << " of row " << r;
      }
    }
  }
}

TEST(FromCsv, KeepsEveryDigitOfTheSeedsNsightComputeTable) {
  RAFTER_SEED_OR_SKIP(text, "ncu_rows.csv");
  const Table table = Read(*text);
  ASSERT_EQ(table.rows.size(), 5u);
  ExpectSameCells(*text, ToCsv(table));
  EXPECT_EQ(ToCsv(Read(ToCsv(table))), ToCsv(table));
  EXPECT_EQ(table.rows[0].flop, 137438953472.0);
  EXPECT_EQ(table.rows[0].precision, "fp32");
  EXPECT_EQ(table.rows[0].grid_size, "(840, 1, 1)");
  for (const Row& row : table.rows) {
    EXPECT_DOUBLE_EQ(*row.flop_per_s, *row.flop / *row.duration_s);
    EXPECT_DOUBLE_EQ(*row.flop_per_byte, *row.flop / *row.traffic_bytes);
  }
}

TEST(FromCsv, KeepsEveryDigitOfTheSeedsNsightSystemsTable) {
  RAFTER_SEED_OR_SKIP(text, "nsys.csv");
  const Table table = Read(*text);
  ASSERT_EQ(table.rows.size(), 7u);
  ExpectSameCells(*text, ToCsv(table));
  EXPECT_FALSE(table.rows[5].flop.has_value());
  EXPECT_EQ(table.rows[5].traffic_bytes, 172548272.24800003);
}

TEST(FromCsv, ReadsTheSeedsNewerFormWithUnits) {
  RAFTER_SEED_OR_SKIP(text, "ncu_rows.csv");
  const Table plain = Read(*text);
  const Table with_units = Read(ToCsv(plain));  // our headers are the newer form
  ASSERT_EQ(plain.rows.size(), with_units.rows.size());
  for (size_t i = 0; i < plain.rows.size(); ++i) {
    EXPECT_EQ(plain.rows[i].duration_s, with_units.rows[i].duration_s);
    EXPECT_EQ(plain.rows[i].metrics, with_units.rows[i].metrics);
  }
}

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(-0.0), "0");
  EXPECT_EQ(NumberText(0.1), "0.1");
  EXPECT_EQ(NumberText(-3), "-3");
  EXPECT_EQ(NumberText(9007199254740991.0), "9007199254740991");
  EXPECT_EQ(NumberText(1e300), "1e+300");
  EXPECT_EQ(NumberText(1.0 / 3), "0.3333333333333333");
  for (const double value : {5e-324, 1.7976931348623157e308, 9007199254740993.0, 2.0 / 3e10}) {
    EXPECT_EQ(ParseNumber(NumberText(value)), value);
  }
}

TEST(SiText, RoundsToFourDigitsAndTheRightPrefix) {
  EXPECT_EQ(SiText(549755813888.0, "FLOP"), "549.8 GFLOP");
  EXPECT_EQ(SiText(999.96, "s"), "1 ks");
  EXPECT_EQ(SiText(0.00125, "s"), "1.25 ms");
  EXPECT_EQ(SiText(0, "Byte"), "0 Byte");
  EXPECT_EQ(SiText(1e13, "FLOP/s"), "10 TFLOP/s");
  EXPECT_EQ(RatioText(0.3251, "FLOP/Byte"), "0.3251 FLOP/Byte");
  EXPECT_EQ(RatioText(13.924, "FLOP/Byte"), "13.92 FLOP/Byte");
}

TEST(OneLine, TakesControlCharactersOut) { EXPECT_EQ(OneLine("a\nb\x1b[31mc\t\n"), "a b [31mc "); }

TEST(OneLine, CutsTheMiddleOfLongNamesAtCharacters) {
  EXPECT_EQ(OneLine("a\nb", 10), "a b");
  EXPECT_EQ(OneLine("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(OneLine("ääää", 4), "ääää");
  EXPECT_EQ(OneLine("ääää", 3), "ä…ä");
  EXPECT_EQ(OneLine("ab" + std::string(100000, 'x') + "ü", 4), "a…xü");
}

TEST(FromCsv, GivesRowsTheirRoomAtOnceButNoMoreThanTheTextIsWorth) {
  // A copy would have room for its rows only.
  const auto room_of = [](const std::string& text) { return FromCsv(text)->rows.capacity(); };
  std::string text = "Region,Duration\n";
  for (int i = 0; i < 1000; ++i) text += std::string(400, 'x') + ",1\n";
  EXPECT_EQ(room_of(text), 1001u);
  const std::string empty = "Region,Duration\n" + std::string(1000000, '\n');
  EXPECT_GT(room_of(empty), 0u);
  EXPECT_LE(room_of(empty) * sizeof(Row), 4 * empty.size());
}

TEST(FromCsv, KeepsEachCellThatHadToChange) {
  const Table table =
      Read("Region,Kernel,Host,Reason\n\"a\"\"b\",\"\"\"\",\xff,\"c,\"\"d\"\",\n\"\n");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].region, "a\"b");
  EXPECT_EQ(table.rows[0].kernel, "\"");
  EXPECT_EQ(table.rows[0].host, "\xEF\xBF\xBD");
  EXPECT_EQ(table.rows[0].reason, "c,\"d\",\n");
}

TEST(MetricUnits, AreSharedUntilOneIsChanged) {
  MetricUnits units = {{"a__b.sum", "Byte"}};
  MetricUnits same = units;
  EXPECT_EQ(&same.at("a__b.sum"), &units.at("a__b.sum"));
  same["a__b.sum"] = "Sector";
  same["c__d.sum"] = "ns";
  EXPECT_EQ(units.at("a__b.sum"), "Byte");
  EXPECT_EQ(units.find("c__d.sum"), units.end());
  units.insert(same.begin(), same.end());
  EXPECT_EQ(units.at("a__b.sum"), "Byte");
  EXPECT_EQ(units.at("c__d.sum"), "ns");
  units.clear();
  EXPECT_EQ(units.begin(), units.end());
  EXPECT_EQ(same.at("a__b.sum"), "Sector");
}

TEST(FromCsv, SharesUnitsAmongRowsButForThoseOfASecondColumn) {
  const Table table = Read("Region,a__b.sum [Byte],a__b.sum [Sector]\nx,1,\ny,2,\nz,,3\nempty,,\n");
  const auto unit = [&](size_t row) { return &table.rows[row].metric_units.at("a__b.sum"); };
  EXPECT_EQ(unit(0), unit(1));
  EXPECT_EQ(unit(0), unit(3));
  EXPECT_EQ(*unit(0), "Byte");
  EXPECT_EQ(*unit(2), "Sector");
}

TEST(ToCsv, GivesALongTextItsRoomOnce) {
  // Text that doubles as it grows has too much room at some of these.
  for (const int rows : {3000, 4000, 5000, 6000}) {
    Table table;
    for (int i = 0; i < rows; ++i) {
      Row row = SampleRow();
      row.region += std::to_string(i);
      table.rows.push_back(row);
    }
    const std::string text = ToCsv(table);
    EXPECT_LT(text.capacity(), text.size() / 10 * 12) << rows;
    EXPECT_EQ(Read(text).rows.back().region, "solve" + std::to_string(rows - 1));
  }
}

}  // namespace
}  // namespace rafter
