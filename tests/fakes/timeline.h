// GpuTimeline says when the kernels of the fake GPU begin and end. Streams run
// beside each other; a kernel may wait for a flag that a later one sets.
//
//   Threads   any.
//   Blocking  only WaitFor and WaitForAll, until the kernels are done.
//   Memory    keeps what is not done, and flags.
//   Lifetime  one for each process, never destroyed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace rafter::fakes {

class GpuTimeline {
 public:
  // A waiting kernel gives up after `give_up_ns`; 0: never.
  explicit GpuTimeline(uint64_t give_up_ns) : give_up_ns_(give_up_ns) {}

  // Puts work at the end of a stream and returns its number.
  uint64_t Add(const void* stream, uint64_t duration_ns, const std::string& waits_for,
               const std::string& sets);

  void WaitFor(uint64_t number);
  void WaitForStream(const void* stream);
  void WaitForAll();

 private:
  struct Work {
    uint64_t number;
    uint64_t added_ns;
    uint64_t duration_ns;
    std::string waits_for;
    std::string sets;
    std::optional<uint64_t> start_ns;
  };
  struct Stream {
    std::deque<Work> queue;
    uint64_t free_at_ns = 0;
  };

  static uint64_t NowNs();
  // Fixes what begins when, as far as flags allow, and drops what is done.
  void Advance(uint64_t now_ns);
  bool Begin(Stream& stream, uint64_t now_ns);
  // Waits until nothing that `matters` is left.
  template <typename Matters>
  void WaitUntilDone(Matters matters);

  const uint64_t give_up_ns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const void*, Stream> streams_;
  std::map<std::string, uint64_t> flags_;  // name -> when it was set
  uint64_t next_number_ = 1;
};

}  // namespace rafter::fakes
