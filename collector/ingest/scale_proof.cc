#include "collector/ingest/scale_proof.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "collector/plan/likwid_events.h"

namespace rafter {
namespace {

constexpr std::string_view kWork = "work ";

// Six places: what tells 2 from 1.999998.
std::string FactorText(double factor) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.7g", factor);
  return text;
}

bool ReadWork(std::string_view line, KnownAmount& work) {
  const size_t first = line.find(' ');
  const size_t second = line.find(' ', first + 1);
  if (first == 0 || first == std::string_view::npos || second == std::string_view::npos) {
    return false;
  }
  work.region = line.substr(0, first);
  work.event = line.substr(first + 1, second - first - 1);
  const std::string_view number = line.substr(second + 1);
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, work.amount);
  return error == std::errc() && stop == end && std::isfinite(work.amount) && work.amount >= 0;
}

double ToleranceOf(const std::string& event) {
  return CountsInstructions(event) ? kInstructionTolerance : kByteTolerance;
}

// The reading of `region` for the event at `place`; not finite: there is none.
double ReportedOf(const MarkerResult& result, const std::string& region, size_t place) {
  for (const MarkerResultReading& reading : result.readings) {
    if (reading.region == region && place < reading.values.size()) return reading.values[place];
  }
  return std::nan("");
}

// The least work of any region: what a region without work is held against.
double LeastWork(const std::vector<KnownAmount>& truth, const std::string& event) {
  double least = 0;
  for (const KnownAmount& work : truth) {
    if (work.event != event || work.amount <= 0) continue;
    least = least == 0 ? work.amount : std::min(least, work.amount);
  }
  return least;
}

// What is wrong with a reading; empty: nothing, and `factor` is set where there
// was work.
std::string FaultOf(const KnownAmount& known, double reported, double least_work,
                    std::optional<double>& factor) {
  const double tolerance = ToleranceOf(known.event);
  if (!std::isfinite(reported)) return "nothing";
  if (known.amount == 0) {
    const bool is_nothing = std::abs(reported) <= tolerance * least_work / kKeptScale;
    return is_nothing ? "" : FactorText(reported) + " without any work";
  }
  if (reported == 0) return "reads 0";
  factor = known.amount / reported;
  if (std::abs(*factor / kKeptScale - 1) <= tolerance) return "";
  return "true value / reading = " + FactorText(*factor);
}

}  // namespace

Result<std::vector<KnownAmount>> ReadKnownAmounts(std::string_view text) {
  std::vector<KnownAmount> all;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(kWork)) continue;
    KnownAmount work;
    if (!ReadWork(line.substr(kWork.size()), work)) {
      return Status::Failed("the known kernel's own account is not understood: \"" +
                            std::string(line.substr(0, 80)) + "\"");
    }
    all.push_back(work);
  }
  if (all.empty()) return Status::Failed("the known kernel gave no account of its work");
  return all;
}

Result<ScaleProof> ProveScale(const std::vector<KnownAmount>& truth,
                              const std::vector<std::string>& events, const MarkerResult& result) {
  std::string seen;  // what is not as it should be
  std::vector<double> factors;
  double sum = 0;
  for (const KnownAmount& known : truth) {
    const auto place = std::find(events.begin(), events.end(), known.event);
    if (place == events.end()) continue;
    const double reported =
        ReportedOf(result, known.region, static_cast<size_t>(place - events.begin()));
    std::optional<double> factor;
    const std::string fault = FaultOf(known, reported, LeastWork(truth, known.event), factor);
    if (!fault.empty()) {
      seen += (seen.empty() ? "region " : "; region ") + known.region + ", " + known.event + ": " +
              fault;
    } else if (factor.has_value()) {
      factors.push_back(*factor);
      sum += *factor;
    }
  }
  if (!seen.empty()) {
    return Status::Failed("the factor is not " + FactorText(kKeptScale) + " throughout: " + seen);
  }
  if (factors.empty()) return Status::Failed("no event of this group is one of the known kernel's");
  ScaleProof proof;
  proof.compared = factors.size();
  proof.mean = sum / static_cast<double>(factors.size());
  for (const double factor : factors) {
    proof.worst_share = std::max(proof.worst_share, std::abs(factor / kKeptScale - 1));
  }
  return proof;
}

}  // namespace rafter
