// rafter-border-cost measures what a region border costs: on the host, per push
// and pop, and on the device, per region, for empty regions and for regions with
// one kernel of a known length. Prints JSON. Run it uncounted and counted; the
// difference is the cost of counting.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/nvmarkers.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-border-cost [options]\n"
    "  --regions N     regions of each kind (default 200)\n"
    "  --warmup N      uncounted-for regions of each kind before (default 20)\n"
    "  --kernel-us N   length of the kernel (default 10)\n"
    "  --through WAY   nvtx, or nvmarker: LIKWID's functions (default nvtx)\n"
    "  --seconds N     goes on until N seconds have passed too (default 0)\n"
    "  --label TEXT    repeated in the output\n";

using Clock = std::chrono::steady_clock;

double Nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// Times of the borders of one kind of region.
struct Borders {
  std::vector<double> push_ns;
  std::vector<double> pop_ns;
  double device_ns_per_region = 0;  // by events around the whole loop
  double host_ns_per_region = 0;    // the loop's wall time, its end waited for
};

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double last = static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(share * last + 0.5)];
}

struct Plan {
  size_t regions = 200;
  size_t warmup = 20;
  unsigned long long kernel_us = 10;
  double seconds = 0;
  bool launch = false;
  NvMarkers markers;  // found: regions go through these
};

void Push(const NvMarkers& markers, const char* name) {
  if (markers.found()) {
    markers.start(name);
  } else {
    nvtxRangePushA(name);
  }
}

void Pop(const NvMarkers& markers, const char* name) {
  if (markers.found()) {
    markers.stop(name);
  } else {
    nvtxRangePop();
  }
}

// Measures `plan.regions` regions called `name`; marks none when `name` is null.
Borders Measure(const char* name, const Plan& plan, cudaEvent_t first, cudaEvent_t last) {
  Borders borders;
  borders.push_ns.reserve(plan.regions);
  borders.pop_ns.reserve(plan.regions);
  size_t done = 0;
  Check(cudaEventRecord(first), "recording an event");
  const auto start = Clock::now();
  const auto until = start + std::chrono::duration<double>(plan.seconds);
  for (; done < plan.regions || Clock::now() < until; ++done) {
    const auto before = Clock::now();
    if (name != nullptr) Push(plan.markers, name);
    const auto pushed = Clock::now();
    if (plan.launch) LaunchSpin(plan.kernel_us * 1000, nullptr);
    const auto launched = Clock::now();
    if (name != nullptr) Pop(plan.markers, name);
    const auto popped = Clock::now();
    borders.push_ns.push_back(Nanoseconds(pushed - before));
    borders.pop_ns.push_back(Nanoseconds(popped - launched));
  }
  Check(cudaEventRecord(last), "recording an event");
  Check(cudaEventSynchronize(last), "waiting for the loop");
  borders.host_ns_per_region = Nanoseconds(Clock::now() - start) / static_cast<double>(done);
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, first, last), "reading events");
  borders.device_ns_per_region =
      static_cast<double>(milliseconds) * 1e6 / static_cast<double>(done);
  return borders;
}

void Print(const char* kind, const Borders& borders, bool last) {
  std::printf(
      "  \"%s\": {\"regions\": %zu, \"push_ns\": {\"mean\": %.1f, \"median\": %.1f, \"p99\": "
      "%.1f}, "
      "\"pop_ns\": {\"mean\": %.1f, \"median\": %.1f, \"p99\": %.1f}, "
      "\"device_ns_per_region\": %.1f, \"host_ns_per_region\": %.1f}%s\n",
      kind, borders.push_ns.size(), Mean(borders.push_ns), Quantile(borders.push_ns, 0.5),
      Quantile(borders.push_ns, 0.99), Mean(borders.pop_ns), Quantile(borders.pop_ns, 0.5),
      Quantile(borders.pop_ns, 0.99), borders.device_ns_per_region, borders.host_ns_per_region,
      last ? "" : ",");
}

int Main(int argc, char** argv) {
  Plan plan;
  std::string label;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--regions")) {
      plan.regions = options.Number();
    } else if (options.Is("--warmup")) {
      plan.warmup = options.Number();
    } else if (options.Is("--kernel-us")) {
      plan.kernel_us = options.Number();
    } else if (options.Is("--through")) {
      const std::string way = options.Value();
      if (way == "nvmarker") plan.markers = NvMarkers::Require();
    } else if (options.Is("--seconds")) {
      plan.seconds = static_cast<double>(options.Number());
    } else if (options.Is("--label")) {
      label = options.Value();
    } else {
      options.Unknown();
    }
  }
  const cudaDeviceProp device = RequireDevice();
  if (plan.markers.found()) plan.markers.init();
  cudaEvent_t first = nullptr;
  cudaEvent_t last = nullptr;
  Check(cudaEventCreate(&first), "creating an event");
  Check(cudaEventCreate(&last), "creating an event");

  // The first Start of a counting session takes a quarter of a second: not ours.
  Plan warmup = plan;
  warmup.regions = plan.warmup;
  warmup.seconds = 0;
  Measure("empty", warmup, first, last);
  warmup.launch = true;
  Measure("kernel", warmup, first, last);

  const Borders empty = Measure("empty", plan, first, last);
  plan.launch = true;
  const Borders unmarked = Measure(nullptr, plan, first, last);
  const Borders kernel = Measure("kernel", plan, first, last);

  std::printf(
      "{\n  \"program\": \"rafter-border-cost\", \"device\": \"%s\", \"label\": \"%s\", "
      "\"kernel_us\": %llu,\n",
      device.name, label.c_str(), plan.kernel_us);
  Print("empty", empty, false);
  Print("kernel", kernel, false);
  Print("kernel_unmarked", unmarked, true);
  std::printf("}\n");
  if (plan.markers.found()) plan.markers.close();
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
