// Kernels whose work is known on paper, to be launched from the host.
//
// An arithmetic launch executes one kind of SASS instruction
// kOperationsPerRound times a round in every thread, and no other
// floating-point instruction; a traffic launch touches each byte once and
// computes nothing, or says what. tests/gpu/sass_count.py checks it in the
// compiled file.
//
//   Threads   any; launches go to the stream given.
//   Blocking  never; launches are asynchronous.
//   Memory    the caller's. Arithmetic stores ArithmeticBytes(blocks) at `out`.
//   Lifetime  functions only.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace rafter {

// Kinds of SASS instruction that CUPTI counts as
// sm__sass_thread_inst_executed_op_KIND_pred_on.
enum Kind { kFadd, kFmul, kFfma, kDadd, kDmul, kDfma, kHadd, kHmul, kHfma, kKinds };

inline constexpr const char* kKindNames[kKinds] = {"fadd", "fmul", "ffma", "dadd", "dmul",
                                                   "dfma", "hadd", "hmul", "hfma"};

// Four independent chains hide the latency of one; sixteen steps of each are
// unrolled, so the loop's own instructions are few.
inline constexpr int kChains = 4;
inline constexpr int kSteps = 16;
inline constexpr unsigned long long kOperationsPerRound = kChains * kSteps;
inline constexpr int kThreadsPerBlock = 256;

// Thread instructions of `kind` that one arithmetic launch executes.
inline constexpr unsigned long long ArithmeticCount(int blocks, int rounds) {
  return kOperationsPerRound * static_cast<unsigned long long>(blocks) * kThreadsPerBlock *
         static_cast<unsigned long long>(rounds);
}

// Room that an arithmetic launch needs at `out`: four values of up to 8 bytes a thread.
inline constexpr size_t ArithmeticBytes(int blocks) {
  return static_cast<size_t>(blocks) * kThreadsPerBlock * kChains * sizeof(double);
}

void LaunchArithmetic(Kind kind, void* out, int blocks, int rounds, cudaStream_t stream);
// Registers of a thread in that launch, as the driver tells.
int ArithmeticRegisters(Kind kind);

// Reads `bytes` at `source`, which must not be words that combine to kImpossible.
inline constexpr unsigned kImpossible = 0xdeadbeefu;
void LaunchRead(const void* source, size_t bytes, void* out, int blocks, cudaStream_t stream);
void LaunchWrite(void* target, size_t bytes, int blocks, cudaStream_t stream);
void LaunchCopy(void* target, const void* source, size_t bytes, int blocks, cudaStream_t stream);
// target = factor * source + target over floats: one FFMA for each 4 bytes of
// `bytes`, 2 x bytes read and bytes written.
void LaunchSaxpy(void* target, const void* source, size_t bytes, int blocks, cudaStream_t stream);
// As copy, with kMixedFfma FFMA for each 4 bytes of `bytes` on the way: an
// intensity between those of saxpy and of arithmetic. At most kMaxTrafficBytes.
inline constexpr size_t kMaxTrafficBytes = size_t{32} << 30;  // 2^31 vectors
inline constexpr int kMixedFfma = 16;
void LaunchMixed(void* target, const void* source, size_t bytes, int blocks, cudaStream_t stream);
// Holds the device for about `duration_ns` by its own clock.
void LaunchSpin(unsigned long long duration_ns, cudaStream_t stream);

// Half-precision part of LaunchArithmetic; see known_half.cu for why it is apart.
void LaunchHalf(Kind kind, void* out, int blocks, int rounds, cudaStream_t stream);
const void* HalfKernel(Kind kind);

}  // namespace rafter
