# The component marker of the package Rafter; RafterConfig.cmake says what decides.
# Sets Rafter_marker_FOUND, and _rafter_reason where that is false.

# Sets `out` to whether a library of LIKWID has NvMarker: many are built without.
function(_rafter_has_nvmarker library out)
  file(STRINGS "${library}" names LIMIT_COUNT 1
       REGEX "^(nvmon_marker|likwid_gpuMarker)StartRegion$")
  if(names)
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Makes Rafter::marker, with NVTX's folder where there is one. Not finding it is no
# failure: another target may bring the header, and rafter/marker.h says so if none does.
macro(_rafter_make_marker)
  add_library(Rafter::marker INTERFACE IMPORTED)
  target_include_directories(Rafter::marker INTERFACE "${_rafter_include}")
  if(_rafter_marks)
    set(_rafter_cuda_hints ${CUDAToolkit_INCLUDE_DIRS} "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}"
        "${CUDAToolkit_ROOT}" "$ENV{CUDAToolkit_ROOT}" /usr/local/cuda)
    find_path(RAFTER_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${_rafter_cuda_hints}
              PATH_SUFFIXES include targets/x86_64-linux/include
              DOC "Folder with nvtx3/nvToolsExt.h")
    mark_as_advanced(RAFTER_NVTX_INCLUDE)
    target_compile_definitions(Rafter::marker INTERFACE RAFTER_MARKER)
    target_link_libraries(Rafter::marker INTERFACE ${CMAKE_DL_LIBS})
    if(RAFTER_NVTX_INCLUDE)
      target_include_directories(Rafter::marker SYSTEM INTERFACE "${RAFTER_NVTX_INCLUDE}")
    elseif(NOT Rafter_FIND_QUIETLY)
      message(STATUS "Rafter: nvtx3/nvToolsExt.h was not found, so Rafter::marker brings no NVTX; "
                     "set CUDA_HOME or RAFTER_NVTX_INCLUDE, or link a target that brings it")
    endif()
  endif()
endmacro()

# Makes Rafter::marker_likwid, or says why not.
macro(_rafter_make_marker_likwid)
  find_path(RAFTER_LIKWID_INCLUDE likwid-marker.h HINTS "${LIKWID_ROOT}" "$ENV{LIKWID_ROOT}"
            PATH_SUFFIXES include DOC "Folder with likwid-marker.h")
  find_library(RAFTER_LIKWID_LIBRARY likwid HINTS "${LIKWID_ROOT}" "$ENV{LIKWID_ROOT}"
               PATH_SUFFIXES lib lib64 DOC "LIKWID's library")
  mark_as_advanced(RAFTER_LIKWID_INCLUDE RAFTER_LIKWID_LIBRARY)
  if(RAFTER_LIKWID_INCLUDE AND RAFTER_LIKWID_LIBRARY)
    _rafter_has_nvmarker("${RAFTER_LIKWID_LIBRARY}" _rafter_nvmarker)
    string(CONCAT _rafter_reason "RAFTER_MARKER_LIKWID is ON, but ${RAFTER_LIKWID_LIBRARY} has no "
           "NvMarker; build LIKWID with NVIDIA_INTERFACE=true and set LIKWID_ROOT to it")
  else()
    set(_rafter_nvmarker FALSE)
    string(CONCAT _rafter_reason "RAFTER_MARKER_LIKWID is ON, but likwid-marker.h and liblikwid.so "
           "were not found; set LIKWID_ROOT to where LIKWID is installed")
  endif()
  if(_rafter_nvmarker)
    add_library(Rafter::marker_likwid INTERFACE IMPORTED)
    target_compile_definitions(Rafter::marker_likwid INTERFACE LIKWID_NVMON)
    target_include_directories(Rafter::marker_likwid SYSTEM INTERFACE "${RAFTER_LIKWID_INCLUDE}")
    target_link_libraries(Rafter::marker_likwid INTERFACE Rafter::marker "${RAFTER_LIKWID_LIBRARY}")
  endif()
  unset(_rafter_nvmarker)
endmacro()

set(_rafter_marks TRUE)
if(DEFINED RAFTER_MARKER AND NOT RAFTER_MARKER)
  set(_rafter_marks FALSE)
endif()
if(NOT TARGET Rafter::marker)
  _rafter_make_marker()
endif()
set(Rafter_marker_FOUND TRUE)
if(RAFTER_MARKER_LIKWID AND NOT TARGET Rafter::marker_likwid)
  if(_rafter_marks)
    _rafter_make_marker_likwid()
  else()
    add_library(Rafter::marker_likwid INTERFACE IMPORTED)
    target_link_libraries(Rafter::marker_likwid INTERFACE Rafter::marker)
  endif()
  if(NOT TARGET Rafter::marker_likwid)
    set(Rafter_marker_FOUND FALSE)
  endif()
endif()
unset(_rafter_marks)
