// DriverProbe asks the CUDA driver for its version and devices, in a process of
// its own and without CUDA's headers.
//
//   Threads   one.
//   Blocking  until the driver has answered, at most kProbeDeadline_s.
//   Memory    returns values.
//   Lifetime  nothing of the driver stays in this process.
#pragma once

#include <string>
#include <vector>

namespace rafter {

struct DriverDevice {
  std::string name;
  std::string uuid;  // "GPU-xxxxxxxx-..."
  int compute_major = 0;
  int compute_minor = 0;
};

struct DriverAnswer {
  bool loaded = false;       // libcuda.so.1 could be opened
  std::string path;          // the file
  int cuda_version = 0;      // cuDriverGetVersion, 13000 = CUDA 13.0
  bool initialised = false;  // cuInit worked
  std::vector<DriverDevice> devices;
  std::string trouble;  // why any of this is missing, or empty
};

DriverAnswer ProbeDriver();

// "580.65.06" from /proc/driver/nvidia/version, or empty.
std::string KernelModuleVersion();

}  // namespace rafter
