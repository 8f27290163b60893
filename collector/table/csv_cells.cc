#include "collector/table/csv_cells.h"

#include <absl/status/status.h>

#include <algorithm>
#include <utility>

namespace rafter {
namespace {

bool NeedsQuotes(std::string_view cell) {
  if (cell.empty()) return false;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  return blank(cell.front()) || blank(cell.back()) ||
         cell.find_first_of(",\"\r\n") != std::string_view::npos;
}

class CsvParser {
 public:
  explicit CsvParser(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  absl::Status Parse(const std::function<absl::Status(const CsvRecord&)>& take) {
    CsvRecord record;
    while (!rest_.empty()) {
      record.line = line_;
      record.cells.clear();
      absl::Status status = TakeRecord(record);
      if (!status.ok()) return status;
      const bool empty_line = record.cells.size() == 1 && record.cells[0].empty() && !quoted_;
      if (empty_line) continue;
      status = take(record);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status TakeRecord(CsvRecord& record) {
    quoted_ = false;
    while (true) {
      std::string cell;
      if (rest_.starts_with('"')) {
        absl::Status status = TakeQuoted(record, cell);
        if (!status.ok()) return status;
      } else {
        absl::Status status = TakePlain(record, cell);
        if (!status.ok()) return status;
      }
      record.cells.push_back(std::move(cell));
      if (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
        continue;
      }
      TakeLineEnd();
      return absl::OkStatus();
    }
  }

  absl::Status TakePlain(const CsvRecord& record, std::string& cell) {
    const size_t end = std::min(rest_.find_first_of(",\n\""), rest_.size());
    if (end < rest_.size() && rest_[end] == '"') {
      return Failure(line_, record, "a quote in the middle of a cell; quote the whole cell");
    }
    cell = rest_.substr(0, end);
    // The carriage return belongs to the line's end.
    if (cell.ends_with('\r') && (end == rest_.size() || rest_[end] == '\n')) cell.pop_back();
    rest_.remove_prefix(end);
    return absl::OkStatus();
  }

  absl::Status TakeQuoted(const CsvRecord& record, std::string& cell) {
    quoted_ = true;
    const size_t opened_on = line_;
    rest_.remove_prefix(1);
    while (true) {
      const size_t end = rest_.find('"');
      if (end == std::string_view::npos) {
        return Failure(opened_on, record, "the quote that opens here is never closed");
      }
      for (const char c : rest_.substr(0, end)) line_ += c == '\n' ? 1 : 0;
      cell += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (!rest_.starts_with('"')) break;
      cell += '"';
      rest_.remove_prefix(1);
    }
    const bool ends = rest_.empty() || rest_.starts_with(',') || rest_.starts_with('\n') ||
                      rest_.starts_with("\r\n") || rest_ == "\r";
    if (!ends) return Failure(line_, record, "text after the quote that closes the cell");
    return absl::OkStatus();
  }

  void TakeLineEnd() {
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (rest_.starts_with('\n')) rest_.remove_prefix(1);
    ++line_;
  }

  static absl::Status Failure(size_t line, const CsvRecord& record, std::string_view what) {
    return absl::InvalidArgumentError("line " + std::to_string(line) + ", column " +
                                      std::to_string(record.cells.size() + 1) + ": " +
                                      std::string(what));
  }

  std::string_view rest_;
  size_t line_ = 1;
  bool quoted_ = false;  // whether the record has a quoted cell
};

}  // namespace

void AppendCsvRecord(const std::vector<std::string>& cells, std::string& text) {
  bool first = true;
  for (const std::string& cell : cells) {
    if (!first) text += ',';
    first = false;
    if (!NeedsQuotes(cell)) {
      text += cell;
      continue;
    }
    text += '"';
    for (const char c : cell) {
      if (c == '"') text += '"';
      text += c;
    }
    text += '"';
  }
  text += '\n';
}

absl::StatusOr<std::vector<CsvRecord>> ParseCsv(std::string_view text) {
  std::vector<CsvRecord> records;
  absl::Status status = EachCsvRecord(text, [&](const CsvRecord& record) {
    records.push_back(record);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return records;
}

absl::Status EachCsvRecord(std::string_view text,
                           const std::function<absl::Status(const CsvRecord&)>& take) {
  return CsvParser(text).Parse(take);
}

}  // namespace rafter
