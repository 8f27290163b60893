// KernelName shortens a demangled signature to what a person calls the kernel.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    returns a string.
//   Lifetime  plain values.
#pragma once

#include <string>
#include <string_view>

namespace rafter {

// The function's name with its scopes, without return type, template arguments
// and parameters, as in the seeds' tables:
//   "void cutlass::Kernel2<cutlass_80_simt>(Params)" -> "cutlass::Kernel2"
//   "f<float>::operator ()(int) const"               -> "f::operator()"
//   "(anonymous namespace)::copy(float*)"            -> "(anonymous namespace)::copy"
std::string KernelName(std::string_view signature);

}  // namespace rafter
