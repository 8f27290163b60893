#include "tests/survival/stand_in_collector.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "proto/frame.h"

namespace rafter::survival {
namespace {

constexpr uint16_t kBye = 33;  // FrameType BYE in rafter.proto

int Connect(const sockaddr_un& address) {
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return file;
}

}  // namespace

StandInCollector::StandInCollector(const std::string& path, Manner manner) : manner_(manner) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  listen(listener_, manner == kNeverAccepts ? 0 : 64);
  if (manner == kNeverAccepts) {
    for (int i = 0; i < 4; ++i) filler_.push_back(Connect(address));
    return;
  }
  thread_ = std::thread([this] { Serve(); });
}

StandInCollector::~StandInCollector() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  for (const int file : filler_) close(file);
  close(listener_);
}

bool StandInCollector::WaitForConnection() const {
  for (int i = 0; i < 100 && accepted_ == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return accepted_ > 0;
}

void StandInCollector::Serve() {
  std::vector<int> clients;
  std::vector<std::thread> servants;
  while (!stop_) {
    pollfd wanted = {listener_, POLLIN, 0};
    if (poll(&wanted, 1, 20) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    ++accepted_;
    clients.push_back(client);
    servants.emplace_back([this, client] { ServeOne(client); });
  }
  for (std::thread& servant : servants) servant.join();
  for (const int client : clients) close(client);
}

void StandInCollector::Read(int client, size_t at_most, int pause_ms) {
  char bytes[4096];
  for (size_t total = 0; total < at_most && !stop_;) {
    pollfd wanted = {client, POLLIN, 0};
    if (poll(&wanted, 1, 20) <= 0) continue;
    const ssize_t size = read(client, bytes, pause_ms > 0 ? 16 : sizeof bytes);
    if (size <= 0) return;
    total += static_cast<size_t>(size);
    if (pause_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
}

void StandInCollector::ServeOne(int client) {
  switch (manner_) {
    case kNeverAccepts:
    case kNeverReads:
      return;  // the connection stays open until the end
    case kNeverAnswers:
      return Read(client, SIZE_MAX, 0);
    case kReadsSlowly:
      return Read(client, SIZE_MAX, 20);
    case kDiesAtOnce:
      shutdown(client, SHUT_RDWR);
      return;
    case kDiesMidway: {
      Read(client, 200, 0);
      // Closing with unread bytes resets the connection, as a crash does.
      const linger at_once = {1, 0};
      setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      shutdown(client, SHUT_RDWR);
      return;
    }
    case kAnswersGarbage: {
      const char garbage[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
      send(client, garbage, sizeof garbage, MSG_NOSIGNAL);
      return Read(client, SIZE_MAX, 0);
    }
    case kAnswersHugeLength: {
      const unsigned char huge[8] = {0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0};
      send(client, huge, sizeof huge, MSG_NOSIGNAL);
      return Read(client, SIZE_MAX, 0);
    }
    case kSaysBye: {
      unsigned char bye[kFrameHeaderBytes];
      WriteFrameHeader({0, kBye}, bye);
      send(client, bye, sizeof bye, MSG_NOSIGNAL);
      return Read(client, SIZE_MAX, 0);
    }
  }
}

}  // namespace rafter::survival
