#include "collector/roofline/chart_lists.h"

#include <algorithm>
#include <map>
#include <string>

#include "collector/roofline/drawable.h"
#include "collector/roofline/points.h"
#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr double kLineHeight = 18;
constexpr double kSectionGap = 16;
constexpr double kColumnGap = 24;
constexpr double kLegendRadius = 5.5;

// A page of PNG ends at 16,383 units; these keep every chart below that. What
// is left out is counted.
constexpr size_t kMostListedPoints = kMostNumberedPoints;
constexpr size_t kMostUndrawn = 60;  // reasons
constexpr size_t kMostNotes = 50;
constexpr size_t kMostNamedUndrawn = 12;  // for one reason
constexpr size_t kMostUndrawnNameCharacters = 40;
constexpr size_t kMostLineCharacters = 900;
constexpr size_t kMostNameCharacters = 90;
constexpr size_t kMostSeries = 30;

const TextStyle kHeading{.size = 13, .is_bold = true, .color = 0x111827};
const TextStyle kBody{.size = 11.5, .color = 0x1f2937};
const TextStyle kSmall{.size = 11, .color = 0x4b5563};

class ListWriter {
 public:
  ListWriter(const Box& area, TextSetter& text, Canvas* canvas)
      : area_(area), text_(text), canvas_(canvas), y_(area.top) {}

  double height() const { return y_ - area_.top; }

  void Heading(const std::string& words) {
    y_ += kSectionGap;
    Text(words, kHeading, {area_.left, y_});
    y_ += text_.Measure(words, kHeading).height + 5;
  }

  // "name  reason", over as many lines as it takes.
  void Entry(const std::string& name, const std::string& words) {
    TextStyle style = kBody;
    style.width = area_.width - kIndent;
    style.may_wrap = true;
    std::string line = OneLine(words, kMostLineCharacters);
    if (!name.empty()) line = OneLine(name, kMostNameCharacters) + ":  " + line;
    Text("•", kSmall, {area_.left, y_});
    Text(line, style, {area_.left + kIndent, y_});
    y_ += text_.Measure(line, style).height + 4;
  }

  // Points in columns, numbered from 1, first column first.
  void Points(const ListContent& content) {
    const size_t points = std::min(content.roofline.points.size(), kMostListedPoints);
    const size_t columns = ColumnsFor(content);
    const size_t lines = (points + columns - 1) / columns;
    const auto count = static_cast<double>(columns);
    const double width = (area_.width - (count - 1) * kColumnGap) / count;
    for (size_t i = 0; i < points; ++i) {
      const double left = area_.left + static_cast<double>(i / lines) * (width + kColumnGap);
      const double top = y_ + static_cast<double>(i % lines) * kLineHeight;
      Point(content, i, {left, top, width, kLineHeight});
    }
    y_ += static_cast<double>(lines) * kLineHeight;
  }

 private:
  static constexpr double kIndent = 14;
  static constexpr double kBeforeName = 50;  // mark and number
  static constexpr double kBeforeValues = 12;

  // As many columns as the longest name leaves room for, from three to two.
  size_t ColumnsFor(const ListContent& content) {
    double widest = 0;
    for (const RooflinePoint& point : content.roofline.points) {
      const double name = text_.Measure(OneLine(point.label, kMostNameCharacters), kBody).width;
      widest = std::max(widest, name + text_.Measure(Values(point), kSmall).width);
    }
    const double room = (area_.width - 2 * kColumnGap) / 3 - kBeforeName - kBeforeValues;
    return widest <= room ? 3 : 2;
  }

  static std::string Values(const RooflinePoint& point) {
    return RatioText(point.flop_per_byte, "FLOP/Byte") + "   " + SiText(point.flop_per_s, "FLOP/s");
  }

  void Point(const ListContent& content, size_t index, const Box& line) {
    const RooflinePoint& point = content.roofline.points[index];
    MarkerStyle marker = content.styles[index];
    marker.radius = 4.2;
    const double middle = line.top + line.height / 2 - 1;
    if (canvas_ != nullptr) canvas_->Marker({line.left + 8, middle}, marker);
    const std::string number = std::to_string(index + 1);
    TextStyle bold = kBody;
    bold.is_bold = true;
    Text(number, bold, {line.left + 20, line.top});
    const std::string values = Values(point);
    const Box size = text_.Measure(values, kSmall);
    Text(values, kSmall, {line.right() - size.width, line.top + 0.5});
    TextStyle name = kBody;
    name.width = line.width - size.width - kBeforeName - kBeforeValues;
    Text(OneLine(point.label, kMostNameCharacters), name, {line.left + kBeforeName, line.top});
  }

  void Text(const std::string& words, const TextStyle& style, Spot corner) {
    if (canvas_ != nullptr) canvas_->Text(words, style, corner);
  }

  const Box area_;
  TextSetter& text_;
  Canvas* canvas_;
  double y_;
};

bool AnyFlagged(const std::vector<MarkerStyle>& styles) {
  return std::any_of(styles.begin(), styles.end(),
                     [](const MarkerStyle& style) { return style.is_flagged; });
}

