// `rafter`: finds the verb and hands it the words that follow.
#include <exception>
#include <string>
#include <vector>

#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/nearest.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

struct Verb {
  const char* name;
  int (*function)(Words);
  const char* summary;
};

constexpr Verb kVerbs[] = {
    {"run", VerbRun, "count one command"},
    {"batch", VerbBatch, "count a set of programs, into one run file and table"},
    {"collect", VerbCollect, "the collector in the foreground"},
    {"ingest", VerbIngest, "spool files into a run file"},
    {"report", VerbReport, "tables: csv, json, markdown"},
    {"roofline", VerbRoofline, "the roofline as html, svg, pdf or png"},
    {"compare", VerbCompare, "differences of two runs by region, limits for CI"},
    {"doctor", VerbDoctor, "can counters be read here; if not, why"},
    {"metrics", VerbMetrics, "metrics and passes of any chip, without a GPU"},
    {"env", VerbEnv, "the exports for running by hand"},
};

// --help and --man of `rafter` itself.
int PrintOwn(bool manual) {
  CommandLine line(
      {"", "Read a GPU's hardware counters around the regions that a program marks itself.",
       "COMMAND [options]", "  rafter run --csv out.csv --roofline out.svg -- ./bench"});
  bool version = false;
  line.Flag("--version", &version, "Print the versions of Rafter, CUPTI and the driver, and exit");
  for (const Verb& verb : kVerbs) line.Verb(verb.name, verb.summary);
  return manual ? line.PrintManual() : line.PrintHelp();
}

int Unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  if (word.starts_with("-")) {
    return SayWrongUse(word + ": no such option before a command" +
                       DidYouMean(word, {"--help", "--man", "--version"}) +
                       "; run \"rafter --help\"");
  }
  return SayWrongUse(word + ": no such command" + DidYouMean(word, names) +
                     "; run \"rafter --help\"");
}

int HelpOf(const std::string& command, bool manual) {
  const std::vector<std::string> words = {manual ? "--man" : "--help"};
  for (const Verb& verb : kVerbs) {
    if (command == verb.name) return verb.function(words);
  }
  return Unknown(command);
}

// What follows `help`: "[--man] [COMMAND]".
int Help(Words words, bool manual) {
  std::vector<std::string> commands;
  for (const std::string& word : words) {
    if (word == "--man") {
      manual = true;
    } else {
      commands.push_back(word);
    }
  }
  if (commands.empty()) return PrintOwn(manual);
  if (commands.size() == 1) return HelpOf(commands.front(), manual);
  return SayWrongUse("\"" + commands[1] + "\": not expected after help; run \"rafter --help\"");
}

int Dispatch(Words words) {
  if (words.empty()) return SayWrongUse("no command was given; run \"rafter --help\"");
  const std::string& word = words.front();
  if (word == "--help" || word == "-h" || word == "help" || word == "--man") {
    return Help(words.subspan(1), word == "--man");
  }
  if (word == "--version") {
    if (words.size() == 1) return PrintVersion();
    return SayWrongUse("\"" + words[1] + "\": not expected after --version; run \"rafter --help\"");
  }
  for (const Verb& verb : kVerbs) {
    if (word == verb.name) return verb.function(words.subspan(1));
  }
  return Unknown(word);
}

}  // namespace
}  // namespace rafter

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  try {
    return rafter::Dispatch(words);
  } catch (const std::exception& error) {
    rafter::Say(std::string("it stopped: ") + error.what() + "; please report this");
    return rafter::kIncomplete;
  }
}
