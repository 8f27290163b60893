// The one kernel of the module that rafter-cases loads while it runs.
#include "tests/gpu/arithmetic_kernel.cuh"

extern "C" {
RAFTER_ARITHMETIC_KERNEL(lazy_ffma, float,
                         asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                                      : "+f"(value[chain])
                                      : "f"(operand), "f"(addend)))
}
