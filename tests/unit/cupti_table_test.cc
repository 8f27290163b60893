#include "cupti/table.h"

#include <gtest/gtest.h>

namespace rafter {
namespace {

// With the headers of 13.0 the macros of NVIDIA give the sizes of 13.0, so our
// table can be held against them there.
#if CUPTI_API_VERSION >= 130000 && CUPTI_API_VERSION < 130100
#define RAFTER_EXPECT_SIZE(type) EXPECT_EQ(CuptiStructSize(130001, #type), type##_STRUCT_SIZE)
TEST(CuptiStructSize, AgreesWithTheMacrosOfTheSameVersion) {
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_Initialize_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_Deinitialize_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetSupportedChips_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetBaseMetrics_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetSubMetrics_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetMetricProperties_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetRangeName_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetConfigImageSize_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetConfigImage_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Host_GetNumOfPasses_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_Initialize_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_DeInitialize_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_DeviceSupported_Params);
  RAFTER_EXPECT_SIZE(CUpti_Profiler_GetCounterAvailability_Params);
  RAFTER_EXPECT_SIZE(CUpti_Device_GetChipName_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_Enable_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_Disable_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_SetConfig_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_Start_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_Stop_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_PushRange_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_PopRange_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_DecodeData_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_GetCounterDataSize_Params);
  RAFTER_EXPECT_SIZE(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
}
#endif

TEST(CuptiStructSize, GrowsWithTheRunningLibraryNotWithTheHeaders) {
  EXPECT_EQ(CuptiStructSize(130001, "CUpti_RangeProfiler_Enable_Params"), 32u);
  EXPECT_EQ(CuptiStructSize(130400, "CUpti_RangeProfiler_Enable_Params"), 36u);
}

TEST(CuptiErrorText, NamesTheRightThatIsMissingAndBothRemedies) {
  const std::string text = CuptiErrorText(35);
  EXPECT_NE(text.find("RmProfilingAdminOnly"), std::string::npos);
  EXPECT_NE(text.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  EXPECT_NE(text.find("CAP_SYS_ADMIN"), std::string::npos);
}

}  // namespace
}  // namespace rafter
