#include "tests/gpu/known_work.h"

#include <cstdint>

#include "tests/gpu/arithmetic_kernel.cuh"
#include "tests/gpu/cuda_check.h"

namespace rafter {
namespace {

RAFTER_ARITHMETIC_KERNEL(fadd, float,
                         asm volatile("add.rn.f32 %0, %0, %1;"
                                      : "+f"(value[chain])
                                      : "f"(operand)))
RAFTER_ARITHMETIC_KERNEL(fmul, float,
                         asm volatile("mul.rn.f32 %0, %0, %1;"
                                      : "+f"(value[chain])
                                      : "f"(operand)))
RAFTER_ARITHMETIC_KERNEL(ffma, float,
                         asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                                      : "+f"(value[chain])
                                      : "f"(operand), "f"(addend)))
RAFTER_ARITHMETIC_KERNEL(dadd, double,
                         asm volatile("add.rn.f64 %0, %0, %1;"
                                      : "+d"(value[chain])
                                      : "d"(operand)))
RAFTER_ARITHMETIC_KERNEL(dmul, double,
                         asm volatile("mul.rn.f64 %0, %0, %1;"
                                      : "+d"(value[chain])
                                      : "d"(operand)))
RAFTER_ARITHMETIC_KERNEL(dfma, double,
                         asm volatile("fma.rn.f64 %0, %0, %1, %2;"
                                      : "+d"(value[chain])
                                      : "d"(operand), "d"(addend)))

// The vector that a thread touches first, and its step over the grid.
__device__ size_t First() { return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ size_t Stride() { return static_cast<size_t>(gridDim.x) * blockDim.x; }

__global__ void __launch_bounds__(kThreadsPerBlock)
    read_kernel(const uint4* __restrict__ source, size_t count, unsigned* out) {
  unsigned mixed = 0;
#pragma unroll 4
  for (size_t i = First(); i < count; i += Stride()) {
    const uint4 vector = source[i];
    mixed ^= vector.x ^ vector.y ^ vector.z ^ vector.w;
  }
  if (mixed == kImpossible) *out = mixed;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    write_kernel(uint4* __restrict__ target, size_t count, unsigned value) {
#pragma unroll 4
  for (size_t i = First(); i < count; i += Stride()) {
    target[i] = make_uint4(value, value, value, value);
  }
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    copy_kernel(uint4* __restrict__ target, const uint4* __restrict__ source, size_t count) {
#pragma unroll 4
  for (size_t i = First(); i < count; i += Stride()) target[i] = source[i];
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    saxpy_kernel(float4* __restrict__ target, const float4* __restrict__ source, size_t count,
                 float factor) {
#pragma unroll 4
  for (size_t i = First(); i < count; i += Stride()) {
    const float4 x = source[i];
    float4 y = target[i];
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(y.x) : "f"(factor), "f"(x.x));
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(y.y) : "f"(factor), "f"(x.y));
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(y.z) : "f"(factor), "f"(x.z));
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(y.w) : "f"(factor), "f"(x.w));
    target[i] = y;
  }
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    mixed_kernel(float4* __restrict__ target, const float4* __restrict__ source, unsigned count,
                 float factor, float addend) {
  // In 32 bits: with size_t the assembler makes a constant with HFMA2.
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (unsigned i = first; i < count; i += gridDim.x * blockDim.x) {
    float4 x = source[i];
#pragma unroll
    for (int step = 0; step < kMixedFfma; ++step) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x.x) : "f"(factor), "f"(addend));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x.y) : "f"(factor), "f"(addend));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x.z) : "f"(factor), "f"(addend));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x.w) : "f"(factor), "f"(addend));
    }
    target[i] = x;
  }
}

__global__ void spin_kernel(unsigned long long duration_ns) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < duration_ns);
}

