// Run is everything that was recorded about one command, in memory: what the store
// reads out of a run file and what tables and charts are made from.
//
//   Threads   plain values.
//   Blocking  never.
//   Memory    owns everything; instances are already summed up by region.
//   Lifetime  plain values.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rafter {

// One counter of a set. Values follow by position.
struct Counter {
  std::string metric;       // CUPTI name, "dram__bytes.sum"
  std::string unit;         // CUPTI's dimension: "byte", "instruction", "byte/dram_cycle", ""
  std::string description;  // CUPTI's own sentence

  bool operator==(const Counter&) const = default;
};

// Metrics collected together.
struct CounterSet {
  std::string name;  // "time", "memory", "sm", "flop"
  uint32_t first_pass = 0;
  uint32_t passes = 1;
  std::vector<Counter> counters;
};

// A metric that was asked for and could not be had.
struct MissingCounter {
  std::string set;
  std::string metric;
  std::string reason;
};

// A GPU of a process.
struct RunDevice {
  uint32_t device = 0;  // index within the process
  std::string uuid;     // "GPU-xxxxxxxx-xxxx-...", as nvidia-smi prints it
  std::string pci_address;
  std::string name;  // "NVIDIA H200"
  std::string chip;  // "GH100"
  uint32_t driver_version = 0;
  uint32_t cupti_version = 0;
  std::string cupti_path;
  uint32_t sm_count = 0;
  uint64_t memory_bytes = 0;
  uint64_t sm_clock_hz = 0;      // highest the device allows
  uint64_t memory_clock_hz = 0;  // highest the device allows
  uint32_t memory_bus_bits = 0;
  uint64_t l2_bytes = 0;
  uint32_t compute_major = 0;
  uint32_t compute_minor = 0;
  std::string wanted_sets;  // "time,memory,sm,flop"
  std::vector<CounterSet> sets;
  std::vector<MissingCounter> missing;
  std::string plan_origin;  // "collector", "cache", "process"; empty: no plan
  std::string plan_error;   // why there is none
};

// What makes launches one kind.
struct LaunchKind {
  std::string symbol;                 // mangled; empty: a CUDA graph
  std::string signature;              // demangled, with argument types
  uint32_t grid[3] = {0, 0, 0};       // blocks
  uint32_t block[3] = {0, 0, 0};      // threads
  uint32_t dynamic_shared_bytes = 0;  // per block
  uint32_t static_shared_bytes = 0;   // per block
  uint32_t registers = 0;             // per thread

  auto operator<=>(const LaunchKind&) const = default;
};

// Sums over instances of one path.
struct InstanceSums {
  uint64_t calls = 0;
  uint64_t counted_calls = 0;                 // that some epoch holds
  std::map<std::string, uint64_t> uncounted;  // reason -> calls ("no context", ...)
  double host_time_s = 0;                     // border to border, host clock
  uint64_t watched_calls = 0;                 // with launches watched
  uint64_t launches = 0;                      // sum over watched calls
  uint64_t least_launches = 0;                // of one watched call
  uint64_t most_launches = 0;
  uint64_t dropped_calls = 0;  // of `calls`: no record came of them, so no host time either

  // From the first start to the last end of those that had a CUDA context,
  // CLOCK_MONOTONIC of the target's host. Both 0: there were none.
  uint64_t first_start_ns = 0;
  uint64_t last_end_ns = 0;

  void Add(const InstanceSums& more) {
    if (more.watched_calls > 0) {
      least_launches =
          watched_calls == 0 ? more.least_launches : std::min(least_launches, more.least_launches);
      most_launches = std::max(most_launches, more.most_launches);
    }
    if (more.last_end_ns > 0) {
      first_start_ns =
          last_end_ns == 0 ? more.first_start_ns : std::min(first_start_ns, more.first_start_ns);
      last_end_ns = std::max(last_end_ns, more.last_end_ns);
    }
    calls += more.calls;
    counted_calls += more.counted_calls;
    for (const auto& [reason, count] : more.uncounted) uncounted[reason] += count;
    host_time_s += more.host_time_s;
    watched_calls += more.watched_calls;
    launches += more.launches;
    dropped_calls += more.dropped_calls;
  }
};

// A place in the tree of regions. Its own sums are over all devices: a pass that
// works on two counts twice.
struct RegionPath : InstanceSums {
  uint32_t path = 0;                 // from 1, within the process
  uint32_t parent = 0;               // 0: top level
  std::string name;                  // UTF-8; bytes that were not are written as U+FFFD
  std::string domain;                // empty: the default domain
  std::vector<uint32_t> members;     // not empty: regions open at once on several threads
  std::optional<LaunchKind> launch;  // present: launches of one kind inside the parent
  std::string category;  // what its calls were given: a name, or a number without one; several are
                         // joined by ", "
  std::string payload;   // number that its calls were given; "least..greatest" where they differ

  // By the device that instances name: its index plus one, 0 for those that
  // name none. Empty: no instance names one.
  std::map<uint32_t, InstanceSums> by_device;
};

// Values of one range in one epoch, exclusive: the segments in which this path
// was innermost.
struct SlotValues {
  uint32_t path = 0;
  uint64_t instances = 0;   // calls of the path that this epoch, or its chain, holds whole
  uint64_t incomplete = 0;  // calls of which a part is not in the epoch or its chain
  uint64_t segments = 0;
  bool evaluated = false;                     // false: raw image kept, CUPTI was not at hand
  std::vector<std::optional<double>> values;  // by position in the set's counters
  uint64_t cut_segments = 0;                  // of these, begun or ended by a change of sets
  uint64_t counted_ns = 0;                    // host time of the segments
  uint32_t call = 0;   // number of the outermost instance in this epoch or chain, from 1; 0: slots
                       // are not kept apart by instance
  uint32_t range = 0;  // number that names its range, plus one; 0: path and call name it
  uint64_t crossed = 0;  // of the incomplete calls: a region around them ended first, and what they
                         // did inside it is all here
};

