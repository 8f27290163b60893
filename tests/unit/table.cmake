# Table, CSV, formulas, roofline and chart.
rafter_add_test(table_test LABEL unit SOURCES table_test.cc LINK rafter_table)
rafter_add_test(csv_test LABEL unit SOURCES csv_test.cc LINK rafter_table)
rafter_add_test(formulas_test LABEL unit SOURCES formulas_test.cc LINK rafter_table)
rafter_add_test(roofline_test LABEL unit SOURCES roofline_test.cc LINK rafter_roofline)
rafter_add_test(chart_test LABEL unit SOURCES chart_test.cc LINK rafter_roofline)
