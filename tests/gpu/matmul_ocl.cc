// rafter-matmul-ocl multiplies matrices with OpenCL, as a program of Google
// Benchmark: work that CUDA's interfaces do not see.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/gpu/matmul_bench.h"

namespace rafter {
namespace {

constexpr size_t kTile = 16;       // divides every size
constexpr int kExitNoDevice = 77;  // as of the CUDA programs

constexpr char kSource[] = R"(
#define TILE 16
kernel void multiply(global const float* a, global const float* b, global float* c, int size) {
  local float tile_of_a[TILE][TILE];
  local float tile_of_b[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (int start = 0; start < size; start += TILE) {
    tile_of_a[y][x] = a[row * size + start + x];
    tile_of_b[y][x] = b[(start + y) * size + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum = fma(tile_of_a[y][k], tile_of_b[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * size + column] = sum;
})";

void Check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s failed: OpenCL's status %d\n", what, status);
  std::exit(1);
}

cl_device_id FirstGpu() {
  cl_uint platforms = 0;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  const cl_int found = clGetPlatformIDs(1, &platform, &platforms);
  if (found == CL_SUCCESS && platforms > 0 &&
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr) == CL_SUCCESS) {
    return device;
  }
  std::fprintf(stderr, "no OpenCL GPU (status %d, %u platforms)\n", found, platforms);
  std::exit(kExitNoDevice);
}

class OpenClMultiplier : public Multiplier {
 public:
  void Prepare(int size) override {
    if (queue_ == nullptr) Start();
    size_ = static_cast<size_t>(size);
    for (cl_mem* matrix : {&a_, &b_, &c_}) {
      if (*matrix != nullptr) clReleaseMemObject(*matrix);
    }
    a_ = Filled(kElementOfA);
    b_ = Filled(kElementOfB);
    c_ = Filled(0);
    cl_uint index = 0;
    for (const cl_mem* matrix : {&a_, &b_, &c_}) {
      Check(clSetKernelArg(kernel_, index++, sizeof(cl_mem), matrix), "clSetKernelArg");
    }
    Check(clSetKernelArg(kernel_, index, sizeof(size), &size), "clSetKernelArg");
  }
  void Multiply() override {
    const size_t threads[] = {size_, size_};
    const size_t block[] = {kTile, kTile};
    Check(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, threads, block, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    Check(clFlush(queue_), "clFlush");
  }
  void Wait() override { Check(clFinish(queue_), "clFinish"); }
  float Last() override {
    float last = 0;
    Check(clEnqueueReadBuffer(queue_, c_, CL_TRUE, (size_ * size_ - 1) * sizeof(last), sizeof(last),
                              &last, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return last;
  }

 private:
  void Start() {
    cl_device_id device = FirstGpu();
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    Check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &status);
    Check(status, "clCreateCommandQueue");
    const char* source = kSource;
    cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    Check(status, "clCreateProgramWithSource");
    Check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program, "multiply", &status);
    Check(status, "clCreateKernel");
  }
  cl_mem Filled(float value) {
    std::vector<float> host(size_ * size_, value);
    cl_int status = CL_SUCCESS;
    cl_mem matrix = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   host.size() * sizeof(float), host.data(), &status);
    Check(status, "clCreateBuffer");
    return matrix;
  }

  size_t size_ = 0;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_mem a_ = nullptr;
  cl_mem b_ = nullptr;
  cl_mem c_ = nullptr;
};

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) {
  rafter::OpenClMultiplier multiplier;
  return rafter::RunMatmulBench(argc, argv, "OpenCL", {{"MatrixMultiplication-Ocl", &multiplier}});
}
