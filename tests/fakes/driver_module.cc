// The fake libcuda.so.1: modules, kernels, graphs of kernels.
#include <cupti.h>

#include "tests/fakes/driver.h"

namespace rafter::fakes {
namespace {

// What the script says, or null where it cannot be read.
CUfunction NewFunction(const char* script) {
  auto made = std::make_unique<CUfunc_st>();
  if (!ParseKernelScript(script, made->work)) return nullptr;
  made->symbol = made->work.name;
  return made.release();
}

}  // namespace
}  // namespace rafter::fakes

using namespace rafter::fakes;  // NOLINT(google-build-using-namespace): C entry points only

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void*) {
  return Call("cuModuleLoadData", [&] {
    if (!IsAlive(CurrentContext())) return CUDA_ERROR_INVALID_CONTEXT;
    *module = new CUmod_st{CurrentContext()};
    return CUDA_SUCCESS;
  });
}

// The text is not looked at, nor are the options.
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, CUjit_option*,
                            void**) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule) {
  return Call("cuModuleUnload", [] { return CUDA_SUCCESS; });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  return Call("cuModuleGetFunction", [&] {
    *function = NewFunction(name);
    return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
  });
}

CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned int,
                           CUlibraryOption*, void**, unsigned int) {
  return Call("cuLibraryLoadData", [&] {
    *library = reinterpret_cast<CUlibrary>(new CUmod_st{CurrentContext()});
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char* name) {
  return Call("cuLibraryGetKernel", [&] {
    CUfunction function = NewFunction(name);
    if (function == nullptr) return CUDA_ERROR_NOT_FOUND;
    auto* made = new CUfunc_st(*function);
    made->is_kernel = true;
    made->function = function;
    *kernel = reinterpret_cast<CUkernel>(made);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return Call("cuKernelGetFunction", [&] {
    const auto* asked = reinterpret_cast<CUfunction>(kernel);
    if (asked == nullptr || !asked->is_kernel) return CUDA_ERROR_INVALID_HANDLE;
    *function = asked->function;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return Call("cuFuncGetAttribute", [&] {
    if (function == nullptr || function->is_kernel) return CUDA_ERROR_INVALID_HANDLE;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = function->work.registers;
        return CUDA_SUCCESS;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = function->work.shared_bytes;
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return Call("cuFuncGetName", [&] {
    *name = function->symbol.c_str();
    return CUDA_SUCCESS;
  });
}

// --- graphs ---------------------------------------------------------------------

CUresult cuGraphCreate(CUgraph* graph, unsigned int) {
  return Call("cuGraphCreate", [&] {
    *graph = new CUgraph_st;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                                 const CUDA_KERNEL_NODE_PARAMS* params) {
  return Call("cuGraphAddKernelNode_v2", [&] {
    if (graph == nullptr || params->func == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *node = new CUgraphNode_st{params->func,
                               uint64_t{params->gridDimX} * params->gridDimY * params->gridDimZ};
    graph->nodes.push_back(*node);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* ready, CUgraph graph, unsigned long long) {
  return Call("cuGraphInstantiateWithFlags", [&] {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *ready = new CUgraphExec_st;
    for (const CUgraphNode node : graph->nodes) (*ready)->nodes.push_back(*node);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  if (graph == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const cuGraphLaunch_params params = {graph, stream};
  return TracedCall("cuGraphLaunch", CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, params, nullptr, [&] {
    for (const CUgraphNode_st& node : graph->nodes) {
      const CUresult launched =
          Launch(node.function->work, node.blocks, stream, Launched::kGraphKernel);
      if (launched != CUDA_SUCCESS) return launched;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return Call("cuGraphDestroy", [&] {
    delete graph;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec graph) {
  return Call("cuGraphExecDestroy", [&] {
    delete graph;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
