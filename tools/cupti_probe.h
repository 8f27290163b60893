// CuptiProbe loads CUPTI in a process of its own and tells where it was looked
// for and what it knows.
//
//   Threads   one.
//   Blocking  loads libraries of 100 MB; at most kProbeDeadline_s.
//   Memory    returns values.
//   Lifetime  nothing of CUPTI stays in this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cupti/library.h"

namespace rafter {

struct CuptiAnswer {
  std::vector<CuptiCandidate> candidates;  // with verdicts
  std::string path;                        // of the one in use; empty: none
  uint32_t version = 0;                    // 130001 = 13.0 Update 1
  std::vector<std::string> chips;
  std::string trouble;  // why there is none
};

CuptiAnswer ProbeCupti(const CuptiSearch& search);

// Plans `sets` for `chip` in a process of its own. Returns the number of
// passes, or 0 and the reason.
size_t ProbePlan(const CuptiSearch& search, const std::string& chip,
                 const std::vector<std::string>& sets, std::string& reason);

// "13.0 Update 1 (130001)".
std::string CuptiVersionText(uint32_t version);

// The major version of CUDA that a CUPTI belongs to, 13; 0 for 12 and before.
int CuptiCudaMajor(uint32_t version);

// "13.0" of a CUDA version as the driver gives it, 13000.
std::string CudaVersionText(int version);

}  // namespace rafter
