#include "marker/nvmarker/result_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "marker/nvmarker/fortran_text.h"

namespace rafter {
namespace {

TEST(ResultFile, EncodesWhatIsNoWord) {
  EXPECT_EQ(Encoded("plain-1"), "plain-1");
  EXPECT_EQ(Encoded("a b\n%\x7f\xc3"), "a%20b%0A%25%7F%C3");
  EXPECT_EQ(Encoded(""), "%");
}

TEST(ResultFile, HasOneItemALine) {
  MarkerResult result;
  result.pid = 12;
  result.host = "node 1";
  result.executable = "/bin/a";
  result.start_ticks = 34;
  result.boot_id = "b";
  result.rank = "7";
  result.likwid = "/usr/lib/liblikwid.so.5.5";
  result.gpus.push_back({.ordinal = 1,
                         .uuid = "00ff",
                         .pci = "0000:1A:00.0",
                         .sm_count = 132,
                         .memory_bytes = 150000000000,
                         .major = 9,
                         .minor = 0,
                         .sm_clock_hz = 1980000000,
                         .name = "NVIDIA H200"});
  result.regions = {"init it"};
  result.readings.push_back({.region = "init it",
                             .gpu = 1,
                             .calls = 2,
                             .time_ns = 3,
                             .likwid_time_s = std::numeric_limits<double>::infinity(),
                             .reported = {0.5, 1.0 / 3, 12345678901234568.0}});
  result.ignored = {{"other", 4}};
  result.troubles = {"100% of\nit"};
  EXPECT_EQ(TextOf(result),
            "rafter-nvmarker 1\npid 12\nhost node%201\nexecutable /bin/a\nstart_ticks 34\n"
            "boot_id b\nlikwid /usr/lib/liblikwid.so.5.5\nrank 7\n"
            "gpu 1 00ff 0000:1A:00.0 132 150000000000 9 0 1980000000 NVIDIA%20H200\n"
            "region init%20it\n"
            "reading init%20it 1 2 3 inf 0.5 0.33333333333333331 12345678901234568\n"
            "ignored other 4\ntrouble 100%25 of%0Ait\nend\n");
}

TEST(ResultFile, SaysDashForWhatIsNotKnown) {
  MarkerResult result;
  result.gpus.push_back({});
  EXPECT_NE(TextOf(result).find("\nlikwid -\ngpu 0 - - - - - - - -\n"), std::string::npos);
}

TEST(FortranText, LosesTheBlanksAtItsEnd) {
  EXPECT_EQ(FortranText("a b  ", 5), "a b");
  EXPECT_EQ(FortranText("a b  ", 2), "a");
  EXPECT_EQ(FortranText("    ", 4), "");
  EXPECT_EQ(FortranText(nullptr, 4), "");
  EXPECT_EQ(FortranText("a\0b", 3), "a");
}

}  // namespace
}  // namespace rafter
