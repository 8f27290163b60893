// RowChoices are what tables and charts make of the rows that there are: which of
// them, and what one stands for.
//
//   Threads   one.
//   Blocking  never.
//   Memory    owns its strings.
//   Lifetime  Declare's line must not outlive it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/table/aggregate.h"
#include "collector/table/pattern.h"
#include "collector/table/table.h"
#include "collector/table/work_model.h"
#include "cupti/status.h"
#include "tools/command_line.h"

namespace rafter {

class RowChoices {
 public:
  // --aggregate, --all-kernels and --analytic-flop; `by_default` says what rows
  // stand for without the first.
  void Declare(CommandLine& line, const std::string& by_default);
  // --ranks, of rows that are there already.
  void DeclareRanks(CommandLine& line);
  // --region and --hierarchical, which only charts have.
  void DeclareChart(CommandLine& line);

  // Reads the values; the failure names the option, the cause and the next step.
  Status Check();

  // The rows that were asked for; `levels` as --memory-level gave them, `by_default`
  // without --aggregate. `notes` gets what was asked for and is not there, unless it says
  // so already: of a table and its charts, things are said once.
  Table Arrange(Table table, std::vector<std::string> levels, Aggregation by_default,
                std::vector<std::string>& notes) const;

  // The first option that was given, or nothing.
  std::string FirstGiven() const;
  bool is_hierarchical() const { return is_hierarchical_; }

 private:
  void KeepRegions(Table& table, std::vector<std::string>& notes) const;

  TextOption aggregate_text_;
  TextOption ranks_text_;
  std::vector<std::string> model_texts_;
  std::vector<std::string> region_texts_;
  bool all_kernels_ = false;
  bool is_hierarchical_ = false;

  std::optional<Aggregation> aggregation_;
  std::vector<RankSpan> ranks_;
  std::vector<WorkModel> models_;
  std::vector<Pattern> regions_;
};

}  // namespace rafter
