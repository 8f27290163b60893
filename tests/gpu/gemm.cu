// rafter-gemm multiplies matrices with cuBLASLt in each format that tensor
// cores know, one region for each, and prints 2MNK. libcublasLt is opened at run
// time.
#include <cublasLt.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

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
constexpr size_t kWorkspaceBytes = size_t{64} << 20;
constexpr size_t kGreatestElementBytes = 8;

struct Format {
  const char* name;  // also of the region
  cudaDataType_t input;
  cudaDataType_t output;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

constexpr Format kFormats[] = {
    {"fp64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F},
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {"fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {"int8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I},
};

// The functions of cuBLASLt that are called, by name.
struct Cublas {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) operation_create = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
};

void CheckCublas(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s failed: cuBLAS status %d\n", what.c_str(), static_cast<int>(status));
  std::exit(1);
}

template <typename Function>
void Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    std::fprintf(stderr, "libcublasLt has no %s\n", name);
    std::exit(1);
  }
}

// Exits with 77 where there is no cuBLASLt.
Cublas OpenCublas() {
  void* library = nullptr;
  std::string why;
  for (const char* name : {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13",
                           "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.12"}) {
    if (library != nullptr) break;
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) why = dlerror();
  }
  if (library == nullptr) {
    std::fprintf(stderr, "no cuBLASLt: %s\n", why.c_str());
    std::exit(kExitNoDevice);
  }
  Cublas cublas;
  Find(library, "cublasLtCreate", cublas.create);
  Find(library, "cublasLtMatmul", cublas.matmul);
  Find(library, "cublasLtMatmulDescCreate", cublas.operation_create);
  Find(library, "cublasLtMatmulDescSetAttribute", cublas.operation_set);
  Find(library, "cublasLtMatrixLayoutCreate", cublas.layout_create);
  Find(library, "cublasLtMatmulPreferenceCreate", cublas.preference_create);
  Find(library, "cublasLtMatmulPreferenceSetAttribute", cublas.preference_set);
  Find(library, "cublasLtMatmulAlgoGetHeuristic", cublas.heuristic);
  return cublas;
}

struct Memory {
  void* a = nullptr;
  void* b = nullptr;
  void* c = nullptr;
  void* workspace = nullptr;
};

// A product in one format, ready to run.
struct Product {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t input = nullptr;
  cublasLtMatrixLayout_t output = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
};

// False where cuBLASLt has no way to do it on this device.
bool Prepare(const Cublas& cublas, cublasLtHandle_t handle, const Format& format,
             unsigned long long size, Product& product) {
  const cublasOperation_t transposed = CUBLAS_OP_T;  // FP8 and INT8 have no other way
  cublasLtMatmulPreference_t preference = nullptr;
  CheckCublas(cublas.operation_create(&product.operation, format.compute, format.scale),
              "cublasLtMatmulDescCreate");
  CheckCublas(cublas.operation_set(product.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                   sizeof(transposed)),
              "cublasLtMatmulDescSetAttribute");
  const auto ld = static_cast<int64_t>(size);
  CheckCublas(cublas.layout_create(&product.input, format.input, size, size, ld),
              "cublasLtMatrixLayoutCreate");
  CheckCublas(cublas.layout_create(&product.output, format.output, size, size, ld),
              "cublasLtMatrixLayoutCreate");
  CheckCublas(cublas.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
  CheckCublas(cublas.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                    &kWorkspaceBytes, sizeof(kWorkspaceBytes)),
              "cublasLtMatmulPreferenceSetAttribute");
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status =
      cublas.heuristic(handle, product.operation, product.input, product.input, product.output,
                       product.output, preference, 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS || count == 0) {
    std::fprintf(stderr, "cuBLASLt has no %s product here (status %d); left out\n", format.name,
                 static_cast<int>(status));
    return false;
  }
  product.algorithm = found.algo;
  return true;
}

void Run(const Cublas& cublas, cublasLtHandle_t handle, const Format& format,
         const Product& product, const Memory& memory) {
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
                    &product.algorithm, memory.workspace, kWorkspaceBytes, nullptr),
      std::string("cublasLtMatmul in ") + format.name);
}

Memory Allocate(unsigned long long size) {
  Memory memory;
  const size_t bytes = size * size * kGreatestElementBytes;
  Check(cudaMalloc(&memory.a, bytes), "allocating A");
  Check(cudaMalloc(&memory.b, bytes), "allocating B");
  Check(cudaMalloc(&memory.c, bytes), "allocating C");
  Check(cudaMalloc(&memory.workspace, kWorkspaceBytes), "allocating a workspace");
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
  const Cublas cublas = OpenCublas();
  cublasLtHandle_t handle = nullptr;
  CheckCublas(cublas.create(&handle), "cublasLtCreate");
  const Memory memory = Allocate(size);
  std::ostringstream json;
  json << "{\"program\": \"rafter-gemm\", \"pid\": " << getpid() << ", \"device\": \""
       << device.name << "\", \"formats\": [";
  const char* separator = "\n  ";
  for (const Format& format : kFormats) {
    Product product;
    if (!IsWanted(only, format.name)) continue;
    if (!Prepare(cublas, handle, format, size, product)) continue;
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
