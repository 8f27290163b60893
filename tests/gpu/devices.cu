// rafter-devices works on several devices, or in several contexts of one, and
// prints a truth like rafter-cases' with a row for each device.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/driver_calls.h"
#include "tests/gpu/options.h"
#include "tests/gpu/tally.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-devices --mode MODE [options]\n"
    "  --mode threads     a thread for each of two devices, at the same time\n"
    "  --mode alternate   one thread that goes from device to device, a region on each\n"
    "  --mode both        one region that launches on both devices\n"
    "  --mode contexts    two contexts on device 0, regions in turn\n"
    "  --instances N      passes through each region (default 40)\n"
    "  --truth FILE       writes the truth there instead of to standard output\n";
constexpr int kDevices = 2;

struct Settings {
  std::string mode;
  unsigned long long instances = 40;
  std::string truth_file;
};

// "GPU-5aa2...", as in Rafter's tables.
std::string Uuid(int device) {
  cudaDeviceProp properties{};
  Check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::string text = "GPU";
  for (size_t i = 0; i < sizeof(properties.uuid.bytes); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(properties.uuid.bytes[i])));
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += "-";
    text += digits;
  }
  return text;
}

int Rounds(int device) { return 32 * (device + 1); }

void WorkOn(int device, unsigned long long instances, Tally& tally) {
  Check(cudaSetDevice(device), "cudaSetDevice");
  tally.Prepare();
  tally.OnDevice(Uuid(device));
  for (unsigned long long i = 0; i < instances; ++i) {
    tally.Open("device " + std::to_string(device));
    // `flop` may be left out where a process uses more than one device, since
    // kernels of one may wait for the other; the row must say so then.
    tally.Claim(FlopClaim::kHonest, "");
    tally.Launch(kFfma, Rounds(device));
    Check(cudaDeviceSynchronize(), "waiting for a device");
    tally.Close();
  }
}

void Threads(const Settings& settings, Tally& tally) {
  Tally tallies[kDevices];
  std::vector<std::thread> threads;
  for (int device = 0; device < kDevices; ++device) {
    threads.emplace_back(WorkOn, device, settings.instances, std::ref(tallies[device]));
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tally& each : tallies) tally.Merge(each);
}

void Alternate(const Settings& settings, Tally& tally) {
  Tally tallies[kDevices];
  for (int device = 0; device < kDevices; ++device) {
    Check(cudaSetDevice(device), "cudaSetDevice");
    tallies[device].Prepare();
    tallies[device].OnDevice(Uuid(device));
  }
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    for (int device = 0; device < kDevices; ++device) {
      Check(cudaSetDevice(device), "cudaSetDevice");
      tallies[device].Open("device " + std::to_string(device));
      tallies[device].Claim(FlopClaim::kHonest, "");
      tallies[device].Launch(kFfma, Rounds(device));
      tallies[device].Close();
    }
  }
  for (const Tally& each : tallies) tally.Merge(each);
}

void Both(const Settings& settings, Tally& tally) {
  void* scratch[kDevices] = {};
  std::string uuids[kDevices];
  for (int device = 0; device < kDevices; ++device) {
    Check(cudaSetDevice(device), "cudaSetDevice");
    Check(cudaMalloc(&scratch[device], ArithmeticBytes(kTallyBlocks)), "allocating");
    uuids[device] = Uuid(device);
  }
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    for (int device = 0; device < kDevices; ++device) {
      Check(cudaSetDevice(device), "cudaSetDevice");
      if (device == 0) {
        tally.OnDevice(uuids[device]);
        tally.Open("both");
      } else {
        tally.AlsoOnDevice(uuids[device]);
      }
      tally.Claim(FlopClaim::kHonest, "");
      tally.DoNotClaimLaunches();  // seen by region, not by device
      LaunchArithmetic(kFfma, scratch[device], kTallyBlocks, Rounds(device), nullptr);
      tally.Note(Tally::Arithmetic(kFfma, Rounds(device)));
    }
    tally.Close();
    for (int device = 0; device < kDevices; ++device) {
      Check(cudaSetDevice(device), "cudaSetDevice");
      Check(cudaDeviceSynchronize(), "waiting for a device");
    }
  }
}

// Contexts of one device take turns; every set must reach each of them.
void Contexts(const Settings& settings, Tally& tally) {
  constexpr int kContexts = 2;
  const DriverCalls driver = FindDriverCalls();
  CUcontext contexts[kContexts] = {};
  Tally tallies[kContexts];
  for (int i = 0; i < kContexts; ++i) {
    CheckDriver(driver.context_create(&contexts[i], 0, 0), "cuCtxCreate");
    tallies[i].Prepare();
  }
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    for (int context = 0; context < kContexts; ++context) {
      CheckDriver(driver.context_set(contexts[context]), "cuCtxSetCurrent");
      tallies[context].Open("context " + std::to_string(context));
      tallies[context].Launch(kFfma, Rounds(context));
      tallies[context].Close();
      Check(cudaDeviceSynchronize(), "waiting for a context");
    }
  }
  for (const Tally& each : tallies) tally.Merge(each);
  CheckDriver(driver.context_destroy(contexts[0]), "cuCtxDestroy");
}

Settings Parse(int argc, char** argv) {
  Settings settings;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--mode")) {
      settings.mode = options.Value();
    } else if (options.Is("--instances")) {
      settings.instances = options.Number();
    } else if (options.Is("--truth")) {
      settings.truth_file = options.Value();
    } else {
      options.Unknown();
    }
  }
  return settings;
}

int Main(int argc, char** argv) {
  const Settings settings = Parse(argc, argv);
  const cudaDeviceProp device = RequireDevice();
  int devices = 0;
  Check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  if (settings.mode != "contexts" && devices < kDevices) {
    std::fprintf(stderr, "one CUDA device; --mode %s needs two\n", settings.mode.c_str());
    return kExitNoDevice;
  }
  Tally tally;
  if (settings.mode == "threads") {
    Threads(settings, tally);
  } else if (settings.mode == "alternate") {
    Alternate(settings, tally);
  } else if (settings.mode == "both") {
    Both(settings, tally);
  } else if (settings.mode == "contexts") {
    Contexts(settings, tally);
  } else {
    std::fprintf(stderr, "--mode \"%s\" is not a mode\n%s", settings.mode.c_str(), kUsage);
    return 2;
  }
  WriteText(tally.ToJson("rafter-devices", device, ""), settings.truth_file);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
