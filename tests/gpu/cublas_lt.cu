#include "tests/gpu/cublas_lt.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/library_function.h"

namespace rafter {
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
  FindFunction(library, "libcublasLt", "cublasLtCreate", cublas.create);
  FindFunction(library, "libcublasLt", "cublasLtMatmul", cublas.matmul);
  FindFunction(library, "libcublasLt", "cublasLtMatmulDescCreate", cublas.operation_create);
  FindFunction(library, "libcublasLt", "cublasLtMatmulDescSetAttribute", cublas.operation_set);
  FindFunction(library, "libcublasLt", "cublasLtMatrixLayoutCreate", cublas.layout_create);
  FindFunction(library, "libcublasLt", "cublasLtMatmulPreferenceCreate", cublas.preference_create);
  FindFunction(library, "libcublasLt", "cublasLtMatmulPreferenceSetAttribute",
               cublas.preference_set);
  FindFunction(library, "libcublasLt", "cublasLtMatmulAlgoGetHeuristic", cublas.heuristic);
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
