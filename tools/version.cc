// `rafter --version`: ours, CUPTI found, driver, built-in features.
#include "collector/roofline/to_html.h"
#include "collector/store/utf8.h"
#include "tools/cupti_probe.h"
#include "tools/driver_probe.h"
#include "tools/exit_status.h"
#include "tools/injection.h"
#include "tools/message.h"
#include "tools/verbs.h"

namespace rafter {

int PrintVersion() {
  const CuptiAnswer cupti = ProbeCupti(CuptiSearchOf(CurrentVariables()));
  const DriverAnswer driver = ProbeDriver();
  const Result<std::string> library = FindInjectLibrary();
  std::string text = "rafter " RAFTER_VERSION "\n";
  text += "CUPTI: " +
          (cupti.path.empty() ? OneLine(cupti.trouble)
                              : CuptiVersionText(cupti.version) + ", " + cupti.path) +
          "\n";
  const std::string module = KernelModuleVersion();
  text += "driver: " +
          (driver.initialised ? (module.empty() ? "" : module + ", ") + "CUDA " +
                                    CudaVersionText(driver.cuda_version)
                              : OneLine(driver.trouble)) +
          "\n";
  text += "library: " + (library.ok() ? *library : library.status().message()) + "\n";
  text +=
      "features: source cupti; regions nvtx; sets time, memory, sm, flop; tables csv, json, "
      "markdown; charts ";
  text += CanMakeHtml() ? "html, " : "";
  text += "svg, pdf, png; planning and evaluation " RAFTER_PLANNING "\n";
  return Print(text) ? kDone : kIncomplete;
}

}  // namespace rafter
