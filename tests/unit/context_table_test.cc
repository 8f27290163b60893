#include <gtest/gtest.h>

#include <memory>

#include "inject/counters/counted_context.h"

namespace rafter {
namespace {

class NoRecorder final : public RangeBorders::Recorder {
 public:
  void Wake() noexcept override {}
  void Overlapped(const FinishedRegion&) noexcept override {}
};

class Contexts : public testing::Test {
 protected:
  CountedContext* Meet(size_t number, int ordinal = 0) {
    return table_.FindOrAdd(&places_[number], ordinal, *paths_, recorder_,
                            [this](const void* known) {
                              ++asked_;
                              return known != dead_;
                            });
  }

  std::unique_ptr<PathTable> paths_ = std::make_unique<PathTable>();
  NoRecorder recorder_;
  ContextTable table_;
  char places_[ContextTable::kMaxContexts + 2] = {};
  const void* dead_ = nullptr;
  int asked_ = 0;
};

TEST_F(Contexts, TakeTheEntryOfOneOfTheSameDeviceThatHasGone) {
  CountedContext* const first = Meet(0, 0);
  CountedContext* const second = Meet(1, 1);
  first->context = nullptr;
  second->context = nullptr;
  EXPECT_EQ(table_.Find(nullptr), nullptr);
  EXPECT_EQ(Meet(2, 1), second);
  EXPECT_EQ(Meet(3, 0), first);
  EXPECT_EQ(table_.Find(&places_[3]), first);
  EXPECT_EQ(table_.Find(&places_[0]), nullptr);
  EXPECT_EQ(table_.count(), 2u);
  EXPECT_EQ(asked_, 0);
}

TEST_F(Contexts, LookForOneThatHasGoneUnseenWhenThereIsNoRoom) {
  for (size_t i = 0; i < ContextTable::kMaxContexts; ++i) ASSERT_NE(Meet(i), nullptr);
  EXPECT_EQ(Meet(ContextTable::kMaxContexts), nullptr);
  dead_ = &places_[5];
  EXPECT_EQ(Meet(ContextTable::kMaxContexts), table_.At(5));
  EXPECT_EQ(Meet(ContextTable::kMaxContexts + 1), nullptr);
}

TEST_F(Contexts, LeaveTheEntryOfOneThatIsOffForGood) {
  CountedContext* const off = Meet(0);
  off->borders.Off();
  off->context = nullptr;
  EXPECT_NE(Meet(1), off);
}

}  // namespace
}  // namespace rafter
