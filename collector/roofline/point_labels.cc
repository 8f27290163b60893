#include "collector/roofline/point_labels.h"

#include <algorithm>
#include <map>

namespace rafter {
namespace {

// A column that may tell rows apart, with the word that makes it readable.
struct Distinction {
  std::string Row::*field;
  std::string_view word;  // "rank " for "rank 3"; empty where the value speaks for itself
};

const std::vector<Distinction>& Distinctions() {
  static const auto* const list = new std::vector<Distinction>{
      {&Row::paradigm, ""},      {&Row::executable, ""},   {&Row::kernel, ""},
      {&Row::precision, ""},     {&Row::memory_level, ""}, {&Row::hardware, ""},
      {&Row::rank, "rank "},     {&Row::host, ""},         {&Row::process, "pid "},
      {&Row::device, "device "}, {&Row::source, ""},       {&Row::kernel_id, "#"},
  };
  return *list;
}

std::string FirstLabel(const Row& row) {
  for (const std::string* text : {&row.region, &row.kernel, &row.executable}) {
    if (!text->empty()) return *text;
  }
  return "(no name)";
}

using Groups = std::map<std::string, std::vector<size_t>>;

Groups ByLabel(const std::vector<std::string>& labels) {
  Groups groups;
  for (size_t i = 0; i < labels.size(); ++i) groups[labels[i]].push_back(i);
  return groups;
}

// Precisions and memory levels in capitals, as on the roofs.
std::string Spelled(const Distinction& by, std::string text) {
  if (by.field != &Row::precision && by.field != &Row::memory_level) return text;
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// Appends the column to the labels of each group whose rows differ in it.
void Distinguish(const std::vector<Row>& rows, const Distinction& by, const Groups& groups,
                 std::vector<std::string>& labels) {
  for (const auto& [label, members] : groups) {
    const std::string& first = rows[members.front()].*by.field;
    const bool differs = std::any_of(members.begin(), members.end(),
                                     [&](size_t i) { return rows[i].*by.field != first; });
    if (!differs) continue;
    for (const size_t i : members) {
      const std::string& text = rows[i].*by.field;
      if (text.empty()) continue;
      labels[i] += (labels[i].empty() ? "" : ", ") + std::string(by.word) + Spelled(by, text);
    }
  }
}

}  // namespace

std::vector<std::string> PointLabels(const std::vector<Row>& rows) {
  std::vector<std::string> labels;
  for (const Row& row : rows) labels.push_back(FirstLabel(row));
  const std::vector<std::string> regions = labels;
  const Groups by_region = ByLabel(labels);
  const bool one_region = labels.size() > 1 && by_region.size() == 1;
  if (one_region) labels.assign(labels.size(), "");
  for (const Distinction& by : Distinctions()) {
    // Whose roofs a point is held against is said even where an executable tells it apart.
    const bool is_hardware = by.field == &Row::hardware;
    Distinguish(rows, by, is_hardware ? by_region : ByLabel(labels), labels);
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) labels[i] = regions[i];
  }
  for (const auto& [label, members] : ByLabel(labels)) {
    for (size_t i = 0; members.size() > 1 && i < members.size(); ++i) {
      labels[members[i]] += " (" + std::to_string(i + 1) + ")";
    }
  }
  return labels;
}

}  // namespace rafter
