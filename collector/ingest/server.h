// Server accepts targets at a Unix socket and moves bytes between them and
// their streams, on one thread of its own.
//
//   Threads   Start and Stop from one thread; everything else on its own.
//   Blocking  Stop: at most the patience given and kByeGrace.
//   Memory    kReadBytes, one stream and at most kMaxQueuedBytes of replies per
//             connection.
//   Lifetime  the ledger outlives it; Stop or the destructor ends the thread.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "collector/ingest/ledger.h"

namespace rafter {

class Server {
 public:
  Server(Ledger& ledger, std::string socket_path);
  ~Server();

  absl::Status Start();

  // Takes in whoever has connected, waits for all to end, then says Bye to the
  // rest and closes. Returns how many were cut off. Safe to call twice.
  uint64_t Stop(std::chrono::milliseconds patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rafter
