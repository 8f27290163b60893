// Collector takes streams from targets, over a Unix socket or out of spool
// files, plans and evaluates for them, and puts what they say into a run file.
//
//   Threads   Start runs one thread of its own; all other calls from one thread.
//   Blocking  Stop waits for streams to end, at most the time it is given.
//   Memory    per stream: one baseline image, and one frame of at most
//             kMaxFrameBytes.
//   Lifetime  the run file must outlive it. The socket file is removed by Stop.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "collector/store/run_file.h"
#include "cupti/library.h"

namespace rafter {

struct CollectorOptions {
  std::string socket_path;  // empty: no socket (ingest only)
  CuptiSearch cupti;        // without CUPTI streams are stored unevaluated, with a note
  std::string plan_cache;   // folder; empty: none
  uint32_t replay = 0;      // run of an application replay that the processes are of; 0: none
  // Called for each note and each error worth a person's eye, one line each;
  // from the collector's own thread as well, and never from two at once.
  std::function<void(const std::string& line)> report;
};

// What happened so far.
struct CollectorTotals {
  uint64_t streams = 0;  // accepted
  uint64_t open_streams = 0;
  uint64_t refused_streams = 0;  // broken, foreign or of another protocol
  uint64_t processes = 0;
  uint64_t frames = 0;
  uint64_t epochs = 0;
  uint64_t instances = 0;
  uint64_t unevaluated_epochs = 0;   // of `epochs`, stored without values
  uint64_t duplicate_epochs = 0;     // came again and were ignored
  uint64_t duplicate_instances = 0;  // likewise
  uint64_t unknown_frames = 0;       // of a type this Rafter does not know, skipped
  uint64_t refused_records = 0;      // parts of sound frames that made no sense
  uint64_t unstored_frames = 0;      // after the run file failed
};

class Collector {
 public:
  Collector(RunFile& run_file, CollectorOptions options);
  ~Collector();

  // Listens. Fails with errno and path when the socket cannot be made: a live
  // collector there, a foreign file, a folder that is not ours.
  absl::Status Start();

  CollectorTotals Totals() const;

  // Waits until no stream is open or `patience` is over, says how many were cut
  // off, stops listening and commits. Safe to call twice.
  absl::Status Stop(std::chrono::milliseconds patience);

  // Feeds one spool file through the same path. A broken tail loses that tail
  // only: what came before is stored, the loss is counted and the status says
  // at which byte it broke.
  absl::Status Ingest(const std::string& spool_path);

  // Evaluates epochs that were stored without values. Returns how many it did.
  absl::StatusOr<uint64_t> EvaluateStored();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rafter
