// Stream is one target's side of the conversation, from a socket or a spool
// file: Hello first, then records into the run file, Goodbye last. It answers a
// Device with a Plan where there is somebody to answer.
//
//   Threads   one thread at a time, under the ledger's mutex.
//   Blocking  as the ledger does.
//   Memory    one frame, and one baseline image per device.
//   Lifetime  the ledger outlives it; End is called once before it goes.
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/ingest/frame_reader.h"
#include "collector/ingest/ledger.h"
#include "proto/rafter.pb.h"

namespace rafter {

// Bounds of one stream. Each is far beyond what the injected library sends.
inline constexpr uint32_t kMaxDevices = 64;                // the largest nodes have 16
inline constexpr size_t kMaxAvailabilityBytes = 4u << 20;  // a GH100's is under 100 KB
inline constexpr size_t kMaxChipBytes = 64;                // "GH100"
inline constexpr uint64_t kMaxCategories = 1u << 14;
inline constexpr uint64_t kMaxMarks = 1u << 24;        // about 1 GB in the run file
inline constexpr uint64_t kMaxPaths = 1u << 20;        // the library groups names long before
inline constexpr uint32_t kMostPathNumber = 1u << 31;  // leaves numbers for a join of runs
inline constexpr int kMaxMembers = 1024;               // threads with a region open at once
inline constexpr uint64_t kMaxKernels = 1u << 16;      // kinds of launch
inline constexpr uint64_t kMaxNotes = 1000;
inline constexpr int kMaxCrashes = 3;  // each costs a new CUPTI process, 80 ms
inline constexpr size_t kMaxLossKinds = 256;
inline constexpr size_t kMaxLossKindBytes = 256;  // "instances dropped"

class Stream {
 public:
  // `send` takes a whole frame for the target; empty for a spool file.
  using Send = std::function<void(std::string frame)>;

  // How a stream came to its end.
  enum class Ending { kPeerLeft, kCollectorStopped, kRefused };

  Stream(Ledger& ledger, Send send);
  ~Stream();

  // Takes bytes as they come. A failure ends this stream and no other.
  absl::Status Take(std::string_view bytes);

  // No more bytes will come. Notes a process that left without Goodbye.
  void End(Ending ending);

  void SayBye(const std::string& reason);

  bool greeted() const { return process_ != 0; }
  bool said_goodbye() const { return said_goodbye_; }
  // "process 4711 (bench, rank 2)", for people.
  const std::string& who() const { return who_; }
  size_t pending_bytes() const { return reader_.pending_bytes(); }
  uint64_t taken_bytes() const { return reader_.taken_bytes(); }

 private:
  struct DeviceState {
    RunDevice device;
    std::vector<uint8_t> availability;
    bool has_epochs = false;
    uint32_t baseline = 0;  // number of `baseline_image`; 0: none
    std::vector<uint8_t> baseline_image;
  };

  absl::Status Handle(const Frame& frame);
  absl::Status HandleKnown(const Frame& frame);
  absl::Status OnHello(const wire::Hello& hello);
  absl::Status OnDevice(const wire::Device& device);
  absl::Status OnPlan(const wire::Plan& plan);
  absl::Status OnBaseline(const wire::Baseline& baseline, std::string_view message);
  absl::Status OnNames(const wire::Names& names);
  absl::Status OnBatch(const wire::Batch& batch);
  absl::Status OnImage(const wire::Image& image, std::string_view message);
  absl::Status OnKernels(const wire::Kernels& kernels);
  absl::Status OnHealth(const wire::Health& health);
  absl::Status OnGoodbye(const wire::Goodbye& goodbye);

  void Reply(wire::FrameType type, const google::protobuf::MessageLite& message);
  absl::Status StorePlan(DeviceState& state, const wire::Plan& plan);
  bool LoadBaseline(DeviceState& state, uint32_t baseline);
  void NoteUnevaluated(const absl::Status& reason);
  void Note(const RunNote& note);
  void Refuse(const std::string& kind, uint64_t records, const std::string& why);

  Ledger& ledger_;
  const Send send_;
  FrameReader reader_;
  int64_t process_ = 0;  // in the run file; 0: no Hello yet
  std::string who_ = "an unknown process";
  std::map<uint32_t, DeviceState> devices_;
  bool said_goodbye_ = false;
  bool refusal_reported_ = false;
  bool unevaluated_noted_ = false;
  int crashes_ = 0;  // of CUPTI, on images of this stream
  uint64_t categories_ = 0;
  uint64_t marks_ = 0;
  uint64_t paths_ = 0;
  uint64_t kernels_ = 0;
  uint64_t notes_ = 0;
  std::set<std::string> loss_kinds_;
  uint64_t duplicate_epochs_ = 0;
  uint64_t duplicate_instances_ = 0;
};

// Notes that may be taken back later begin with these.
inline constexpr char kNoGoodbyeNote[] = "the stream ended without a goodbye";
inline constexpr char kUnevaluatedNote[] = "counters are stored without values: ";

}  // namespace rafter
