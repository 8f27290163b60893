#include "collector/compare/ratio_chart.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "collector/compare/ratio_axis.h"
#include "collector/roofline/canvas.h"
#include "collector/table/number_text.h"
#include "collector/table/reason_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

// The page, in page units.
constexpr double kPageWidth = 1200;
constexpr double kMargin = 28;
constexpr double kPlotLeft = 330;   // names stand beside
constexpr double kPlotRight = 820;  // verdicts stand beside
constexpr double kPlotTop = 132;    // title, subtitle and legend stand above
constexpr double kLineHeight = 23;
constexpr double kUnderPlot = 58;
constexpr double kIndent = 14;
constexpr double kBarHalf = 6;
constexpr double kEndHalf = 4;
constexpr double kMarkRadius = 5;

// A page of PNG ends at 16,383 units; these keep every chart below that. What is
// left out is counted.
constexpr size_t kMostRows = 400;
constexpr size_t kMostListed = 60;    // lines of one list
constexpr size_t kMostNamedRows = 8;  // in one line
constexpr size_t kMostNameCharacters = 90;
constexpr size_t kMostLineCharacters = 500;

// Colours that the colour-blind tell apart, beside the side on which a mark stands.
constexpr uint32_t kFasterColor = 0x0072b2;
constexpr uint32_t kSlowerColor = 0xd55e00;
constexpr uint32_t kPlainColor = 0x6b7280;
constexpr uint32_t kSpreadColor = 0xd1d5db;
constexpr uint32_t kMarginColor = 0xeef0f3;
constexpr uint32_t kForcedColor = 0xc1121f;

const TextStyle kBody{.size = 12, .color = 0x1f2937};
const TextStyle kSmall{.size = 11, .color = 0x4b5563};
const TextStyle kHeading{.size = 13, .is_bold = true, .color = 0x111827};

MarkerStyle MarkOf(const Change& change) {
  switch (change.word) {
    case ChangeWord::kLess:
      return {.shape = MarkerShape::kCircle, .color = kFasterColor, .radius = kMarkRadius};
    case ChangeWord::kMore:
      return {.shape = MarkerShape::kSquare, .color = kSlowerColor, .radius = kMarkRadius};
    case ChangeWord::kSame:
    case ChangeWord::kWithinSpread:
      return {.shape = MarkerShape::kDiamond, .color = kPlainColor, .radius = kMarkRadius};
    case ChangeWord::kUndecided:
      return {.shape = MarkerShape::kDiamond,
              .color = kPlainColor,
              .radius = kMarkRadius,
              .is_hollow = true};
    case ChangeWord::kNotJudged:
    case ChangeWord::kNotComparable:
      break;
  }
  return {.shape = MarkerShape::kCircle,
          .color = kPlainColor,
          .radius = kMarkRadius,
          .is_hollow = true};
}

// "1.071 slower: traffic +30 %".
std::string WordsBeside(const ComparedRow& row) {
  const Change& time = TimeChange(row);
  std::string words = RatioText(*time.ratio, "") + "  " + ShortWordText(TimeQuantity(row), time);
  const std::string moved = MovedText(row);
  // The time itself is the ratio.
  const size_t rest = moved.find(", ");
  const bool time_moved = time.word == ChangeWord::kMore || time.word == ChangeWord::kLess;
  const std::string others = !time_moved                 ? moved
                             : rest == std::string::npos ? ""
                                                         : moved.substr(rest + 2);
  if (!others.empty()) words += ": " + others;
  return words;
}

// What stands under the plot.
struct List {
  std::string title;
  std::vector<std::string> lines;
};

bool IsDrawn(const ComparedRow& row) { return TimeChange(row).ratio.value_or(0) > 0; }

