// Run is everything that was recorded about one run, in memory: what the store
// reads out of a run file and what tables and charts are made from.
//
//   Threads   plain values.
//   Blocking  never.
//   Memory    owns everything; instances are already summed up by region.
//   Lifetime  plain values.
#pragma once

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

// A place in the tree of regions.
struct RegionPath {
  uint32_t path = 0;              // from 1, within the process
  uint32_t parent = 0;            // 0: top level
  std::string name;               // UTF-8; bytes that were not are written as U+FFFD
  std::string domain;             // empty: the default domain
  std::vector<uint32_t> members;  // not empty: regions open at once on several threads

  // Sums over all instances of this path.
  uint64_t calls = 0;
  uint64_t counted_calls = 0;                 // that some epoch holds
  std::map<std::string, uint64_t> uncounted;  // reason -> calls ("no context", ...)
  double host_time_s = 0;                     // border to border, host clock
  uint64_t watched_calls = 0;                 // with launches watched
  uint64_t launches = 0;                      // sum over watched calls
  uint64_t least_launches = 0;                // of one watched call
  uint64_t most_launches = 0;
  uint64_t dropped_calls = 0;  // of `calls`: no record came of them, so no host time either
};

// Values of one range in one epoch, exclusive: the segments in which this path
// was innermost.
struct SlotValues {
  uint32_t path = 0;
  uint64_t instances = 0;   // calls of the path that this epoch holds
  uint64_t incomplete = 0;  // of these, calls of which a part was not measured
  uint64_t segments = 0;
  bool evaluated = false;                     // false: raw image kept, CUPTI was not at hand
  std::vector<std::optional<double>> values;  // by position in the set's counters
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
};

struct RunNote {
  std::string severity;  // "information", "warning", "failure"
  std::string about;     // a set, "counters", "regions", "record"
  std::string text;
};

// One process that reported.
struct RunProcess {
  int64_t id = 0;  // in the run file
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
};

struct Run {
  std::string rafter_version;  // that wrote the file
  std::string command;         // what was run; empty when collected by hand
  std::optional<int> exit_status;
  std::vector<RunProcess> processes;
  std::map<std::string, uint64_t> losses;  // of the collector itself
};

}  // namespace rafter
