// `rafter`: finds the verb and hands it the words that follow.
#include <exception>
#include <string>
#include <vector>

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
    {"batch", VerbBatch, "count a set of programs, into one table"},
    {"collect", VerbCollect, "the collector in the foreground"},
    {"ingest", VerbIngest, "spool files into a run file"},
    {"report", VerbReport, "tables: csv, json, markdown"},
    {"roofline", VerbRoofline, "the roofline as html, svg, pdf or png"},
    {"compare", VerbCompare, "differences of two runs by region, limits for CI"},
    {"doctor", VerbDoctor, "can counters be read here; if not, why"},
    {"metrics", VerbMetrics, "metrics and passes of any chip, without a GPU"},
    {"env", VerbEnv, "the exports for running by hand"},
};

std::string HelpText() {
  std::string text =
      "Reads a GPU's hardware counters around the regions that a program marks itself.\n"
      "Usage: rafter COMMAND [options]\n\nCommands:\n";
  for (const Verb& verb : kVerbs) {
    std::string name = verb.name;
    name.resize(10, ' ');
    text += "  " + name + verb.summary + "\n";
  }
  return text +
         "\nOptions:\n"
         "  -h, --help  print this; \"rafter COMMAND --help\" tells of one command\n"
         "  --version   print the versions of Rafter, CUPTI and the driver\n\n"
         "Example:\n"
         "  rafter run --csv out.csv --roofline out.svg -- ./bench\n";
}

int Unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  if (word.starts_with("-")) {
    return SayWrongUse(word + ": no such option before a command" +
                       DidYouMean(word, {"--help", "--version"}) + "; run \"rafter --help\"");
  }
  return SayWrongUse(word + ": no such command" + DidYouMean(word, names) +
                     "; run \"rafter --help\"");
}

int HelpOf(const std::string& command) {
  static const std::vector<std::string>* const help = new std::vector<std::string>{"--help"};
  for (const Verb& verb : kVerbs) {
    if (command == verb.name) return verb.function(*help);
  }
  return Unknown(command);
}

int Dispatch(Words words) {
  if (words.empty()) return SayWrongUse("no command was given; run \"rafter --help\"");
  const std::string& word = words.front();
  if (word == "--help" || word == "-h" || word == "help") {
    if (words.size() > 1) return HelpOf(words[1]);
    return Print(HelpText()) ? kDone : kIncomplete;
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
