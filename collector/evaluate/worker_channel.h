// WorkerChannel carries lists of byte strings between the collector and its
// CUPTI child over a socket pair: a count, then length and bytes of each, in
// the machine's own byte order.
//
//   Threads   one thread at a time and end.
//   Blocking  until the bytes are through, the peer is gone, or the deadline.
//   Memory    one list.
//   Lifetime  the sockets are the caller's.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rafter {

// False when the peer is gone or `deadline` is over.
bool SendFields(int socket, const std::vector<std::string>& fields,
                std::chrono::steady_clock::time_point deadline);

// Nothing when the peer is gone or `deadline` is over.
std::optional<std::vector<std::string>> ReceiveFields(
    int socket, std::chrono::steady_clock::time_point deadline);

}  // namespace rafter
