// Outlet is where frames go: to a collector's socket while one listens, else
// into a spool file in the current folder. What neither takes is counted.
//
//   Threads   the recorder only.
//   Blocking  a send at most kSendDeadlineMs; an answer as long as the caller
//             says. Never the target's threads.
//   Memory    keeps the definitions (hello, devices, plans, baselines, names),
//             so that a spool file that takes over from a dead collector can be
//             read alone.
//   Lifetime  a member of the session; the file and socket close with the
//             process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cupti/status.h"
#include "inject/descriptor.h"
#include "inject/record/identity.h"
#include "inject/record/wire_fields.h"

namespace rafter {

class Outlet {
 public:
  // A collector on the same machine answers within microseconds; one that needs
  // half a second is not reading any more.
  static constexpr int kSendDeadlineMs = 500;

  static constexpr int kConnectDeadlineMs = 200;

  // A full disk hurts more people than a short recording.
  static constexpr uint64_t kMaxSpoolBytes = 4ull << 30;

  // Tries the collector at `socket_path` (may be empty), else the spool file.
  // Nothing is written yet. `identity` names the spool file.
  void Open(const std::string& socket_path, const Identity& identity);

  bool to_collector() const { return socket_ >= 0; }
  bool spooling() const { return spool_ >= 0; }
  const std::string& spool_path() const { return spool_path_; }

  // Sends one frame. A definition is kept for a later change of outlet.
  void Send(FrameType type, std::string_view message, bool definition = false);

  struct Answer {
    FrameType type;
    std::string message;
  };
  // Waits for the collector's next frame. False: none in time, or no collector.
  bool Receive(int deadline_ms, Answer& answer);

  // Why frames went where they did, for notes; empty when all is as asked.
  const std::string& trouble() const { return trouble_; }

  // In a forked child: the descriptors are the parent's.
  void Forget();

 private:
  void OpenSpool();
  void FallBack(const std::string& why);
  bool WriteSocket(std::string_view bytes);
  // Moves a fresh descriptor up and remembers what it is.
  int Keep(int fd);
  // Whether a descriptor is still the file that we opened: programs that close
  // what they did not open give our number to a file of theirs.
  bool IsOurs(int fd) const;
  bool WriteSpool(std::string_view bytes);

  int socket_ = -1;
  int spool_ = -1;
  bool spool_failed_ = false;
  uint64_t spool_bytes_ = 0;
  std::optional<FileIdentity> ours_;  // of the descriptor in use
  std::string spool_path_;
  std::string trouble_;
  std::string definitions_;
  std::string received_;
};

}  // namespace rafter