// Rows for which the same is said, in the order first met.
class ByText {
 public:
  void Add(const std::string& label, const std::string& text) {
    const auto [place, is_new] = place_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back({text, {}});
    texts_[place->second].labels.push_back(OneLine(label, kMostNameCharacters));
  }
  void AddTo(std::vector<std::string>& lines) const {
    for (const Said& said : texts_) {
      const size_t named = std::min(said.labels.size(), kMostNamedRows);
      // A label may hold commas: "matmul, OpenCL".
      std::string line;
      for (size_t i = 0; i < named; ++i) line += (i == 0 ? "" : "  ·  ") + said.labels[i];
      if (said.labels.size() > named) line += " and " + Count(said.labels.size() - named) + " more";
      lines.push_back(line + ":  " + said.text);
    }
  }

 private:
  struct Said {
    std::string text;
    std::vector<std::string> labels;
  };
  std::vector<Said> texts_;
  std::map<std::string, size_t> place_;
};

std::vector<List> ListsOf(const Comparison& comparison, size_t left_out) {
  ByText undrawn;
  ByText notes;
  for (const ComparedRow& row : comparison.rows) {
    const Change& time = TimeChange(row);
    if (!IsDrawn(row)) {
      undrawn.Add(row.label, time.ratio ? "none in NEW, which has no place on this axis"
                                        : WordText(TimeQuantity(row), time));
      continue;
    }
    if (!time.reason.empty()) notes.Add(row.label, WordText(TimeQuantity(row), time));
    for (const std::string& note : row.notes) notes.Add(row.label, note);
  }
  for (const LoneRow& row : comparison.lone) {
    undrawn.Add(row.label,
                std::string("only in ") + (row.in_base ? "BASE" : "NEW") + ", " + row.reason);
  }
  List forced{"Compared by --force", comparison.conflicts};
  List not_drawn{"Not drawn", {}};
  if (left_out > 0) {
    not_drawn.lines.push_back(Count(left_out) + " more rows: see the table (rafter compare)");
  }
  undrawn.AddTo(not_drawn.lines);
  List noted{"Notes", {}};
  if (comparison.runs) noted.lines.push_back(IntervalsText(*comparison.runs));
  noted.lines.insert(noted.lines.end(), comparison.notes.begin(), comparison.notes.end());
  notes.AddTo(noted.lines);
  return {forced, not_drawn, noted};
}

// Draws the lists from the top of `area` on and returns how high they are. Without a
// canvas only measures.
double DrawLists(const std::vector<List>& lists, const Box& area, TextSetter& text,
                 Canvas* canvas) {
  double y = area.top;
  const auto write = [&](const std::string& words, const TextStyle& style, double left) {
    if (canvas != nullptr) canvas->Text(words, style, {left, y});
    return text.Measure(words, style).height;
  };
  for (const List& list : lists) {
    if (list.lines.empty()) continue;
    TextStyle heading = kHeading;
    if (&list == &lists.front()) heading.color = kForcedColor;
    y += 16;
    y += write(list.title, heading, area.left) + 5;
    for (size_t i = 0; i < std::min(list.lines.size(), kMostListed); ++i) {
      TextStyle style = kBody;
      style.width = area.width - kIndent;
      style.may_wrap = true;
      write("•", kSmall, area.left);
      y += write(OneLine(list.lines[i], kMostLineCharacters), style, area.left + kIndent) + 4;
    }
    if (list.lines.size() > kMostListed) {
      const std::string more = "and " + Count(list.lines.size() - kMostListed) + " more";
      y += write(more + ": see the table (rafter compare)", kBody, area.left + kIndent) + 4;
    }
  }
  return y - area.top;
}

// "new-1.csv and 4 more runs".
std::string TitleOf(const ComparedSide& side, const std::vector<ComparedRun>* runs) {
  if (runs == nullptr) return OneLine(side.name, kMostNameCharacters);
  return OneLine(runs->front().run.name, kMostNameCharacters) + " and " + Count(runs->size() - 1) +
         " more runs";
}

void DrawHeading(const Comparison& comparison, Canvas& canvas) {
  TextStyle title{.size = 21, .is_bold = true, .width = kPageWidth - 2 * kMargin};
  const RepeatedRuns* runs = comparison.runs ? &*comparison.runs : nullptr;
  canvas.Text("Time of " + TitleOf(comparison.now, runs ? &runs->now : nullptr) + " / time of " +
                  TitleOf(comparison.base, runs ? &runs->base : nullptr),
              title, {kMargin, 22});
  const std::string forced =
      comparison.conflicts.empty() ? "" : "; compared by --force: see below the chart";
  canvas.Text(SummaryText(comparison) + forced,
              {.size = 13, .color = 0x4b5563, .width = kPageWidth - 2 * kMargin}, {kMargin, 54});
}

