#include "inject/record/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "inject/clock.h"
#include "inject/health.h"
#include "proto/frame.h"

namespace rafter {
namespace {

std::string Frame(FrameType type, std::string_view message) {
  uint8_t header[kFrameHeaderBytes];
  WriteFrameHeader({static_cast<uint32_t>(message.size()), static_cast<uint16_t>(type)}, header);
  std::string frame(reinterpret_cast<const char*>(header), sizeof header);
  frame.append(message);
  return frame;
}

std::string ErrorText(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof buffer);  // GNU's form returns the text
}

int MillisecondsUntil(uint64_t end_ns) {
  const uint64_t now = NowNs();
  return now >= end_ns ? 0 : static_cast<int>((end_ns - now) / 1000000) + 1;
}

int ConnectTo(const std::string& path, std::string& why) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    why = "its path is longer than a socket's may be";
    return -1;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    why = ErrorText(errno);
    return -1;
  }
  // A Unix socket connects at once or, with a full queue, answers EAGAIN.
  const uint64_t end = NowNs() + Outlet::kConnectDeadlineMs * 1000000ull;
  while (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN && NowNs() < end) {
      poll(nullptr, 0, 2);
      continue;
    }
    why = ErrorText(errno);
    close(fd);
    return -1;
  }
  return fd;
}

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

int Outlet::Keep(int fd) {
  fd = MoveUp(fd);
  if (fd >= 0) ours_ = IdentityOf(fd);
  return fd;
}

bool Outlet::IsOurs(int fd) const { return ours_.has_value() && IdentityOf(fd) == ours_; }

void Outlet::Open(const std::string& socket_path, const Identity& identity) {
  // Absolute from the start: the program may change its folder.
  char folder[4096];
  const std::string here = getcwd(folder, sizeof folder) == nullptr ? "." : folder;
  std::string executable = BaseName(identity.executable);
  if (executable.empty()) executable = "program";
  spool_path_ = here + "/" + executable + "." + identity.host + "." + std::to_string(identity.pid) +
                "." + std::to_string(identity.start_ticks) + ".spool";
  if (socket_path.empty()) return;
  std::string why;
  socket_ = Keep(ConnectTo(socket_path, why));
  if (socket_ < 0) {
    if (why.empty()) why = ErrorText(errno);
    trouble_ = "the collector at " + socket_path + " cannot be reached (" + why +
               "); start it with \"rafter collect\" or correct RAFTER_COLLECTOR";
  }
}

void Outlet::OpenSpool() {
  spool_ = Keep(open(spool_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  uint8_t header[kSpoolHeaderBytes] = {};
  std::memcpy(header, kSpoolMagic, sizeof kSpoolMagic);
  for (int i = 0; i < 4; ++i) header[8 + i] = static_cast<uint8_t>(kSpoolVersion >> (8 * i));
  if (spool_ < 0) {
    spool_failed_ = true;
    trouble_ = "nothing can be recorded: spool file " + spool_path_ + ": " + ErrorText(errno) +
               "; run in a folder that can be written to, or start \"rafter collect\"";
    return;
  }
  WriteSpool({reinterpret_cast<const char*>(header), sizeof header});
}

bool Outlet::WriteSpool(std::string_view bytes) {
  if (spool_failed_) return false;
  if (!IsOurs(spool_)) {
    spool_failed_ = true;
    trouble_ = "recording has stopped: the program closed the descriptor of spool file " +
               spool_path_ + "; what was written before is whole, run under \"rafter run\" instead";
    return false;
  }
  if (spool_bytes_ + bytes.size() > kMaxSpoolBytes) {
    trouble_ = "recording has stopped: spool file " + spool_path_ +
               " has reached its limit of 4 GiB; run under \"rafter run\" instead";
    return false;
  }
  const off_t start = static_cast<off_t>(spool_bytes_);
  while (!bytes.empty()) {
    const ssize_t written = write(spool_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      trouble_ = "recording has stopped: spool file " + spool_path_ + ": " +
                 ErrorText(written < 0 ? errno : ENOSPC) + "; what was written before is whole";
      spool_failed_ = true;
      if (ftruncate(spool_, start) != 0) return false;  // the last frame stays cut; readers cope
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    spool_bytes_ += static_cast<uint64_t>(written);
  }
  return true;
}

bool Outlet::WriteSocket(std::string_view bytes) {
  if (!IsOurs(socket_)) {
    socket_ = -1;  // not ours to close any more
    FallBack("the program closed the connection to the collector");
    return false;
  }
  const uint64_t end = NowNs() + kSendDeadlineMs * 1000000ull;
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      FallBack("the collector has gone (" + ErrorText(errno) + ")");
      return false;
    }
    pollfd wait = {socket_, POLLOUT, 0};
    const int left = MillisecondsUntil(end);
    if (left == 0 || poll(&wait, 1, left) == 0) {
      FallBack("the collector has stopped reading");
      return false;
    }
  }
  return true;
}

// Goes on in a spool file that can be read alone.
void Outlet::FallBack(const std::string& why) {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  trouble_ =
      why + "; the rest of this run is in " + spool_path_ + ", add it with \"rafter ingest\"";
  OpenSpool();
  if (!spool_failed_) WriteSpool(definitions_);
}

void Outlet::Send(FrameType type, std::string_view message, bool definition) {
  const std::string frame = Frame(type, message);
  if (definition) definitions_ += frame;
  if (socket_ >= 0) {
    if (WriteSocket(frame)) return;
    if (definition) return;  // FallBack has written it with the others
  }
  if (spool_ < 0 && !spool_failed_) OpenSpool();
  if (!WriteSpool(frame)) Health().Lost(Loss::kFramesLost);
}

bool Outlet::Receive(int deadline_ms, Answer& answer) {
  const uint64_t end = NowNs() + static_cast<uint64_t>(deadline_ms) * 1000000ull;
  while (socket_ >= 0) {
    if (received_.size() >= kFrameHeaderBytes) {
      FrameHeader header;
      const auto* bytes = reinterpret_cast<const uint8_t*>(received_.data());
      if (ReadFrameHeader(bytes, header) != FrameFault::kNone) {
        FallBack("the collector sent something that is not a frame");
        return false;
      }
      if (received_.size() >= kFrameHeaderBytes + header.length) {
        answer.type = static_cast<FrameType>(header.type);
        answer.message = received_.substr(kFrameHeaderBytes, header.length);
        received_.erase(0, kFrameHeaderBytes + header.length);
        return true;
      }
    }
    pollfd wait = {socket_, POLLIN, 0};
    const int left = MillisecondsUntil(end);
    if (left == 0 || poll(&wait, 1, left) == 0) return false;
    char buffer[16384];
    const ssize_t got = recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) {
      received_.append(buffer, static_cast<size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      FallBack("the collector has gone");
    }
  }
  return false;
}

void Outlet::Forget() {
  for (const int fd : {socket_, spool_}) {
    if (fd >= 0 && IsOurs(fd)) close(fd);
  }
  new (this) Outlet;  // the parent's recorder may have been in the middle of a string
}

}  // namespace rafter
