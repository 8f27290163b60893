#include "collector/bench_report/join_report.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace rafter {
namespace {

// Depth of nesting that a path is searched to; its parts are tried in pairs.
constexpr size_t kMostParts = 256;
constexpr size_t kMostNamed = 5;

// Place of the first `mark` that is in no angle brackets. Where the brackets do not
// pair (BM_a<b), they are none.
size_t FindOutside(std::string_view name, char mark) {
  size_t depth = 0;
  size_t place = std::string_view::npos;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && depth > 0) --depth;
    if (name[i] == mark && depth == 0 && place == std::string_view::npos) place = i;
  }
  return depth == 0 ? place : name.find(mark);
}

// Where a name may begin in a path: behind a '/', or behind the ':' of a domain.
std::vector<size_t> Begins(std::string_view path) {
  std::vector<size_t> begins = {0};
  for (size_t i = 0; i < path.size() && begins.size() < kMostParts; ++i) {
    if (path[i] == '/' || path[i] == ':') begins.push_back(i + 1);
  }
  return begins;
}

std::vector<size_t> Ends(std::string_view path) {
  std::vector<size_t> ends = {path.size()};
  for (size_t i = 0; i < path.size() && ends.size() < kMostParts; ++i) {
    if (path[i] == '/') ends.push_back(i);
  }
  return ends;
}

// Problems by run name, and by what is left of one without its last parts: all
// benchmarks that share that share the problem.
using Index = std::unordered_map<std::string, std::string>;

Index IndexOf(const BenchReport& report) {
  Index index;
  for (const Benchmark& benchmark : report.benchmarks) {
    const std::string& name = benchmark.run_name;
    const std::string problem = ProblemOf(name);
    const size_t family = std::min(FindOutside(name, '/'), name.size());
    for (size_t end = name.size(); end != std::string::npos && end >= family && end > 0;
         end = name.rfind('/', end - 1)) {
      index.emplace(name.substr(0, end), problem);
    }
  }
  return index;
}

const std::string* Find(const Index& index, std::string_view region) {
  const std::string* problem = nullptr;
  size_t longest = 0;
  const std::vector<size_t> ends = Ends(region);
  for (const size_t begin : Begins(region)) {
    for (const size_t end : ends) {
      if (end <= begin || end - begin <= longest) continue;
      const auto found = index.find(std::string(region.substr(begin, end - begin)));
      if (found == index.end()) continue;
      problem = &found->second;
      longest = end - begin;
    }
  }
  return problem;
}

std::string Listed(const std::set<std::string>& names) {
  std::string list;
  size_t listed = 0;
  for (const std::string& name : names) {
    if (listed++ == kMostNamed) {
      return list + " and " + std::to_string(names.size() - kMostNamed) + " more";
    }
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

std::set<std::string> ProblemsOf(const BenchReport& report) {
  std::set<std::string> problems;
  for (const Benchmark& benchmark : report.benchmarks) {
    if (std::string problem = ProblemOf(benchmark.run_name); !problem.empty()) {
      problems.insert(std::move(problem));
    }
  }
  return problems;
}

void AddNote(std::string note, std::vector<std::string>& notes) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

// "FP64", "Tensor.BF16" as the column Precision has it.
std::string Shown(std::string precision) {
  for (char& c : precision) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return precision;
}

}  // namespace

std::string ProblemOf(std::string_view run_name) {
  const std::string_view family = run_name.substr(0, FindOutside(run_name, '/'));
  return std::string(family.substr(0, FindOutside(family, '-')));
}

std::string PrecisionOf(const BenchReport& report) {
  for (const char* bits : {"16", "32", "64"}) {
    if (report.float_type == bits) return std::string("fp") + bits;
  }
  return "";
}

std::optional<std::string> ProblemOfRegion(const BenchReport& report, std::string_view region) {
  const Index index = IndexOf(report);
  const std::string* const problem = Find(index, region);
  return problem == nullptr ? std::nullopt : std::optional(*problem);
}

void JoinReport(const BenchReport& report, Table& table, std::vector<std::string>& notes) {
  const Index index = IndexOf(report);
  const std::set<std::string> problems = ProblemsOf(report);
  std::set<std::string> open;
  for (Row& row : table.rows) {
    if (!report.paradigm.empty()) row.paradigm = report.paradigm;
    const std::string* const problem = Find(index, row.region);
    if (problem != nullptr) {
      row.benchmark_problem = *problem;
    } else if (problems.size() == 1) {
      row.benchmark_problem = *problems.begin();
    } else if (problems.size() > 1) {
      open.insert(row.region);
    }
  }
  if (!open.empty()) {
    AddNote("Benchmark Problem is missing for " + Listed(open) +
                ": the report has several problems (" + Listed(problems) +
                "); name such regions after their benchmark",
            notes);
  }
  if (!report.float_type.empty() && PrecisionOf(report).empty()) {
    AddNote("float_type " + report.float_type +
                " of the report is none of 16, 32 and 64; Precision is the one with most work",
            notes);
  }
}

Table FollowPrecision(Table reported, Table by_work, std::vector<std::string>& notes) {
  if (reported.rows.size() != by_work.rows.size()) return by_work;
  for (size_t i = 0; i < reported.rows.size(); ++i) {
    Row& row = reported.rows[i];
    Row& other = by_work.rows[i];
    if (other.precision.starts_with("tensor")) {
      row = std::move(other);
    } else if (!other.precision.empty() && other.precision != row.precision) {
      AddNote("the report says " + Shown(row.precision) + "; most work of " +
                  (other.region.empty() ? other.executable : other.region) + " is " +
                  Shown(other.precision) + " (--precision chooses)",
              notes);
    }
  }
  return reported;
}

}  // namespace rafter
