#include "tools/merge.h"

#include <algorithm>
#include <array>
#include <set>

namespace rafter {
namespace {

using Column = std::string Row::*;

constexpr std::array<Column, 4> kAlways = {&Row::executable, &Row::region, &Row::kernel_id,
                                           &Row::kernel};
constexpr std::array<Column, 8> kWhereThere = {
    &Row::hardware, &Row::source, &Row::precision, &Row::memory_level,
    &Row::rank,     &Row::host,   &Row::process,   &Row::device_uuid};

using Key = std::vector<std::string>;

// Whether any row has something in that column: what an absent column reads as
// is empty everywhere.
bool HasColumn(const Table& table, Column column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [column](const Row& row) { return !(row.*column).empty(); });
}

std::vector<Column> SharedColumns(const Table& a, const Table& b) {
  std::vector<Column> columns(kAlways.begin(), kAlways.end());
  for (const Column column : kWhereThere) {
    if (HasColumn(a, column) && HasColumn(b, column)) columns.push_back(column);
  }
  return columns;
}

Key KeyOf(const Row& row, const std::vector<Column>& columns) {
  Key key;
  for (const Column column : columns) key.push_back(row.*column);
  return key;
}

// Takes out of `earlier` what `later` has too. Returns how many rows that were.
size_t RemoveReplaced(Table& earlier, const Table& later, const std::vector<Column>& columns) {
  std::set<Key> keys;
  for (const Row& row : later.rows) keys.insert(KeyOf(row, columns));
  return std::erase_if(earlier.rows,
                       [&](const Row& row) { return keys.contains(KeyOf(row, columns)); });
}

}  // namespace

MergedTable MergeTables(std::vector<NamedTable> tables) {
  MergedTable merged;
  // Which columns are there is a matter of the whole file, not of what is left of it.
  const std::vector<NamedTable> whole = tables;
  for (size_t later = 1; later < tables.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      const std::vector<Column> columns = SharedColumns(whole[earlier].table, whole[later].table);
      const size_t removed = RemoveReplaced(tables[earlier].table, whole[later].table, columns);
      if (removed == 0) continue;
      merged.warnings.push_back(tables[later].name + ": replaces " + std::to_string(removed) +
                                (removed == 1 ? " row" : " rows") + " of " + tables[earlier].name +
                                " that it has too; give the files in another order to keep those");
    }
  }
  for (NamedTable& table : tables) {
    merged.table.unmarked.merge(table.table.unmarked);
    for (Row& row : table.table.rows) merged.table.rows.push_back(std::move(row));
    for (std::string& note : table.table.notes) {
      std::vector<std::string>& notes = merged.table.notes;
      if (std::find(notes.begin(), notes.end(), note) == notes.end())
        notes.push_back(std::move(note));
    }
  }
  return merged;
}

}  // namespace rafter
