#include "collector/table/work_model.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cmath>

#include "collector/table/derived.h"
#include "collector/table/number_text.h"
#include "collector/table/verdict.h"

namespace rafter {
namespace {

void AddReason(std::string_view text, Row& row) {
  row.reason += (row.reason.empty() ? "" : "; ") + std::string(text);
}

std::string PerCall(const WorkModel& model) {
  return SiText(model.flop, "FLOP") + " per call (--analytic-flop " + model.pattern.text() + ")";
}

// Work that is modelled is no better than this word. Of a row that was missing for
// want of work alone nothing is missing any more.
void Judge(Row& row) {
  const auto known = ValidityOf(row.validity);
  const bool is_whole = row.traffic_bytes && row.duration_s;
  if (known == Validity::kMissing && !is_whole) return;
  if (known && *known != Validity::kMissing && *known > Validity::kWorkModel) return;
  row.validity = ValidityText(Validity::kWorkModel);
}

void Apply(const WorkModel& model, Row& row) {
  if (!row.calls) {
    if (!row.flop) AddReason("how many calls there were is not known, so no work model fits", row);
    return;
  }
  const double modelled = model.flop * static_cast<double>(*row.calls);
  if (row.flop) {
    const double greater = std::max(std::fabs(*row.flop), modelled);
    if (std::fabs(*row.flop - modelled) <= kUnlikeFlopShare * greater) return;
    AddReason(
        "FLOP are counted; the work model says " + SiText(modelled, "FLOP") + ": " + PerCall(model),
        row);
    return;
  }
  const bool withheld = WithholdsRatios(row);
  row.flop = modelled;
  if (!withheld) FillRatios(row);
  AddReason("FLOP are of the work model: " + PerCall(model), row);
  Judge(row);
}

}  // namespace

absl::StatusOr<WorkModel> ParseWorkModel(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return absl::InvalidArgumentError("no REGEX=FLOP; write it as in matmul=137438953472");
  }
  const auto flop = ParseNumber(text.substr(equals + 1));
  if (!flop || !std::isfinite(*flop) || *flop <= 0) {
    return absl::InvalidArgumentError("\"" + std::string(text.substr(equals + 1)) +
                                      "\" is no number of FLOP above 0; write it as in "
                                      "matmul=137438953472");
  }
  auto pattern = Pattern::Compile(std::string(text.substr(0, equals)));
  if (!pattern.ok()) return pattern.status();
  return WorkModel{*std::move(pattern), *flop};
}

void ApplyWorkModels(const std::vector<WorkModel>& models, Table& table,
                     std::vector<std::string>& notes) {
  std::vector<bool> used(models.size(), false);
  for (Row& row : table.rows) {
    if (row.region.empty() || !row.kernel_id.empty()) continue;
    const std::string name = row.executable + "[" + row.region + "]";
    const auto model = std::find_if(models.begin(), models.end(), [&](const WorkModel& each) {
      return each.pattern.Finds(name);
    });
    if (model == models.end()) continue;
    used[static_cast<size_t>(model - models.begin())] = true;
    Apply(*model, row);
  }
  for (size_t i = 0; i < models.size(); ++i) {
    if (used[i]) continue;
    notes.push_back("--analytic-flop " + models[i].pattern.text() +
                    ": the first match of no region; it is found in EXECUTABLE[REGION]");
  }
}

}  // namespace rafter
