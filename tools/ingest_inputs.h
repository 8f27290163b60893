// IngestInputs are the files that `rafter ingest` was given, by what they are.
//
//   Threads   one.
//   Blocking  reads the first bytes of each.
//   Memory    names only.
//   Lifetime  plain values.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rafter {

struct IngestInputs {
  std::vector<std::string> spools;
  std::vector<std::pair<std::string, size_t>> markers;  // with the place among marker files
  size_t marker_places = 0;  // what may have been meant as one, empty or foreign, has a place too
  bool left_out = false;     // a file that is neither; it was said why
};

IngestInputs SortInputs(const std::vector<std::string>& paths);

}  // namespace rafter
