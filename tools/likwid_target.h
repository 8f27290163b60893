// LikwidTarget is how a program comes to count with LIKWID: the marker library
// in front of it, LIKWID's variables, and a folder in which each of its processes
// leaves what LIKWID said.
//
//   Threads   one.
//   Blocking  file system calls.
//   Memory    the files of one run at a time.
//   Lifetime  the folder goes with the object.
#pragma once

#include <string>
#include <vector>

#include "collector/ingest/marker_result.h"
#include "collector/plan/likwid_groups.h"
#include "cupti/status.h"
#include "tools/private_folder.h"
#include "tools/run_request.h"
#include "tools/variables.h"

namespace rafter {

class LikwidTarget {
 public:
  // Finds the marker library and makes the folder. `variables` is what the program
  // would get without us.
  static Result<LikwidTarget> Make(const RunRequest& request, const Variables& variables);

  // The environment of the run `name`, which is part of names of files.
  Variables EnvironmentOf(const std::string& name, const LikwidGroup& group) const;

  struct Written {
    std::vector<MarkerResult> results;  // in the order in which the processes started
    std::vector<std::string> troubles;  // files that cannot be read, a line each
  };
  // What the processes of the run `name` left behind.
  Written Read(const std::string& name) const;

  // Where the run may leave a file of its own.
  std::string PathOf(const std::string& file) const { return folder_.path() + "/" + file; }

 private:
  LikwidTarget(PrivateFolder folder, Variables environment)
      : folder_(std::move(folder)), environment_(std::move(environment)) {}

  PrivateFolder folder_;
  Variables environment_;  // but for what differs between runs
};

}  // namespace rafter
