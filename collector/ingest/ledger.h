// Ledger is what all streams of one collector share: the run file, planning and
// evaluation, the totals and the voice to the user.
//
//   Threads   one thread at a time; Collector holds `mutex` around each use.
//   Blocking  disk and CUPTI, through its members.
//   Memory    CUPTI's child process; a number per process.
//   Lifetime  outlives its streams; the run file outlives it.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "collector/evaluate/cupti_worker.h"
#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"

namespace rafter {

class Ledger {
 public:
  Ledger(RunFile& file, const CollectorOptions& options)
      : run_file(file),
        report(options.report),
        replay(options.replay),
        cupti(options.cupti, options.plan_cache,
              [this](const std::string& line) { Report(line); }) {}

  void Report(const std::string& line) const {
    if (report) report(line);
  }

  // Whether the store took it. The first failure is reported; AlreadyExists is
  // none.
  bool Stored(const absl::Status& status);

  // Counts parts of sound frames that made no sense.
  void Refuse(const std::string& kind, uint64_t records);

  // Evaluates `epoch` in place with the set's counters. `trouble` gets what
  // should be told even where it worked.
  absl::Status Evaluate(const ImageOrigin& origin, const std::vector<uint8_t>& image,
                        const std::vector<Counter>& counters, Epoch& epoch, std::string& trouble);

  mutable std::mutex mutex;
  RunFile& run_file;
  std::function<void(const std::string&)> report;
  const uint32_t replay;  // of all processes that come; 0: of none
  CuptiWorker cupti;
  CollectorTotals totals;
  std::set<int64_t> processes;
  bool store_failure_reported = false;
};

}  // namespace rafter
