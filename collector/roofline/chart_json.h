// ChartJson writes what an HTML chart shows as the one block of data in its
// page. collector/roofline/html/data.js reads it.
//
//   Threads   pure functions.
//   Blocking  never.
//   Memory    a word that many rows share is written once; 10,000 rows of one
//             region each take about 2 MB.
//   Lifetime  plain values.
#pragma once

#include <string>

#include "collector/roofline/to_html.h"

namespace rafter {

// JSON without '<', '>' and '&', which are written as \u003c and so on: no name
// ends the element that the block stands in. Numbers have the CSV's digits.
//
//   {"title", "subtitle", "notes": [],
//    "compute": [{"kind": "FP32", "per_s", "origin", "hardware"}], "memory": likewise,
//    "hardware": [of roofs], "chart": TABLE, "baseline": TABLE or null}
//   TABLE: {"name", "rows": N, "by": "Paradigm", "Executable" or "Region",
//           "columns": [{"name", "unit", "words": [], "of": [index by row]} or
//                       {"name", "unit", "numbers": [by row, null: missing]}],
//           "series": [{"name", "color", "shape"}],
//           "points": {"row", "label", "x", "y", "series", "hollow", "above",
//                      "levels": [by point]},
//           "limits": {"compute", "memory"}: roofs of this table, drawn or not,
//           "undrawn": {"row", "label", "reason": [by row that is not drawn]}}
//
// A roof's "hardware" is the word of the rows that it bounds; null: it bounds all of them.
// "levels" is the same number for the same launches at several memory levels, which
// are joined; -1: at one alone. Columns without a value are left out. x: FLOP/Byte,
// y: FLOP/s; per_s: FLOP/s or Byte/s.
std::string ChartJson(const HtmlChart& chart, const HtmlChart* baseline);

}  // namespace rafter
