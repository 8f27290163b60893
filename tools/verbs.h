// Verbs are the commands of `rafter`, one file each. A verb takes the words
// after its name and returns the exit status (cli.md).
//
//   Threads   called on the main thread, once.
//   Blocking  as the command does.
//   Memory    none kept.
//   Lifetime  plain functions.
#pragma once

#include <span>
#include <string>

namespace rafter {

using Words = std::span<const std::string>;

int VerbRun(Words words);
int VerbBatch(Words words);
int VerbCollect(Words words);
int VerbIngest(Words words);
int VerbReport(Words words);
int VerbRoofline(Words words);
int VerbCompare(Words words);
int VerbDoctor(Words words);
int VerbMetrics(Words words);
int VerbEnv(Words words);

// `rafter-collector`.
int RunCollector(Words words);

// `rafter --version`.
int PrintVersion();

}  // namespace rafter
