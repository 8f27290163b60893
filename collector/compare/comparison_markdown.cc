#include <algorithm>
#include <map>
#include <utility>

#include "collector/compare/comparison_text.h"
#include "collector/compare/observed_change.h"
#include "collector/table/aligned_rows.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"

namespace rafter {
namespace {

constexpr size_t kMostNameCharacters = 60;
// Longer notes go below the table.
constexpr size_t kMostNoteCharacters = 44;
constexpr size_t kMostTextCharacters = 1000;

std::string Value(const std::optional<double>& value, std::string_view unit) {
  return value ? SiText(*value, unit) : "";
}

// Why there is no verdict, and what to know beside.
std::string NoteOf(const ComparedRow& row) {
  std::vector<std::string> notes;
  if (TimeQuantity(row) == Quantity::kKernelTime) notes.emplace_back("Kernel Time");
  const Change& time = TimeChange(row);
  if (!time.reason.empty()) notes.push_back(time.reason);
  notes.insert(notes.end(), row.notes.begin(), row.notes.end());
  return Join(notes, "; ");
}

// Long notes in the order first met, numbered from 1.
class Below {
 public:
  std::string Text(const std::string& note) {
    if (note.size() <= kMostNoteCharacters) return MarkdownText(note, kMostNoteCharacters);
    const auto [place, is_new] = numbers_.try_emplace(note, notes_.size() + 1);
    if (is_new) notes_.push_back(note);
    return "see " + Count(place->second);
  }
  std::string List() const {
    std::string text;
    for (size_t i = 0; i < notes_.size(); ++i) {
      text += Count(i + 1) + ". " + MarkdownText(notes_[i], kMostTextCharacters) + "\n";
    }
    return text;
  }

 private:
  std::vector<std::string> notes_;
  std::map<std::string, size_t> numbers_;
};

std::vector<std::string> CellsOf(const ComparedRow& row, bool is_of_runs, Below& below) {
  const Change& time = TimeChange(row);
  const std::optional<RatioSpread>& range = is_of_runs ? time.interval : time.spread;
  std::vector<std::string> cells = {
      MarkdownText(row.label, kMostNameCharacters), Value(time.base, "s"), Value(time.now, "s"),
      time.ratio ? RatioText(*time.ratio, "") : "", range ? SpreadText(*range) : ""};
  if (is_of_runs) cells.push_back(Count(time.base_runs) + ", " + Count(time.now_runs));
  cells.push_back(ShortWordText(TimeQuantity(row), time));
  cells.push_back(MovedText(row));
  cells.push_back(below.Text(NoteOf(row)));
  return cells;
}

std::string TableText(const Comparison& comparison) {
  if (comparison.rows.empty()) return "";
  const bool is_of_runs = comparison.runs.has_value();
  std::vector<std::string> header = {"Region", "BASE", "NEW", "Ratio"};
  header.emplace_back(is_of_runs ? "Interval" : "Spread");
  if (is_of_runs) header.emplace_back("Runs");
  for (const char* title : {"Verdict", "Moved", "Note"}) header.emplace_back(title);
  std::vector<bool> is_number(header.size(), false);
  std::fill(is_number.begin() + 1, is_number.begin() + 4, true);
  AlignedRows rows(is_number);
  rows.Add(std::move(header));
  Below below;
  for (const ComparedRow& row : comparison.rows) rows.Add(CellsOf(row, is_of_runs, below));
  std::string text = "\n" + rows.Text();
  if (const std::string notes = below.List(); !notes.empty()) text += "\n" + notes;
  return text;
}

std::string Section(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n" + title + ":\n";
  for (const std::string& line : lines) {
    text += "- " + MarkdownText(line, kMostTextCharacters) + "\n";
  }
  return text;
}

std::vector<std::string> LoneLines(const Comparison& comparison, bool in_base) {
  std::vector<std::string> lines;
  for (const LoneRow& row : comparison.lone) {
    if (row.in_base == in_base) lines.push_back(row.label + ": " + row.reason);
  }
  return lines;
}

}  // namespace

std::string ToMarkdown(const Comparison& comparison) {
  std::string text = "BASE " + MarkdownText(comparison.base.name, kMostTextCharacters) + ", NEW " +
                     MarkdownText(comparison.now.name, kMostTextCharacters) + ": " +
                     SummaryText(comparison) + "\n";
  if (comparison.runs) text += "\n" + IntervalsText(*comparison.runs) + "\n";
  text += Section("Compared by --force", comparison.conflicts);
  text += TableText(comparison);
  std::vector<std::string> limits;
  for (const LimitFinding& finding : comparison.limits) limits.push_back(LimitText(finding));
  text += Section("Limits", limits);
  text += Section("Only in BASE", LoneLines(comparison, true));
  text += Section("Only in NEW", LoneLines(comparison, false));
  text += Section("Notes", comparison.notes);
  return text;
}

std::string_view OutcomeText(LimitOutcome outcome) {
  switch (outcome) {
    case LimitOutcome::kOver:
      return "over";
    case LimitOutcome::kWithinSpread:
      return "within the spread";
    case LimitOutcome::kWithinInterval:
      return "within the interval";
    case LimitOutcome::kNotJudged:
      break;
  }
  return "not judged";
}

std::string LimitText(const LimitFinding& finding) {
  return "--fail-on " + finding.limit + ": " + std::string(OutcomeText(finding.outcome)) + ": " +
         (finding.label.empty() ? "" : finding.label + ": ") + finding.text;
}

}  // namespace rafter
