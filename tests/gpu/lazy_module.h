// The machine code of lazy_kernel.cu, for cuModuleLoadData; no part of the
// program's own module.
//
//   Threads   constant bytes.
//   Blocking  never.
//   Memory    in the program file.
//   Lifetime  static.
#pragma once

extern "C" const unsigned char g_lazy_module[];
