// What is open on a thread, over all region sources: domains, names that end in any
// order, regions that the user chose, and what the program tells of its events.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <string>
#include <thread>

#include "inject/session.h"
#include "tests/unit/region_event.h"
#include "tests/unit/session_story.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

// What `story` recorded with these variables set.
template <typename Story>
Recorded Told(const std::map<std::string, std::string>& variables, Story story) {
  const TemporaryFolder folder;
  const int status = RunStory(folder, [&] {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    story();
  });
  EXPECT_EQ(status, 0);
  const std::vector<std::string> spools = SpoolsIn(folder);
  EXPECT_EQ(spools.size(), 1u);
  return spools.empty() ? Recorded() : ReadSpool(spools[0]);
}

void Check(bool holds) {
  if (!holds) _exit(77);
}

bool Open(std::string_view name) { return Session().OpenNamed(name); }
bool CloseIt(std::string_view name) { return Session().CloseNamed(name); }

TEST(SessionStacks, RegionsOfADomainThatIsNotWantedAreTrackedAndNotRecorded) {
  const Recorded told = Told({}, [] {
    const uint32_t other = Session().Domain("other");
    Check(Session().Push(other, Event("a")) == 0);
    Check(Session().Push(0, Event("b")) == 0);
    Check(Session().Push(other, Event("c")) == 1);
    Check(Session().Pop(0) == 0);
    Check(Session().Pop(other) == 1);
    Check(Session().Pop(other) == 0);
    Check(Session().Pop(other) == -1);
    Check(Session().StartRange(other, Event("d")) == ~uint64_t{0});
  });
  EXPECT_EQ(told.calls, (std::map<std::string, uint64_t>{{"b", 1}}));
  EXPECT_TRUE(told.losses.empty());
}

TEST(SessionStacks, DomainsThatAreWantedNestByTime) {
  const Recorded told = Told({{"RAFTER_DOMAIN", "default\nlibrary"}}, [] {
    const uint32_t library = Session().Domain("library");
    const uint32_t other = Session().Domain("other");
    Session().Push(0, Event("step"));
    Check(Session().Push(library, Event("gemm")) == 0);
    Session().Push(other, Event("unseen"));
    Session().Pop(library);
    Session().Pop(other);
    Session().Pop(0);
    Session().EndRange(Session().StartRange(library, Event("range")));
  });
  EXPECT_EQ(told.calls, (std::map<std::string, uint64_t>{
                            {"step", 1}, {"step/library:gemm", 1}, {"library:range", 1}}));
}

TEST(SessionStacks, OneDomainAloneLeavesTheDefaultDomainOut) {
  const Recorded told = Told({{"RAFTER_DOMAIN", "library"}}, [] {
    const uint32_t library = Session().Domain("library");
    Session().Push(0, Event("step"));
    Session().Push(library, Event("gemm"));
    Session().Pop(0);
    Session().Pop(library);
  });
  EXPECT_EQ(told.calls, (std::map<std::string, uint64_t>{{"library:gemm", 1}}));
}

TEST(SessionStacks, EveryDomainIsWantedWithAll) {
  const Recorded told = Told({{"RAFTER_DOMAIN", "all"}}, [] {
    Session().Push(Session().Domain("x"), Event("a"));
    Session().Pop(Session().Domain("x"));
    Session().Push(0, Event("b"));
    Session().Pop(0);
  });
  EXPECT_EQ(told.calls, (std::map<std::string, uint64_t>{{"x:a", 1}, {"b", 1}}));
}

TEST(SessionStacks, WhatEndsInsideOutLosesItsCountersAndKeepsItsTime) {
  const Recorded told = Told({{"RAFTER_DOMAIN", "all"}}, [] {
    const uint32_t other = Session().Domain("other");
    Session().Push(0, Event("around"));
    Session().Push(0, Event("first"));
    Session().Push(other, Event("late"));
    Check(Session().Pop(0) == 1);  // "first", though "late" is still open inside it
    Session().Push(0, Event("next"));
    Session().Pop(0);
    usleep(2000);
    Check(Session().Pop(other) == 0);
    Check(Session().Pop(0) == 0);
  });
  EXPECT_EQ(
      told.calls,
      (std::map<std::string, uint64_t>{
          {"around", 1}, {"around/first", 1}, {"around/first/other:late", 1}, {"around/next", 1}}));
  // Without CUDA no region has counters; who is crossed says so only where it had some.
  const wire::Instance& late = told.records.at("around/first/other:late").at(0);
  const wire::Instance& first = told.records.at("around/first").at(0);
  EXPECT_GE(late.start_ns() + late.duration_ns(),
            first.start_ns() + first.duration_ns() + 2'000'000);
  EXPECT_TRUE(told.losses.empty());
}

