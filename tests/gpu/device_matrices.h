// DeviceMatrices are the three matrices of a product, in the memory of a CUDA device.
//
//   Threads   one.
//   Blocking  Fill and Last wait for the device.
//   Memory    3 size^2 floats on the device.
//   Lifetime  frees them.
#pragma once

#include <vector>

#include "tests/gpu/cuda_check.h"
#include "tests/gpu/matmul_bench.h"

namespace rafter {

class DeviceMatrices {
 public:
  explicit DeviceMatrices(int size) : size_(size) {
    Fill(a_, kElementOfA);
    Fill(b_, kElementOfB);
    Fill(c_, 0);
  }
  ~DeviceMatrices() {
    for (float* matrix : {a_, b_, c_}) cudaFree(matrix);
  }
  DeviceMatrices(const DeviceMatrices&) = delete;
  DeviceMatrices& operator=(const DeviceMatrices&) = delete;

  int size() const { return size_; }
  const float* a() const { return a_; }
  const float* b() const { return b_; }
  float* c() const { return c_; }

  float Last() const {
    float last = 0;
    Check(cudaMemcpy(&last, c_ + elements() - 1, sizeof(last), cudaMemcpyDeviceToHost),
          "reading the product");
    return last;
  }

 private:
  size_t elements() const { return static_cast<size_t>(size_) * static_cast<size_t>(size_); }
  void Fill(float*& matrix, float value) const {
    const std::vector<float> host(elements(), value);
    const size_t bytes = elements() * sizeof(float);
    Check(cudaMalloc(&matrix, bytes), "allocating a matrix");
    Check(cudaMemcpy(matrix, host.data(), bytes, cudaMemcpyHostToDevice), "filling a matrix");
  }

  int size_;
  float* a_ = nullptr;
  float* b_ = nullptr;
  float* c_ = nullptr;
};

}  // namespace rafter
