// rafter-gemm multiplies matrices with cuBLASLt in each format that tensor
// cores know, one region for each, and prints 2MNK. libcublasLt is opened at run
// time.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/gpu/cublas_lt.h"
#include "tests/gpu/cuda_check.h"
#include "tests/gpu/options.h"
#include "tests/gpu/region.h"
#include "tests/gpu/truth.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-gemm [options]\n"
    "  --size N         rows and columns of all matrices (default 4096)\n"
    "  --instances N    products in each format (default 24)\n"
    "  --only A,...     these formats only\n"
    "  --truth FILE     writes the truth there instead of to standard output\n";
constexpr size_t kGreatestElementBytes = 8;

// The name is also that of the region.
constexpr CublasFormat kFormats[] = {
    {"fp64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F},
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {"fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {"int8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I},
};

struct Memory {
  void* a = nullptr;
  void* b = nullptr;
  void* c = nullptr;
  void* workspace = nullptr;
};

void Run(const CublasLt& cublas, cublasLtHandle_t handle, const CublasFormat& format,
         const CublasProduct& product, const Memory& memory) {
  const double one_double = 1;
  const double zero_double = 0;
  const float one_float = 1;
  const int one_int = 1;
  const void* alpha = &one_float;
  if (format.scale == CUDA_R_64F) alpha = &one_double;
  if (format.scale == CUDA_R_32I) alpha = &one_int;
  // All bits zero is 0 in each of the three types.
  CheckCublas(
      cublas.matmul(handle, product.operation, alpha, memory.a, product.input, memory.b,
                    product.input, &zero_double, memory.c, product.output, memory.c, product.output,
                    &product.algorithm, memory.workspace, kCublasWorkspaceBytes, nullptr),
      std::string("cublasLtMatmul in ") + format.name);
}

Memory Allocate(unsigned long long size) {
  Memory memory;
  const size_t bytes = size * size * kGreatestElementBytes;
  Check(cudaMalloc(&memory.a, bytes), "allocating A");
  Check(cudaMalloc(&memory.b, bytes), "allocating B");
  Check(cudaMalloc(&memory.c, bytes), "allocating C");
  Check(cudaMalloc(&memory.workspace, kCublasWorkspaceBytes), "allocating a workspace");
  // 0x01 everywhere is a small number in every format.
  Check(cudaMemset(memory.a, 1, bytes), "filling A");
  Check(cudaMemset(memory.b, 1, bytes), "filling B");
  return memory;
}

bool IsWanted(const std::string& only, const std::string& name) {
  return only.empty() || ("," + only + ",").find("," + name + ",") != std::string::npos;
}

int Main(int argc, char** argv) {
  unsigned long long size = 4096;
  unsigned long long instances = 24;
  std::string only;
  std::string truth_file;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--size")) {
      size = options.Number();
    } else if (options.Is("--instances")) {
      instances = options.Number();
    } else if (options.Is("--only")) {
      only = options.Value();
    } else if (options.Is("--truth")) {
      truth_file = options.Value();
    } else {
      options.Unknown();
    }
  }
  const cudaDeviceProp device = RequireDevice();
  const CublasLt cublas = OpenCublasLt();
  cublasLtHandle_t handle = nullptr;
  CheckCublas(cublas.create(&handle), "cublasLtCreate");
  const Memory memory = Allocate(size);
  std::ostringstream json;
  json << "{\"program\": \"rafter-gemm\", \"pid\": " << getpid() << ", \"device\": \""
       << device.name << "\", \"formats\": [";
  const char* separator = "\n  ";
  for (const CublasFormat& format : kFormats) {
    CublasProduct product;
    if (!IsWanted(only, format.name)) continue;
    if (!PrepareProduct(cublas, handle, format, size, product)) continue;
    Run(cublas, handle, format, product, memory);  // loads the kernel
    Check(cudaDeviceSynchronize(), "warming up");
    for (unsigned long long i = 0; i < instances; ++i) {
      Region region(format.name);
      Run(cublas, handle, format, product, memory);
    }
    Check(cudaDeviceSynchronize(), "waiting for the products");
    json << separator << "{\"format\": \"" << format.name << "\", \"instances\": " << instances
         << ", \"operations\": " << 2 * size * size * size << "}";
    separator = ",\n  ";
  }
  json << "\n]}\n";
  WriteText(json.str(), truth_file);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
