#include "inject/record/path_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "inject/health.h"

namespace rafter {
namespace {

std::string NameOf(PathTable& paths, PathId id) {
  const PathEntry* entry = paths.Entry(id);
  return {entry->name, entry->name_size};
}

TEST(PathTable, GivesTheSameNumberToTheSamePlaceAndAnotherToAnother) {
  auto paths = std::make_unique<PathTable>();
  const PathId outer = paths->Find(PathId::kNone, 0, "step");
  const PathId inner = paths->Find(outer, 0, "step");
  EXPECT_NE(outer, inner);
  EXPECT_EQ(paths->Find(PathId::kNone, 0, "step"), outer);
  EXPECT_EQ(paths->Find(outer, 0, "step"), inner);
  EXPECT_EQ(paths->Entry(inner)->parent, outer);
  EXPECT_NE(paths->Find(PathId::kNone, 1, "step"), outer);  // another domain
  EXPECT_EQ(paths->count(), 3u);
}

TEST(PathTable, KeepsNamesWithZeroBytesAndMegabytesWhole) {
  auto paths = std::make_unique<PathTable>();
  const std::string odd("a\0b", 3);
  EXPECT_EQ(NameOf(*paths, paths->Find(PathId::kNone, 0, odd)), odd);
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(NameOf(*paths, paths->Find(PathId::kNone, 0, large)), large);
}

TEST(PathTable, FoldsNamesBeyondItsLimitIntoOneAndCountsThem) {
  auto paths = std::make_unique<PathTable>();
  const uint64_t before = Health().lost(Loss::kNamesFolded);
  PathId last = PathId::kNone;
  for (size_t i = 0; i < PathTable::kMaxPaths + 1000; ++i) {
    last = paths->Find(PathId::kNone, 0, "seq = " + std::to_string(i));
  }
  EXPECT_EQ(NameOf(*paths, last), "(other regions)");
  EXPECT_LE(paths->count(), PathTable::kMaxPaths);
  EXPECT_GE(Health().lost(Loss::kNamesFolded) - before, 1000u);
  EXPECT_EQ(paths->Find(PathId::kNone, 0, "yet another"), last);
}

TEST(PathTable, FoldsNamesForWhichThereIsNoMemoryIntoNoOtherName) {
  auto paths = std::make_unique<PathTable>();
  constexpr size_t kLongest = 1 << 20;
  size_t left = PathTable::kMaxNameMemory;
  while (left > 0) {  // to the last byte
    const size_t name = std::min(kLongest, left - sizeof(PathEntry));
    const std::string number = std::to_string(left);
    paths->Find(PathId::kNone, 0, number + std::string(name - number.size(), 'x'));
    left -= sizeof(PathEntry) + name;
    if (left < 2 * sizeof(PathEntry)) break;
  }
  const PathId folded = paths->Find(PathId::kNone, 0, "a name longer than any room that is left");
  EXPECT_EQ(NameOf(*paths, folded), "(other regions)");
}

TEST(PathTable, NamesAnOverlapByItsMembers) {
  auto paths = std::make_unique<PathTable>();
  const PathId a = paths->Find(PathId::kNone, 0, "a");
  const PathId b = paths->Find(PathId::kNone, 0, "b");
  const PathId both[] = {a, b};
  const PathId overlap = paths->FindOverlap(both);
  EXPECT_EQ(paths->FindOverlap(both), overlap);
  ASSERT_EQ(paths->Entry(overlap)->member_count, 2u);
  EXPECT_EQ(paths->Entry(overlap)->members[1], b);
}

TEST(PathTable, AgreesOnNumbersBetweenThreads) {
  auto paths = std::make_unique<PathTable>();
  std::vector<std::vector<PathId>> found(8);
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        mine.push_back(paths->Find(PathId::kNone, 0, "name" + std::to_string(i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
  EXPECT_EQ(paths->count(), 500u);
}

TEST(PathTable, UnifiesDomainsByName) {
  auto paths = std::make_unique<PathTable>();
  const uint32_t cublas = paths->FindDomain("CUBLAS");
  EXPECT_NE(cublas, 0u);
  EXPECT_EQ(paths->FindDomain("CUBLAS"), cublas);
  EXPECT_NE(paths->FindDomain("NCCL"), cublas);
  EXPECT_EQ(paths->DomainName(cublas), "CUBLAS");
}

}  // namespace
}  // namespace rafter