TEST(SessionStacks, NvMarkerRegionsEndByNameInAnyOrderOnAnyThread) {
  const Recorded told = Told({}, [] {
    Check(Open("a"));
    Check(!Open("a"));  // it is open
    Check(Open("b"));
    Check(CloseIt("a"));
    Check(!CloseIt("a"));
    std::thread([] {
      Check(!CloseIt("b"));  // it is another thread's
      Check(Open("b"));
      Check(CloseIt("b"));
    }).join();
    Check(CloseIt("b"));
  });
  EXPECT_EQ(told.calls, (std::map<std::string, uint64_t>{{"a", 1}, {"a/b", 1}, {"b", 1}}));
  EXPECT_EQ(told.losses.at("pops without an open region"), 2u);
}

TEST(SessionStacks, TheSameRegionFromTwoSourcesIsOne) {
  const Recorded told = Told({}, [] {
    Session().Push(0, Event("solve"));
    Check(Open("solve"));
    Session().Push(0, Event("step"));
    Session().Pop(0);
    Check(CloseIt("solve"));
    Session().Pop(0);
    Check(Open("solve"));  // the other way round, ended the other way round
    Session().Push(0, Event("solve"));
    Check(CloseIt("solve"));
    Session().Pop(0);
    Session().Push(0, Event("solve"));  // one source twice is two
    Session().Push(0, Event("solve"));
    Session().Pop(0);
    Session().Pop(0);
  });
  EXPECT_EQ(told.calls,
            (std::map<std::string, uint64_t>{{"solve", 3}, {"solve/step", 1}, {"solve/solve", 1}}));
}

TEST(SessionStacks, RegionsOfOneSourceOnly) {
  const auto story = [] {
    Check(Session().Push(0, Event("nvtx")) == 0);
    Check(Open("nvmarker"));
    Check(CloseIt("nvmarker"));
    Check(Session().Pop(0) == 0);
  };
  EXPECT_EQ(Told({{"RAFTER_REGIONS", "nvtx"}}, story).calls,
            (std::map<std::string, uint64_t>{{"nvtx", 1}}));
  EXPECT_EQ(Told({{"RAFTER_REGIONS", "nvmarker"}}, story).calls,
            (std::map<std::string, uint64_t>{{"nvmarker", 1}}));
  EXPECT_EQ(Told({{"RAFTER_REGIONS", "both"}}, story).calls,
            (std::map<std::string, uint64_t>{{"nvtx", 1}, {"nvtx/nvmarker", 1}}));
  EXPECT_TRUE(Told({{"RAFTER_REGIONS", "none"}}, story).calls.empty());
  const Recorded wrong = Told({{"RAFTER_REGIONS", "nvtex"}}, story);
  EXPECT_EQ(wrong.calls.size(), 2u);
  ASSERT_EQ(wrong.notes.size(), 1u);
  EXPECT_EQ(wrong.notes[0],
            "RAFTER_REGIONS=nvtex is not nvtx, nvmarker, both or none; regions of every source "
            "count");
}

TEST(SessionStacks, RegionsThatWereNotChosenAreListedWithoutCounters) {
  const Recorded told = Told({{"RAFTER_REGION", "^solve$\n/inner"}}, [] {
    Session().Push(0, Event("init"));
    Session().Pop(0);
    Session().Push(0, Event("solve"));
    Session().Push(0, Event("outer"));
    Session().Push(0, Event("inner 7"));
    Session().Pop(0);
    Session().Pop(0);
    Session().Pop(0);
    Session().EndRange(Session().StartRange(0, Event("range")));
  });
  const auto reasons = [&](const std::string& place) { return told.uncounted.at(place); };
  using Reasons = std::map<wire::Uncounted, uint64_t>;
  EXPECT_EQ(reasons("init"), (Reasons{{wire::NOT_CHOSEN, 1}}));
  EXPECT_EQ(reasons("solve"), (Reasons{{wire::NO_CONTEXT, 1}}));
  EXPECT_EQ(reasons("solve/outer"), (Reasons{{wire::NOT_CHOSEN, 1}}));
  EXPECT_EQ(reasons("solve/outer/inner 7"), (Reasons{{wire::NO_CONTEXT, 1}}));
  EXPECT_EQ(reasons("range"), (Reasons{{wire::NOT_CHOSEN, 1}}));
}

