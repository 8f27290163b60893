# Unit tests of proto, store, plan, evaluate and ingest.
find_package(absl REQUIRED)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)

rafter_add_test(frame_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/frame_test.cc
                LINK rafter_ingest)
rafter_add_test(store_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/store_test.cc
                LINK rafter_store PkgConfig::SQLITE3)
rafter_add_test(append_command_test LABEL unit
                SOURCES ${CMAKE_CURRENT_LIST_DIR}/append_command_test.cc
                LINK rafter_store PkgConfig::SQLITE3)
rafter_add_test(schema_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/schema_test.cc
                LINK rafter_store PkgConfig::SQLITE3)
rafter_add_test(marker_test LABEL unit
                SOURCES ${CMAKE_CURRENT_LIST_DIR}/likwid_events_test.cc
                        ${CMAKE_CURRENT_LIST_DIR}/marker_file_test.cc
                        ${CMAKE_CURRENT_LIST_DIR}/marker_scale_test.cc
                        ${CMAKE_CURRENT_LIST_DIR}/marker_rows_test.cc
                LINK rafter_ingest rafter_table rafter_roofline)
rafter_add_test(evaluate_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/evaluate_test.cc
                LINK rafter_evaluate)
rafter_add_test(plan_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/plan_test.cc
                LINK rafter_evaluate)
rafter_add_test(sets_test LABEL unit
                SOURCES ${CMAKE_CURRENT_LIST_DIR}/set_list_test.cc
                        ${CMAKE_CURRENT_LIST_DIR}/sets_test.cc
                LINK rafter_cupti rafter_table)
rafter_add_test(ingest_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/ingest_test.cc
                LINK rafter_ingest)
rafter_add_test(marker_result_test LABEL unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/marker_result_test.cc
                LINK rafter_ingest)
