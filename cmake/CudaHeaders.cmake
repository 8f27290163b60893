# The CUDA toolkit's headers. Nothing links its libraries: they are found at run
# time (architecture.md, section 3).
set(RAFTER_CUDA_HOME "$ENV{CUDA_HOME}" CACHE PATH "CUDA toolkit with CUPTI and NVTX headers")
find_path(RAFTER_CUPTI_INCLUDE cupti_range_profiler.h
  HINTS ${RAFTER_CUDA_HOME} /usr/local/cuda
  PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include)
find_path(RAFTER_CUDA_INCLUDE cuda.h
  HINTS ${RAFTER_CUDA_HOME} /usr/local/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include)
find_path(RAFTER_NVTX_INCLUDE nvtx3/nvToolsExt.h
  HINTS ${RAFTER_CUDA_HOME} /usr/local/cuda
  PATH_SUFFIXES include targets/x86_64-linux/include)
find_program(RAFTER_NVCC nvcc HINTS ${RAFTER_CUDA_HOME} /usr/local/cuda PATH_SUFFIXES bin)

set(RAFTER_HAVE_CUPTI OFF)
set(RAFTER_HAVE_NVTX OFF)
if(RAFTER_CUPTI_INCLUDE AND RAFTER_CUDA_INCLUDE)
  set(RAFTER_HAVE_CUPTI ON)
endif()
if(RAFTER_NVTX_INCLUDE)
  set(RAFTER_HAVE_NVTX ON)
endif()

add_library(rafter_cuda_headers INTERFACE)
if(RAFTER_HAVE_CUPTI)
  target_include_directories(rafter_cuda_headers SYSTEM INTERFACE
    ${RAFTER_CUPTI_INCLUDE} ${RAFTER_CUDA_INCLUDE})
endif()
add_library(rafter_nvtx_headers INTERFACE)
if(RAFTER_HAVE_NVTX)
  target_include_directories(rafter_nvtx_headers SYSTEM INTERFACE ${RAFTER_NVTX_INCLUDE})
endif()