std::string WordInLegend(ChangeWord word) {
  if (word == ChangeWord::kSame) return "same";
  if (word == ChangeWord::kUndecided) return "undecided";
  if (word == ChangeWord::kNotJudged) return "no verdict";
  if (word == ChangeWord::kWithinSpread) return "same, or within the spread";
  return word == ChangeWord::kLess ? "faster" : "slower";
}

void DrawLegend(bool is_of_runs, TextSetter& text, Canvas& canvas) {
  double x = kPlotLeft;
  const double y = 92;
  const auto entry = [&](const MarkerStyle& mark, const std::string& words) {
    canvas.Marker({x + 6, y + 7}, mark);
    canvas.Text(words, kSmall, {x + 17, y});
    x += text.Measure(words, kSmall).width + 40;
  };
  std::vector<ChangeWord> words = {ChangeWord::kLess, ChangeWord::kMore};
  if (is_of_runs) {
    words.insert(words.end(), {ChangeWord::kSame, ChangeWord::kUndecided});
  } else {
    words.push_back(ChangeWord::kWithinSpread);
  }
  words.push_back(ChangeWord::kNotJudged);
  for (const ChangeWord word : words) {
    Change change;
    change.word = word;
    entry(MarkOf(change), WordInLegend(word));
  }
  canvas.Fill({x, y + 7 - kBarHalf, 26, 2 * kBarHalf}, is_of_runs ? kMarginColor : kSpreadColor);
  canvas.Text(is_of_runs ? "too little for a change" : "spread of both: no verdict inside", kSmall,
              {x + 33, y});
}

void DrawAxis(const LogAxis& axis, double bottom, TextSetter& text, Canvas& canvas) {
  for (const double value : RatioTicks(axis)) {
    const double x = axis.At(value);
    canvas.Line({{x, kPlotTop}, {x, bottom}}, {.color = 0xe5e7eb, .width = 1, .dashes = {}});
    const std::string words = RatioText(value, "");
    canvas.Text(words, kSmall, {x - text.Measure(words, kSmall).width / 2, bottom + 6});
  }
  canvas.Outline({kPlotLeft, kPlotTop, kPlotRight - kPlotLeft, bottom - kPlotTop},
                 {.color = 0x9ca3af, .width = 1, .dashes = {}});
  const std::string title = "time NEW / time BASE   (left of 1: faster)";
  canvas.Text(title, kBody,
              {(kPlotLeft + kPlotRight - text.Measure(title, kBody).width) / 2, bottom + 26});
}

// The interval of several runs: a line with ends; without one where it goes beyond the axis.
void DrawInterval(const RatioSpread& interval, const LogAxis& axis, double middle, uint32_t color,
                  Canvas& canvas) {
  const double left = axis.At(std::clamp(interval.low, axis.low(), axis.high()));
  const double right =
      axis.At(std::clamp(interval.high.value_or(axis.high()), axis.low(), axis.high()));
  const LineStyle style{.color = color, .width = 1.6, .dashes = {}};
  canvas.Line({{left, middle}, {right, middle}}, style);
  const auto draw_end = [&](double x) {
    canvas.Line({{x, middle - kEndHalf}, {x, middle + kEndHalf}}, style);
  };
  if (axis.Has(interval.low)) draw_end(left);
  if (interval.high && axis.Has(*interval.high)) draw_end(right);
}

// What is too little to be a change of a time, over all rows.
void DrawMargin(double margin, const LogAxis& axis, double bottom, Canvas& canvas) {
  const double left = axis.At(std::max(1 / (1 + margin), axis.low()));
  const double right = axis.At(std::min(1 + margin, axis.high()));
  canvas.Fill({left, kPlotTop, right - left, bottom - kPlotTop}, kMarginColor);
}

