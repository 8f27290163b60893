#include "collector/table/aggregate.h"

#include <absl/status/status.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/row_fold.h"

namespace rafter {
namespace {

using Key = std::vector<std::string>;
using Rows = std::vector<const Row*>;

constexpr size_t kMostNamed = 4;

// Of a row of launches: GPU time in them, s.
std::optional<double> LaunchTime(const Row& row) {
  return row.kernel_time_s ? row.kernel_time_s : row.duration_s;
}

bool IsOfLaunches(const Row& row) { return !row.kernel_id.empty(); }

bool IsOutside(const Row& row) {
  return row.region.empty() && (IsOfLaunches(row) || !row.kernel.empty());
}

// Says only why there is no number.
bool IsOfNothing(const Row& row) {
  return row.region.empty() && !IsOutside(row) && !row.flop && !row.traffic_bytes &&
         !row.duration_s;
}

Key RegionKey(const Row& row) {
  return {row.benchmark_problem, row.paradigm, row.hardware, row.executable, row.region,
          row.memory_level,      row.source};
}

// Rows of the same key, keys in order of first appearance.
template <typename KeyOf>
std::vector<Rows> Grouped(const Rows& rows, KeyOf key_of) {
  std::vector<Rows> groups;
  std::map<Key, size_t> places;
  for (const Row* row : rows) {
    const auto [place, is_new] = places.try_emplace(key_of(*row), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(row);
  }
  return groups;
}

// Rows without work have no precision. They are part of the others' sum where
// those have one; of several nobody can say which they belong to.
std::vector<Rows> ByPrecision(const Rows& rows) {
  std::set<std::string> precisions;
  for (const Row* row : rows) {
    if (!row->precision.empty()) precisions.insert(row->precision);
  }
  if (precisions.size() <= 1) return {rows};
  return Grouped(rows, [](const Row& row) { return Key{row.precision}; });
}

// Launches that CUPTI repeated one by one have no time between them, so the time
// of their region is that in them.
void TakeTimeOfLaunches(Row& row) {
  if (row.duration_s || !row.kernel_time_s) return;
  row.duration_s = row.kernel_time_s;
  if (row.flop && *row.duration_s > 0 && row.flop_per_byte) {
    row.flop_per_s = *row.flop / *row.duration_s;
  }
  row.reason += (row.reason.empty() ? "" : "; ") + std::string("Duration is the time in launches");
}

class Aggregator {
 public:
  Aggregator(Aggregation how, std::vector<std::string>& notes) : how_(how), notes_(notes) {}

  std::vector<Row> Fold(const std::vector<Row>& given) {
    Rows all;
    for (const Row& row : given) all.push_back(&row);
    std::vector<Row> of_ranks;
    for (const Rows& group : Grouped(all, GroupKey)) {
      if (IsOfNothing(*group.front())) {
        for (const Row* row : group) of_ranks.push_back(*row);
      } else if (how_ == Aggregation::kSum) {
        AddSums(group, of_ranks);
      } else {
        AddLongest(group, of_ranks);
      }
    }
    SayWithoutLaunches();
    return OverRanks(of_ranks);
  }

 private:
  static Key GroupKey(const Row& row) {
    Key key = RegionKey(row);
    key.push_back(row.rank);
    key.emplace_back(IsOfNothing(row) ? "nothing" : "");
    return key;
  }

  // The rows of regions, where there are some, hold all that their launches did.
  static void AddSums(const Rows& group, std::vector<Row>& sums) {
    Rows parts;
    for (const Row* row : group) {
      if (!IsOfLaunches(*row)) parts.push_back(row);
    }
    if (parts.empty()) parts = group;
    for (const Rows& bucket : ByPrecision(parts)) {
      Row sum = FoldRows(bucket, rafter::Fold::kSum);
      sum.kernel_id.clear();  // it stands for the region now
      TakeTimeOfLaunches(sum);
      sums.push_back(std::move(sum));
    }
  }

  void AddLongest(const Rows& group, std::vector<Row>& longest) {
    Rows launches;
    for (const Row* row : group) {
      if (IsOfLaunches(*row)) launches.push_back(row);
    }
    if (launches.empty()) {
      without_launches_.push_back(group.front()->region);
      return;
    }
    std::optional<Row> best;
    size_t timeless = 0;
    for (const Rows& kind : Grouped(launches, [](const Row& row) {
           return Key{row.kernel, row.kernel_signature, row.grid_size, row.block_size};
         })) {
      Row sum = FoldRows(kind, rafter::Fold::kSum);
      if (!LaunchTime(sum)) ++timeless;
      if (!best || LaunchTime(sum).value_or(-1) > LaunchTime(*best).value_or(-1)) {
        best = std::move(sum);
      }
    }
    if (timeless > 0) {
      best->reason += (best->reason.empty() ? "" : "; ") + Count(timeless) +
                      (timeless == 1 ? " kind" : " kinds") +
                      " of launch without a time, so another may have run longer";
    }
    longest.push_back(*std::move(best));
  }

  void SayWithoutLaunches() {
    if (without_launches_.empty()) return;
    notes_.push_back("--aggregate dominant: no rows of launches for " +
                     Named(without_launches_, kMostNamed) +
                     ", left out; count them with --granularity kernel");
  }

  std::vector<Row> OverRanks(const std::vector<Row>& rows) const {
    Rows all;
    for (const Row& row : rows) all.push_back(&row);
    size_t alone = 0;
    std::vector<Row> folded;
    for (const Rows& group : Grouped(all, [&](const Row& row) {
           if (!ParseCount(row.rank) || IsOfNothing(row)) return Key{Count(alone++)};
           Key key = RegionKey(row);
           // In one region ranks may have launched different kernels.
           if (how_ == Aggregation::kDominant) {
             for (const auto text :
                  {&Row::kernel, &Row::kernel_signature, &Row::grid_size, &Row::block_size}) {
               key.push_back(row.*text);
             }
           }
           return key;
         })) {
      AddRanks(group, folded);
    }
    return folded;
  }

  static void AddRanks(const Rows& group, std::vector<Row>& folded) {
    for (const Rows& bucket : ByPrecision(group)) {
      if (bucket.size() == 1) {
        folded.push_back(*bucket.front());
        continue;
      }
      using Of = rafter::Fold;
      for (const auto& [fold, name] :
           {std::pair(Of::kLeast, "min"), {Of::kMean, "mean"}, {Of::kGreatest, "max"}}) {
        Row row = FoldRows(bucket, fold);
        row.rank = name;
        row.reason += (row.reason.empty() ? "" : "; ") + std::string(name) + " of " +
                      Count(bucket.size()) + " ranks";
        if (fold == Of::kMean) row.rank_imbalance = Imbalance(bucket);
        if (row.rank_imbalance) {
          row.reason += ", the longest " + PercentText(100 * *row.rank_imbalance) + " above it";
        }
        folded.push_back(std::move(row));
      }
    }
  }

  // Longest GPU time by the mean, minus 1, over the ranks that have the region.
  static std::optional<double> Imbalance(const Rows& ranks) {
    double sum_s = 0;
    double longest_s = 0;
    for (const Row* row : ranks) {
      if (!row->duration_s) return std::nullopt;
      sum_s += *row->duration_s;
      longest_s = std::max(longest_s, *row->duration_s);
    }
    if (sum_s <= 0) return std::nullopt;
    return longest_s * static_cast<double>(ranks.size()) / sum_s - 1;
  }

  Aggregation how_;
  std::vector<std::string>& notes_;
  std::vector<std::string> without_launches_;
};

}  // namespace

std::string SpansText(const std::vector<RankSpan>& spans) {
  std::string text;
  for (const RankSpan& span : spans) {
    text += (text.empty() ? "" : ", ") + Count(span.first);
    if (span.first != span.last) text += "-" + Count(span.last);
  }
  return text;
}

Table Aggregate(Table table, Aggregation how, std::vector<std::string>& notes) {
  if (how == Aggregation::kNone) return table;
  table.rows = Aggregator(how, notes).Fold(table.rows);
  return table;
}

void DropOutsideRegions(Table& table) {
  std::set<std::string> marked;
  for (const Row& row : table.rows) {
    if (!row.region.empty()) marked.insert(row.executable);
  }
  std::map<std::string, size_t> kept;
  for (const Row& row : table.rows) {
    if (IsOutside(row) && !marked.contains(row.executable)) ++kept[row.executable];
  }
  std::erase_if(table.rows,
                [&](const Row& row) { return IsOutside(row) && marked.contains(row.executable); });
  for (const auto& [executable, rows] : kept) {
    if (table.unmarked.contains(executable)) continue;
    table.notes.push_back((executable.empty() ? "a program" : executable) +
                          ": no region in it, so its " + Count(rows) + " " +
                          (rows == 1 ? "row" : "rows") +
                          " of launches stay, set-up included; mark regions, or say --all-kernels");
  }
}

absl::StatusOr<std::vector<RankSpan>> ParseRanks(std::string_view text) {
  std::vector<RankSpan> spans;
  const std::string_view wrong = ReadRankSpans(text, spans);
  if (wrong.data() == nullptr) return spans;
  return absl::InvalidArgumentError("\"" + std::string(wrong) +
                                    "\" is no rank and no span of ranks; write 0,8-15");
}

std::vector<RankSpan> AbsentRanks(const std::vector<RankSpan>& wanted,
                                  const std::set<uint64_t>& seen) {
  std::vector<RankSpan> absent;
  for (const RankSpan& span : wanted) {
    const auto found = seen.lower_bound(span.first);
    if (found == seen.end() || *found > span.last) absent.push_back(span);
  }
  return absent;
}

void KeepRanks(const std::vector<RankSpan>& wanted, Table& table, std::vector<std::string>& notes) {
  std::set<uint64_t> seen;
  size_t without = 0;
  std::erase_if(table.rows, [&](const Row& row) {
    const auto rank = ParseCount(row.rank);
    if (rank) seen.insert(*rank);
    if (!rank) ++without;
    return !rank || !HasRank(wanted, *rank);
  });
  const std::vector<RankSpan> absent = AbsentRanks(wanted, seen);
  if (!absent.empty()) {
    notes.push_back("--ranks: no row is of rank " + SpansText(absent) + "; left out");
  }
  if (without > 0) {
    table.notes.push_back("--ranks: " + Count(without) + (without == 1 ? " row" : " rows") +
                          " of no single rank left out");
  }
}

}  // namespace rafter
