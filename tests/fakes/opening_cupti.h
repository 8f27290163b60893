// OpeningCupti is a CUPTI table with which a RangeSession opens and nothing more:
// a test or benchmark adds the calls that it is about.
//
//   Threads   any.
//   Blocking  never.
//   Memory    a plain value.
//   Lifetime  the caller's.
#pragma once

#include "cupti/table.h"

namespace rafter {

inline CuptiTable OpeningCupti() {
  CuptiTable table;
  table.version = 130001;
  table.cuptiProfilerInitialize = [](CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; };
  table.cuptiProfilerDeviceSupported = [](CUpti_Profiler_DeviceSupported_Params* params) {
    params->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    return CUPTI_SUCCESS;
  };
  table.cuptiDeviceGetChipName = [](CUpti_Device_GetChipName_Params* params) {
    params->pChipName = "GH100";
    return CUPTI_SUCCESS;
  };
  table.cuptiProfilerGetCounterAvailability =
      [](CUpti_Profiler_GetCounterAvailability_Params* params) {
        params->counterAvailabilityImageSize = 1;
        return CUPTI_SUCCESS;
      };
  return table;
}

}  // namespace rafter
