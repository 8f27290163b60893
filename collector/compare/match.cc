#include "collector/compare/match.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "collector/table/reason_text.h"

namespace rafter {
namespace {

using Field = std::string Row::*;
using Key = std::vector<std::string>;

// A column of the key and the first pass that does without it; kNever: none.
struct KeyColumn {
  Field field;
  int dropped_in;
  bool of_launches = false;  // of rows of launches only; a region may change its kernel
};

constexpr int kPasses = 5;
constexpr int kNever = kPasses;

constexpr std::array<KeyColumn, 15> kColumns = {{
    {&Row::region, kNever},
    {&Row::executable, kNever},
    {&Row::hardware, kNever},
    {&Row::rank, kNever},
    {&Row::kernel, kNever, true},
    {&Row::kernel_signature, 3, true},
    {&Row::precision, 3},
    {&Row::memory_level, 3},
    {&Row::grid_size, 2, true},
    {&Row::block_size, 2, true},
    {&Row::device, 2},
    {&Row::kernel_id, 1, true},
    {&Row::source, 1},
    {&Row::benchmark_problem, 1},
    {&Row::paradigm, 1},
}};

// These are beside the columns.
constexpr int kHostDroppedIn = 1;
constexpr int kOrderDroppedIn = 4;

std::set<std::string> ValuesOf(const std::vector<Row>& rows, Field field) {
  std::set<std::string> values;
  for (const Row& row : rows) {
    if (!(row.*field).empty()) values.insert(row.*field);
  }
  return values;
}

bool Meet(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& value) { return b.contains(value); });
}

class Matcher {
 public:
  Matcher(const std::vector<Row>& base, const std::vector<Row>& now) : base_(base), now_(now) {
    for (const KeyColumn& column : kColumns) {
      const std::set<std::string> in_base = ValuesOf(base, column.field);
      const std::set<std::string> in_new = ValuesOf(now, column.field);
      if (in_base.empty() || in_new.empty()) continue;
      // One program, or one kind of GPU, against another.
      const bool one_each = in_base.size() == 1 && in_new.size() == 1;
      if (column.field == &Row::executable && one_each) continue;
      if (column.field == &Row::hardware && (one_each || !Meet(in_base, in_new))) continue;
      columns_.push_back(column);
    }
    const auto has = [](const std::vector<Row>& rows, Field field) {
      return !ValuesOf(rows, field).empty();
    };
    has_kernels_ = has(base, &Row::kernel_id) && has(now, &Row::kernel_id);
    has_processes_ = has(base, &Row::process) && has(now, &Row::process);
    has_hosts_ = has(base, &Row::host) && has(now, &Row::host);
  }

  RowMatches Match() {
    std::vector<std::optional<size_t>> partner(base_.size());
    std::vector<bool> taken(now_.size(), false);
    for (int pass = 0; pass < kPasses; ++pass) {
      const auto base_rows = RowsByKey(base_, pass, [&](size_t i) { return !partner[i]; });
      const auto now_rows = RowsByKey(now_, pass, [&](size_t i) { return !taken[i]; });
      for (const auto& [key, rows] : base_rows) {
        const auto other = now_rows.find(key);
        if (other == now_rows.end() || rows.size() != 1 || other->second.size() != 1) continue;
        partner[rows[0]] = other->second[0];
        taken[other->second[0]] = true;
      }
    }
    RowMatches matches;
    for (size_t i = 0; i < base_.size(); ++i) {
      if (partner[i]) matches.pairs.push_back({i, *partner[i]});
    }
    const auto lone_in_base = [&](size_t i) { return !partner[i]; };
    const auto lone_in_new = [&](size_t i) { return !taken[i]; };
    matches.only_in_base = Lone({base_, "BASE"}, lone_in_base, {now_, "NEW"}, lone_in_new);
    matches.only_in_new = Lone({now_, "NEW"}, lone_in_new, {base_, "BASE"}, lone_in_base);
    return matches;
  }

 private:
  struct Named {
    const std::vector<Row>& rows;
    std::string name;
  };

