#include "collector/ingest/collector.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "collector/evaluate/counter_image.h"
#include "collector/ingest/ledger.h"
#include "collector/ingest/server.h"
#include "collector/ingest/spool_file.h"
#include "collector/ingest/stream.h"
#include "proto/frame.h"

namespace rafter {
namespace {

// Images decompressed at once while stored epochs are evaluated.
constexpr uint64_t kEvaluatedAtOnce = 16;

// One epoch that waits. Fails with why its values cannot be had.
absl::Status EvaluateOne(Ledger& ledger, const RunFile::Unevaluated& waiting, Epoch& epoch) {
  const ImageOrigin origin{waiting.chip, waiting.cupti_version, waiting.availability, waiting.gpu};
  if (absl::Status can = ledger.cupti.CanEvaluate(origin); !can.ok()) return can;
  wire::Baseline baseline;
  wire::Image image;
  if (!baseline.ParseFromString(waiting.baseline) || !image.ParseFromString(waiting.image)) {
    return absl::DataLossError("its image in the run file is damaged");
  }
  absl::StatusOr<std::vector<uint8_t>> below = RebuildBaseline(baseline);
  if (!below.ok()) return below.status();
  absl::StatusOr<std::vector<uint8_t>> bytes = RebuildImage(*below, image);
  if (!bytes.ok()) return bytes.status();
  std::string trouble;
  return ledger.Evaluate(origin, *bytes, waiting.counters, epoch, trouble);
}

}  // namespace

struct Collector::State {
  State(RunFile& run_file, CollectorOptions given)
      : options(std::move(given)), ledger(run_file, options) {}

  CollectorOptions options;
  Ledger ledger;
  std::unique_ptr<Server> server;
};

Collector::Collector(RunFile& run_file, CollectorOptions options)
    : state_(std::make_unique<State>(run_file, std::move(options))) {}

Collector::~Collector() = default;

absl::Status Collector::Start() {
  if (state_->options.socket_path.empty()) {
    return absl::InvalidArgumentError("a collector needs a socket path to listen at");
  }
  if (state_->server != nullptr) {
    return absl::FailedPreconditionError("the collector was started before");
  }
  auto server = std::make_unique<Server>(state_->ledger, state_->options.socket_path);
  if (absl::Status started = server->Start(); !started.ok()) return started;
  state_->server = std::move(server);
  return absl::OkStatus();
}

CollectorTotals Collector::Totals() const {
  const std::lock_guard<std::mutex> lock(state_->ledger.mutex);
  return state_->ledger.totals;
}

absl::Status Collector::Stop(std::chrono::milliseconds patience) {
  Ledger& ledger = state_->ledger;
  if (state_->server != nullptr) {
    const uint64_t cut_off = state_->server->Stop(patience);
    if (cut_off != 0) {
      ledger.Report(absl::StrCat(cut_off, cut_off == 1 ? " stream was" : " streams were",
                                 " still open and cut off; what those processes do from now on is "
                                 "in their spool files"));
    }
  }
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  const absl::Status committed = ledger.run_file.Commit();
  ledger.Stored(committed);
  return committed;
}

absl::Status Collector::Ingest(const std::string& spool_path) {
  Ledger& ledger = state_->ledger;
  absl::StatusOr<std::unique_ptr<SpoolFile>> spool = SpoolFile::Open(spool_path);
  if (!spool.ok()) return spool.status();
  std::unique_lock<std::mutex> lock(ledger.mutex);
  Stream stream(ledger, {});
  absl::Status fault;
  uint64_t read_bytes = kSpoolHeaderBytes;
  while (fault.ok()) {
    absl::StatusOr<std::string_view> bytes = (*spool)->Read();
    if (!bytes.ok()) {
      fault = bytes.status();
      break;
    }
    if (bytes->empty()) break;
    read_bytes += bytes->size();
    fault = stream.Take(*bytes);
    // A collector that also listens goes on between chunks.
    lock.unlock();
    lock.lock();
  }
  if (!ledger.run_file.failure().ok()) return ledger.run_file.failure();
  const uint64_t broke_at = kSpoolHeaderBytes + stream.taken_bytes();
  const uint64_t size = std::max((*spool)->size_bytes(), read_bytes);
  const bool refused = !fault.ok();
  if (refused) {
    ++ledger.totals.refused_streams;
    ledger.Stored(ledger.run_file.AddCollectorLoss("bytes of broken spool files",
                                                   size - std::min(size, broke_at)));
  }
  const size_t incomplete = stream.pending_bytes();
  stream.End(refused ? Stream::Ending::kRefused : Stream::Ending::kPeerLeft);
  ledger.Stored(ledger.run_file.Commit());
  if (refused) {
    return absl::DataLossError(absl::StrCat("spool file \"", spool_path, "\" is broken at byte ",
                                            broke_at, " of ", size, ": ", fault.message(),
                                            "; what came before is stored"));
  }
  if (incomplete != 0) {
    return absl::DataLossError(
        absl::StrCat("spool file \"", spool_path, "\" breaks off at byte ", broke_at, ": its last ",
                     incomplete, " bytes are an incomplete frame; what came before is stored"));
  }
  if (!stream.greeted()) {
    return absl::DataLossError(
        absl::StrCat("spool file \"", spool_path, "\" holds no frames; nothing is stored"));
  }
  return ledger.run_file.failure();
}

absl::StatusOr<uint64_t> Collector::EvaluateStored() {
  Ledger& ledger = state_->ledger;
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  uint64_t done = 0;
  int64_t after = 0;
  std::set<int64_t> finished;
  std::set<int64_t> unfinished;
  while (true) {
    absl::StatusOr<std::vector<RunFile::Unevaluated>> batch =
        ledger.run_file.UnevaluatedEpochs(kEvaluatedAtOnce, after);
    if (!batch.ok()) return batch.status();
    if (batch->empty()) break;
    for (RunFile::Unevaluated& waiting : *batch) {
      after = waiting.row;
      Epoch epoch = std::move(waiting.stored);
      const absl::Status evaluated = EvaluateOne(ledger, waiting, epoch);
      if (absl::IsUnavailable(evaluated)) return evaluated;  // no CUPTI: none of them
      if (!evaluated.ok()) {
        if (unfinished.insert(waiting.process).second) {
          ledger.Report(absl::StrCat("epoch ", waiting.epoch, ": ", evaluated.message()));
        }
        continue;
      }
      if (absl::Status set = ledger.run_file.SetEpochValues(waiting.process, epoch); !set.ok()) {
        return set;
      }
      finished.insert(waiting.process);
      ++done;
    }
  }
  for (const int64_t process : finished) {
    if (unfinished.contains(process)) continue;
    ledger.Stored(ledger.run_file.RemoveNotes(process, kUnevaluatedNote));
  }
  if (done == 0) return done;
  if (absl::Status committed = ledger.run_file.Commit(); !committed.ok()) return committed;
  return done;
}

}  // namespace rafter
