#include "tests/gpu/cublas_lt.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/gpu/cuda_check.h"

namespace rafter {
namespace {

template <typename Function>
void Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    std::fprintf(stderr, "libcublasLt has no %s\n", name);
    std::exit(1);
  }
}

}  // namespace

void CheckCublas(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s failed: cuBLAS status %d\n", what.c_str(), static_cast<int>(status));
  std::exit(1);
}

CublasLt OpenCublasLt() {
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
  CublasLt cublas;
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

bool PrepareProduct(const CublasLt& cublas, cublasLtHandle_t handle, const CublasFormat& format,
                    unsigned long long size, CublasProduct& product) {
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
                                    &kCublasWorkspaceBytes, sizeof(kCublasWorkspaceBytes)),
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

}  // namespace rafter