  // By row: which of the processes of its executable and rank it is of, within
  // its host or of all hosts.
  std::vector<size_t> ProcessOrder(const std::vector<Row>& rows, bool by_host) const {
    std::map<Key, std::vector<Key>> processes;
    std::vector<size_t> order;
    for (const Row& row : rows) {
      const Key process = {row.host, row.process};
      std::vector<Key>& of =
          processes[{row.executable, row.rank, by_host ? row.host : std::string()}];
      auto place = std::find(of.begin(), of.end(), process);
      if (place == of.end()) place = of.insert(of.end(), process);
      order.push_back(static_cast<size_t>(place - of.begin()));
    }
    return order;
  }

  Key KeyOf(const Row& row, int pass) const {
    const bool is_launch = has_kernels_ && !row.kernel_id.empty();
    Key key = {is_launch ? "launch" : "region"};
    for (const KeyColumn& column : columns_) {
      if (pass >= column.dropped_in || (column.of_launches && !is_launch)) continue;
      key.push_back(row.*column.field);
    }
    if (has_hosts_ && pass < kHostDroppedIn) key.push_back(row.host);
    return key;
  }

  template <typename Wanted>
  std::map<Key, std::vector<size_t>> RowsByKey(const std::vector<Row>& rows, int pass,
                                               Wanted wanted) const {
    const std::vector<size_t> order = has_processes_ && pass < kOrderDroppedIn
                                          ? ProcessOrder(rows, has_hosts_ && pass < kHostDroppedIn)
                                          : std::vector<size_t>(rows.size(), 0);
    std::map<Key, std::vector<size_t>> by_key;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!wanted(i)) continue;
      Key key = KeyOf(rows[i], pass);
      key.push_back(std::to_string(order[i]));
      by_key[key].push_back(i);
    }
    return by_key;
  }

  template <typename IsLone, typename IsOtherLone>
  std::vector<UnmatchedRow> Lone(const Named& own, IsLone is_lone, const Named& other,
                                 IsOtherLone is_other_lone) const {
    std::map<Key, size_t> own_lone, other_lone, other_all;
    for (size_t i = 0; i < own.rows.size(); ++i) {
      if (is_lone(i)) ++own_lone[KeyOf(own.rows[i], kPasses - 1)];
    }
    for (size_t i = 0; i < other.rows.size(); ++i) {
      const Key key = KeyOf(other.rows[i], kPasses - 1);
      ++other_all[key];
      if (is_other_lone(i)) ++other_lone[key];
    }
    const std::set<std::string> other_regions = ValuesOf(other.rows, &Row::region);
    std::vector<UnmatchedRow> lone;
    for (size_t i = 0; i < own.rows.size(); ++i) {
      if (!is_lone(i)) continue;
      const Key key = KeyOf(own.rows[i], kPasses - 1);
      std::string reason = other_regions.contains(own.rows[i].region)
                               ? other.name + " has the region of other executables, ranks, " +
                                     "kernels or GPUs only"
                               : other.name + " has no such region";
      if (other_lone[key] > 0) {
        reason = Rows(own_lone[key]) + " of " + own.name + " and " + Rows(other_lone[key]) +
                 " of " + other.name + " go by these names; nothing tells which is which";
      } else if (other_all[key] > 0) {
        reason = "what " + other.name + " has of these names belongs to " +
                 (other_all[key] == 1 ? "another row" : "other rows") + " of " + own.name;
      }
      lone.push_back({i, reason});
    }
    return lone;
  }

  static std::string Rows(size_t count) { return Count(count) + (count == 1 ? " row" : " rows"); }

  const std::vector<Row>& base_;
  const std::vector<Row>& now_;
  std::vector<KeyColumn> columns_;
  bool has_kernels_ = false;
  bool has_processes_ = false;
  bool has_hosts_ = false;
};

}  // namespace

RowMatches MatchRows(const std::vector<Row>& base, const std::vector<Row>& now) {
  return Matcher(base, now).Match();
}

}  // namespace rafter
