// What the marker library wrote: the reader, what the run file keeps of it, and the
// proof of the scale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "collector/ingest/marker_process.h"
#include "collector/ingest/marker_result.h"
#include "collector/ingest/scale_proof.h"

namespace rafter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kHead =
    "rafter-nvmarker 1\npid 4711\nhost node7\nexecutable /opt/my%20bench\nstart_ticks 99\n"
    "boot_id 1-2\nlikwid /opt/liblikwid.so.5.5\nrank 3\n"
    "gpu 1 0123456789ABCDEF0123456789abcdef 0000:01:00.0 132 150 9 0 1980000000 NVIDIA%20H200\n";

std::string Whole(const std::string& lines) { return kHead + lines + "end\n"; }

std::string WhyNot(const std::string& text) {
  const auto result = ReadMarkerResult(text);
  return result.ok() ? "" : result.status().message();
}

TEST(ReadMarkerResult, TakesEveryKindOfLine) {
  const auto result = ReadMarkerResult(
      Whole("region a%20b\nregion %\nreading a%20b 1 3 1500000000 inf 0.5 1e+300 nan\n"
            "ignored worker 4\ntrouble one thing, 100%25 sure\n"));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->pid, 4711u);
  EXPECT_EQ(result->executable, "/opt/my bench");
  EXPECT_EQ(result->start_ticks, 99u);
  EXPECT_EQ(result->rank, 3u);
  ASSERT_THAT(result->gpus, SizeIs(1));
  EXPECT_EQ(result->gpus[0].uuid, "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(result->gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(result->gpus[0].sm_clock_hz, 1980000000u);
  EXPECT_THAT(result->regions, ElementsAre("a b", ""));
  ASSERT_THAT(result->readings, SizeIs(1));
  EXPECT_EQ(result->readings[0].region, "a b");
  EXPECT_EQ(result->readings[0].gpu, 1u);
  EXPECT_EQ(result->readings[0].calls, 3u);
  EXPECT_EQ(result->readings[0].time_ns, 1500000000u);
  EXPECT_TRUE(std::isinf(result->readings[0].likwid_time_s));
  EXPECT_THAT(result->readings[0].values, SizeIs(3));
  EXPECT_EQ(result->ignored[0].calls, 4u);
  EXPECT_THAT(result->troubles, ElementsAre("one thing, 100% sure"));
}

TEST(ReadMarkerResult, TakesWhatTheWriterDidNotKnow) {
  const auto result = ReadMarkerResult(
      "rafter-nvmarker 1\npid 1\nhost -\nexecutable -\nstart_ticks -\nboot_id -\nlikwid -\n"
      "gpu 0 - - - - - - - -\nend\n");
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->gpus[0].uuid, "");
  EXPECT_EQ(result->likwid, "");
  EXPECT_FALSE(result->rank.has_value());
}

TEST(ReadMarkerResult, TellsACutFileFromAWholeOne) {
  const std::string whole = Whole("region a\nreading a 1 1 5 0.1 2\n");
  ASSERT_EQ(WhyNot(whole), "");
  for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
    EXPECT_NE(WhyNot(whole.substr(0, bytes)), "") << bytes;
  }
  EXPECT_THAT(WhyNot(kHead), HasSubstr("was cut"));
  EXPECT_THAT(WhyNot(""), HasSubstr("is empty"));
  EXPECT_THAT(WhyNot(whole + "more\n"), HasSubstr("behind its last line"));
}

TEST(ReadMarkerResult, RefusesWhatItDoesNotUnderstand) {
  for (const char* line : {"reading",
                           "reading a",
                           "reading a 0 1 2",
                           "reading a -1 1 2 0.1",
                           "reading a 0 x 2 0.1",
                           "reading a 0 1 -2 0.1",
                           "reading a 0 1 2 0.1 1,5",
                           "reading a%2 0 1 2 0.1",
                           "reading a%zz 0 1 2 0.1",
                           "reading a  0 1 2 0.1",
                           "gpu 0",
                           "gpu x - - - - - - - -",
                           "gpu 0 0123 - - - - - - -",
                           "ignored a",
                           "ignored a x",
                           "ignored a 1 2",
                           "rank",
                           "rank -1",
                           "rank 1 2",
                           "pid 99999999999",
                           "pid x",
                           "unknown 1",
                           "",
                           " ",
                           "end ",
                           "region a b"}) {
    EXPECT_THAT(WhyNot(Whole(std::string(line) + "\n")), HasSubstr("is not understood")) << line;
  }
  std::string many = "reading a 0 1 2 0.1";
  for (int i = 0; i < 31; ++i) many += " 1";
  EXPECT_NE(WhyNot(Whole(many + "\n")), "");
}

