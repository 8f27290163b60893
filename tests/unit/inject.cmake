if(TARGET rafter_inject_parts)
  rafter_add_test(inject_unit_test LABEL unit
    SOURCES scheduler_test.cc range_borders_test.cc border_epochs_test.cc border_threads_test.cc
            context_table_test.cc kernel_replay_test.cc
            path_table_test.cc region_ring_test.cc
            encode_test.cc installed_plan_test.cc nvtx_text_test.cc
            cupti_table_test.cc fence_test.cc gpu_lock_test.cc launch_watch_test.cc
    LINK rafter_inject_parts rafter_proto rafter_cuda_headers)
  rafter_add_test(nvtx_source_test LABEL unit SOURCES nvtx_source_test.cc nvtx_payload_test.cc
                  LINK rafter_marker rafter_nvtx_headers)
  # The first module decides which other tool there is, for the whole process.
  rafter_add_test(nvtx_chain_test LABEL unit SOURCES nvtx_chain_test.cc
                  LINK rafter_marker rafter_nvtx_headers)
  add_dependencies(nvtx_chain_test fake_nvtx_tool)
  # A forked child abandons what its parent's threads may have been changing.
  rafter_add_test(session_fork_test LABEL unit SOURCES session_fork_test.cc
                  LINK rafter_inject_parts rafter_proto
                  ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  rafter_add_test(session_stacks_test LABEL unit SOURCES session_stacks_test.cc
                  LINK rafter_inject_parts rafter_proto)
  rafter_add_test(session_threads_test LABEL unit SOURCES session_threads_test.cc
                  LINK rafter_inject_parts rafter_proto)
endif()
