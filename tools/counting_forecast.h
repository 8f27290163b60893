// CountingForecast tells before a program starts how many passes its sets and
// metrics take on the GPUs of this machine, and refuses what no pass can count.
//
//   Threads   one: it runs probes in processes of their own.
//   Blocking  only where something beyond the default sets is asked for: asks the
//             driver and CUPTI, at most kProbeDeadline_s each.
//   Memory    returns lines of text.
//   Lifetime  nothing of the driver or CUPTI stays in this process.
#pragma once

#include <string>
#include <vector>

#include "cupti/library.h"
#include "cupti/status.h"
#include "tools/driver_probe.h"
#include "tools/run_request.h"
#include "tools/variables.h"

namespace rafter {

// Lines to say. Fails for a metric that no chip has, and for sets that cannot be
// had in one run on any GPU here, with the next step.
Result<std::vector<std::string>> ForecastCounting(const RunRequest& request,
                                                  const Variables& variables);

// The same for chips that are known: what one of them says.
Result<std::vector<std::string>> ForecastOnChips(const CuptiSearch& search,
                                                 const std::vector<std::string>& chips,
                                                 const std::string& sets);

// Chips of these devices, as far as they are `known` to CUPTI, each once.
std::vector<std::string> ChipsOf(const std::vector<DriverDevice>& devices,
                                 const std::vector<std::string>& known);

}  // namespace rafter
