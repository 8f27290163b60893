// Findings is what `rafter doctor` found out, as values: each check with its
// verdict and, where something is wrong, what to do.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rafter {

enum class Verdict { kOk, kNote, kProblem };

struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string about;   // "driver"
  std::string text;    // what is so
  std::string remedy;  // what to do; empty when nothing is wrong
};

// One capability set of /proc/self/status ("CapEff"), 0 when it is not there.
uint64_t CapabilitySet(const std::string& proc_status, const std::string& name);

// Whether counters are kept from ordinary users and this process may read them
// all the same. `driver_parameters` is /proc/driver/nvidia/params, empty when it
// cannot be read.
Finding CheckRights(const std::string& driver_parameters, const std::string& proc_status);

// Chip names that a device of this compute capability can have, most likely
// first.
std::vector<std::string> ChipsOfCompute(int major, int minor);

// "ok       driver: ..." and, below a problem, "         do: ...".
std::string ToText(const std::vector<Finding>& findings);

size_t CountProblems(const std::vector<Finding>& findings);

}  // namespace rafter
