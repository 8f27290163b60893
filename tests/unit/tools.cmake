# The command line: pure parts, and the real `rafter` with small programs.
rafter_add_test(tools_test LABEL unit
  SOURCES tools_names_test.cc tools_merge_test.cc tools_findings_test.cc tools_files_test.cc
          tools_run_test.cc tools_commands_test.cc tools_cost_test.cc tools_counting_test.cc
          tools_sets_test.cc tools_forecast_test.cc tools_regions_test.cc
          tools_markers_test.cc tools_marker_test.cc tools_likwid_test.cc
          tools_likwid_plan_test.cc tools_compare_test.cc tools_batch_test.cc
          tools_batch_runs_test.cc tools_rows_test.cc tools_manual_test.cc
  LINK rafter_tools)
# The programs under test; named here so that a partial build makes them too.
add_executable(send_stream send_stream.cc)
add_executable(marker_program marker_program.cc)
target_link_libraries(marker_program PRIVATE ${CMAKE_DL_LIBS})
add_library(resulting_nvmarker MODULE ../fakes/resulting_nvmarker.cc)
foreach(program send_stream marker_program resulting_nvmarker)
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endforeach()
add_dependencies(tools_test rafter rafter-collector rafter-known-kernel send_stream marker_program
                 resulting_nvmarker likwid_fakes)
if(TARGET fakes)
  add_dependencies(tools_test fakes)
endif()
target_compile_definitions(tools_test PRIVATE RAFTER_PROGRAM="$<TARGET_FILE:rafter>"
  RAFTER_COLLECTOR_PROGRAM="$<TARGET_FILE:rafter-collector>"
  RAFTER_SEND_STREAM="$<TARGET_FILE:send_stream>"
  RAFTER_LIKWID_FAKES="${PROJECT_BINARY_DIR}/fakes/missing-likwid"
  RAFTER_KNOWN_KERNEL="$<TARGET_FILE:rafter-known-kernel>"
  RAFTER_MARKER_PROGRAM="$<TARGET_FILE:marker_program>"
  RAFTER_FAKE_NVMARKER="$<TARGET_FILE:resulting_nvmarker>"
  RAFTER_FAKES_DIR="${PROJECT_BINARY_DIR}/fakes")
