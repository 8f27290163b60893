#include "collector/ingest/ledger.h"

#include <string>

namespace rafter {

bool Ledger::Stored(const absl::Status& status) {
  if (status.ok()) return true;
  if (!run_file.failure().ok() && !store_failure_reported) {
    store_failure_reported = true;
    Report(std::string(status.message()) + "; processes are told to write spool files instead");
  }
  return false;
}

void Ledger::Refuse(const std::string& kind, uint64_t records) {
  totals.refused_records += records;
  Stored(run_file.AddCollectorLoss(kind, records));
}

absl::Status Ledger::Evaluate(const ImageOrigin& origin, const std::vector<uint8_t>& image,
                              const std::vector<Counter>& counters, Epoch& epoch,
                              std::string& trouble) {
  absl::StatusOr<std::vector<RangeValues>> ranges = cupti.Ranges(origin, image, counters);
  if (!ranges.ok()) return ranges.status();
  trouble = FillSlots(*ranges, counters.size(), epoch);
  return absl::OkStatus();
}

}  // namespace rafter
