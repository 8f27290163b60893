// CuptiSearch describes where a CUPTI library is looked for and what was
// found there. Free of NVIDIA's headers, so that any folder may print it.
//
//   Threads   plain values; SearchCupti may be called from any thread.
//   Blocking  reads folders and the dynamic loader's list.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cupti/status.h"

namespace rafter {

struct CuptiTable;

// How to look. Read from the environment once, by the caller.
struct CuptiSearch {
  std::string override_path;  // RAFTER_CUPTI_PATH: a file or a folder; nothing else is tried then
  std::string cuda_home;      // CUDA_HOME or CUDA_PATH, may be empty
  bool reuse_mapped = true;   // prefer the copy that this process already has
};

// One place that was looked at.
struct CuptiCandidate {
  std::string path;     // absolute file, or a bare name that was left to ld.so
  std::string origin;   // "already mapped", "RAFTER_CUPTI_PATH", "beside the CUDA runtime", ...
  std::string verdict;  // "used", "not there", "stub", "cannot be loaded: ..."
};

// The places to try, in order: the copy this process has mapped, the override,
// beside the CUDA runtime in use, the toolkit, pip's nvidia/cuda_cupti beside
// the running Python's packages, and last ld.so. Verdicts are still empty.
std::vector<CuptiCandidate> CuptiCandidates(const CuptiSearch& search);

// Opens the first CUPTI that `search` finds and fills the table. Fails with
// one line that names what was tried, or the function that a library lacks.
Result<const CuptiTable*> LoadCupti(const CuptiSearch& search);

const std::string& CuptiPath(const CuptiTable& table);  // the file in use
uint32_t CuptiVersion(const CuptiTable& table);         // 130001 = 13.0 Update 1
// Whether the process had it before we asked: something else in it may use it.
bool CuptiWasMapped(const CuptiTable& table);

// What the last LoadCupti in this process tried, for `rafter doctor`.
const std::vector<CuptiCandidate>& CuptiSearchTrace();

}  // namespace rafter
