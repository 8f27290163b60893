// `rafter env`: the exports for running by hand.
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/injection.h"
#include "tools/marker_entry.h"
#include "tools/message.h"
#include "tools/run_regions.h"
#include "tools/shell_quote.h"
#include "tools/verbs.h"

namespace rafter {
int VerbEnv(Words words) {
  CommandLine line({"env", "Print the exports for running a program by hand.", "[options]",
                    "  eval \"$(rafter env)\" && ./bench && rafter ingest *.spool -o run.rafter\n"
                    "  eval \"$(rafter env --regions nvmarker)\" && ./likwid_bench"});
  RunRegions regions;
  regions.Declare(line);
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  const Variables variables = CurrentVariables();
  TextOption granularity;
  const std::string fineness = ValueOf(variables, "RAFTER_GRANULARITY");
  if (!fineness.empty()) granularity = {fineness, "RAFTER_GRANULARITY"};
  if (const Status status = regions.Check(variables, granularity); !status.ok()) {
    return line.Refuse(status.message());
  }
  for (const std::string& unknown : UnknownVariables(variables)) Say(unknown);
  Result<std::string> library = FindInjectLibrary();
  if (!library.ok()) {
    Say("env: " + library.status().message());
    return kIncomplete;
  }
  InjectionPlan plan = PlanInjection(*library, variables);
  for (const std::string& note : plan.notes) Say(note);
  const std::string folder = library->substr(0, library->find_last_of('/'));
  plan.set["LD_LIBRARY_PATH"] = Prepended(folder, ValueOf(variables, "LD_LIBRARY_PATH"));
  plan.set.merge(regions.ForLibrary());
  if (regions.source.value == "none") plan.set["RAFTER_GRANULARITY"] = *granularity.value;
  bool complete = true;
  if (regions.has_nvmarker()) {
    const Result<std::string> preload = MarkerPreload(variables);
    complete = preload.ok();
    if (complete) plan.set["LD_PRELOAD"] = *preload;
    if (!complete) Say("env: " + preload.status().message());
  }
  std::string text;
  for (const auto& [name, value] : plan.set) {
    text += "export " + name + "=" + ShellQuote(value) + "\n";
  }
  if (!Print(text)) return kIncomplete;
  return complete ? kDone : kIncomplete;
}

}  // namespace rafter
