// `rafter collect`: the collector in the foreground, until SIGINT or SIGTERM.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "collector/ingest/collector.h"
#include "collector/store/run_file.h"
#include "tools/child.h"
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/output_name.h"
#include "tools/private_folder.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

// Streams that are still open get this long to end.
constexpr std::chrono::milliseconds kPatience{5000};

Result<std::string> SocketPath(const TextOption& given, const Variables& variables) {
  if (given.value.has_value()) return *given.value;
  const std::string runtime = ValueOf(variables, "XDG_RUNTIME_DIR");
  if (runtime.empty()) {
    return Status::Failed(
        "XDG_RUNTIME_DIR: not set, so there is no default place to listen at; give --socket PATH "
        "and "
        "RAFTER_COLLECTOR=PATH to the programs");
  }
  RAFTER_RETURN_IF_ERROR(EnsurePrivateFolder(runtime + "/rafter"));
  return runtime + "/rafter/collector.sock";
}

// Until a signal asks for the end.
void AwaitEnd(const HeldSignals& signals) {
  int signal = 0;
  do {
    signal = sigwaitinfo(&signals.held(), nullptr);
  } while (signal != SIGINT && signal != SIGTERM && signal != SIGHUP && signal != SIGQUIT);
}

std::string TotalsText(const CollectorTotals& totals) {
  std::string text = CountText(totals.processes, "process", "processes") + ", " +
                     CountText(totals.instances, "instance", "instances") + " of regions, " +
                     CountText(totals.epochs, "epoch", "epochs");
  if (totals.refused_streams > 0) {
    text += ", " + CountText(totals.refused_streams, "stream", "streams") + " refused";
  }
  return text;
}

int Serve(Collector& collector, RunFile& file, const std::string& socket,
          const HeldSignals& signals, bool quiet, bool is_new) {
  if (const absl::Status status = collector.Start(); !status.ok()) {
    Say("collect: " + std::string(status.message()));
    // A file that was made for this run and holds nothing is of no use.
    if (file.Close().ok() && is_new) unlink(file.path().c_str());
    return kWrongUse;
  }
  if (!quiet) Say("listening at " + socket + ", writing " + file.path() + "; end it with SIGINT");
  AwaitEnd(signals);
  int exit_status = kDone;
  const auto check = [&](const absl::Status& status) {
    if (status.ok()) return;
    Say("collect: " + std::string(status.message()));
    exit_status = kIncomplete;
  };
  check(collector.Stop(kPatience));
  check(file.Close());
  if (!quiet) Say(file.path() + ": " + TotalsText(collector.Totals()));
  return collector.Totals().refused_streams > 0 ? kIncomplete : exit_status;
}

// "rafter collect", or "rafter-collector" under its own name.
int Collect(Words words, const CommandDescription& description) {
  TextOption output;
  TextOption socket;
  bool force = false;
  bool append = false;
  bool quiet = false;
  bool version = false;
  CommandLine line(description);
  line.Text("-o,--output", &output, "RUNFILE", "Run file (default: collector.%h.%p.rafter)",
            "RAFTER_OUTPUT");
  line.Text("--socket", &socket, "PATH",
            "Socket (default: $XDG_RUNTIME_DIR/rafter/collector.sock)");
  line.Flag("--force", &force, "Overwrite RUNFILE");
  line.Flag("--append", &append, "Go on with RUNFILE where it exists");
  line.Flag("--quiet", &quiet, "Say errors only", "RAFTER_QUIET");
  if (description.name.empty()) {
    line.Flag("--version", &version,
              "Print the versions of Rafter, CUPTI and the driver, and exit");
  }
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (version) return PrintVersion();
  if (force && append) return line.Refuse("--append: contradicts --force; give one of them");

  const HeldSignals signals;
  const Variables variables = CurrentVariables();
  quiet = quiet || IsQuiet(variables);
  for (const std::string& unknown : UnknownVariables(variables)) {
    if (!quiet) Say(unknown);
  }
  const std::string pattern = output.value.value_or(DefaultOutputPattern("collector"));
  Result<std::string> path = ExpandOutputName(pattern, ReadLaunchIdentity(variables), variables);
  if (!path.ok()) return line.Refuse("--output " + pattern + ": " + path.status().message());
  Result<std::string> place = SocketPath(socket, variables);
  if (!place.ok()) return line.Refuse(place.status().message());
  const auto existing = force    ? RunFile::Existing::kReplace
                        : append ? RunFile::Existing::kAppend
                                 : RunFile::Existing::kRefuse;
  auto file = RunFile::Create(*path, existing);
  if (!file.ok()) return line.Refuse(std::string(file.status().message()));
  CollectorOptions options;
  options.socket_path = *place;
  options.cupti = CuptiSearchOf(variables);
  options.plan_cache = PlanCacheOf(variables);
  options.report = [quiet](const std::string& text) {
    if (!quiet) Say(text);
  };
  Collector collector(**file, options);
  return Serve(collector, **file, *place, signals, quiet, !append);
}

constexpr char kSummary[] = "The collector in the foreground, until SIGINT or SIGTERM.";

std::string ExampleOf(const std::string& command) {
  return "  " + command +
         " -o all.rafter --socket /tmp/me/collector.sock\n"
         "  RAFTER_COLLECTOR=/tmp/me/collector.sock rafter run -- ./bench";
}

}  // namespace

int VerbCollect(Words words) {
  return Collect(words, {"collect", kSummary, "[options]", ExampleOf("rafter collect")});
}

int RunCollector(Words words) {
  return Collect(words,
                 {"", kSummary, "[options]", ExampleOf("rafter-collector"), "rafter-collector"});
}

}  // namespace rafter
