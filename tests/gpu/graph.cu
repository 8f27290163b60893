// rafter-graph launches a CUDA graph of three FFMA kernels in a region `graph`.
// Prints a truth like rafter-fixture's, for check_truth.py.
#include <cstdio>
#include <string>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/known_work.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-graph [options]\n"
    "  --instances N    graph launches, each in a region `graph` (default 20)\n"
    "  --truth FILE     writes the truth there instead of to standard output\n";
constexpr int kNodes = 3;
constexpr int kBlocks = 132;
constexpr int kRounds = 64;

cudaGraphExec_t Capture(cudaStream_t stream, void* scratch) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "beginning a capture");
  for (int node = 0; node < kNodes; ++node) {
    LaunchArithmetic(kFfma, scratch, kBlocks, kRounds, stream);
  }
  Check(cudaStreamEndCapture(stream, &graph), "ending a capture");
  Check(cudaGraphInstantiate(&executable, graph, 0), "instantiating a graph");
  Check(cudaGraphDestroy(graph), "destroying a graph");
  return executable;
}

int Main(int argc, char** argv) {
  unsigned long long instances = 20;
  std::string truth_file;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--instances")) {
      instances = options.Number();
    } else if (options.Is("--truth")) {
      truth_file = options.Value();
    } else {
      options.Unknown();
    }
  }
  const cudaDeviceProp device = RequireDevice();
  cudaStream_t stream = nullptr;
  void* scratch = nullptr;
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  Check(cudaMalloc(&scratch, ArithmeticBytes(kBlocks)), "allocating");
  const cudaGraphExec_t graph = Capture(stream, scratch);
  for (unsigned long long i = 0; i < instances; ++i) {
    Region region("graph");
    Check(cudaGraphLaunch(graph, stream), "launching a graph");
    Check(cudaStreamSynchronize(stream), "waiting for a graph");
  }
  FILE* const file = truth_file.empty() ? stdout : std::fopen(truth_file.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", truth_file.c_str());
    return 1;
  }
  const unsigned long long ffma = kNodes * ArithmeticCount(kBlocks, kRounds);
  // How many launches a graph counts as is the reader's convention: not claimed.
  std::fprintf(
      file,
      "{\"program\": \"rafter-graph\", \"device\": \"%s\", \"counts_checked\": %s, "
      "\"regions\": [{\"region\": \"graph\", \"description\": \"a graph of %d kernels\", "
      "\"instances\": %llu, \"per_instance\": {\"launches\": null, \"fadd\": 0, \"fmul\": 0, "
      "\"ffma\": %llu, \"dadd\": 0, \"dmul\": 0, \"dfma\": 0, \"hadd\": 0, \"hmul\": 0, "
      "\"hfma\": 0, \"flop_fp32\": %llu, \"flop_fp64\": 0, \"flop_fp16\": 0, "
      "\"dram_bytes\": {\"read\": null, \"write\": null}}}]}\n",
      device.name, device.major == 9 ? "true" : "false", kNodes, instances, ffma, 2 * ffma);
  if (file != stdout) std::fclose(file);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
