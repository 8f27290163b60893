// Cases of known traffic between the device and its memory.
#include "tests/gpu/cases.h"
#include "tests/gpu/cuda_check.h"

namespace rafter {
namespace {

constexpr size_t kGiB = size_t{1} << 30;
constexpr size_t kHostBytes = size_t{512} << 20;

// A hundred times the L2, so that what stays there at a border is under 1 %.
size_t BufferBytes() {
  cudaDeviceProp device{};
  Check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  const size_t least = size_t{100} * static_cast<size_t>(device.l2CacheSize);
  return (least + kGiB - 1) / kGiB * kGiB;
}

Truth Bytes(unsigned long long read, unsigned long long write) {
  Truth work;
  work.traffic_known = true;
  work.read_bytes = read;
  work.write_bytes = write;
  return work;
}

// In this order each region takes over what the one before left changed in the
// L2, as much as it leaves itself; `d2h` comes last and claims no writes.
std::string Copies(const CaseSettings& settings, Tally& tally) {
  const size_t bytes = BufferBytes();
  char* source = nullptr;
  char* target = nullptr;
  void* host = nullptr;
  Check(cudaMalloc(&source, bytes), "allocating the source");
  Check(cudaMalloc(&target, bytes), "allocating the target");
  Check(cudaMallocHost(&host, kHostBytes), "allocating host memory");
  const auto open = [&tally](const char* name, bool read, bool write) {
    tally.Open(name);
    tally.DoNotClaimLaunches();  // the driver may copy with kernels of its own
    tally.ClaimTraffic(read, write);
  };
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    open("memset", false, true);
    Check(cudaMemsetAsync(source, 1, bytes), "setting memory");
    tally.Note(Bytes(0, bytes));
    tally.Close();
    open("h2d", false, true);
    for (size_t at = 0; at < bytes; at += kHostBytes) {
      Check(cudaMemcpyAsync(source + at, host, kHostBytes, cudaMemcpyHostToDevice), "copying in");
    }
    tally.Note(Bytes(0, bytes));
    tally.Close();
    open("d2d", true, true);
    Check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice), "copying");
    tally.Note(Bytes(bytes, bytes));
    tally.Close();
    open("d2h", true, false);
    for (size_t at = 0; at < bytes; at += kHostBytes) {
      Check(cudaMemcpyAsync(host, target + at, kHostBytes, cudaMemcpyDeviceToHost), "copying out");
    }
    tally.Note(Bytes(bytes, 0));
    tally.Close();
  }
  return "";
}

cudaGraphExec_t CaptureCopy(cudaStream_t stream, void* target, const void* source, size_t bytes) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "beginning a capture");
  LaunchCopy(target, source, bytes, 8 * kTallyBlocks, stream);
  LaunchCopy(target, source, bytes, 8 * kTallyBlocks, stream);
  Check(cudaStreamEndCapture(stream, &graph), "ending a capture");
  Check(cudaGraphInstantiate(&executable, graph, 0), "instantiating a graph");
  Check(cudaGraphDestroy(graph), "destroying a graph");
  return executable;
}

// A graph of two copies, launched in a nested region: its bytes are counted,
// FLOP are missing with the reason, since `flop` cannot see into graphs.
std::string Graph(const CaseSettings& settings, Tally& tally) {
  tally.Prepare();
  const size_t bytes = BufferBytes();
  void* source = nullptr;
  void* target = nullptr;
  cudaStream_t stream = nullptr;
  Check(cudaMalloc(&source, bytes), "allocating the source");
  Check(cudaMalloc(&target, bytes), "allocating the target");
  Check(cudaMemset(source, 0, bytes), "clearing the source");
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  const cudaGraphExec_t graph = CaptureCopy(stream, target, source, bytes);
  for (unsigned long long i = 0; i < settings.instances; ++i) {
    tally.Open("around");
    tally.Claim(FlopClaim::kMissing, "graph");
    tally.DoNotClaimLaunches();  // how many a graph counts as is the reader's convention
    tally.Open("graph");
    tally.Claim(FlopClaim::kMissing, "graph");
    tally.DoNotClaimLaunches();
    tally.ClaimTraffic(true, true);
    Check(cudaGraphLaunch(graph, stream), "launching a graph");
    tally.Note(Bytes(2 * bytes, 2 * bytes));
    tally.Close();
    tally.Close();
    tally.Open("plain");
    tally.Claim(FlopClaim::kHonest, "");
    tally.Launch(kFfma, 32, stream);
    tally.Close();
    Check(cudaStreamSynchronize(stream), "waiting for a graph");
  }
  return "";
}

}  // namespace

std::vector<Case> TrafficCases() {
  return {
      {"copies", "memsets and copies to, on and from the device", Copies},
      {"graph", "a CUDA graph launched in a nested region", Graph},
  };
}

}  // namespace rafter
