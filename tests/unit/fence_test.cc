#include "inject/fence.h"

#include <gtest/gtest.h>

#include <new>

namespace rafter {
namespace {

TEST(Guarded, LeavesErrnoAsTheProgramHadIt) {
  errno = ERANGE;
  Guarded([] { errno = ENOENT; });
  EXPECT_EQ(errno, ERANGE);
}

TEST(Guarded, LetsNoExceptionOutAndCountsIt) {
  const uint64_t before = Health().lost(Loss::kExceptions);
  Guarded([] { throw std::bad_alloc(); });
  EXPECT_EQ(Health().lost(Loss::kExceptions), before + 1);
}

TEST(Guarded, SkipsWhatComesBackThroughOurOwnWork) {
  bool ran = false;
  Guarded([&] { Guarded([&] { ran = true; }); });
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace rafter
