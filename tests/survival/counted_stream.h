// CountedStream is a spool file read back: calls, why they went uncounted, and what
// the images of the epochs hold, evaluated with the fake CUPTI.
//
//   Threads   one.
//   Blocking  reads the file when it is made.
//   Memory    keeps images; of calls only their numbers.
//   Lifetime  a value of the test.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cupti/host.h"
#include "proto/rafter.pb.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {

class CountedStream {
 public:
  // Devices are named by the fake driver's ordinals, not by their numbers in the stream.
  static constexpr int kAnyDevice = -1;

  explicit CountedStream(const std::string& spool);
  // Of the one spool file that the run left.
  static CountedStream Of(const ProgramRun& run);

  // A metric of whole calls of a region, everything inside included. Epochs of one
  // chain are one; so is each number of a call within an epoch.
  struct Group {
    double value = 0;
    uint64_t instances = 0;
    uint64_t first_ns = 0;  // start of the epoch, CLOCK_MONOTONIC
  };
  // `region`: names from the top, "outer/inner"; a launch by its symbol.
  std::vector<Group> Groups(const std::string& region, const std::string& set,
                            const std::string& metric, int device = kAnyDevice) const;
  // Whole calls in these.
  uint64_t Measured(const std::string& region, const std::string& set,
                    int device = kAnyDevice) const;

  // Records of calls, those that found the queue full included.
  uint64_t Calls(const std::string& region, int device = kAnyDevice) const;
  uint64_t Uncounted(const std::string& region, wire::Uncounted why, int device = kAnyDevice) const;
  // In words, for messages.
  std::string Why(const std::string& region) const;

  bool whole() const { return whole_; }
  bool said_goodbye() const { return said_goodbye_; }
  const std::vector<wire::Image>& images() const { return images_; }
  const std::map<uint32_t, wire::Path>& paths() const { return paths_; }
  const std::vector<wire::Note>& notes() const { return notes_; }
  bool Noted(const std::string& part, wire::Severity severity) const;
  std::string NoteTexts() const;
  uint64_t Lost(const std::string& kind) const;
  uint64_t Seen(const std::string& symbol, int device = kAnyDevice) const;  // launches
  std::string PathName(uint32_t path) const;

 private:
  struct Decoded {
    const wire::Image* image;
    const wire::PlanSet* set;
    std::vector<uint8_t> bytes;
    std::map<std::string, size_t> ranges;
  };
  void Take(uint16_t type, const std::string& message);
  void TakeBatch(const wire::Batch& batch);
  std::vector<Decoded> ImagesOf(const std::string& set, int device) const;
  std::vector<uint8_t> Restored(const wire::Image& image) const;
  // Whether a device of the stream is meant.
  bool IsMeant(uint32_t number, int device) const;
  bool IsInside(uint32_t path, uint32_t around) const;
  std::vector<uint32_t> PathsNamed(const std::string& region) const;

  bool whole_ = false;
  bool said_goodbye_ = false;
  std::unique_ptr<CuptiHost> host_;
  std::map<uint32_t, wire::Device> devices_;
  std::map<uint32_t, wire::Plan> plans_;  // by device
  std::map<uint32_t, wire::Path> paths_;
  std::map<uint32_t, wire::Baseline> baselines_;
  std::vector<wire::Image> images_;
  std::vector<wire::Note> notes_;
  std::map<std::string, uint64_t> losses_;
  std::map<uint32_t, uint64_t> dropped_;  // by path
  // By path, device plus one and reason.
  std::map<std::tuple<uint32_t, uint32_t, int>, uint64_t> calls_;
  std::map<std::pair<std::string, uint32_t>, uint64_t> seen_;  // by symbol and device plus one
};

// Every group of the region holds `each` for each call, and there is at least one.
void ExpectExact(const CountedStream& stream, const std::string& region, const std::string& set,
                 const std::string& metric, double each, int device = CountedStream::kAnyDevice);

inline constexpr char kTimeMetric[] = "gpu__time_duration.sum";
inline constexpr char kDramMetric[] = "dram__bytes.sum";
inline constexpr char kFfmaMetric[] = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";

}  // namespace rafter::survival