bool AnyHollow(const std::vector<MarkerStyle>& styles) {
  return std::any_of(styles.begin(), styles.end(),
                     [](const MarkerStyle& style) { return style.is_hollow; });
}

// Rows that are not drawn for the same reason.
struct UndrawnGroup {
  std::string names;
  std::string reason;
  size_t rows = 0;
};

// In the order in which the reasons are first met.
std::vector<UndrawnGroup> ByReason(const std::vector<Undrawn>& undrawn) {
  std::vector<UndrawnGroup> groups;
  std::map<std::string, size_t> place;
  for (const Undrawn& row : undrawn) {
    const auto [found, is_new] = place.try_emplace(row.reason, groups.size());
    if (is_new) groups.push_back({"", row.reason, 0});
    UndrawnGroup& group = groups[found->second];
    if (++group.rows > kMostNamedUndrawn) continue;
    if (group.rows > 1) group.names += "  ·  ";
    group.names += OneLine(row.label, kMostUndrawnNameCharacters);
  }
  for (UndrawnGroup& group : groups) {
    if (group.rows <= kMostNamedUndrawn) continue;
    group.names += " and " + std::to_string(group.rows - kMostNamedUndrawn) + " more";
  }
  return groups;
}

// What hollow marks stand for: the words of Validity that are on the chart.
std::string HollowText(const Roofline& roofline) {
  std::vector<std::string> words;
  for (const RooflinePoint& point : roofline.points) {
    const bool is_known = std::find(words.begin(), words.end(), point.validity) != words.end();
    if (!IsWhole(point.validity) && !is_known) words.push_back(point.validity);
  }
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text + ": see the table";
}

std::string MoreText(size_t more) {
  return "and " + std::to_string(more) + " more: see the table (rafter report)";
}

}  // namespace

bool NeedsLegend(const SeriesOfPoints& series, const std::vector<MarkerStyle>& styles) {
  return series.by_paradigm || series.by_executable || AnyFlagged(styles) || AnyHollow(styles);
}

void DrawLegend(const ListContent& content, const Box& area, TextSetter& text, Canvas& canvas) {
  double y = area.top;
  const auto line = [&](const MarkerStyle& marker, const std::string& words) {
    TextStyle style = kBody;
    style.width = area.width - 26;
    style.may_wrap = true;
    const double height = text.Measure(words, style).height;
    canvas.Marker({area.left + 10, y + 7}, marker);
    canvas.Text(words, style, {area.left + 26, y});
    y += height + 6;
  };
  if (content.series.by_paradigm || content.series.by_executable) {
    canvas.Text(content.series.by_paradigm ? "Paradigm" : "Executable", kHeading, {area.left, y});
    y += 23;
    const auto& all = content.series.series;
    for (size_t i = 0; i < std::min(all.size(), kMostSeries); ++i) {
      line({.shape = all[i].shape, .color = all[i].color, .radius = kLegendRadius},
           OneLine(all[i].name, 40));
    }
    y += 10;
  }
  if (!AnyFlagged(content.styles) && !AnyHollow(content.styles)) return;
  canvas.Text("Marks", kHeading, {area.left, y});
  y += 25;
  if (AnyFlagged(content.styles)) {
    line({.color = 0xbfc4cc, .radius = 4, .is_flagged = true},
         "above its roof: the roof is too low or the numbers are too high; not clipped");
  }
  if (AnyHollow(content.styles)) {
    line({.color = 0x6b7280, .radius = kLegendRadius, .is_hollow = true},
         HollowText(content.roofline));
  }
}

double DrawLists(const ListContent& content, const Box& area, TextSetter& text, Canvas* canvas) {
  const Roofline& roofline = content.roofline;
  ListWriter writer(area, text, canvas);
  if (content.ridges.size() > kMostLabelledRidges) {
    writer.Heading("Ridge points");
    std::string all;
    for (const Ridge& ridge : content.ridges) all += (all.empty() ? "" : "  ·  ") + ridge.text;
    writer.Entry("", all);
  }
  if (!content.points_are_named) {
    writer.Heading("Points");
    writer.Points(content);
    if (roofline.points.size() > kMostListedPoints) {
      writer.Entry("", MoreText(roofline.points.size() - kMostListedPoints));
    }
  }
  if (!roofline.undrawn.empty()) {
    writer.Heading("Not drawn (" + std::to_string(roofline.undrawn.size()) + ")");
    const std::vector<UndrawnGroup> groups = ByReason(roofline.undrawn);
    for (size_t i = 0; i < std::min(groups.size(), kMostUndrawn); ++i) {
      writer.Entry("", groups[i].names + ":  " + groups[i].reason);
    }
    if (groups.size() > kMostUndrawn) {
      size_t more = 0;
      for (size_t i = kMostUndrawn; i < groups.size(); ++i) more += groups[i].rows;
      writer.Entry("", MoreText(more));
    }
  }
  const std::vector<std::string> notes = NotesOf(roofline);
  if (!notes.empty()) writer.Heading("Notes");
  for (size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) writer.Entry("", notes[i]);
  if (notes.size() > kMostNotes) writer.Entry("", MoreText(notes.size() - kMostNotes));
  return writer.height();
}

}  // namespace rafter
