#include "tools/run_regions.h"

#include <regex.h>

#include <algorithm>

namespace rafter {
namespace {

// Texts that hold what a pattern for parts of names may not find nothing in.
constexpr const char* kSomeNames[] = {"", "a", "mm, seq = 17"};

void TakeVariable(const Variables& variables, const char* option, const char* variable,
                  TextsOption& texts) {
  texts.origin = option;
  if (!texts.values.empty()) return;
  const std::string lines = ValueOf(variables, variable);
  for (size_t start = 0; start < lines.size();) {
    const size_t end = std::min(lines.find('\n', start), lines.size());
    if (end > start) texts.values.push_back(lines.substr(start, end - start));
    start = end + 1;
  }
  if (!texts.values.empty()) texts.origin = variable;
}

// One line is one value for the library.
Status CheckLines(const TextsOption& texts) {
  for (const std::string& value : texts.values) {
    if (value.empty()) return Status::Failed(texts.origin + ": its value is empty; give one");
    if (value.find('\n') == std::string::npos) continue;
    return Status::Failed(texts.origin + ": a value has two lines; give " + texts.origin +
                          " once for each");
  }
  return Status::Ok();
}

bool FindsNothingSomewhere(const regex_t& compiled) {
  for (const char* const name : kSomeNames) {
    regmatch_t found = {};
    if (regexec(&compiled, name, 1, &found, 0) == 0 && found.rm_so == found.rm_eo) return true;
  }
  return false;
}

Status CheckPattern(const std::string& origin, const std::string& pattern, bool must_find_text) {
  regex_t compiled = {};
  const int error = regcomp(&compiled, pattern.c_str(), REG_EXTENDED);
  if (error != 0) {
    char why[128] = {};
    regerror(error, &compiled, why, sizeof(why));
    return Status::Failed(origin + " " + pattern + ": no extended regular expression (" + why +
                          "); put a \\ before a character that stands for itself");
  }
  const bool refused = must_find_text && FindsNothingSomewhere(compiled);
  regfree(&compiled);
  if (!refused) return Status::Ok();
  return Status::Failed(origin + " " + pattern +
                        ": matches an empty text, which is in every name; write what the varying "
                        "part has at least, as in [0-9]+");
}

Status CheckPatterns(const TextsOption& texts, bool must_find_text) {
  for (const std::string& pattern : texts.values) {
    RAFTER_RETURN_IF_ERROR(CheckPattern(texts.origin, pattern, must_find_text));
  }
  return Status::Ok();
}

std::string LinesOf(const TextsOption& texts) {
  std::string lines;
  for (const std::string& value : texts.values) lines += (lines.empty() ? "" : "\n") + value;
  return lines;
}

}  // namespace

void RunRegions::Declare(CommandLine& line) {
  line.Text("--regions", &source, "nvtx|nvmarker|both|none",
            "Whose marks are regions: NVTX, LIKWID's NvMarker; none: each kind of launch gets a "
            "row instead (default: nvtx)",
            "RAFTER_REGIONS");
  line.Texts("--domain", &domains.values, "NAME",
             "NVTX domain whose regions count; default: the default domain, all: every one; "
             "repeatable (default: default)",
             "RAFTER_DOMAIN");
  line.Texts("--region", &chosen.values, "REGEX",
             "Count only regions whose path (outer/inner) matches one of these; repeatable",
             "RAFTER_REGION");
  line.Texts("--group-names", &group_names.values, "REGEX",
             "Write * for the part of a name that matches, so that \"mm, seq = 17\" and its like "
             "are one region; repeatable",
             "RAFTER_GROUP_NAMES");
}

Status RunRegions::Check(const Variables& variables, TextOption& granularity) {
  TakeVariable(variables, "--domain", "RAFTER_DOMAIN", domains);
  TakeVariable(variables, "--region", "RAFTER_REGION", chosen);
  TakeVariable(variables, "--group-names", "RAFTER_GROUP_NAMES", group_names);
  RAFTER_RETURN_IF_ERROR(CheckChoice(source, {"nvtx", "nvmarker", "both", "none"}));
  for (const TextsOption* texts : {&domains, &chosen, &group_names}) {
    RAFTER_RETURN_IF_ERROR(CheckLines(*texts));
  }
  RAFTER_RETURN_IF_ERROR(CheckPatterns(chosen, false));
  RAFTER_RETURN_IF_ERROR(CheckPatterns(group_names, true));
  const std::string asked = source.origin + " " + source.value.value_or("");
  if (source.value == "nvmarker" && !domains.values.empty()) {
    return Status::Failed(domains.origin + ": contradicts " + asked +
                          ", whose regions are in no NVTX domain; choose both, or leave " +
                          domains.origin + " out");
  }
  if (source.value != "none") return Status::Ok();
  for (const TextsOption* texts : {&domains, &chosen, &group_names}) {
    if (texts->values.empty()) continue;
    return Status::Failed(texts->origin + ": contradicts " + asked +
                          ", which takes no mark for a region; leave one of them out");
  }
  if (granularity.value.value_or("kernel") != "kernel") {
    return Status::Failed(granularity.origin + " " + *granularity.value + ": contradicts " + asked +
                          ", which leaves launches alone to count; choose granularity kernel, or "
                          "leave one of them out");
  }
  granularity = {"kernel", source.origin};
  return Status::Ok();
}

std::string RunRegions::FirstGiven() const {
  if (source.value.has_value() && *source.value != "nvmarker") return source.origin;
  for (const TextsOption* texts : {&domains, &chosen, &group_names}) {
    if (!texts->values.empty()) return texts->origin;
  }
  return "";
}

Variables RunRegions::ForLibrary() const {
  Variables told;
  if (source.value.has_value()) told["RAFTER_REGIONS"] = *source.value;
  if (!domains.values.empty()) told["RAFTER_DOMAIN"] = LinesOf(domains);
  if (!chosen.values.empty()) told["RAFTER_REGION"] = LinesOf(chosen);
  if (!group_names.values.empty()) told["RAFTER_GROUP_NAMES"] = LinesOf(group_names);
  return told;
}

}  // namespace rafter
