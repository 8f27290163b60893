#include "tools/run_counting.h"

#include <charconv>
#include <cstdint>

#include "collector/table/aggregate.h"

namespace rafter {
namespace {

// Far more passes than any region has.
constexpr uint32_t kMostSkipped = 1'000'000'000;

Status CheckOverhead(TextOption& option) {
  if (!option.value.has_value()) return Status::Ok();
  std::string text = *option.value;
  if (text.ends_with('%')) text.pop_back();
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, percent, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !(percent >= 0) || percent > 100) {
    return Status::Failed(option.origin + " " + *option.value +
                          ": not a percentage from 0 to 100; write it like 5 or 2.5");
  }
  option.value = text;
  return Status::Ok();
}

Status CheckSkip(const TextOption& option) {
  if (!option.value.has_value()) return Status::Ok();
  const std::string& text = *option.value;
  uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && stop == text.data() + text.size() && number <= kMostSkipped) {
    return Status::Ok();
  }
  return Status::Failed(option.origin + " " + text +
                        ": not a whole number of instances; write it like 3");
}

Status CheckReplay(const RunCounting& counting) {
  const std::string replay = counting.replay.value.value_or("");
  if (counting.exact && (replay == "none" || replay == "kernel")) {
    return Status::Failed(counting.exact_origin + ": contradicts " + counting.replay.origin + " " +
                          replay +
                          ", since every instance is counted in every set only when the program "
                          "is run once for each; leave one of them out");
  }
  if (replay == "kernel" && counting.granularity.value == "instance") {
    return Status::Failed(counting.replay.origin + " kernel: contradicts " +
                          counting.granularity.origin +
                          " instance, since CUPTI repeats single launches, not instances of "
                          "regions; choose granularity kernel, or leave one of them out");
  }
  return Status::Ok();
}

// Options that bound or begin counting mean nothing where all is counted.
Status CheckExact(const RunCounting& counting) {
  const bool kernels = counting.replay.value == "kernel";
  const std::string cause = counting.exact
                                ? counting.exact_origin
                                : counting.replay.origin + " " + counting.replay.value.value_or("");
  if ((counting.replays() || kernels) && counting.overhead.origin == "--overhead") {
    return Status::Failed("--overhead: contradicts " + cause +
                          ", which counts every instance whatever it costs; leave one of them out");
  }
  if ((counting.exact || kernels) && counting.skip.value.value_or("0") != "0") {
    return Status::Failed(counting.skip.origin + ": contradicts " + cause +
                          ", which counts every instance, the first ones too; leave one of them "
                          "out");
  }
  return Status::Ok();
}

}  // namespace

void RunCounting::Declare(CommandLine& line, const std::string& replay_default) {
  line.Text("--overhead", &overhead, "PERCENT",
            "Time that counting may add beyond each region's first instances (default: 5)",
            "RAFTER_OVERHEAD");
  line.Text("--granularity", &granularity, "region|instance|kernel",
            "What gets numbers of its own (default: region)", "RAFTER_GRANULARITY");
  line.Text("--replay", &replay, "none|kernel|application",
            "What is run again, so that one instance is counted in every set (default: " +
                replay_default + ")",
            "RAFTER_REPLAY");
  line.Flag("--exact", &exact, "Run once for each set and count every instance", "RAFTER_EXACT");
  line.Text("--skip", &skip, "N",
            "Instances of each region, each by itself, before counting begins", "RAFTER_SKIP");
  line.Text("--ranks", &ranks, "RANK[-RANK][,...]",
            "Count these ranks of an MPI job only, as in 0,8-15; the others run as without Rafter",
            "RAFTER_RANKS");
}

void RunCounting::DeclareMeasuring(CommandLine& line) {
  line.Flag("--measure-overhead", &measure_overhead,
            "Run once more without Rafter and say both times");
}

Status RunCounting::Check(const Variables& variables) {
  const std::string exact_variable = ValueOf(variables, "RAFTER_EXACT");
  if (!exact_variable.empty() && exact_variable != "0" && exact_variable != "1") {
    return Status::Failed("RAFTER_EXACT=" + exact_variable +
                          ": neither 1 nor 0; write RAFTER_EXACT=1");
  }
  const bool says_otherwise = replay.origin == "--replay" || overhead.origin == "--overhead";
  if (exact_variable == "1" && !says_otherwise && !exact) {
    exact = true;
    exact_origin = "RAFTER_EXACT";
  }
  RAFTER_RETURN_IF_ERROR(CheckOverhead(overhead));
  RAFTER_RETURN_IF_ERROR(CheckChoice(granularity, {"region", "instance", "kernel"}));
  RAFTER_RETURN_IF_ERROR(CheckChoice(replay, {"none", "kernel", "application"}));
  RAFTER_RETURN_IF_ERROR(CheckSkip(skip));
  if (ranks.value.has_value()) {
    auto spans = ParseRanks(*ranks.value);
    if (!spans.ok()) {
      return Status::Failed(ranks.origin + ": " + std::string(spans.status().message()));
    }
    wanted_ranks = *std::move(spans);
  }
  RAFTER_RETURN_IF_ERROR(CheckReplay(*this));
  RAFTER_RETURN_IF_ERROR(CheckExact(*this));
  for (const std::string library : {"libinject.so", "libnvmarker.so"}) {
    if (!measure_overhead) break;
    if (ValueOf(variables, "LD_PRELOAD").find(library) == std::string::npos) continue;
    return Status::Failed("--measure-overhead: LD_PRELOAD brings " + library +
                          " into the program, so it cannot be run without Rafter; unset "
                          "LD_PRELOAD, the library is found without it");
  }
  return Status::Ok();
}

Variables RunCounting::ForLibrary() const {
  Variables told;
  if (overhead.value.has_value()) told["RAFTER_OVERHEAD"] = *overhead.value;
  if (granularity.value.has_value()) told["RAFTER_GRANULARITY"] = *granularity.value;
  if (skip.value.has_value()) told["RAFTER_SKIP"] = *skip.value;
  if (ranks.value.has_value()) told["RAFTER_RANKS"] = *ranks.value;
  told["RAFTER_REPLAY"] = replay.value == "kernel" ? "kernel" : "";
  told["RAFTER_EXACT"] = replays() ? "1" : "";
  return told;
}

}  // namespace rafter
