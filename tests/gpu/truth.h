// Truth is what a test program knows of its own work, and its text as JSON for
// check_truth.py and check_cases.py.
//
//   Threads   plain values.
//   Blocking  WriteText writes a file.
//   Memory    owns its strings.
//   Lifetime  plain values.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/gpu/known_work.h"

namespace rafter {

// Operations in one packed half-precision instruction of a thread.
inline constexpr int kHalvesPerWord = 2;

// An amount of work.
struct Truth {
  unsigned long long launches = 0;
  unsigned long long counts[kKinds] = {};
  bool traffic_known = false;
  unsigned long long read_bytes = 0;
  unsigned long long write_bytes = 0;
};

inline void Add(const Truth& part, Truth& whole) {
  whole.launches += part.launches;
  for (int kind = 0; kind < kKinds; ++kind) whole.counts[kind] += part.counts[kind];
  whole.traffic_known = whole.traffic_known || part.traffic_known;
  whole.read_bytes += part.read_bytes;
  whole.write_bytes += part.write_bytes;
}

inline unsigned long long Fp32Flop(const Truth& truth) {
  return truth.counts[kFadd] + truth.counts[kFmul] + 2 * truth.counts[kFfma];
}

// Counts of each kind and FLOP of each precision, as members of an object.
inline std::string CountsJson(const Truth& truth) {
  const auto* n = truth.counts;
  std::ostringstream json;
  for (int kind = 0; kind < kKinds; ++kind)
    json << "\"" << kKindNames[kind] << "\": " << n[kind] << ", ";
  json << "\"flop_fp32\": " << Fp32Flop(truth)
       << ", \"flop_fp64\": " << n[kDadd] + n[kDmul] + 2 * n[kDfma]
       << ", \"flop_fp16\": " << kHalvesPerWord * (n[kHadd] + n[kHmul] + 2 * n[kHfma]);
  return json.str();
}

// Bytes where they are claimed, else null.
inline std::string DramBytesJson(const Truth& truth, bool read_claimed, bool write_claimed) {
  const auto claim = [](bool claimed, unsigned long long bytes) {
    return claimed ? std::to_string(bytes) : std::string("null");
  };
  return "{\"read\": " + claim(read_claimed, truth.read_bytes) +
         ", \"write\": " + claim(write_claimed, truth.write_bytes) + "}";
}

// To the file, or to standard output where `path` is empty; exits with 1 where
// that cannot be.
inline void WriteText(const std::string& text, const std::string& path) {
  if (path.empty()) {
    std::fputs(text.c_str(), stdout);
    return;
  }
  FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr || std::fputs(text.c_str(), file) < 0 || std::fclose(file) != 0) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

}  // namespace rafter