TEST(ReadMarkerResult, RefusesRegionsWithDifferentNumbersOfValues) {
  EXPECT_THAT(WhyNot(Whole("reading a 1 1 2 0.1 1 2\nreading b 1 1 2 0.1 1\n")),
              AllOf(HasSubstr("region \"b\" has 1 values"), HasSubstr("others have 2")));
}

TEST(ReadMarkerResult, RefusesForeignFilesAndOtherVersions) {
  EXPECT_THAT(WhyNot("1 2 1\n0:a-0\nend\n"), HasSubstr("is not a result"));
  EXPECT_THAT(WhyNot("rafter-nvmarker 2\nend\n"), HasSubstr("another version"));
  EXPECT_NE(WhyNot(std::string("\0\n\n", 3)), "");
}

TEST(ReadMarkerResult, SurvivesAnyByteInAnyPlace) {
  const std::string whole = Whole("region a\nreading a 1 1 5 0.1 2\nignored b 1\ntrouble c\n");
  size_t refused = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\n', ' ', '%', '9', '\xff'}) {
      std::string text = whole;
      text[at] = byte;
      if (!ReadMarkerResult(text).ok()) ++refused;
    }
  }
  EXPECT_GT(refused, whole.size());
}

MarkerResult OneReading(std::vector<double> values) {
  MarkerResult result;
  result.pid = 12;
  result.gpus.emplace_back().ordinal = 1;
  result.regions = {"copy"};
  result.readings.push_back({"copy", 1, 3, 1'500'000'000, INFINITY, std::move(values)});
  return result;
}

TEST(MarkerReadingsOf, TakesTimesOfTheMarkerLibraryAndNoValueThatIsNoCount) {
  const MarkerReadings readings = MarkerReadingsOf(
      OneReading({5, -1, INFINITY}), {2, "run 2 (x)", {"A_SUM", "B_SUM", "C_SUM"}, 2}, 8);
  EXPECT_EQ(readings.process, 8);
  EXPECT_EQ(readings.run, 2u);
  EXPECT_EQ(readings.source, "run 2 (x)");
  EXPECT_EQ(readings.origin, ScaleOrigin::kKept);
  EXPECT_THAT(readings.events, ElementsAre(ElementsAre("A_SUM", "B_SUM", "C_SUM")));
  ASSERT_THAT(readings.readings, SizeIs(1));
  EXPECT_EQ(readings.readings[0].gpu, 1);
  EXPECT_EQ(readings.readings[0].time_s, 1.5);
  EXPECT_EQ(readings.readings[0].values[0], 5);
  EXPECT_TRUE(std::isnan(readings.readings[0].values[1]));
  EXPECT_TRUE(std::isnan(readings.readings[0].values[2]));
}

TEST(MarkerReadingsOf, GivesRegionsWithoutNumbersAPlace) {
  MarkerResult result = OneReading({5});
  result.ignored = {{"worker", 4}, {"copy", 2}};
  result.regions.push_back("never");
  const MarkerReadings readings = MarkerReadingsOf(result, {0, "LIKWID", {"A_SUM"}, 2}, 1);
  ASSERT_THAT(readings.readings, SizeIs(3));
  EXPECT_EQ(readings.readings[1].region, "worker");
  EXPECT_EQ(readings.readings[1].calls, 0u);  // marker calls are no calls of the region
  EXPECT_TRUE(std::isnan(readings.readings[1].values[0]));
  EXPECT_FALSE(readings.readings[1].time_s.has_value());
  EXPECT_EQ(readings.readings[2].region, "never");
}

TEST(MarkerProcessOf, NotesWhatIsNotInItsNumbers) {
  MarkerResult result = OneReading({5});
  result.ignored = {{"worker", 1}};
  result.troubles = {"some borders"};
  const RunProcess process = MarkerProcessOf(result);
  EXPECT_EQ(process.devices[0].device, 1u);
  ASSERT_THAT(process.notes, SizeIs(2));
  EXPECT_EQ(process.notes[0].severity, "warning");  // there are numbers
  EXPECT_THAT(process.notes[1].text, HasSubstr("region worker: 1 marker call on threads"));
  result.readings.clear();
  EXPECT_EQ(MarkerProcessOf(result).notes[0].severity, "failure");
}

constexpr const char* kFadd = "SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM";

MarkerResult Reading(const std::vector<std::pair<std::string, double>>& values) {
  MarkerResult result;
  for (const auto& [region, value] : values) {
    result.readings.push_back({region, 0, 1, 1, 1, {value}});
  }
  return result;
}

TEST(ProveScale, FindsTwo) {
  const std::vector<KnownAmount> truth = {
      {"first", kFadd, 100}, {"triple", kFadd, 300}, {"empty", kFadd, 0}, {"first", "OTHER", 7}};
  const auto proof =
      ProveScale(truth, {kFadd}, Reading({{"first", 50}, {"triple", 150}, {"empty", 0}}));
  ASSERT_TRUE(proof.ok()) << proof.status().message();
  EXPECT_EQ(proof->mean, 2);
  EXPECT_EQ(proof->compared, 2u);
}

// What unmodified LIKWID says: the mean over all sessions.
TEST(ProveScale, RefusesMeansOverSessions) {
  const std::vector<KnownAmount> truth = {
      {"first", kFadd, 100}, {"triple", kFadd, 300}, {"empty", kFadd, 0}};
  const auto proof =
      ProveScale(truth, {kFadd}, Reading({{"first", 50}, {"triple", 100}, {"empty", 80}}));
  ASSERT_FALSE(proof.ok());
  EXPECT_THAT(proof.status().message(),
              AllOf(HasSubstr("region triple"), HasSubstr("true value / reading = 3"),
                    HasSubstr("region empty"), HasSubstr("80 without any work"),
                    testing::Not(HasSubstr("region first"))));
}

TEST(ProveScale, RefusesATrueCount) {
  const auto proof = ProveScale({{"first", kFadd, 100}}, {kFadd}, Reading({{"first", 100}}));
  EXPECT_THAT(proof.status().message(), HasSubstr("true value / reading = 1"));
}

TEST(ProveScale, ForgivesBytesWhatCachesKeepAndInstructionsNothing) {
  EXPECT_TRUE(ProveScale({{"a", "DRAM_BYTES_SUM", 1e9}}, {"DRAM_BYTES_SUM"},
                         Reading({{"a", 0.5e9 * 1.015}}))
                  .ok());
  EXPECT_FALSE(
      ProveScale({{"a", "DRAM_BYTES_SUM", 1e9}}, {"DRAM_BYTES_SUM"}, Reading({{"a", 0.5e9 * 1.03}}))
          .ok());
  EXPECT_FALSE(ProveScale({{"a", kFadd, 1e9}}, {kFadd}, Reading({{"a", 0.5e9 + 1000}})).ok());
}

TEST(ProveScale, NeedsSomethingToCompare) {
  EXPECT_THAT(ProveScale({{"a", kFadd, 1}}, {"OTHER_SUM"}, Reading({{"a", 1}})).status().message(),
              HasSubstr("no event of this group"));
  EXPECT_THAT(ProveScale({{"a", kFadd, 1}}, {kFadd}, Reading({})).status().message(),
              HasSubstr("nothing"));
  EXPECT_THAT(ProveScale({{"a", kFadd, 1}}, {kFadd}, Reading({{"a", 0}})).status().message(),
              HasSubstr("reads 0"));
}

TEST(ReadKnownAmounts, ReadsTheAccount) {
  const auto amounts = ReadKnownAmounts("anything\nwork a B_SUM 5\nwork a C_SUM 0\n");
  ASSERT_TRUE(amounts.ok());
  EXPECT_THAT(*amounts, SizeIs(2));
  EXPECT_EQ((*amounts)[0].amount, 5);
  for (const char* text : {"", "work", "work a", "work a B_SUM", "work a B_SUM x",
                           "work a B_SUM -1", "work a B_SUM inf", "work a B_SUM 1 2"}) {
    EXPECT_FALSE(ReadKnownAmounts(text).ok()) << text;
  }
}

}  // namespace
}  // namespace rafter
