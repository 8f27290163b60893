#include "tools/likwid_request.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "tools/message.h"
#include "tools/nearest.h"
#include "tools/run_request.h"

namespace rafter {
namespace {

// LIKWID's arrays are by GPU; no node has more.
constexpr size_t kMostGpus = 64;
constexpr unsigned kHighestOrdinal = 1023;

Status CheckSource(const TextOption& source) {
  if (!source.value.has_value()) return Status::Ok();
  const std::string& name = *source.value;
  if (name == "cupti" || name == "likwid") return Status::Ok();
  if (name == "sampling" || name == "ncu") {
    return Status::Failed("--source " + name +
                          ": is not there yet; there are cupti, Rafter's own counting, and likwid");
  }
  return Status::Failed("--source " + name + ": not known" + DidYouMean(name, {"cupti", "likwid"}) +
                        "; choose one of cupti, likwid");
}

Status CheckScale(const TextOption& scale, std::optional<double>& given) {
  if (!scale.value.has_value() || scale.value == "auto") return Status::Ok();
  const std::string& text = *scale.value;
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && std::isfinite(number) && number > 0) {
    given = number;
    return Status::Ok();
  }
  return Status::Failed("--counter-scale " + text +
                        ": neither a number above zero nor auto; write it like 2");
}

Status CheckLibrary(TextOption& library) {
  if (!library.value.has_value()) return Status::Ok();
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(*library.value, error);
  struct stat found;
  if (error || stat(path.c_str(), &found) != 0) {
    return Status::Failed(library.origin + " " + *library.value + ": cannot be looked at (" +
                          ErrnoText(error ? error.value() : errno) +
                          "); give liblikwid.so or the folder that holds it");
  }
  library.value = path.string();
  return Status::Ok();
}

// The GPUs of either generation's variable; 0 without one.
Status ReadGpus(const Variables& variables, std::vector<unsigned>& gpus) {
  std::string variable = "LIKWID_NVMON_GPUS";
  if (ValueOf(variables, variable).empty()) variable = "LIKWID_GPUS";
  const std::string list = ValueOf(variables, variable);
  gpus.clear();
  for (size_t start = 0; !list.empty() && start <= list.size();) {
    const size_t end = std::min(list.find(',', start), list.size());
    unsigned ordinal = 0;
    const char* const last = list.data() + end;
    const auto [stop, error] = std::from_chars(list.data() + start, last, ordinal);
    const bool known = std::find(gpus.begin(), gpus.end(), ordinal) != gpus.end();
    if (error != std::errc() || stop != last || ordinal > kHighestOrdinal || known ||
        gpus.size() == kMostGpus) {
      return Status::Failed(variable + "=" + list +
                            ": not a list of different GPUs; write it like 0 or 0,1");
    }
    gpus.push_back(ordinal);
    start = end + 1;
  }
  if (gpus.empty()) gpus.push_back(0);
  return Status::Ok();
}

}  // namespace

void LikwidRequest::Declare(CommandLine& line) {
  line.Text("--source", &source, "cupti|likwid", "What counts (default: cupti)");
  line.Text("--events", &events, "EVENT[,EVENT...][|...]",
            "With --source likwid: events in LIKWID's writing, one run of the program for each "
            "group (default: FLOP by precision, DRAM traffic)");
  line.Text("--likwid", &library, "PATH",
            "With --source likwid: liblikwid.so or its folder (default: as the program finds it)",
            "RAFTER_LIKWID_PATH");
  line.Text("--counter-scale", &scale, "N|auto",
            "With --source likwid: count = reading times N (default: 2, which Rafter sees to); "
            "auto proves it with a known kernel first");
}

Status LikwidRequest::Check(const Variables& variables) {
  RAFTER_RETURN_IF_ERROR(CheckSource(source));
  if (!chosen()) {
    for (const TextOption* option : {&events, &library, &scale}) {
      if (!option->value.has_value() || !option->origin.starts_with("--")) continue;
      return Status::Failed(option->origin +
                            ": only LIKWID's counting uses it; give --source likwid too");
    }
    return Status::Ok();
  }
  RAFTER_RETURN_IF_ERROR(CheckScale(scale, given_scale));
  RAFTER_RETURN_IF_ERROR(CheckLibrary(library));
  RAFTER_RETURN_IF_ERROR(ReadGpus(variables, gpus));
  if (!events.value.has_value()) return Status::Ok();
  Result<std::vector<LikwidGroup>> parsed = ParseLikwidEvents(*events.value);
  if (!parsed.ok()) return Status::Failed("--events: " + parsed.status().message());
  groups = *std::move(parsed);
  return Status::Ok();
}

Status CheckOptionsForLikwid(const RunRequest& request) {
  if (!request.likwid.chosen()) return Status::Ok();
  const RunCounting& counting = request.counting;
  const auto refuse = [](const std::string& option, const char* why) {
    return Status::Failed(option + ": cannot be used with --source likwid: " + why + "; leave " +
                          (option.starts_with("--") ? option + " out" : "it unset"));
  };
  if (request.sets.value.has_value()) {
    return refuse(request.sets.origin, "LIKWID counts events; name them with --events");
  }
  if (request.metrics.value.has_value()) {
    return refuse(request.metrics.origin, "LIKWID counts events; name them with --events");
  }
  if (const std::string option = request.regions.FirstGiven(); !option.empty()) {
    return refuse(option, "LIKWID counts every NvMarker region, and no other");
  }
  if (request.collector.value.has_value()) {
    return refuse(request.collector.origin, "LIKWID's numbers do not come through a collector");
  }
  if (counting.exact) return refuse(counting.exact_origin, "LIKWID counts every call anyway");
  if (counting.replay.value.has_value()) {
    return refuse(counting.replay.origin, "the program is run once for each group of events");
  }
  if (counting.granularity.value.has_value()) {
    return refuse(counting.granularity.origin, "LIKWID sums up the calls of a region");
  }
  if (counting.overhead.value.has_value()) {
    return refuse(counting.overhead.origin, "LIKWID counts every call whatever it costs");
  }
  if (counting.skip.value.has_value()) {
    return refuse(counting.skip.origin, "LIKWID counts every call");
  }
  return Status::Ok();
}

}  // namespace rafter
