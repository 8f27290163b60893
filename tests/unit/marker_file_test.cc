// LIKWID's marker files: what is read out of them, whole or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "collector/ingest/marker_file.h"
#include "tests/unit/marker_sample.h"

namespace rafter {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const EventNames kOne = {{"A_SUM"}};
const EventNames kTwo = {{"A_SUM", "B_SUM"}};

MarkerFile Parsed(const std::string& text, const EventNames& events = kOne) {
  auto file = ParseMarkerFile(text, "a.marker", events);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : MarkerFile();
}

std::string WhyNot(const std::string& text, const EventNames& events = kOne) {
  const auto file = ParseMarkerFile(text, "a.marker", events);
  EXPECT_FALSE(file.ok());
  return std::string(file.status().message());
}

TEST(MarkerFile, GivesTheReadingsOfARealFile) {
  const MarkerFile file = Sample("fp", FpEvents());
  EXPECT_THAT(file.notes, IsEmpty());
  ASSERT_EQ(file.markers.readings.size(), 8u);
  const MarkerReading& first = file.markers.readings[0];
  EXPECT_EQ(first.region, "first");
  EXPECT_EQ(first.group, 0u);
  EXPECT_EQ(first.gpu, 0);
  EXPECT_EQ(first.calls, 2u);
  EXPECT_EQ(first.time_s, std::nullopt);  // LIKWID wrote "inf"
  EXPECT_THAT(first.values, ElementsAre(6.990507e7, 3.495253e7, 1.398101e8));
  EXPECT_EQ(file.markers.readings[7].region, "fresh");
  EXPECT_EQ(file.markers.readings[7].calls, 4u);
  EXPECT_EQ(file.markers.scale, 2);
  EXPECT_EQ(file.markers.origin, ScaleOrigin::kAssumed);
  EXPECT_EQ(file.markers.events, FpEvents());
  EXPECT_EQ(file.markers.source, "fp.marker");
}

TEST(MarkerFile, TakesTheTagUpToTheLastDash) {
  const MarkerFile file = Parsed(
      "1 4 1\n0:a-b-0\n1:x:y z-0\n2:-0\n3:7-1-0\n"
      "0 0 0 1 1 1 1\n1 0 0 1 1 1 2\n2 0 0 1 1 1 3\n3 0 0 1 1 1 4\n");
  ASSERT_EQ(file.markers.readings.size(), 4u);
  EXPECT_EQ(file.markers.readings[0].region, "a-b");
  EXPECT_EQ(file.markers.readings[1].region, "x:y z");
  EXPECT_EQ(file.markers.readings[2].region, "");
  EXPECT_EQ(file.markers.readings[3].region, "7-1");
}

TEST(MarkerFile, ReadsSeveralGpusAndGroups) {
  const MarkerFile file = Parsed(
      "2 2 2\n0:a-0\n1:a-1\n"
      "0 0 0 1 0.5 2 1 2\n0 0 3 1 0.5 2 3 4\n1 1 0 5 0.25 1 9\n1 1 3 5 0.25 1 8\n",
      {{"A_SUM", "B_SUM"}, {"C_SUM"}});
  EXPECT_THAT(file.notes, IsEmpty());
  ASSERT_EQ(file.markers.readings.size(), 4u);
  EXPECT_EQ(file.markers.readings[1].gpu, 3);
  EXPECT_THAT(file.markers.readings[1].values, ElementsAre(3, 4));
  EXPECT_EQ(file.markers.readings[3].group, 1u);
  EXPECT_EQ(file.markers.readings[3].calls, 5u);
  EXPECT_EQ(file.markers.readings[3].time_s, 0.25);
}

TEST(MarkerFile, KeepsWhatIsNoFiniteNumberApart) {
  for (const char* time : {"inf", "-inf", "nan", "-nan", "-1.5", "1e999"}) {
    const MarkerFile file =
        Parsed("1 1 1\n0:a-0\n0 0 0 1 " + std::string(time) + " 2 nan 1e999 \n", kTwo);
    ASSERT_EQ(file.markers.readings.size(), 1u) << time;
    EXPECT_EQ(file.markers.readings[0].time_s, std::nullopt) << time;
    EXPECT_TRUE(std::isnan(file.markers.readings[0].values[0]));
    EXPECT_TRUE(std::isnan(file.markers.readings[0].values[1]));
  }
}

TEST(MarkerFile, TakesOtherLineEndsAndADecimalComma) {
  const MarkerFile file = Parsed("1 1 1\r\n0:a-0\r\n\r\n0 0 0 1 1,5e-01 1 2,5e+03 \r\n");
  EXPECT_THAT(file.notes, IsEmpty());
  ASSERT_EQ(file.markers.readings.size(), 1u);
  EXPECT_EQ(file.markers.readings[0].region, "a");
  EXPECT_EQ(file.markers.readings[0].time_s, 0.15);
  EXPECT_THAT(file.markers.readings[0].values, ElementsAre(2500));
}

TEST(MarkerFile, NeedsNoLineEndAtItsEnd) {
  const std::string start = "1 1 1\n0:a-0\n0 0 0 1 1.000000e+00 1 ";
  for (const char* value :
       {"4.299162e+08", "4.299162e+08 ", "4.299162e+08\r", "inf", "nan", "0 "}) {
    const MarkerFile file = Parsed(start + value);
    EXPECT_THAT(file.notes, IsEmpty()) << value;
    EXPECT_EQ(file.markers.readings.size(), 1u) << value;
  }
}

TEST(MarkerFile, NeverTakesANumberThatMayLackDigits) {
  const std::string text =
      "1 2 1\n0:a-0\n1:b-0\n0 0 0 1 1.0e+00 1 5.000000e+00 \n1 0 0 1 1.0e+00 1 4.299162e+08 \n";
  size_t whole = 0;
  for (size_t length = 0; length < text.size(); ++length) {
    const auto file = ParseMarkerFile(text.substr(0, length), "a.marker", kOne);
    if (!file.ok()) continue;
    ASSERT_GE(file->markers.readings.size(), 1u);
    EXPECT_THAT(file->markers.readings[0].values, ElementsAre(5));
    if (file->markers.readings.size() == 1) {
      EXPECT_THAT(file->notes, Contains(HasSubstr("1 of 2 readings are missing"))) << length;
    } else {
      EXPECT_THAT(file->markers.readings[1].values, ElementsAre(4.299162e8));
      ++whole;
    }
  }
  EXPECT_EQ(whole, 2u);  // without the line's end, and without its blank
}

TEST(MarkerFile, SaysWhereItBreaksOffAndHowMuchIsMissing) {
  const std::string text = ReadFile(SamplePath("fp"));
  const auto file = ParseMarkerFile(text.substr(0, text.size() - 5), "fp.marker", FpEvents());
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->markers.readings.size(), 7u);
  EXPECT_THAT(file->notes, ElementsAre("breaks off in line 17, which is left out",
                                       "1 of 8 readings are missing"));
}