// One Start/Stop of the counters with one set.
struct Epoch {
  uint32_t epoch = 0;  // from 1, within the process
  uint32_t device = 0;
  uint32_t pass = 0;
  std::string set;
  uint64_t start_ns = 0;  // CLOCK_MONOTONIC of the target's host
  uint64_t end_ns = 0;
  std::vector<SlotValues> slots;
  uint32_t baseline = 0;  // number of the image's baseline, as last added; 0: none
  uint32_t chain = 0;     // first of the epochs that this one continues; 0: it stands alone
};

// A kind of launch seen inside a region.
struct RunKernel {
  uint32_t path = 0;
  std::string symbol;             // mangled
  std::string signature;          // demangled, with argument types
  uint32_t grid[3] = {0, 0, 0};   // blocks
  uint32_t block[3] = {0, 0, 0};  // threads
  uint64_t shared_bytes = 0;
  uint64_t launches = 0;
  uint32_t device = 0;  // index plus one; 0: the only one, or none
};

struct RunNote {
  std::string severity;  // "information", "warning", "failure"
  std::string about;     // a set, "counters", "regions", "record"
  std::string text;
};

// What counting has cost a process so far, as it estimated itself: sums over the
// time in which some thread was held up, or slowed (wire.Cost).
struct RunCost {
  uint64_t wall_ns = 0;      // since the session began
  uint64_t set_up_ns = 0;    // regions waited for counters to be set up
  uint64_t rotation_ns = 0;  // regions waited for a change of sets
  uint64_t border_ns = 0;    // in CUPTI's calls at the borders of regions
  uint64_t slowed_ns = 0;    // instances ran longer in other sets than in set "time"

  uint64_t total_ns() const { return set_up_ns + rotation_ns + border_ns + slowed_ns; }
  bool operator==(const RunCost&) const = default;
};

// One process that reported.
struct RunProcess {
  int64_t id = 0;       // in the run file
  uint32_t replay = 0;  // run of an application replay, from 1; 0: of none
  std::string host;
  uint32_t pid = 0;
  uint64_t start_ticks = 0;
  std::string boot_id;
  std::string executable;  // resolved path
  std::vector<std::string> arguments;
  std::optional<uint32_t> rank;
  std::string job;
  std::map<std::string, std::string> environment;
  uint64_t monotonic_ns = 0;
  uint64_t realtime_ns = 0;
  std::string library_version;
  std::string ending;  // "exit"; empty: the stream ended without a goodbye

  std::vector<RunDevice> devices;
  std::vector<RegionPath> paths;
  std::vector<Epoch> epochs;
  std::vector<RunKernel> kernels;
  std::vector<RunNote> notes;
  std::map<std::string, uint64_t> losses;  // kind -> count
  std::optional<RunCost> cost;             // absent: it did not say
};

// One of several times that the program was run for one run file.
struct ProgramRun {
  uint32_t run = 0;  // from 1; 0: without Rafter, to see what counting costs
  std::string sets;  // "memory"; empty: none
  int exit_status = 0;
  uint64_t wall_ns = 0;  // from its start to its end

  bool operator==(const ProgramRun&) const = default;
};

// How far the factor between a reading of LIKWID's and the count is known.
enum class ScaleOrigin : uint8_t {
  kAssumed,  // the history of the file is not known
  kGiven,    // --counter-scale N
  kKept,     // our shim resets LIKWID's image at every border
  kProved,   // a known kernel was counted first
};

// One region on one GPU, as LIKWID's marker API reported it.
struct MarkerReading {
  std::string region;  // UTF-8 tag, without the group's number
  uint32_t group = 0;  // LIKWID's number of the event group
  int gpu = 0;         // CUDA ordinal
  uint64_t calls = 0;
  std::optional<double> time_s;  // host time inside the region, over all calls; absent: not finite
  std::vector<double> values;    // as reported, by position in the group's events; multiply by the
                                 // scale; what was no finite number is NaN

  bool operator==(const MarkerReading&) const = default;
};

// What one process read with one list of event groups.
struct MarkerReadings {
  int64_t process = 0;  // RunProcess.id
  uint32_t run = 0;     // of several runs of the program, from 1; 0: of one
  std::string source;   // file that it came from
  std::vector<std::vector<std::string>> events;  // by group: LIKWID's names, without ":GPU0"
  double scale = 2;                              // count = reported value x scale
  ScaleOrigin origin = ScaleOrigin::kAssumed;
  std::string contradiction;            // why no constant scale can be right; empty: nothing
                                        // speaks against it
  std::vector<MarkerReading> readings;  // in the order of the file
};

// What a program of Google Benchmark's wrote of itself (--benchmark_out).
struct ProgramReport {
  std::string json;     // empty: none
  std::string source;   // file that it came from
  std::string trouble;  // why there is none although one was expected, a line

  bool says_anything() const { return !json.empty() || !trouble.empty(); }
};

// One command with all of its processes. A run file holds one, or several of a batch.
struct Run {
  std::string rafter_version;  // that counted it
  std::string name;            // of the program, as a batch names it; empty: it was not of a batch
  std::string command;         // what was run; empty when collected by hand
  std::optional<int> exit_status;
  std::vector<ProgramRun> program_runs;  // empty: it was run once
  std::vector<RunProcess> processes;
  std::map<std::string, uint64_t> losses;  // of the collector itself
  std::vector<MarkerReadings> markers;     // what LIKWID counted
  ProgramReport report;
};

}  // namespace rafter
