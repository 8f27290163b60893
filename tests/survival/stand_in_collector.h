// StandInCollector is a collector that misbehaves: a Unix socket and a thread
// that does one wrong thing.
//
//   Threads   one of its own.
//   Blocking  the destructor waits for its thread.
//   Memory    keeps what it read.
//   Lifetime  the socket is gone with it.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rafter::survival {

class StandInCollector {
 public:
  enum Manner {
    kNeverAccepts,       // the queue of connections is full
    kNeverReads,         // accepts and does nothing
    kNeverAnswers,       // reads all and says nothing
    kDiesAtOnce,         // accepts and closes
    kDiesMidway,         // closes after the first kilobyte
    kReadsSlowly,        // a few bytes at a time
    kAnswersGarbage,     // bytes that are no frame
    kAnswersHugeLength,  // a frame that says it is 4 GiB
    kSaysBye,            // a Bye frame at once
  };

  StandInCollector(const std::string& path, Manner manner);
  ~StandInCollector();

  // Whether somebody connected; waits a second for the acceptance, which may come after the
  // program's end.
  bool WaitForConnection() const;

 private:
  void Serve();
  void ServeOne(int client);
  void Read(int client, size_t at_most, int pause_ms);

  const Manner manner_;
  int listener_ = -1;
  std::vector<int> filler_;  // connections that fill the queue
  std::atomic<bool> stop_ = false;
  std::atomic<int> accepted_ = 0;
  std::thread thread_;
};

}  // namespace rafter::survival
