#include <map>

#include "collector/compare/comparison_text.h"
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

std::vector<std::string> CellsOf(const ComparedRow& row, Below& below) {
  const Change& time = TimeChange(row);
  return {MarkdownText(row.label, kMostNameCharacters),
          Value(time.base, "s"),
          Value(time.now, "s"),
          time.ratio ? RatioText(*time.ratio, "") : "",
          time.spread ? SpreadText(*time.spread) : "",
          ShortWordText(TimeQuantity(row), time),
          MovedText(row),
          below.Text(NoteOf(row))};
}

std::string TableText(const Comparison& comparison) {
  if (comparison.rows.empty()) return "";
  AlignedRows rows({false, true, true, true, false, false, false, false});
  rows.Add({"Region", "BASE", "NEW", "Ratio", "Spread", "Verdict", "Moved", "Note"});
  Below below;
  for (const ComparedRow& row : comparison.rows) rows.Add(CellsOf(row, below));
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
