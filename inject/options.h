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
#include <string_view>
#include <utility>
#include <vector>

#include "proto/rank_spans.h"

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

  bool nvtx = true;  // RAFTER_REGIONS: which sources of regions count
  bool nvmarker = true;
  bool no_regions = false;             // launches count as they come
  bool all_domains = false;            // RAFTER_DOMAIN=all
  std::vector<std::string> domains;    // RAFTER_DOMAIN; none: the default domain
  std::vector<std::string> regions;    // RAFTER_REGION, regular expressions
  std::vector<std::string> groupings;  // RAFTER_GROUP_NAMES, regular expressions

  // Whether regions of an NVTX domain count; "" is the default domain.
  bool WantsDomain(std::string_view name) const;

  // Whether this process is counted: without RAFTER_RANKS every one, else those that
  // have one of its ranks.
  bool WantsRank() const { return ranks.empty() || (rank && HasRank(ranks, *rank)); }

  std::vector<RankSpan> ranks;  // RAFTER_RANKS
  std::optional<uint32_t> rank;
  std::string rank_variable;
  std::string job;
  std::vector<std::pair<std::string, std::string>> environment;  // the few that explain a run
};

Options ReadOptions();

// When this library was loaded by LD_PRELOAD: puts its path into
// CUDA_INJECTION64_PATH where that names no tool yet (unset, empty or "none"), and
// does the same as NameOurselvesForNvtx. Otherwise does nothing.
void NameOurselvesWhenPreloaded();

// Puts our path into NVTX_INJECTION64_PATH, so that modules whose first NVTX call is
// still to come find us. A tool that was named there goes to RAFTER_NVTX_NEXT.
void NameOurselvesForNvtx();

// The NVTX tool that sees all calls behind us, RAFTER_NVTX_NEXT; empty: none.
std::string NextNvtxTool();

}  // namespace rafter
