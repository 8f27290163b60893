// SocketClient is a target at a collector's socket, as simple as can be.
//
//   Threads   one thread at a time.
//   Blocking  until the collector answers, at most 10 s.
//   Memory    what came and was not yet a frame.
//   Lifetime  the destructor closes the connection.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "collector/ingest/frame_reader.h"
#include "proto/rafter.pb.h"

namespace rafter {

class SocketClient {
 public:
  explicit SocketClient(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    file_ = socket(AF_UNIX, SOCK_STREAM, 0);
    const timeval patience{10, 0};
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connected_ = connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;
  ~SocketClient() { Close(); }

  void Close() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }

  bool connected() const { return connected_; }

  bool Send(const std::string& bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = send(file_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
    return true;
  }

  // The next frame's type and message; nothing when the collector hung up.
  std::optional<std::pair<uint16_t, std::string>> Receive() {
    while (true) {
      auto frame = reader_.Next();
      if (!frame.ok()) return std::nullopt;
      if (frame->has_value()) return std::pair{(*frame)->type, std::string((*frame)->message)};
      char bytes[4096];
      const ssize_t n = recv(file_, bytes, sizeof(bytes), 0);
      if (n <= 0) return std::nullopt;
      reader_.Append({bytes, static_cast<size_t>(n)});
    }
  }

  // The next frame as a message of that type, or an empty one and a failure.
  template <typename Message>
  Message Expect(wire::FrameType type) {
    Message message;
    const auto frame = Receive();
    EXPECT_TRUE(frame.has_value()) << "the collector hung up";
    if (!frame.has_value()) return message;
    EXPECT_EQ(frame->first, type);
    EXPECT_TRUE(message.ParseFromString(frame->second));
    return message;
  }

 private:
  int file_ = -1;
  bool connected_ = false;
  FrameReader reader_;
};

}  // namespace rafter
