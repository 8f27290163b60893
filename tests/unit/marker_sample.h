// MarkerSample are marker files that LIKWID 5.5.1 wrote on an H200
// (tests/unit/data, from shared/data/likwid, where their truth is told).
//
//   Threads   one.
//   Blocking  reads files.
//   Memory    returns values.
//   Lifetime  plain values.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collector/ingest/marker_file.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {

inline constexpr char kFaddEvent[] = "SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM";
inline constexpr char kFmulEvent[] = "SMSP_SASS_THREAD_INST_EXECUTED_OP_FMUL_PRED_ON_SUM";
inline constexpr char kFfmaEvent[] = "SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM";
inline constexpr char kDramEvent[] = "DRAM_BYTES_SUM";

using EventNames = std::vector<std::vector<std::string>>;

inline EventNames FpEvents() { return {{kFaddEvent, kFmulEvent, kFfmaEvent}}; }
inline EventNames MemEvents() { return {{kDramEvent}}; }
inline EventNames TwoEvents() { return {{kFaddEvent, kFmulEvent, kFfmaEvent}, {kDramEvent}}; }

inline std::string SamplePath(const std::string& name) {
  return RAFTER_SOURCE_DIR "/tests/unit/data/stock-marker-" + name + ".marker";
}

inline MarkerFile Sample(const std::string& name, const EventNames& events) {
  auto file = ParseMarkerFile(ReadFile(SamplePath(name)), name + ".marker", events);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : MarkerFile();
}

}  // namespace rafter
