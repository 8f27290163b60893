// Child starts the program of `rafter run` and waits for it, passing signals on
// as a shell would.
//
//   Threads   one; HeldSignals must be made before any other thread starts.
//   Blocking  Await: until the program has ended.
//   Memory    a few words.
//   Lifetime  HeldSignals gives the process its signals back.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/variables.h"

namespace rafter {

// Takes the signals that a run answers itself away from their default, in this
// thread and in those it starts.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& held() const { return held_; }
  const sigset_t& inherited_mask() const { return inherited_mask_; }
  bool pipe_was_ignored() const { return inherited_pipe_.sa_handler == SIG_IGN; }

 private:
  sigset_t held_;
  sigset_t inherited_mask_;
  struct sigaction inherited_pipe_;
  struct sigaction inherited_child_;
};

// The descriptors that are open now; those opened later stay out of the child.
std::vector<int> OpenDescriptors();

struct Spawned {
  pid_t pid = -1;
  int error = 0;  // errno when it could not be started
};

// Standard streams that are /dev/null for the program, whatever ours are.
struct NullStreams {
  bool input = false;
  bool output = false;
  bool errors = false;
  std::string log = {};     // file that standard output and error go to instead; empty: none
  bool append_log = false;  // behind what the file holds, else in its place
};

// Starts arguments[0], searched in PATH, never through a shell. Of the
// descriptors only `inherited` reach it.
Spawned Spawn(const std::vector<std::string>& arguments, const Variables& environment,
              const HeldSignals& signals, const std::vector<int>& inherited,
              const NullStreams& null_streams = {});

struct Ending {
  int exit_status = 0;  // as a shell reports it
  int signal = 0;       // that ended it, or 0
  bool timed_out = false;
  bool interrupted = false;  // a signal came that asks for the end of all this
};

// Waits for the program. SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on;
// SIGINT and SIGQUIT are not, since the terminal sends them to both. After
// `timeout_s` the program gets SIGTERM and kKillDelay_s later SIGKILL. `tick`, where
// there is one, is called about once a second meanwhile.
Ending Await(pid_t pid, const HeldSignals& signals, std::optional<double> timeout_s,
             const std::function<void()>& tick = {});

inline constexpr int kKillDelay_s = 5;

}  // namespace rafter
