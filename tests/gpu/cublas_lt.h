// CublasLt is cuBLASLt, opened at run time: no program of this folder needs it to
// start.
//
//   Threads   one.
//   Blocking  OpenCublasLt loads some hundred MB.
//   Memory    the library stays open.
//   Lifetime  functions only.
#pragma once

#include <cublasLt.h>

#include <string>

namespace rafter {

// Bytes of device memory that a product may use besides its matrices.
inline constexpr size_t kCublasWorkspaceBytes = size_t{64} << 20;

// The functions of cuBLASLt that are called, by name.
struct CublasLt {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) operation_create = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
};

// Exits with kExitNoDevice where there is no cuBLASLt.
CublasLt OpenCublasLt();

// Exits with a message when `status` is not success.
void CheckCublas(cublasStatus_t status, const std::string& what);

// Types of a product of square matrices.
struct CublasFormat {
  const char* name;
  cudaDataType_t input;
  cudaDataType_t output;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

// A product in one format, ready to run: C = A^T B.
struct CublasProduct {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t input = nullptr;
  cublasLtMatrixLayout_t output = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
};

// False, and a line, where cuBLASLt has no way to do it on this device.
bool PrepareProduct(const CublasLt& cublas, cublasLtHandle_t handle, const CublasFormat& format,
                    unsigned long long size, CublasProduct& product);

}  // namespace rafter
