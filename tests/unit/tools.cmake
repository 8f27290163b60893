# The command line: pure parts, and the real `rafter` with small programs.
rafter_add_test(tools_test LABEL unit
  SOURCES tools_names_test.cc tools_merge_test.cc tools_findings_test.cc tools_files_test.cc
          tools_run_test.cc tools_commands_test.cc tools_cost_test.cc tools_counting_test.cc
          tools_sets_test.cc tools_forecast_test.cc
  LINK rafter_tools)
# The programs under test; named here so that a partial build makes them too.
add_executable(send_stream send_stream.cc)
set_target_properties(send_stream PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(tools_test rafter rafter-collector send_stream)
if(TARGET fakes)
  add_dependencies(tools_test fakes)
endif()
target_compile_definitions(tools_test PRIVATE RAFTER_PROGRAM="$<TARGET_FILE:rafter>"
  RAFTER_COLLECTOR_PROGRAM="$<TARGET_FILE:rafter-collector>"
  RAFTER_SEND_STREAM="$<TARGET_FILE:send_stream>")