TEST(MarkerFile, SaysThatAnEmptyFileMeansNoNormalExit) {
  EXPECT_THAT(WhyNot(""), HasSubstr("a.marker: empty; LIKWID fills its marker file only when the "
                                    "program exits normally"));
}

TEST(MarkerFile, RefusesAnotherNumberOfValuesThanEvents) {
  EXPECT_THAT(WhyNot("1 1 1\n0:sum-0\n0 0 0 1 1 2 5 6\n"),
              HasSubstr("region \"sum\" has 2 values, but group 0 of the list of events has 1 "
                        "event"));
  EXPECT_THAT(WhyNot("1 1 1\n0:sum-0\n0 0 0 1 1 1 5\n", kTwo), HasSubstr("has 1 value, but"));
  EXPECT_THAT(WhyNot("1 1 1\n0:sum-0\n0 0 0 1 1 2 5\n", kTwo),
              HasSubstr("region \"sum\": line 3 says 2 values and has 1"));
  EXPECT_THAT(WhyNot("1 1 1\n0:sum-0\n0 0 0 1 1 1 5 6\n"), HasSubstr("says 1 values and has 2"));
}

TEST(MarkerFile, RefusesAnotherNumberOfGroupsThanTheList) {
  EXPECT_THAT(WhyNot("1 1 2\n0:a-0\n0 0 0 1 1 1 5\n"),
              HasSubstr("counted 2 groups of events, but the list of events has 1"));
}

