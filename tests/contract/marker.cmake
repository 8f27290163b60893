# rafter/marker.h and the packages that bring it, as those meet them who mark a
# benchmark.
enable_language(C)

function(rafter_add_marker_contract name)
  add_test(NAME contract.${name} COMMAND ${ARGN})
  set_tests_properties(contract.${name} PROPERTIES LABELS contract TIMEOUT 120)
endfunction()

set(marker_contract ${CMAKE_CURRENT_SOURCE_DIR})
rafter_add_marker_contract(marker_package_is_found_where_it_was_moved_to
  ${marker_contract}/marker_package_test ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}
  ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_CXX_COMPILER})

if(NOT RAFTER_HAVE_NVTX)
  message(STATUS "Rafter: contract tests of marks are left out; they need NVTX's header")
  return()
endif()
rafter_add_marker_contract(marker_header_says_what_it_does_and_no_more
  ${marker_contract}/marker_header_test ${PROJECT_SOURCE_DIR} ${RAFTER_NVTX_INCLUDE})
if(TARGET inject)
  rafter_add_marker_contract(marked_regions_arrive_from_an_installed_prefix
    ${marker_contract}/marker_regions_test ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}
    ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${RAFTER_NVTX_INCLUDE})
  # The examples have a library put into them that may have a sanitizer of its own.
  set_tests_properties(contract.marked_regions_arrive_from_an_installed_prefix PROPERTIES
    ENVIRONMENT ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0)
endif()

# Ours in C, without the warnings that are for C++ alone.
add_library(marker_order_in_c OBJECT marker_order.c)
target_compile_options(marker_order_in_c PRIVATE -std=c99 -pedantic -Wall -Wextra)
rafter_add_test(marker_order_test LABEL contract SOURCES marker_order_test.cc
                LINK marker_order_in_c rafter_nvtx_headers ${CMAKE_DL_LIBS})
foreach(target marker_order_in_c marker_order_test)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/marker/include
                             ${PROJECT_SOURCE_DIR}/tests/fakes/likwid/5.4)
  target_compile_definitions(${target} PRIVATE RAFTER_MARKER LIKWID_NVMON)
endforeach()
target_link_libraries(marker_order_in_c PRIVATE rafter_nvtx_headers)
