#include "marker/nvmarker/environment.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "proto/launch_variables.h"

namespace rafter {
namespace {

std::string Get(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of the two generations of LIKWID's variables.
std::string EitherOf(const char* name, const char* of_old) {
  std::string text = Get(name);
  return text.empty() ? Get(of_old) : text;
}

bool IsNumber(const std::string& text) {
  constexpr size_t kMaxDigits = 9;
  return !text.empty() && text.size() <= kMaxDigits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::string Rank() {
  std::vector<std::string> names;
  if (std::string named = Get("RAFTER_RANK_VARIABLE"); !named.empty()) names.push_back(named);
  names.insert(names.end(), std::begin(kRankVariables), std::end(kRankVariables));
  for (const std::string& name : names) {
    if (std::string text = Get(name.c_str()); IsNumber(text)) return text;
  }
  return "";
}

// "0,1" -> 0 and 1, each read as LIKWID reads it.
std::vector<int> Ordinals(const std::string& text) {
  std::vector<int> ordinals;
  for (size_t at = 0; !text.empty() && at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    ordinals.push_back(std::atoi(text.substr(at, end - at).c_str()));
    at = end + 1;
  }
  return ordinals;
}

}  // namespace

MarkerEnvironment ReadEnvironment() {
  MarkerEnvironment environment;
  environment.quiet = Get("RAFTER_QUIET") == "1";
  const std::string form = Get("RAFTER_NVMARKER");
  environment.likwid = form == "likwid";
  if (!environment.likwid && !form.empty() && form != "rafter") environment.wrong = form;
  environment.likwid_path = Get("RAFTER_LIKWID_PATH");
  environment.result = Get("RAFTER_NVMARKER_RESULT");
  environment.gpus = Ordinals(EitherOf("LIKWID_NVMON_GPUS", "LIKWID_GPUS"));
  environment.several_sets =
      EitherOf("LIKWID_NVMON_EVENTS", "LIKWID_GEVENTS").find('|') != std::string::npos;
  environment.rank = Rank();
  return environment;
}

}  // namespace rafter