void DrawRow(const ComparedRow& row, const LogAxis& axis, double middle, TextSetter& text,
             Canvas& canvas) {
  const Change& time = TimeChange(row);
  TextStyle name = kBody;
  name.width = kPlotLeft - kMargin - 12;
  const std::string label = OneLine(row.label, kMostNameCharacters);
  const Box size = text.Measure(label, name);
  const double wide = std::min(text.Measure(label, kBody).width, name.width);
  canvas.Text(label, name, {kPlotLeft - 12 - wide, middle - size.height / 2});
  if (time.spread) {
    const double left = axis.At(std::max(time.spread->low, axis.low()));
    const double right = axis.At(std::min(time.spread->high.value_or(axis.high()), axis.high()));
    canvas.Fill({left, middle - kBarHalf, right - left, 2 * kBarHalf}, kSpreadColor);
  }
  const MarkerStyle mark = MarkOf(time);
  const double x = axis.At(std::clamp(*time.ratio, axis.low(), axis.high()));
  if (time.base_runs == 0) {
    canvas.Line({{axis.At(1), middle}, {x, middle}},
                {.color = mark.color, .width = 1.6, .dashes = {}});
  } else if (time.interval) {
    DrawInterval(*time.interval, axis, middle, mark.color, canvas);
  }
  canvas.Marker({x, middle}, mark);
  TextStyle words = kBody;
  words.width = kPageWidth - kMargin - kPlotRight - 12;
  canvas.Text(WordsBeside(row), words, {kPlotRight + 12, middle - size.height / 2});
}

std::string WhyEmpty(const Comparison& comparison) {
  const std::string why = "no row has a ratio of times, so there is nothing to draw";
  for (const ComparedRow& row : comparison.rows) {
    return why + "; " + OneLine(row.label, kMostNameCharacters) + ": " +
           WordText(TimeQuantity(row), TimeChange(row));
  }
  return why + "; no row of BASE is in NEW";
}

}  // namespace

absl::StatusOr<std::string> DrawRatioChart(const Comparison& comparison, ChartFormat format) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) {
    if (IsDrawn(row)) rows.push_back(&row);
  }
  if (rows.empty()) return absl::InvalidArgumentError(WhyEmpty(comparison));
  const size_t left_out = rows.size() - std::min(rows.size(), kMostRows);
  rows.resize(rows.size() - left_out);
  std::vector<const Change*> changes;
  changes.reserve(rows.size());
  for (const ComparedRow* row : rows) changes.push_back(&TimeChange(*row));
  const LogAxis axis = RatioAxisFor(changes, kPlotLeft, kPlotRight);
  const double bottom = kPlotTop + kLineHeight * static_cast<double>(rows.size()) + 8;
  TextSetter text;
  if (absl::Status fonts = text.Check(); !fonts.ok()) return fonts;
  const std::vector<List> lists = ListsOf(comparison, left_out);
  const Box area{kMargin, bottom + kUnderPlot, kPageWidth - 2 * kMargin, 0};
  // Whole units, so that the last row of pixels is white as well.
  const double height = std::ceil(area.top + DrawLists(lists, area, text, nullptr) + kMargin);
  Canvas canvas(format, kPageWidth, height, "Comparison", text);
  DrawHeading(comparison, canvas);
  DrawLegend(comparison.runs.has_value(), text, canvas);
  if (comparison.runs) DrawMargin(comparison.runs->margin, axis, bottom, canvas);
  DrawAxis(axis, bottom, text, canvas);
  const double one = axis.At(1);
  for (size_t i = 0; i < rows.size(); ++i) {
    const double middle = kPlotTop + 4 + kLineHeight * (static_cast<double>(i) + 0.5);
    DrawRow(*rows[i], axis, middle, text, canvas);
  }
  canvas.Line({{one, kPlotTop}, {one, bottom}}, {.color = 0x111827, .width = 1, .dashes = {4, 3}});
  DrawLists(lists, area, text, &canvas);
  return canvas.Finish();
}

}  // namespace rafter
