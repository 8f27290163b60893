// Case is one story of regions and work that rafter-cases can tell. The lists
// are in cases_*.cu.
//
//   Threads   a case starts and joins its own.
//   Blocking  until its work is done.
//   Memory    a case frees nothing; the process ends after it.
//   Lifetime  static.
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/tally.h"

namespace rafter {

struct CaseSettings {
  unsigned long long instances = 20;
  unsigned long long seconds = 5;    // of cases that last a given time
  unsigned long long names = 10000;  // of case `names`
};

struct Case {
  const char* name;
  const char* description;
  // Does the work and returns further facts for the truth, or nothing.
  std::string (*run)(const CaseSettings& settings, Tally& tally);
  bool starts_cuda = false;  // the case itself makes the first CUDA call
};

std::vector<Case> NestingCases();
std::vector<Case> ThreadCases();
std::vector<Case> LaunchCases();
std::vector<Case> TrafficCases();
std::vector<Case> LastingCases();

}  // namespace rafter
