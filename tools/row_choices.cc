#include "tools/row_choices.h"

#include <algorithm>
#include <utility>

#include "collector/table/memory_levels.h"
#include "tools/message.h"

namespace rafter {
namespace {

Status Failed(const std::string& option, const absl::Status& status) {
  return Status::Failed(option + ": " + std::string(status.message()));
}

// Such a row says why a command gave no region.
bool NamesNothing(const Row& row) {
  return row.region.empty() && row.kernel.empty() && row.kernel_id.empty();
}

}  // namespace

void RowChoices::Declare(CommandLine& line, const std::string& by_default) {
  line.Choice("--aggregate", &aggregate_text_, {"sum", "dominant", "none"},
              "What a row stands for: a region with all of its launches (ranks: min, mean, max), "
              "its longest kind of launch, or each row that there is (default: " +
                  by_default + ")");
  line.Flag("--all-kernels", &all_kernels_, "Keep launches outside every region");
  line.Texts("--analytic-flop", &model_texts_, "REGEX=FLOP",
             "FLOP per call of regions that were not counted, matched against EXECUTABLE[REGION]; "
             "repeatable, the first match wins");
}

void RowChoices::DeclareRanks(CommandLine& line) {
  line.Text("--ranks", &ranks_text_, "RANK[-RANK][,...]", "Rows of these ranks, as in 0,8-15");
}

void RowChoices::DeclareChart(CommandLine& line) {
  line.Texts("--region", &region_texts_, "REGEX", "Draw these regions only; repeatable");
  line.Flag("--hierarchical", &is_hierarchical_, "Short for --memory-level dram,l2,l1");
}

Status RowChoices::Check() {
  if (aggregate_text_.value == "sum") aggregation_ = Aggregation::kSum;
  if (aggregate_text_.value == "dominant") aggregation_ = Aggregation::kDominant;
  if (aggregate_text_.value == "none") aggregation_ = Aggregation::kNone;
  if (ranks_text_.value.has_value()) {
    auto ranks = ParseRanks(*ranks_text_.value);
    if (!ranks.ok()) return Failed("--ranks", ranks.status());
    ranks_ = *std::move(ranks);
  }
  for (const std::string& text : model_texts_) {
    auto model = ParseWorkModel(text);
    if (!model.ok()) return Failed("--analytic-flop " + text, model.status());
    models_.push_back(*std::move(model));
  }
  for (const std::string& text : region_texts_) {
    auto pattern = Pattern::Compile(text);
    if (!pattern.ok()) return Failed("--region " + text, pattern.status());
    regions_.push_back(*std::move(pattern));
  }
  return Status::Ok();
}

std::string RowChoices::FirstGiven() const {
  if (aggregate_text_.value.has_value()) return "--aggregate";
  if (all_kernels_) return "--all-kernels";
  if (!model_texts_.empty()) return "--analytic-flop";
  if (ranks_text_.value.has_value()) return "--ranks";
  if (!region_texts_.empty()) return "--region";
  return is_hierarchical_ ? "--hierarchical" : "";
}

void RowChoices::KeepRegions(Table& table, std::vector<std::string>& notes) const {
  if (regions_.empty()) return;
  const auto is_met = [&](const Pattern& pattern) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
      return !row.region.empty() && pattern.Finds(row.region);
    });
  };
  for (const Pattern& pattern : regions_) {
    if (!is_met(pattern)) notes.push_back("--region " + pattern.text() + ": found in no region");
  }
  const size_t others = std::erase_if(table.rows, [&](const Row& row) {
    return !NamesNothing(row) && (row.region.empty() || !AnyFinds(regions_, row.region));
  });
  if (others == 0) return;
  table.notes.push_back("--region: " + CountText(others, "row", "rows") +
                        " of other regions not on this chart");
}

Table RowChoices::Arrange(Table table, std::vector<std::string> levels, Aggregation by_default,
                          std::vector<std::string>& notes) const {
  std::vector<std::string> lacking;
  ApplyWorkModels(models_, table, lacking);
  if (!all_kernels_) DropOutsideRegions(table);
  if (!ranks_.empty()) KeepRanks(ranks_, table, lacking);
  if (is_hierarchical_) levels = {"dram", "l2", "l1"};
  if (!levels.empty()) table = AtMemoryLevels(table, levels);
  table = Aggregate(std::move(table), aggregation_.value_or(by_default), lacking);
  KeepRegions(table, lacking);
  for (std::string& line : lacking) {
    if (std::find(notes.begin(), notes.end(), line) == notes.end()) {
      notes.push_back(std::move(line));
    }
  }
  return table;
}

}  // namespace rafter
