// CsvCells is RFC 4180 and nothing of ours: cells to text and text to cells.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    ParseCsv's cells are strings of their own, EachCsvRecord's refer to the text.
//   Lifetime  plain values.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// One record and where it began.
struct CsvRecord {
  size_t line = 0;  // from 1
  std::vector<std::string> cells;
};

// The same while it is read: cells are good until the next record.
struct CsvRecordView {
  size_t line = 0;
  std::vector<std::string_view> cells;
};

// Adds one cell; the caller adds commas and line feeds. Cells with a comma, a quote, or a
// line break, and cells that begin or end with a blank, are quoted. Nothing else is
// changed: a cell that begins with "=" stays what it is, since a table that
// alters names to please spreadsheets cannot be merged with itself.
void AppendCsvCell(std::string_view cell, std::string& text);

// Adds one record and a line feed.
void AppendCsvRecord(const std::vector<std::string>& cells, std::string& text);

// Takes LF and CRLF, a byte-order mark, line breaks inside quotes, and a last
// line without its end. Empty lines are skipped. Fails with line and column
// (counted in cells, from 1) for a quote that is never closed or that stands
// in the middle of a cell.
absl::StatusOr<std::vector<CsvRecord>> ParseCsv(std::string_view text);

// The same, one record at a time, so that a large file is not held twice. Ends with the
// first failure, of the text or of `take`.
absl::Status EachCsvRecord(std::string_view text,
                           const std::function<absl::Status(const CsvRecordView&)>& take);

}  // namespace rafter