TEST(MarkerFile, TellsAHeaderThatContradictsTheLines) {
  const MarkerFile file = Parsed("2 18446744073709551615 1\n0:a-0\n0 0 0 1 1 1 5\n");
  EXPECT_EQ(file.markers.readings.size(), 1u);
  EXPECT_THAT(file.notes,
              ElementsAre("the header says 18446744073709551615 regions, the file names 1",
                          "the header says 2 GPUs, the file has readings of 1"));
}

TEST(MarkerFile, LeavesOutReadingsOfARegionThatIsThereTwice) {
  // Two numbers for one tag, and one number for two tags.
  const MarkerFile file = Parsed(
      "1 4 1\n0:a-0\n1:a-0\n2:b-0\n3:c-0\n3:d-0\n"
      "0 0 0 1 1 1 5\n1 0 0 1 1 1 6\n2 0 0 1 1 1 7\n3 0 0 1 1 1 8\n");
  ASSERT_EQ(file.markers.readings.size(), 1u);
  EXPECT_EQ(file.markers.readings[0].region, "b");
  EXPECT_THAT(file.notes, Contains(HasSubstr("region \"a\" is there 2 times")));
  EXPECT_THAT(file.notes, Contains(HasSubstr("a region that the file names twice")));
  EXPECT_THAT(file.notes, Contains("3 of 4 readings are missing"));
}

TEST(MarkerFile, LeavesOutLinesThatAreNone) {
  const MarkerFile file = Parsed(
      "1 2 1\n0:a-0\n1:b\nrubbish\n0 0 0 1 1 1 5\n0 0 -1 1 1 1 5\n9 0 0 1 1 1 5\n0 0 0 x 1 1 5\n"
      "0 1 0 1 1 1 5\n");
  EXPECT_EQ(file.markers.readings.size(), 1u);
  EXPECT_THAT(file.notes, Contains("line 3 is no line of a marker file, and is left out"));
  EXPECT_THAT(file.notes, Contains("line 4 is no line of a marker file, and is left out"));
}

TEST(MarkerFile, MakesUtf8OfTags) {
  constexpr char kText[] = "1 1 1\n0:\xE9\x00\xC3\xA9-0\n0 0 0 1 1 1 5\n";
  const MarkerFile file = Parsed(std::string(kText, sizeof(kText) - 1));
  ASSERT_EQ(file.markers.readings.size(), 1u);
  EXPECT_EQ(file.markers.readings[0].region, "\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9");
}

TEST(MarkerFile, NeedsAHeaderAndAReading) {
  EXPECT_THAT(WhyNot("hello\n"), HasSubstr("does not start with three counts"));
  EXPECT_THAT(WhyNot("1 1\n"), HasSubstr("does not start with three counts"));
  EXPECT_THAT(WhyNot("1 0 1\n"), HasSubstr("there is no whole reading in it"));
  EXPECT_THAT(WhyNot("1 1 1\n0:a-0\n"), HasSubstr("there is no whole reading in it"));
  EXPECT_THAT(WhyNot(std::string(kMostMarkerFileBytes + 1, '1')), HasSubstr("64 MiB"));
}

TEST(IsMarkerFile, GoesByTheShapeOfTheFirstLines) {
  for (const char* name : {"fp", "mem", "two"}) {
    EXPECT_TRUE(IsMarkerFile(ReadFile(SamplePath(name)))) << name;
  }
  EXPECT_TRUE(IsMarkerFile("1 8 1"));
  EXPECT_TRUE(IsMarkerFile("1 8 1\r\n0:a-0\r\n"));
  EXPECT_TRUE(IsMarkerFile("1 8 1\n12"));
  for (const char* other : {"", "1 8", "1 8 1 2\n", "a b c\n", "1 8 1\nx", "1 8 1\n0 0 0",
                            "-1 1 1\n", "Executable,Region\n", "1 8 1\n:a-0"}) {
    EXPECT_FALSE(IsMarkerFile(other)) << other;
  }
}

}  // namespace
}  // namespace rafter
