// rafter-matmul-cuda multiplies matrices with two kernels of its own, as a program of
// Google Benchmark. A product of size N is exactly N^3 FFMA in both.
#include <memory>

#include "tests/gpu/device_matrices.h"
#include "tests/gpu/matmul_bench.h"

namespace rafter {
namespace {

constexpr int kTile = 16;  // divides every size

// An element of C for each thread, which reads a row and a column.
__global__ void MultiplyNaively(const float* a, const float* b, float* c, int size) {
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < size; ++k) sum = fmaf(a[row * size + k], b[k * size + column], sum);
  c[row * size + column] = sum;
}

// A tile of C for each block, which keeps tiles of A and B in shared memory.
__global__ void MultiplyTiles(const float* a, const float* b, float* c, int size) {
  __shared__ float tile_of_a[kTile][kTile];
  __shared__ float tile_of_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < size; start += kTile) {
    tile_of_a[threadIdx.y][threadIdx.x] = a[row * size + start + threadIdx.x];
    tile_of_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * size + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      sum = fmaf(tile_of_a[threadIdx.y][k], tile_of_b[k][threadIdx.x], sum);
    }
    __syncthreads();
  }
  c[row * size + column] = sum;
}

using MultiplyKernel = void (*)(const float*, const float*, float*, int);

class CudaMultiplier : public Multiplier {
 public:
  explicit CudaMultiplier(MultiplyKernel kernel) : kernel_(kernel) {}
  void Prepare(int size) override { matrices_ = std::make_unique<DeviceMatrices>(size); }
  void Multiply() override {
    const int size = matrices_->size();
    const dim3 blocks(size / kTile, size / kTile);
    kernel_<<<blocks, dim3(kTile, kTile)>>>(matrices_->a(), matrices_->b(), matrices_->c(), size);
    Check(cudaGetLastError(), "launching the product");
  }
  void Wait() override { Check(cudaDeviceSynchronize(), "waiting for the products"); }
  float Last() override { return matrices_->Last(); }

 private:
  MultiplyKernel kernel_;
  std::unique_ptr<DeviceMatrices> matrices_;
};

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) {
  rafter::CudaMultiplier naive(rafter::MultiplyNaively);
  rafter::CudaMultiplier tiled(rafter::MultiplyTiles);
  return rafter::RunMatmulBench(
      argc, argv, "Cuda",
      {{"MatrixMultiplication-Naive", &naive}, {"MatrixMultiplication-Tiled", &tiled}});
}
