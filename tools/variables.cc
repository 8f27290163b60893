#include "tools/variables.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "proto/launch_variables.h"
#include "proto/plan_cache.h"
#include "tools/nearest.h"

namespace rafter {
namespace {

const std::vector<std::string>& KnownVariables() {
  static const std::vector<std::string>* const names =
      new std::vector<std::string>(std::begin(kRafterVariables), std::end(kRafterVariables));
  return *names;
}

}  // namespace

Variables CurrentVariables() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    variables.try_emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string ValueOf(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

bool IsQuiet(const Variables& variables) {
  const std::string quiet = ValueOf(variables, "RAFTER_QUIET");
  return !quiet.empty() && quiet != "0";
}

std::vector<std::string> UnknownVariables(const Variables& variables) {
  std::vector<std::string> lines;
  const std::vector<std::string>& known = KnownVariables();
  for (const auto& [name, value] : variables) {
    if (!name.starts_with("RAFTER_")) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    lines.push_back(name + ": no such variable" + DidYouMean(name, known) +
                    "; it has no effect, unset it");
  }
  return lines;
}

CuptiSearch CuptiSearchOf(const Variables& variables) {
  CuptiSearch search;
  search.override_path = ValueOf(variables, "RAFTER_CUPTI_PATH");
  search.cuda_home = ValueOf(variables, "CUDA_HOME");
  if (search.cuda_home.empty()) search.cuda_home = ValueOf(variables, "CUDA_PATH");
  return search;
}

std::string PlanCacheOf(const Variables& variables) {
  return PlanCacheFolder(ValueOf(variables, "XDG_CACHE_HOME"), ValueOf(variables, "HOME"));
}

}  // namespace rafter
