#include "collector/evaluate/worker_channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace rafter {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

bool WaitFor(int socket, short events, Deadline deadline) {  // NOLINT(google-runtime-int): poll's
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() < 0) return false;
    pollfd waited{socket, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::min<int64_t>(left.count(), INT_MAX)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0) return false;
  }
}

bool SendAll(int socket, const void* data, size_t size, Deadline deadline) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      at += sent;
      size -= static_cast<size_t>(sent);
    } else if (errno == EAGAIN) {
      if (!WaitFor(socket, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool ReceiveAll(int socket, void* data, size_t size, Deadline deadline) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = recv(socket, at, size, MSG_DONTWAIT);
    if (got > 0) {
      at += got;
      size -= static_cast<size_t>(got);
    } else if (got == 0) {
      return false;
    } else if (errno == EAGAIN) {
      if (!WaitFor(socket, POLLIN, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool SendFields(int socket, const std::vector<std::string>& fields, Deadline deadline) {
  const uint64_t count = fields.size();
  if (!SendAll(socket, &count, sizeof(count), deadline)) return false;
  for (const std::string& field : fields) {
    const uint64_t size = field.size();
    if (!SendAll(socket, &size, sizeof(size), deadline)) return false;
    if (!SendAll(socket, field.data(), field.size(), deadline)) return false;
  }
  return true;
}

std::optional<std::vector<std::string>> ReceiveFields(int socket, Deadline deadline) {
  uint64_t count = 0;
  if (!ReceiveAll(socket, &count, sizeof(count), deadline)) return std::nullopt;
  std::vector<std::string> fields;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t size = 0;
    if (!ReceiveAll(socket, &size, sizeof(size), deadline)) return std::nullopt;
    std::string& field = fields.emplace_back(size, '\0');
    if (!ReceiveAll(socket, field.data(), size, deadline)) return std::nullopt;
  }
  return fields;
}

}  // namespace rafter