const void* ArithmeticKernel(Kind kind) {
  switch (kind) {
    case kFadd:
      return reinterpret_cast<const void*>(fadd_kernel);
    case kFmul:
      return reinterpret_cast<const void*>(fmul_kernel);
    case kFfma:
      return reinterpret_cast<const void*>(ffma_kernel);
    case kDadd:
      return reinterpret_cast<const void*>(dadd_kernel);
    case kDmul:
      return reinterpret_cast<const void*>(dmul_kernel);
    case kDfma:
      return reinterpret_cast<const void*>(dfma_kernel);
    default:
      return HalfKernel(kind);
  }
}

}  // namespace

int ArithmeticRegisters(Kind kind) {
  cudaFuncAttributes attributes{};
  Check(cudaFuncGetAttributes(&attributes, ArithmeticKernel(kind)), "cudaFuncGetAttributes");
  return attributes.numRegs;
}

void LaunchArithmetic(Kind kind, void* out, int blocks, int rounds, cudaStream_t stream) {
  const dim3 grid(blocks);
  const dim3 block(kThreadsPerBlock);
  float* const floats = static_cast<float*>(out);
  double* const doubles = static_cast<double*>(out);
  switch (kind) {
    case kFadd:
      fadd_kernel<<<grid, block, 0, stream>>>(floats, 1, 1e-6f, 0, rounds);
      break;
    case kFmul:
      fmul_kernel<<<grid, block, 0, stream>>>(floats, 1, 1.000001f, 0, rounds);
      break;
    case kFfma:
      ffma_kernel<<<grid, block, 0, stream>>>(floats, 1, 1, 1e-6f, rounds);
      break;
    case kDadd:
      dadd_kernel<<<grid, block, 0, stream>>>(doubles, 1, 1e-6, 0, rounds);
      break;
    case kDmul:
      dmul_kernel<<<grid, block, 0, stream>>>(doubles, 1, 1.000001, 0, rounds);
      break;
    case kDfma:
      dfma_kernel<<<grid, block, 0, stream>>>(doubles, 1, 1, 1e-6, rounds);
      break;
    default:
      LaunchHalf(kind, out, blocks, rounds, stream);
      break;
  }
  Check(cudaGetLastError(), "launching an arithmetic kernel");
}

void LaunchRead(const void* source, size_t bytes, void* out, int blocks, cudaStream_t stream) {
  read_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(
      static_cast<const uint4*>(source), bytes / sizeof(uint4), static_cast<unsigned*>(out));
  Check(cudaGetLastError(), "launching read");
}

void LaunchWrite(void* target, size_t bytes, int blocks, cudaStream_t stream) {
  write_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(static_cast<uint4*>(target),
                                                        bytes / sizeof(uint4), 0x3f800000u);
  Check(cudaGetLastError(), "launching write");
}

void LaunchCopy(void* target, const void* source, size_t bytes, int blocks, cudaStream_t stream) {
  copy_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(
      static_cast<uint4*>(target), static_cast<const uint4*>(source), bytes / sizeof(uint4));
  Check(cudaGetLastError(), "launching copy");
}

void LaunchSaxpy(void* target, const void* source, size_t bytes, int blocks, cudaStream_t stream) {
  saxpy_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(static_cast<float4*>(target),
                                                        static_cast<const float4*>(source),
                                                        bytes / sizeof(float4), 0.5f);
  Check(cudaGetLastError(), "launching saxpy");
}

void LaunchMixed(void* target, const void* source, size_t bytes, int blocks, cudaStream_t stream) {
  mixed_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(
      static_cast<float4*>(target), static_cast<const float4*>(source),
      static_cast<unsigned>(bytes / sizeof(float4)), 0.5f, 0.25f);
  Check(cudaGetLastError(), "launching mixed");
}

void LaunchSpin(unsigned long long duration_ns, cudaStream_t stream) {
  spin_kernel<<<1, 1, 0, stream>>>(duration_ns);
  Check(cudaGetLastError(), "launching spin");
}

}  // namespace rafter
