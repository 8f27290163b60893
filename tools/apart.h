// Apart runs a probe in a process of its own, so that a driver or a library
// that crashes or hangs takes nothing with it.
//
//   Threads   one: the process must have no other.
//   Blocking  until the probe ends, at most kProbeDeadline_s.
//   Memory    at most kMaxProbeBytes of answer.
//   Lifetime  the process is gone when the call returns.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace rafter {

// A first cuInit on a machine with many GPUs takes a few seconds.
inline constexpr int kProbeDeadline_s = 30;
inline constexpr size_t kMaxProbeBytes = 1u << 20;

// What a probe says: fields by line, one write each.
class ProbeReport {
 public:
  explicit ProbeReport(int descriptor) : descriptor_(descriptor) {}
  void Line(const std::vector<std::string>& fields) const;

 private:
  int descriptor_;
};

struct ProbeAnswer {
  std::vector<std::vector<std::string>> lines;
  std::string
      trouble;  // "it crashed (Segmentation fault)", "it hung ..."; empty when it ended well
};

ProbeAnswer RunApart(const std::function<void(const ProbeReport&)>& probe);

}  // namespace rafter
