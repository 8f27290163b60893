#include "collector/ingest/server.h"

#define ASIO_STANDALONE
#include <absl/strings/str_cat.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <deque>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "collector/ingest/socket_place.h"
#include "collector/ingest/stream.h"

namespace rafter {
namespace {

using asio::local::stream_protocol;

// One read. A batch of a second's instances fits.
constexpr size_t kReadBytes = 64u << 10;

// Replies that a target has not read. A plan is up to 100 KB per device.
constexpr size_t kMaxQueuedBytes = 8u << 20;

// A target says Hello at once; who does not is something else, or stopped.
constexpr std::chrono::seconds kHelloDeadline{10};

// After Bye: time for what is on its way.
constexpr std::chrono::milliseconds kByeGrace{300};

// How long accepting rests when the process has no descriptors left. The
// clients wait in the socket's queue.
constexpr std::chrono::milliseconds kAcceptRest{100};

constexpr std::chrono::seconds kCommitInterval{1};

constexpr char kStoreFailed[] = "the collector cannot write its run file";

// Whether the other end is the same user, or root.
bool IsOurs(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

}  // namespace

// All members but the thread belong to the server's thread once it runs.
struct Server::State {
  class Connection;

  State(Ledger& shared, std::string path)
      : ledger(shared),
        socket_path(std::move(path)),
        acceptor(io),
        commit(io),
        rest(io),
        patience_over(io) {}

  void Accept();
  void Admit(stream_protocol::socket socket);
  void CommitLater();
  void DrainQueue();
  void FinishIfDone();
  void CutOff();
  void SayByeToAll(const std::string& reason);
  void Gone(const std::shared_ptr<Connection>& connection);

  Ledger& ledger;
  const std::string socket_path;
  asio::io_context io;
  stream_protocol::acceptor acceptor;
  asio::steady_timer commit;
  asio::steady_timer rest;
  asio::steady_timer patience_over;
  ListeningSocket listening;
  std::set<std::shared_ptr<Connection>> connections;
  uint64_t cut_off = 0;
  bool stopping = false;
  std::thread thread;
};

class Server::State::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(State& state, stream_protocol::socket socket)
      : state_(state),
        socket_(std::move(socket)),
        hello_deadline_(state.io),
        stream_(std::make_unique<Stream>(state.ledger,
                                         [this](std::string frame) { Queue(std::move(frame)); })) {}

  void Begin() {
    hello_deadline_.expires_after(kHelloDeadline);
    hello_deadline_.async_wait([self = shared_from_this()](const std::error_code& error) {
      if (error || self->closed_ || self->stream_->greeted()) return;
      self->Refuse("it did not say Hello");
    });
    Read();
  }

  // Called under the ledger's mutex.
  void SayBye(const std::string& reason) {
    if (closed_ || said_bye_) return;
    said_bye_ = true;
    ending_ = Stream::Ending::kCollectorStopped;
    stream_->SayBye(reason);
  }

  void Close() {
    if (closed_) return;
    closed_ = true;
    hello_deadline_.cancel();
    {
      const std::lock_guard<std::mutex> lock(state_.ledger.mutex);
      stream_->End(ending_);
      stream_.reset();  // here, because the ledger knows of it
    }
    std::error_code ignored;
    socket_.close(ignored);
    state_.Gone(shared_from_this());
  }

 private:
  void Read() {
    socket_.async_read_some(asio::buffer(bytes_),
                            [self = shared_from_this()](const std::error_code& error, size_t size) {
                              if (self->closed_) return;
                              if (error) {
                                self->Close();
                              } else {
                                self->Take(size);
                              }
                            });
  }

  void Take(size_t size) {
    absl::Status taken;
    bool store_failed = false;
    {
      const std::lock_guard<std::mutex> lock(state_.ledger.mutex);
      taken = stream_->Take({bytes_.data(), size});
      store_failed = !state_.ledger.run_file.failure().ok();
    }
    if (taken.ok()) {
      if (!closed_) Read();
      return;
    }
    if (store_failed) {
      state_.SayByeToAll(kStoreFailed);
      Flush();
      return;
    }
    Refuse(std::string(taken.message()));
  }

  void Refuse(const std::string& why) {
    if (closed_) return;
    ending_ = Stream::Ending::kRefused;
    {
      const std::lock_guard<std::mutex> lock(state_.ledger.mutex);
      ++state_.ledger.totals.refused_streams;
      stream_->SayBye(why);
      state_.ledger.Report(absl::StrCat("refused ", stream_->who(), ": ", why));
    }
    Flush();
  }

  // Closes once what is queued is written.
  void Flush() {
    close_when_written_ = true;
    if (queue_.empty()) Close();
  }

  void Queue(std::string frame) {
    if (closed_ || close_when_written_) return;
    if (queued_bytes_ + frame.size() > kMaxQueuedBytes) {
      close_when_written_ = true;  // it asks and never reads
      asio::post(state_.io, [self = shared_from_this()] { self->Close(); });
      return;
    }
    queued_bytes_ += frame.size();
    queue_.push_back(std::move(frame));
    if (queue_.size() == 1) Write();
  }

