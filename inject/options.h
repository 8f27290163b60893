// Options are what the environment asks of the injected library, read once
// when the session starts. Nothing else in this folder reads the environment.
//
//   Threads   ReadOptions: the thread that starts the session.
//   Blocking  reads /proc/self.
//   Memory    owns its strings.
//   Lifetime  kept by the session for good.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rafter {

struct Options {
  std::string collector;  // RAFTER_COLLECTOR, else the default socket when it exists
  bool collector_given = false;
  std::string sets = "time,memory,sm,flop";  // RAFTER_SET
  std::string cupti_path;                    // RAFTER_CUPTI_PATH
  std::string cuda_home;                     // CUDA_HOME or CUDA_PATH
  std::string plan_cache;                    // $XDG_CACHE_HOME/rafter/plans
  std::string gpu_locks;                     // $XDG_RUNTIME_DIR/rafter, else /tmp/rafter-UID
  std::vector<std::string> unknown;          // RAFTER_ variables that do not exist
  bool quiet = false;                        // RAFTER_QUIET: nothing on standard error
  bool verbose = false;                      // RAFTER_VERBOSE: what the scheduler decides

  enum class Granularity : uint8_t { kRegion, kInstance, kKernel };
  Granularity granularity = Granularity::kRegion;  // RAFTER_GRANULARITY
  bool replay_kernels = false;                     // RAFTER_REPLAY=kernel
  uint64_t overhead_ppm = 50'000;                  // RAFTER_OVERHEAD, there in percent
  bool exact = false;                              // RAFTER_EXACT: every instance is counted
  uint32_t skip = 0;                               // RAFTER_SKIP: first instances of each region
  std::vector<std::string> wrong;                  // variables whose value makes no sense

  std::optional<uint32_t> rank;
  std::string rank_variable;
  std::string job;
  std::vector<std::pair<std::string, std::string>> environment;  // the few that explain a run
};

Options ReadOptions();

// When this library was loaded by LD_PRELOAD: puts its path into
// CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH where they name no tool yet
// (unset, empty or "none"). Otherwise does nothing.
void NameOurselvesWhenPreloaded();

// Puts our path into NVTX_INJECTION64_PATH where it names no tool yet, so that
// modules whose first NVTX call is still to come find us.
void NameOurselvesForNvtx();

}  // namespace rafter
