#include "inject/cupti/launch_watch.h"

#include <gtest/gtest.h>

#include <vector>

#include "cupti/table.h"

namespace rafter {
namespace {

LaunchWatch* g_watch = nullptr;
std::vector<uint32_t>* g_seen = nullptr;  // what a region that begins now would note

void Note() { g_seen->push_back(g_watch->generation()); }

CuptiTable NotingCupti() {
  CuptiTable table;
  table.cuptiSubscribe = [](CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*) {
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(g_watch);
    return CUPTI_SUCCESS;
  };
  table.cuptiEnableCallback = [](uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                 CUpti_CallbackId) {
    Note();
    return CUPTI_SUCCESS;
  };
  table.cuptiUnsubscribe = [](CUpti_SubscriberHandle) {
    Note();
    return CUPTI_SUCCESS;
  };
  return table;
}

TEST(LaunchWatch, IsNoCountForRegionsThatBeginWhileItChanges) {
  LaunchWatch watch;
  std::vector<uint32_t> seen;
  g_watch = &watch;
  g_seen = &seen;
  const CuptiTable cupti = NotingCupti();
  ASSERT_TRUE(watch.Subscribe(&cupti, nullptr).ok());
  watch.Watch(true);
  const uint32_t first = watch.generation();
  EXPECT_NE(first, 0u);
  watch.Watch(false);
  EXPECT_EQ(watch.generation(), 0u);
  watch.Watch(true);
  EXPECT_NE(watch.generation(), 0u);
  EXPECT_NE(watch.generation(), first);
  watch.Unsubscribe();
  EXPECT_EQ(watch.generation(), 0u);
  for (const uint32_t generation : seen) EXPECT_EQ(generation, 0u);
}

}  // namespace
}  // namespace rafter