  void Write() {
    asio::async_write(socket_, asio::buffer(queue_.front()),
                      [self = shared_from_this()](const std::error_code& error, size_t) {
                        if (self->closed_) return;
                        if (error) {
                          // Gone as a reader; what it sent is still read.
                          self->queue_.clear();
                          self->queued_bytes_ = 0;
                        } else {
                          self->queued_bytes_ -= self->queue_.front().size();
                          self->queue_.pop_front();
                        }
                        if (!self->queue_.empty()) {
                          self->Write();
                        } else if (self->close_when_written_) {
                          self->Close();
                        }
                      });
  }

  State& state_;
  stream_protocol::socket socket_;
  asio::steady_timer hello_deadline_;
  std::unique_ptr<Stream> stream_;  // until closed
  std::array<char, kReadBytes> bytes_;
  std::deque<std::string> queue_;
  size_t queued_bytes_ = 0;
  bool closed_ = false;
  bool said_bye_ = false;
  bool close_when_written_ = false;
  Stream::Ending ending_ = Stream::Ending::kPeerLeft;
};

void Server::State::Accept() {
  acceptor.async_accept([this](const std::error_code& error, stream_protocol::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {
      rest.expires_after(kAcceptRest);
      rest.async_wait([this](const std::error_code& stopped) {
        if (!stopped) Accept();
      });
      return;
    }
    Admit(std::move(socket));
    Accept();
  });
}

void Server::State::Admit(stream_protocol::socket socket) {
  if (!IsOurs(socket.native_handle())) {
    const std::lock_guard<std::mutex> lock(ledger.mutex);
    ++ledger.totals.refused_streams;
    ledger.Report("refused a client of another user");
    return;
  }
  std::shared_ptr<Connection> connection;
  {
    const std::lock_guard<std::mutex> lock(ledger.mutex);
    connection = std::make_shared<Connection>(*this, std::move(socket));
  }
  connections.insert(connection);
  connection->Begin();
}

void Server::State::CommitLater() {
  commit.expires_after(kCommitInterval);
  commit.async_wait([this](const std::error_code& error) {
    if (error) return;
    bool failed = false;
    {
      const std::lock_guard<std::mutex> lock(ledger.mutex);
      failed = !ledger.Stored(ledger.run_file.Commit());
    }
    if (failed) {
      SayByeToAll(kStoreFailed);
    } else {
      CommitLater();
    }
  });
}

void Server::State::SayByeToAll(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  for (const std::shared_ptr<Connection>& connection : connections) connection->SayBye(reason);
}

void Server::State::Gone(const std::shared_ptr<Connection>& connection) {
  // Not at once: the caller may be one of its handlers.
  asio::post(io, [this, connection] {
    connections.erase(connection);
    FinishIfDone();
  });
}

// Takes in those that connected before Stop and wait in the socket's queue.
void Server::State::DrainQueue() {
  while (acceptor.is_open()) {
    std::error_code error;
    stream_protocol::socket socket(io);
    acceptor.accept(socket, error);
    if (error) return;
    Admit(std::move(socket));
  }
}

void Server::State::FinishIfDone() {
  if (!stopping || !connections.empty()) return;
  DrainQueue();
  if (!connections.empty()) return;
  std::error_code ignored;
  acceptor.close(ignored);
  commit.cancel();
  rest.cancel();
  patience_over.cancel();
  io.stop();
}

void Server::State::CutOff() {
  DrainQueue();
  std::error_code ignored;
  acceptor.close(ignored);
  cut_off = connections.size();
  SayByeToAll("the collector stops");
  patience_over.expires_after(kByeGrace);
  patience_over.async_wait([this](const std::error_code& error) {
    if (error) return;
    const std::set<std::shared_ptr<Connection>> rest_of_them = connections;
    for (const std::shared_ptr<Connection>& connection : rest_of_them) connection->Close();
  });
}

Server::Server(Ledger& ledger, std::string socket_path)
    : state_(std::make_unique<State>(ledger, std::move(socket_path))) {}

Server::~Server() { Stop(std::chrono::milliseconds(0)); }

absl::Status Server::Start() {
  absl::StatusOr<ListeningSocket> listening = ListenAt(state_->socket_path);
  if (!listening.ok()) return listening.status();
  state_->listening = *listening;
  std::error_code error;
  state_->acceptor.assign(stream_protocol(), listening->file, error);
  if (!error) state_->acceptor.non_blocking(true, error);
  if (error) {
    Unlisten(state_->socket_path, state_->listening);
    return absl::InternalError(
        absl::StrCat("cannot listen at ", state_->socket_path, ": ", error.message()));
  }
  state_->Accept();
  state_->CommitLater();
  state_->thread = std::thread([state = state_.get()] {
    pthread_setname_np(pthread_self(), "rafter-ingest");
    state->io.run();
  });
  return absl::OkStatus();
}

uint64_t Server::Stop(std::chrono::milliseconds patience) {
  if (!state_->thread.joinable()) return 0;
  asio::post(state_->io, [state = state_.get(), patience] {
    state->stopping = true;
    state->patience_over.expires_after(patience);
    state->patience_over.async_wait([state](const std::error_code& error) {
      if (!error) state->CutOff();
    });
    state->FinishIfDone();
  });
  state_->thread.join();
  Unlisten(state_->socket_path, state_->listening);
  return state_->cut_off;
}

}  // namespace rafter
