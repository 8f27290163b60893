// What no constant factor can explain in readings of LIKWID's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/ingest/marker_scale.h"
#include "tests/unit/marker_sample.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Units of work of shared/data/likwid/README.md.
KnownTruth TrueWork() {
  return {{{"first", 200},
           {"second", 300},
           {"third", 200},
           {"outer", 180},
           {"inner", 60},
           {"multi", 100},
           {"empty", 0},
           {"fresh", 820}},
          {}};
}

MarkerReadings Readings(const std::string& event, std::vector<MarkerReading> readings) {
  MarkerReadings markers;
  markers.events = {{event}};
  markers.readings = std::move(readings);
  return markers;
}

TEST(MarkerScale, NothingInTheRealFilesSpeaksAgainstItByItself) {
  for (const auto& [name, events] : {std::pair("fp", FpEvents()), std::pair("mem", MemEvents()),
                                     std::pair("two", TwoEvents())}) {
    EXPECT_EQ(WhyNoConstantScale(Sample(name, events).markers, {}), "") << name;
  }
}

TEST(MarkerScale, TheKnownWorkOfTheRealFilesContradictsIt) {
  const std::string fp = WhyNoConstantScale(Sample("fp", FpEvents()).markers, TrueWork());
  EXPECT_THAT(fp, HasSubstr("times what \"first\" reads of " + std::string(kFaddEvent)));
  // 1/3, 7/8, 2.3, 2.288, 1.2 and 1/2 by 2/3.
  EXPECT_THAT(fp, HasSubstr("\"second\" 0.5, \"third\" 1.312, \"outer\" 3.449, \"inner\" 3.432, "
                            "\"multi\" 1.8, \"fresh\" 0.75"));
  EXPECT_THAT(fp, HasSubstr("\"empty\" does no work and reads 5.61316e+07"));
  const std::string mem = WhyNoConstantScale(Sample("mem", MemEvents()).markers, TrueWork());
  EXPECT_THAT(mem, HasSubstr("\"third\" 1.312"));
}

TEST(MarkerScale, KnownCountsTellReportedByTrue) {
  KnownTruth truth;
  for (const KnownWork& work : TrueWork().work) {
    truth.counts.push_back({work.region, kFaddEvent, work.units * 524288});
  }
  const std::string why = WhyNoConstantScale(Sample("fp", FpEvents()).markers, truth);
  EXPECT_THAT(why, HasSubstr("x 2 wants to be 0.5: \"first\" 0.6667, \"second\" 0.3333, \"third\" "
                             "0.875, \"outer\" 2.3, \"inner\" 2.288, \"multi\" 1.2, \"empty\" "
                             "5.61316e+07 of 0, \"fresh\" 0.5"));
  EXPECT_EQ(WhyNoConstantScale(Sample("fp", FpEvents()).markers,
                               {{}, {{"fresh", kFaddEvent, 820 * 524288.0}}}),
            "");
}

TEST(MarkerScale, EqualRepeatsAgreeWithIt) {
  const MarkerReadings markers =
      Readings(kFaddEvent, {{"a", 0, 0, 1, {}, {1.234567e9}},
                            {"b", 0, 0, 3, {}, {3.703702e9}},  // 3.703701e9 but for rounding
                            {"none", 0, 0, 1, {}, {0}}});
  EXPECT_EQ(WhyNoConstantScale(markers, {{{"a", 1}, {"b", 3}, {"none", 0}}, {}}), "");
  EXPECT_THAT(WhyNoConstantScale(markers, {{{"a", 1}, {"b", 3.0001}}, {}}), HasSubstr("\"b\" 1"));
}

TEST(MarkerScale, TrafficMayDifferByATenthAndByAFewBytesFromNone) {
  const auto why = [](double b, double none) {
    return WhyNoConstantScale(Readings(kDramEvent, {{"a", 0, 0, 1, {}, {1e9}},
                                                    {"b", 0, 0, 1, {}, {b}},
                                                    {"none", 0, 0, 1, {}, {none}}}),
                              {{{"a", 1}, {"b", 2}, {"none", 0}}, {}});
  };
  EXPECT_EQ(why(1.85e9, 12000), "");
  EXPECT_THAT(why(1.5e9, 12000), HasSubstr("\"b\" 0.75"));
  EXPECT_THAT(why(2e9, 3e6), HasSubstr("\"none\" does no work and reads 3e+06"));
}

TEST(MarkerScale, SumsUpGpusAndLeavesOutWhatWasSwitched) {
  MarkerReadings markers = Readings(kFaddEvent, {{"a", 0, 0, 1, {}, {100}},
                                                 {"a", 0, 1, 1, {}, {100}},
                                                 {"b", 0, 0, 1, {}, {400}},
                                                 {"b", 0, 1, 1, {}, {0}},
                                                 {"gone", 0, 0, 1, {}, {0}}});
  const KnownTruth truth{{{"a", 1}, {"b", 2}, {"gone", 5}}, {}};
  EXPECT_THAT(WhyNoConstantScale(markers, truth), HasSubstr("\"gone\" 0"));
  markers.events.push_back({"X_SUM"});
  markers.readings[3].values = {1};
  markers.readings[2].values = {399};
  EXPECT_EQ(WhyNoConstantScale(markers, truth), "");
}

TEST(MarkerScale, HalfAnInstructionIsNone) {
  const auto why = [](double value) {
    return WhyNoConstantScale(Readings(kFaddEvent, {{"a", 0, 0, 1, {}, {value}}}), {});
  };
  EXPECT_EQ(why(100.5), "");  // x 2 is 201
  EXPECT_EQ(why(0), "");
  EXPECT_EQ(why(6.990507e7), "");  // seven digits do not tell
  EXPECT_EQ(why(1.234568e6), "");
  EXPECT_THAT(why(33.33333), HasSubstr("x 2 that is no whole number"));
  EXPECT_THAT(why(123456.7), HasSubstr("no whole number"));
  EXPECT_EQ(WhyNoConstantScale(Readings(kDramEvent, {{"a", 0, 0, 1, {}, {33.33333}}}), {}), "");
}

TEST(MarkerScale, NothingIsCountedInNoCall) {
  EXPECT_THAT(WhyNoConstantScale(Readings(kDramEvent, {{"a", 0, 0, 0, {}, {5}}}), {}),
              HasSubstr("region \"a\" was called 0 times and reads 5"));
  EXPECT_EQ(WhyNoConstantScale(Readings(kDramEvent, {{"a", 0, 0, 0, {}, {0}}}), {}), "");
}

TEST(MarkerScale, ValuesThatAreNoSumsAndUnknownRegionsSayNothing) {
  const MarkerReadings markers =
      Readings("SM_X_PCT", {{"a", 0, 0, 1, {}, {50}}, {"b", 0, 0, 1, {}, {50}}});
  EXPECT_EQ(WhyNoConstantScale(markers, {{{"a", 1}, {"b", 9}, {"c", 0}}, {}}), "");
  EXPECT_THAT(WhyNoConstantScale(Sample("fp", FpEvents()).markers, {{{"first", 1}}, {}}),
              Not(HasSubstr("first")));
}

}  // namespace
}  // namespace rafter
