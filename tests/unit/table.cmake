# Table, CSV, formulas, roofline and chart.
rafter_add_test(table_test LABEL unit SOURCES table_test.cc LINK rafter_table)
rafter_add_test(empty_rows_test LABEL unit SOURCES empty_rows_test.cc LINK rafter_table)
rafter_add_test(sets_table_test LABEL unit SOURCES sets_table_test.cc LINK rafter_table)
rafter_add_test(csv_test LABEL unit SOURCES csv_test.cc LINK rafter_table)
rafter_add_test(replayed_test LABEL unit SOURCES replayed_test.cc LINK rafter_table)
rafter_add_test(repeated_launches_test LABEL unit SOURCES repeated_launches_test.cc LINK rafter_table)
rafter_add_test(formulas_test LABEL unit SOURCES formulas_test.cc LINK rafter_table)
rafter_add_test(roofline_test LABEL unit SOURCES roofline_test.cc LINK rafter_roofline)
rafter_add_test(chart_test LABEL unit SOURCES chart_test.cc LINK rafter_roofline)
rafter_add_test(compare_test LABEL unit
                SOURCES compare_test.cc compare_limits_test.cc compare_chart_test.cc
                LINK rafter_compare)
rafter_add_test(html_test LABEL unit SOURCES html_test.cc LINK rafter_roofline)
target_include_directories(html_test SYSTEM PRIVATE ${RAFTER_RAPIDJSON_INCLUDE})
rafter_add_test(composition_test LABEL unit SOURCES composition_test.cc LINK rafter_table)
rafter_add_test(device_rows_test LABEL unit SOURCES device_rows_test.cc LINK rafter_table)
rafter_add_test(bench_report_test LABEL unit SOURCES bench_report_test.cc LINK rafter_bench_report)
