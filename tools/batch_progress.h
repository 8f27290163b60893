// BatchProgress shows how far a batch is and how long it will take: one line that is
// written anew on a terminal, else a line for each program.
//
//   Threads   one.
//   Blocking  as standard error does.
//   Memory    a few words.
//   Lifetime  takes its line away with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace rafter {

// "40 s", "12 min", "3 h 5 min": to be read at a glance.
std::string RoughTime(std::chrono::seconds time);

// For programs that are still to run, and for the rest of the one that has been running
// for `running`, when `ended` ones took `spent` in all. Nothing before the first has
// ended, and nothing where less than a second is left.
std::optional<std::chrono::seconds> TimeLeft(std::chrono::nanoseconds spent, size_t ended,
                                             size_t programs, std::chrono::nanoseconds running);

class BatchProgress {
 public:
  enum class Form { kNone, kLines, kUpdating };

  // `programs` will be run.
  BatchProgress(Form form, size_t programs) : form_(form), programs_(programs) {}
  ~BatchProgress() { Clear(); }
  BatchProgress(const BatchProgress&) = delete;
  BatchProgress& operator=(const BatchProgress&) = delete;

  // The form for standard error as it is.
  static Form FormFor(bool quiet);

  // The next program starts.
  void Start(const std::string& name);
  // Time goes on.
  void Tick();
  // The program that was started has ended.
  void End();
  // Says a line, above the one that is written anew.
  void Say(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  std::string LeftText() const;  // ", about 3 min left", or nothing
  void Clear();

  const Form form_;
  const size_t programs_;
  size_t started_ = 0;
  size_t ended_ = 0;
  std::string name_;
  Clock::duration spent_{0};  // in programs that ended
  Clock::time_point start_;   // of the one that runs
  bool shown_ = false;
};

}  // namespace rafter