TEST(SessionStacks, UnboundedNamesAreGroupedByAPattern) {
  const Recorded told = Told({{"RAFTER_GROUP_NAMES", "seq = [0-9]+\nx+"}}, [] {
    for (int i = 0; i < 20'000; ++i) {
      const std::string name = "mm, seq = " + std::to_string(i);
      Session().Push(0, Event(name));
      Session().Pop(0);
    }
    for (const char* name : {"axxb", "axb", "plain", "plain"}) {
      Session().Push(0, Event(name));
      Session().Pop(0);
    }
  });
  EXPECT_EQ(told.calls,
            (std::map<std::string, uint64_t>{{"mm, *", 20'000}, {"a*b", 2}, {"plain", 2}}));
}

TEST(SessionStacks, APatternThatIsNoneIsNamedAndHasNoEffect) {
  const Recorded told = Told({{"RAFTER_REGION", "(("}, {"RAFTER_GROUP_NAMES", "["}}, [] {
    Session().Push(0, Event("a["));
    Session().Pop(0);
  });
  EXPECT_EQ(told.uncounted.at("a["), (std::map<wire::Uncounted, uint64_t>{{wire::NO_CONTEXT, 1}}));
  ASSERT_EQ(told.notes.size(), 2u);
  EXPECT_TRUE(told.notes[0].starts_with("RAFTER_REGION=(( is no regular expression ("))
      << told.notes[0];
}

TEST(SessionStacks, CategoriesPayloadsAndMarksAreKept) {
  const Recorded told = Told({}, [] {
    Session().NameCategory(0, 7, "io");
    RegionEvent event = Event("read");
    event.category = 7;
    event.payload = {Payload::Kind::kSigned, static_cast<uint64_t>(int64_t{-5})};
    Session().Push(0, event);
    RegionEvent mark = Event("half");
    mark.payload = {Payload::Kind::kDouble, std::bit_cast<uint64_t>(0.5)};
    Session().Mark(0, mark);
    Session().Mark(Session().Domain("other"), Event("not wanted"));
    Session().Pop(0);
    event = Event("big");
    event.payload = {Payload::Kind::kUnsigned, UINT64_MAX};
    Session().EndRange(Session().StartRange(0, event));
    event.payload = {Payload::Kind::kFloat, std::bit_cast<uint32_t>(1.25f)};
    Session().Push(0, event);
    Session().Pop(0);
  });
  EXPECT_EQ(told.categories, (std::map<std::string, std::string>{{":7", "io"}}));
  const wire::Instance& read = told.records.at("read").at(0);
  EXPECT_EQ(read.category(), 7u);
  EXPECT_EQ(read.payload_signed(), -5);
  ASSERT_EQ(told.marks.size(), 1u);
  const wire::Mark& mark = told.marks.at("read/half").at(0);
  EXPECT_EQ(mark.payload_real(), 0.5);
  EXPECT_GE(mark.time_ns(), read.start_ns());
  EXPECT_LE(mark.time_ns(), read.start_ns() + read.duration_ns());
  ASSERT_EQ(told.records.at("big").size(), 2u);
  EXPECT_EQ(told.records.at("big")[0].payload_unsigned(), UINT64_MAX);
  EXPECT_EQ(told.records.at("big")[1].payload_real(), 1.25);
}

TEST(SessionStacks, RegionsDeeperThanAThreadsStackEndInTheirOwnDomain) {
  const Recorded told = Told({{"RAFTER_DOMAIN", "all"}}, [] {
    const uint32_t other = Session().Domain("other");
    for (int i = 0; i < 70; ++i) Check(Session().Push(0, Event("deep")) == i);
    Check(Session().Push(other, Event("deeper")) == 0);
    Check(Session().Pop(other) == 0);
    for (int i = 69; i >= 0; --i) Check(Session().Pop(0) == i);
    Check(Session().Pop(0) == -1);
  });
  EXPECT_EQ(told.instances, 64u);
  EXPECT_EQ(told.losses.at("regions nested too deep to be recorded"), 7u);
  EXPECT_EQ(told.losses.at("pops without an open region"), 1u);
}

}  // namespace
}  // namespace rafter
