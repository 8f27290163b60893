// WorkModel is the work of a region as its author knows it (`--analytic-flop`): it stands
// in where nothing was counted, and never for what was.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    a compiled expression for each model.
//   Lifetime  plain value.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "collector/table/pattern.h"
#include "collector/table/table.h"

namespace rafter {

struct WorkModel {
  Pattern pattern;  // found in "<executable>[<region>]"
  double flop = 0;  // per call
};

// "REGEX=FLOP"; the last "=" parts them. Fails with the cause and the next step.
absl::StatusOr<WorkModel> ParseWorkModel(std::string_view text);

// Fills FLOP, intensity and performance of rows of regions without FLOP by the first
// model that matches: FLOP per call x calls. Validity is then "work model" at best, and
// the reason gives the model. Rows with counted FLOP keep them, and say where the model
// differs by more than a thousandth. `notes` gets models that match no row.
void ApplyWorkModels(const std::vector<WorkModel>& models, Table& table,
                     std::vector<std::string>& notes);

}  // namespace rafter
