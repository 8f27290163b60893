#include "collector/table/csv_cells.h"

#include <absl/status/status.h>

#include <algorithm>
#include <deque>

namespace rafter {
namespace {

bool NeedsQuotes(std::string_view cell) {
  if (cell.empty()) return false;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  return blank(cell.front()) || blank(cell.back()) ||
         std::any_of(cell.begin(), cell.end(),
                     [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
}

class CsvParser {
 public:
  explicit CsvParser(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  absl::Status Parse(const std::function<absl::Status(const CsvRecordView&)>& take) {
    CsvRecordView record;
    while (!rest_.empty()) {
      record.line = line_;
      record.cells.clear();
      unquoted_.clear();
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
  absl::Status TakeRecord(CsvRecordView& record) {
    quoted_ = false;
    while (true) {
      std::string_view cell;
      if (rest_.starts_with('"')) {
        absl::Status status = TakeQuoted(record, cell);
        if (!status.ok()) return status;
      } else {
        absl::Status status = TakePlain(record, cell);
        if (!status.ok()) return status;
      }
      record.cells.push_back(cell);
      if (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
        continue;
      }
      TakeLineEnd();
      return absl::OkStatus();
    }
  }

  absl::Status TakePlain(const CsvRecordView& record, std::string_view& cell) {
    const auto ends = [](char c) { return c == ',' || c == '\n' || c == '"'; };
    const auto end =
        static_cast<size_t>(std::find_if(rest_.begin(), rest_.end(), ends) - rest_.begin());
    if (end < rest_.size() && rest_[end] == '"') {
      return Failure(line_, record, "a quote in the middle of a cell; quote the whole cell");
    }
    cell = rest_.substr(0, end);
    // The carriage return belongs to the line's end.
    if (cell.ends_with('\r') && (end == rest_.size() || rest_[end] == '\n')) cell.remove_suffix(1);
    rest_.remove_prefix(end);
    return absl::OkStatus();
  }

  absl::Status TakeQuoted(const CsvRecordView& record, std::string_view& cell) {
    quoted_ = true;
    std::string* whole = nullptr;  // of a cell with quotes inside, which is no part of the text
    const size_t opened_on = line_;
    rest_.remove_prefix(1);
    while (true) {
      const size_t end = rest_.find('"');
      if (end == std::string_view::npos) {
        return Failure(opened_on, record, "the quote that opens here is never closed");
      }
      for (const char c : rest_.substr(0, end)) line_ += c == '\n' ? 1 : 0;
      cell = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      const bool ends_here = !rest_.starts_with('"');
      if (ends_here && whole == nullptr) break;
      if (whole == nullptr) whole = &unquoted_.emplace_back();
      whole->append(cell);
      cell = *whole;
      if (ends_here) break;
      *whole += '"';
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

  static absl::Status Failure(size_t line, const CsvRecordView& record, std::string_view what) {
    return absl::InvalidArgumentError("line " + std::to_string(line) + ", column " +
                                      std::to_string(record.cells.size() + 1) + ": " +
                                      std::string(what));
  }

  std::string_view rest_;
  size_t line_ = 1;
  bool quoted_ = false;               // whether the record has a quoted cell
  std::deque<std::string> unquoted_;  // cells of the record that had quotes inside
};

}  // namespace

void AppendCsvCell(std::string_view cell, std::string& text) {
  if (!NeedsQuotes(cell)) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void AppendCsvRecord(const std::vector<std::string>& cells, std::string& text) {
  bool first = true;
  for (const std::string& cell : cells) {
    if (!first) text += ',';
    first = false;
    AppendCsvCell(cell, text);
  }
  text += '\n';
}

absl::StatusOr<std::vector<CsvRecord>> ParseCsv(std::string_view text) {
  std::vector<CsvRecord> records;
  absl::Status status = EachCsvRecord(text, [&](const CsvRecordView& record) {
    records.push_back({record.line, {record.cells.begin(), record.cells.end()}});
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return records;
}

absl::Status EachCsvRecord(std::string_view text,
                           const std::function<absl::Status(const CsvRecordView&)>& take) {
  return CsvParser(text).Parse(take);
}

}  // namespace rafter
