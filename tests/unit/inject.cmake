if(TARGET rafter_inject_parts)
  rafter_add_test(inject_unit_test LABEL unit
    SOURCES scheduler_test.cc range_borders_test.cc path_table_test.cc region_ring_test.cc
            encode_test.cc installed_plan_test.cc nvtx_text_test.cc
            cupti_table_test.cc
    LINK rafter_inject_parts rafter_proto rafter_cuda_headers)
endif()
