// NVTX's types and the layout of its tables, without a line of its client code.
//
//   Threads   types only.
//   Blocking  types only.
//   Memory    types only.
//   Lifetime  types only.
#pragma once

// NVTX's own switch for tools.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
