#include "tools/likwid_plan.h"

#include <algorithm>
#include <memory>

#include "cupti/host.h"
#include "tools/apart.h"
#include "tools/counting_forecast.h"
#include "tools/cupti_probe.h"
#include "tools/driver_probe.h"
#include "tools/message.h"

namespace rafter {
namespace {

LikwidForecast Unchecked(const std::vector<LikwidGroup>& asked, const std::string& why) {
  LikwidForecast forecast;
  forecast.groups = asked.empty() ? LikwidGroupsOfAnyChip() : asked;
  forecast.warnings.push_back(
      "events were not checked against the GPU, and LIKWID crashes on one "
      "that is not there: " +
      why);
  return forecast;
}

// Lines are: "group" title event..., "absent" event, "refused" text, "trouble" text.
void AskForChips(CuptiHost& host, const std::vector<std::string>& chips,
                 std::vector<LikwidGroup> groups, const ProbeReport& report) {
  const std::vector<uint8_t> any_availability;
  for (const std::string& chip : chips) {
    const ChipMetrics metrics{host, chip, any_availability};
    if (groups.empty()) {
      Result<LikwidPlan> plan = DefaultLikwidGroups(metrics);
      if (!plan.ok()) return report.Line({"refused", plan.status().message()});
      groups = plan->groups;
      for (const std::string& event : plan->absent) report.Line({"absent", chip, event});
    }
    const Status checked = CheckLikwidGroups(metrics, groups);
    if (!checked.ok()) return report.Line({"refused", checked.message()});
  }
  for (const LikwidGroup& group : groups) {
    std::vector<std::string> line = {"group", group.title};
    line.insert(line.end(), group.events.begin(), group.events.end());
    report.Line(line);
  }
}

}  // namespace

Result<LikwidForecast> ForecastLikwidOnChips(const CuptiSearch& search,
                                             const std::vector<std::string>& chips,
                                             const std::vector<LikwidGroup>& asked) {
  const ProbeAnswer probe = RunApart([&](const ProbeReport& report) {
    Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
    if (!host.ok()) return report.Line({"trouble", host.status().message()});
    AskForChips(**host, chips, asked, report);
  });
  LikwidForecast forecast;
  for (const std::vector<std::string>& line : probe.lines) {
    if (line.size() < 2) continue;
    if (line[0] == "refused") return Status::Failed(line[1]);
    if (line[0] == "trouble") return Unchecked(asked, line[1]);
    if (line[0] == "absent" && line.size() == 3) {
      forecast.warnings.push_back("event " + line[2] + ": chip " + line[1] +
                                  " does not have it; it is not counted");
    }
    if (line[0] == "group") forecast.groups.push_back({line[1], {line.begin() + 2, line.end()}});
  }
  if (!probe.trouble.empty()) return Unchecked(asked, "planning here failed: " + probe.trouble);
  return forecast;
}

Result<LikwidForecast> ForecastLikwid(const LikwidRequest& request, const CuptiSearch& search) {
  const DriverAnswer driver = ProbeDriver();
  if (driver.devices.empty()) {
    return Unchecked(
        request.groups,
        "no GPU is known here" + (driver.trouble.empty() ? "" : " (" + driver.trouble + ")"));
  }
  std::vector<DriverDevice> devices;
  for (const unsigned gpu : request.gpus) {
    if (gpu >= driver.devices.size()) {
      return Status::Failed("GPU " + std::to_string(gpu) + ": not there; programs see " +
                            CountText(driver.devices.size(), "GPU", "GPUs") +
                            " here, numbered from 0; set LIKWID_NVMON_GPUS accordingly");
    }
    devices.push_back(driver.devices[gpu]);
  }
  const CuptiAnswer cupti = ProbeCupti(search);
  const std::vector<std::string> chips = ChipsOf(devices, cupti.chips);
  if (chips.empty()) {
    return Unchecked(request.groups, cupti.trouble.empty()
                                         ? "this CUPTI knows no chip of the GPUs here"
                                         : cupti.trouble);
  }
  return ForecastLikwidOnChips(search, chips, request.groups);
}

}  // namespace rafter
