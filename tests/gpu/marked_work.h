// MarkedWork does units of known work and adds up what each region did, for programs
// whose regions do not come from Tally. check_markers.py reads what it writes.
//
//   Threads   Do: any, one at a time. The rest: one.
//   Blocking  Prepare and Finish wait for the device.
//   Memory    two buffers of 1 GiB on the device, until the process ends.
//   Lifetime  until the program has written its truth.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/truth.h"

namespace rafter {

class MarkedWork {
 public:
  // One unit, as in shared/data/likwid: 2^19 FADD, 2^18 FMUL, 2^20 FFMA thread
  // instructions, and 2^26 bytes of DRAM traffic, half of them read.
  static constexpr int kFaddBlocks = 32;
  static constexpr int kFmulBlocks = 16;
  static constexpr int kFfmaBlocks = 64;
  static constexpr size_t kCopyBytes = size_t{32} << 20;
  static constexpr int kUnitsPerCopy = 32;
  static constexpr int kCopyBlocks = 1056;

  void Prepare() {
    Check(cudaMalloc(&scratch_, ArithmeticBytes(kFfmaBlocks)), "allocating");
    Check(cudaMalloc(&source_, kUnitsPerCopy * kCopyBytes), "allocating");
    Check(cudaMalloc(&target_, kUnitsPerCopy * kCopyBytes), "allocating");
    Check(cudaMemset(source_, 1, kUnitsPerCopy * kCopyBytes), "filling");
    Check(cudaDeviceSynchronize(), "filling");
  }

  // Launches `units` of work, and counts it to these regions. Nothing is waited for.
  void Do(int units, const std::vector<std::string>& regions) {
    for (const std::string& region : regions) places_[region].units += units;
    if (units == 0) return;
    LaunchArithmetic(kFadd, scratch_, kFaddBlocks, units, nullptr);
    LaunchArithmetic(kFmul, scratch_, kFmulBlocks, units, nullptr);
    LaunchArithmetic(kFfma, scratch_, kFfmaBlocks, units, nullptr);
    for (int left = units; left > 0; left -= kUnitsPerCopy) {
      const auto now = static_cast<size_t>(left < kUnitsPerCopy ? left : kUnitsPerCopy);
      LaunchCopy(target_, source_, now * kCopyBytes, kCopyBlocks, nullptr);
    }
  }

  void Call(const std::string& region) { ++places_[region].calls; }
  // LIKWID does not see what is marked on another thread.
  void OnOtherThread(const std::string& region) { places_[region].other_thread = true; }

  std::string ToJson(const std::string& program, const cudaDeviceProp& device) const {
    std::ostringstream json;
    json << "{\"program\": \"" << program << "\", \"device\": \"" << device.name
         << "\", \"regions\": [";
    const char* separator = "\n  ";
    for (const auto& [name, place] : places_) {
      const auto units = static_cast<unsigned long long>(place.units);
      json << separator << "{\"region\": \"" << name << "\", \"calls\": " << place.calls
           << ", \"units\": " << units << ", \"fadd\": " << units * ArithmeticCount(kFaddBlocks, 1)
           << ", \"fmul\": " << units * ArithmeticCount(kFmulBlocks, 1)
           << ", \"ffma\": " << units * ArithmeticCount(kFfmaBlocks, 1)
           << ", \"dram_bytes\": " << units * 2 * kCopyBytes
           << ", \"other_thread\": " << (place.other_thread ? "true" : "false") << "}";
      separator = ",\n  ";
    }
    json << "]}\n";
    return json.str();
  }

 private:
  struct Place {
    int units = 0;
    int calls = 0;
    bool other_thread = false;
  };
  std::map<std::string, Place> places_;
  void* scratch_ = nullptr;
  void* source_ = nullptr;
  void* target_ = nullptr;
};

}  // namespace rafter
