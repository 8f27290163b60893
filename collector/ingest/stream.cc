#include "collector/ingest/stream.h"

#include <absl/strings/str_cat.h>

#include <cstring>
#include <utility>

#include "collector/ingest/from_wire.h"
#include "collector/store/utf8.h"

namespace rafter {
namespace {

// Parses a message and hands it on, or says which frame is broken.
template <typename Message, typename Handler>
absl::Status Parsed(const Frame& frame, Handler&& handler) {
  Message message;
  if (!message.ParseFromArray(frame.message.data(), static_cast<int>(frame.message.size()))) {
    return absl::InvalidArgumentError(absl::StrCat("a frame of type ", frame.type, " holds ",
                                                   frame.message.size(), " bytes that are no ",
                                                   message.GetTypeName(), " message"));
  }
  return handler(message);
}

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

Stream::Stream(Ledger& ledger, Send send) : ledger_(ledger), send_(std::move(send)) {
  ++ledger_.totals.streams;
  ++ledger_.totals.open_streams;
}

Stream::~Stream() { --ledger_.totals.open_streams; }

absl::Status Stream::Take(std::string_view bytes) {
  reader_.Append(bytes);
  while (true) {
    absl::StatusOr<std::optional<Frame>> frame = reader_.Next();
    if (!frame.ok()) return frame.status();
    if (!frame->has_value()) return absl::OkStatus();
    ++ledger_.totals.frames;
    const absl::Status handled = Handle(**frame);
    const absl::Status& store = ledger_.run_file.failure();
    if (!store.ok()) {
      ++ledger_.totals.unstored_frames;
      ledger_.Stored(store);
      return store;
    }
    if (!handled.ok()) return handled;
  }
}

absl::Status Stream::Handle(const Frame& frame) {
  if (said_goodbye_) return absl::InvalidArgumentError("a frame came after Goodbye");
  if (frame.type == wire::HELLO) {
    if (greeted()) return absl::InvalidArgumentError("a second Hello came");
    return Parsed<wire::Hello>(frame, [this](const wire::Hello& m) { return OnHello(m); });
  }
  if (!greeted()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the first frame is of type ", frame.type, ", not Hello"));
  }
  return HandleKnown(frame);
}

absl::Status Stream::HandleKnown(const Frame& frame) {
  switch (frame.type) {
    case wire::DEVICE:
      return Parsed<wire::Device>(frame, [this](const auto& m) { return OnDevice(m); });
    case wire::PLAN:
      return Parsed<wire::Plan>(frame, [this](const auto& m) { return OnPlan(m); });
    case wire::BASELINE:
      return Parsed<wire::Baseline>(frame,
                                    [&](const auto& m) { return OnBaseline(m, frame.message); });
    case wire::NAMES:
      return Parsed<wire::Names>(frame, [this](const auto& m) { return OnNames(m); });
    case wire::BATCH:
      return Parsed<wire::Batch>(frame, [this](const auto& m) { return OnBatch(m); });
    case wire::IMAGE:
      return Parsed<wire::Image>(frame, [&](const auto& m) { return OnImage(m, frame.message); });
    case wire::KERNELS:
      return Parsed<wire::Kernels>(frame, [this](const auto& m) { return OnKernels(m); });
    case wire::HEALTH:
      return Parsed<wire::Health>(frame, [this](const auto& m) { return OnHealth(m); });
    case wire::GOODBYE:
      return Parsed<wire::Goodbye>(frame, [this](const auto& m) { return OnGoodbye(m); });
    default:
      ++ledger_.totals.unknown_frames;
      return absl::OkStatus();
  }
}

absl::Status Stream::OnHello(const wire::Hello& hello) {
  if (hello.protocol() != kProtocolVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("it speaks protocol ", hello.protocol(), ", this collector ", kProtocolVersion,
                     "; use libinject.so and rafter of one version"));
  }
  RunProcess process = ToProcess(hello);
  process.replay = ledger_.replay;
  const absl::StatusOr<int64_t> id = ledger_.run_file.AddProcess(process);
  if (!ledger_.Stored(id.status())) return id.status();
  process_ = *id;
  who_ = absl::StrCat("process ", process.pid, " (", OneLine(BaseName(process.executable)));
  if (process.rank.has_value()) absl::StrAppend(&who_, ", rank ", *process.rank);
  who_ += ")";
  ledger_.processes.insert(process_);
  ledger_.totals.processes = ledger_.processes.size();
  // It is here again, or its rest is: whether it says Goodbye is open again.
  ledger_.Stored(ledger_.run_file.RemoveNotes(process_, kNoGoodbyeNote));
  absl::StatusOr<std::vector<RunFile::StoredDevice>> known = ledger_.run_file.Devices(process_);
  if (!ledger_.Stored(known.status())) return known.status();
  for (RunFile::StoredDevice& stored : *known) {
    DeviceState& state = devices_[stored.device.device];
    state.device = std::move(stored.device);
    state.availability = std::move(stored.availability);
    state.has_epochs = stored.has_epochs;
  }
  return absl::OkStatus();
}

void Stream::Reply(wire::FrameType type, const google::protobuf::MessageLite& message) {
  if (!send_) return;
  std::string frame(kFrameHeaderBytes, '\0');
  message.AppendToString(&frame);
  const size_t length = frame.size() - kFrameHeaderBytes;
  if (length > kMaxFrameBytes) return;  // a plan is a thousandth of that
  WriteFrameHeader({static_cast<uint32_t>(length), static_cast<uint16_t>(type)},
                   reinterpret_cast<uint8_t*>(frame.data()));
  send_(std::move(frame));
}

void Stream::SayBye(const std::string& reason) {
  wire::Bye bye;
  bye.set_reason(reason);
  Reply(wire::BYE, bye);
}

absl::Status Stream::OnGoodbye(const wire::Goodbye& goodbye) {
  const std::string reason = Utf8Text(goodbye.reason());
  ledger_.Stored(ledger_.run_file.SetEnding(process_, reason.empty() ? "goodbye" : reason));
  said_goodbye_ = true;
  return absl::OkStatus();
}

void Stream::End(Ending ending) {
  if (pending_bytes() != 0 && ending != Ending::kRefused) {
    ledger_.Stored(
        ledger_.run_file.AddCollectorLoss("bytes of incomplete frames", pending_bytes()));
  }
  if (!greeted()) return;
  if (duplicate_epochs_ + duplicate_instances_ != 0) {
    ledger_.Report(absl::StrCat(who_, ": ", duplicate_epochs_, " epochs and ", duplicate_instances_,
                                " instances came a second time and were stored once"));
  }
  if (said_goodbye_) return;
  // A part that came earlier may have the goodbye.
  const absl::StatusOr<std::string> known = ledger_.run_file.Ending(process_);
  if (known.ok() && !known->empty()) return;
  const char* cause = "";
  switch (ending) {
    case Ending::kPeerLeft:
      cause =
          ": the process was killed or went on without the collector; what it had not sent is "
          "lost or in its spool file (\"rafter ingest\")";
      break;
    case Ending::kCollectorStopped:
      cause =
          ": the collector stopped first; what the process did since is in its spool file "
          "(\"rafter ingest\")";
      break;
    case Ending::kRefused:
      cause = ": the collector refused it; what came before the fault is kept";
      break;
  }
  Note({"warning", "record", std::string(kNoGoodbyeNote) + cause});
}

void Stream::Note(const RunNote& note) {
  ledger_.Stored(ledger_.run_file.AddNote(process_, note));
  if (note.severity == "information") {
    ledger_.Report(absl::StrCat(who_, ": ", OneLine(note.text)));
    return;
  }
  // "counters: counters off" says one thing twice.
  const std::string about = note.text.starts_with(note.about) ? "" : OneLine(note.about) + ": ";
  ledger_.Report(absl::StrCat(who_, ": ", note.severity, ": ", about, OneLine(note.text)));
}

void Stream::Refuse(const std::string& kind, uint64_t records, const std::string& why) {
  ledger_.Refuse(kind, records);
  if (refusal_reported_) return;  // the count tells of the others
  refusal_reported_ = true;
  ledger_.Report(absl::StrCat(who_, ": ", kind, ": ", why));
}

}  // namespace rafter
