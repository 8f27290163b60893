// rafter-matmul-cublas multiplies matrices with cuBLASLt in FP32, without tensor
// cores, as a program of Google Benchmark.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tests/gpu/cublas_lt.h"
#include "tests/gpu/device_matrices.h"
#include "tests/gpu/matmul_bench.h"

namespace rafter {
namespace {

constexpr CublasFormat kFp32 = {"fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC,
                                CUDA_R_32F};

class CublasMultiplier : public Multiplier {
 public:
  void Prepare(int size) override {
    if (handle_ == nullptr) Start();
    matrices_ = std::make_unique<DeviceMatrices>(size);
    if (!PrepareProduct(cublas_, handle_, kFp32, size, product_)) std::exit(1);
  }
  void Multiply() override {
    const float one = 1;
    const float zero = 0;
    CheckCublas(cublas_.matmul(handle_, product_.operation, &one, matrices_->a(), product_.input,
                               matrices_->b(), product_.input, &zero, matrices_->c(),
                               product_.output, matrices_->c(), product_.output,
                               &product_.algorithm, workspace_, kCublasWorkspaceBytes, nullptr),
                "cublasLtMatmul");
  }
  void Wait() override { Check(cudaDeviceSynchronize(), "waiting for the products"); }
  float Last() override { return matrices_->Last(); }

 private:
  void Start() {
    RequireDevice();
    cublas_ = OpenCublasLt();
    CheckCublas(cublas_.create(&handle_), "cublasLtCreate");
    Check(cudaMalloc(&workspace_, kCublasWorkspaceBytes), "allocating a workspace");
  }

  CublasLt cublas_;
  cublasLtHandle_t handle_ = nullptr;
  CublasProduct product_;
  void* workspace_ = nullptr;
  std::unique_ptr<DeviceMatrices> matrices_;
};

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) {
  rafter::CublasMultiplier multiplier;
  return rafter::RunMatmulBench(argc, argv, "Cublas",
                                {{"MatrixMultiplication-Cublas", &multiplier}});
}
