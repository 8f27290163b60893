// Half-precision arithmetic. Built with -Xptxas -O0: from -O1 on, the assembler
// for sm_90 makes every second HADD2 and HMUL2 into an HFMA2 to keep both pipes
// busy, and the counts would be of something else than what is written here.
#include "tests/gpu/arithmetic_kernel.cuh"

namespace rafter {
namespace {

// Two halves in one 32-bit register.
RAFTER_ARITHMETIC_KERNEL(hadd, unsigned,
                         asm volatile("add.rn.f16x2 %0, %0, %1;"
                                      : "+r"(value[chain])
                                      : "r"(operand)))
RAFTER_ARITHMETIC_KERNEL(hmul, unsigned,
                         asm volatile("mul.rn.f16x2 %0, %0, %1;"
                                      : "+r"(value[chain])
                                      : "r"(operand)))
RAFTER_ARITHMETIC_KERNEL(hfma, unsigned,
                         asm volatile("fma.rn.f16x2 %0, %0, %1, %2;"
                                      : "+r"(value[chain])
                                      : "r"(operand), "r"(addend)))

constexpr unsigned kOnes = 0x3c003c00u;    // 1.0 twice
constexpr unsigned kTinies = 0x00010001u;  // the smallest subnormal twice

}  // namespace

const void* HalfKernel(Kind kind) {
  if (kind == kHadd) return reinterpret_cast<const void*>(hadd_kernel);
  if (kind == kHmul) return reinterpret_cast<const void*>(hmul_kernel);
  return reinterpret_cast<const void*>(hfma_kernel);
}

void LaunchHalf(Kind kind, void* out, int blocks, int rounds, cudaStream_t stream) {
  unsigned* const words = static_cast<unsigned*>(out);
  if (kind == kHadd) {
    hadd_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(words, kOnes, kTinies, 0, rounds);
  } else if (kind == kHmul) {
    hmul_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(words, kOnes, kOnes, 0, rounds);
  } else {
    hfma_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(words, kOnes, kOnes, kTinies, rounds);
  }
}

}  // namespace rafter
