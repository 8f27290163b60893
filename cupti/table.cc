#include "cupti/table.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <mutex>

namespace rafter {
namespace {

struct StructSize {
  uint32_t since;  // first cuptiGetVersion with this size
  std::string_view structure;
  size_t bytes;
};

// Sizes of CUDA 13.0 Update 1 as printed by its own STRUCT_SIZE macros; 12.6
// Update 2 to 12.9 have the same for these structures. Later rows add the field
// that NVIDIA's release notes name (section 6 of the CUPTI notes); those rows
// have not been run. The newest row that is not newer than the library counts.
constexpr StructSize kStructSizes[] = {
    {0, "CUpti_Profiler_Host_Initialize_Params", 48},
    {130200, "CUpti_Profiler_Host_Initialize_Params", 56},
    {0, "CUpti_Profiler_Host_Deinitialize_Params", 24},
    {0, "CUpti_Profiler_Host_GetSupportedChips_Params", 32},
    {0, "CUpti_Profiler_Host_GetBaseMetrics_Params", 48},
    {0, "CUpti_Profiler_Host_GetSubMetrics_Params", 56},
    {0, "CUpti_Profiler_Host_GetMetricProperties_Params", 60},
    {130100, "CUpti_Profiler_Host_GetMetricProperties_Params", 64},
    {0, "CUpti_Profiler_Host_GetRangeName_Params", 56},
    {0, "CUpti_Profiler_Host_EvaluateToGpuValues_Params", 72},
    {0, "CUpti_Profiler_Host_ConfigAddMetrics_Params", 40},
    {0, "CUpti_Profiler_Host_GetConfigImageSize_Params", 32},
    {0, "CUpti_Profiler_Host_GetConfigImage_Params", 40},
    {0, "CUpti_Profiler_Host_GetNumOfPasses_Params", 40},
    {0, "CUpti_Profiler_Initialize_Params", 16},
    {0, "CUpti_Profiler_DeInitialize_Params", 16},
    {0, "CUpti_Profiler_DeviceSupported_Params", 52},
    {130100, "CUpti_Profiler_DeviceSupported_Params", 56},
    {0, "CUpti_Profiler_GetCounterAvailability_Params", 40},
    {130100, "CUpti_Profiler_GetCounterAvailability_Params", 41},
    {0, "CUpti_Device_GetChipName_Params", 32},
    {0, "CUpti_RangeProfiler_Enable_Params", 32},
    {130400, "CUpti_RangeProfiler_Enable_Params", 36},
    {0, "CUpti_RangeProfiler_Disable_Params", 24},
    {0, "CUpti_RangeProfiler_SetConfig_Params", 90},
    {0, "CUpti_RangeProfiler_Start_Params", 24},
    {0, "CUpti_RangeProfiler_Stop_Params", 41},
    {0, "CUpti_RangeProfiler_PushRange_Params", 32},
    {0, "CUpti_RangeProfiler_PopRange_Params", 24},
    {0, "CUpti_RangeProfiler_DecodeData_Params", 32},
    {0, "CUpti_RangeProfiler_GetCounterDataSize_Params", 64},
    {0, "CUpti_RangeProfiler_CounterDataImage_Initialize_Params", 40},
};

struct Meaning {
  int code;
  const char* text;
};

constexpr Meaning kMeanings[] = {
    {1, "invalid parameter"},
    {2, "invalid device"},
    {3, "invalid context"},
    {7, "invalid operation"},
    {8, "out of memory"},
    {9, "hardware error"},
    {15, "not initialised: the driver is missing or older than this CUPTI needs"},
    {23, "disabled"},
    {26, "hardware busy: another profiler or process holds this GPU's counters"},
    {27, "not supported on this device or in this configuration"},
    {33, "not supported on this virtual GPU"},
    {35,
     "insufficient privileges: the driver lets only administrators read counters "
     "(RmProfilingAdminOnly in /proc/driver/nvidia/params); run with CAP_SYS_ADMIN, or have the "
     "administrator load nvidia with NVreg_RestrictProfilingToAdminUsers=0"},
    {38, "the legacy profiler is not supported"},
    {39, "another profiler in this process holds CUPTI's one subscription"},
    {40, "insufficient privileges on this virtual GPU: profiling is not enabled for it"},
    {41, "not supported while confidential computing is on"},
    {42, "not supported on mining cards"},
    {43, "not supported on this MIG device"},
    {44, "not supported while SLI is on"},
    {45, "not supported on this WSL device"},
    {46, "unknown chip name"},
    {999, "unknown error"},
};

// Stubs answer to the names of the real library and do nothing; they lie in
// folders called "stubs".
bool IsStub(const std::string& path) {
  return std::filesystem::path(path).parent_path().filename() == "stubs";
}

std::string FileOf(void* function, const std::string& fallback) {
  Dl_info info;
  if (dladdr(function, &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(info.dli_fname, ignored);
    return ignored ? info.dli_fname : real.string();
  }
  return fallback;
}

// libcupti looks its helpers up by bare, unversioned name; opening them first
// from the same folder pairs it with its own (gpu-facts.md, section 1). CUPTI 13
// opens libnvperf_host.so only (measured: the other would cost the target 104 MB).
void OpenHelpersBeside(const std::string& cupti_path) {
  const std::filesystem::path file = cupti_path;
  if (file.parent_path().empty()) return;
  const bool older = file.filename().string().find(".so.12") != std::string::npos;
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) {
    if (std::string_view(name) == "libnvperf_target.so" && !older) continue;
    const std::filesystem::path helper = file.parent_path() / name;
    std::error_code ignored;
    if (std::filesystem::exists(helper, ignored)) {
      dlopen(helper.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
}

// Fills `table` from an open library, or names the function that it lacks.
Status Fill(void* library, CuptiTable& table) {
#define RAFTER_CUPTI_HOST(name)                                               \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name)); \
  if (table.name == nullptr) return Status::Failed("has no " #name);
#define RAFTER_CUPTI_TARGET(name) RAFTER_CUPTI_HOST(name)
#include "cupti/functions.inc"
#undef RAFTER_CUPTI_HOST
#undef RAFTER_CUPTI_TARGET
  if (table.cuptiGetVersion(&table.version) != CUPTI_SUCCESS || table.version == 0) {
    return Status::Failed("does not tell its version");
  }
  return Status::Ok();
}

std::vector<CuptiCandidate>& Trace() {
  static std::vector<CuptiCandidate>* const trace = new std::vector<CuptiCandidate>;
  return *trace;
}

// Opens one candidate; its verdict says how that went.
bool Try(CuptiCandidate& candidate, CuptiTable& table) {
  if (IsStub(candidate.path)) {
    candidate.verdict = "a stub, refused";
    return false;
  }
  const bool mapped = candidate.origin == "already mapped";
  std::error_code ignored;
  const bool is_file = candidate.path.find('/') != std::string::npos;
  if (is_file && !std::filesystem::exists(candidate.path, ignored)) {
    candidate.verdict = "not there";
    return false;
  }
  if (is_file) OpenHelpersBeside(candidate.path);
  void* library =
      dlopen(candidate.path.c_str(), RTLD_NOW | RTLD_LOCAL | (mapped ? RTLD_NOLOAD : 0));
  if (library == nullptr) {
    const char* reason = dlerror();
    candidate.verdict = mapped ? "not mapped"
                               : std::string("cannot be loaded: ") +
                                     (reason == nullptr ? "no reason given" : reason);
    return false;
  }
  CuptiTable found;
  const Status filled = Fill(library, found);
  if (!filled.ok()) {
    candidate.verdict = "not usable: " + filled.message();
    return false;  // stays mapped: unloading a library that may have threads is worse
  }
  found.path = FileOf(reinterpret_cast<void*>(found.cuptiGetVersion), candidate.path);
  if (IsStub(found.path)) {
    candidate.verdict = "a stub, refused";
    return false;
  }
  OpenHelpersBeside(found.path);
  found.was_mapped = mapped;
  candidate.path = found.path;
  candidate.verdict = "used";
  table = found;
  return true;
}

std::string Summary(const std::vector<CuptiCandidate>& tried) {
  std::string text;
  for (const CuptiCandidate& candidate : tried) {
    if (candidate.verdict == "not mapped" || candidate.verdict == "not there") continue;
    text += "; " + candidate.path + " (" + candidate.verdict + ")";
  }
  return text;
}

}  // namespace

size_t CuptiStructSize(uint32_t running_version, std::string_view structure) {
  size_t bytes = 0;
  for (const StructSize& row : kStructSizes) {
    if (row.structure == structure && row.since <= running_version) bytes = row.bytes;
  }
  return bytes;
}

std::string CuptiErrorText(int code) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.code == code) return std::to_string(code) + " (" + meaning.text + ")";
  }
  return std::to_string(code);
}

Result<const CuptiTable*> LoadCupti(const CuptiSearch& search) {
  static std::mutex* const mutex = new std::mutex;
  static CuptiTable* table = nullptr;
  const std::lock_guard<std::mutex> lock(*mutex);
  if (table != nullptr) return static_cast<const CuptiTable*>(table);
  std::vector<CuptiCandidate> candidates = CuptiCandidates(search);
  CuptiTable found;
  for (CuptiCandidate& candidate : candidates) {
    if (Try(candidate, found)) {
      table = new CuptiTable(found);
      break;
    }
  }
  Trace() = candidates;
  if (table != nullptr) return static_cast<const CuptiTable*>(table);
  return Status::Failed(
      "CUPTI (libcupti.so.13 or .12) was not found" + Summary(candidates) +
      (search.override_path.empty()
           ? "; install the CUDA toolkit's CUPTI or name the file with RAFTER_CUPTI_PATH"
           : "; RAFTER_CUPTI_PATH names " + search.override_path +
                 ", the only place that was tried: correct it or unset it"));
}

const std::string& CuptiPath(const CuptiTable& table) { return table.path; }
uint32_t CuptiVersion(const CuptiTable& table) { return table.version; }
bool CuptiWasMapped(const CuptiTable& table) { return table.was_mapped; }

const std::vector<CuptiCandidate>& CuptiSearchTrace() { return Trace(); }

}  // namespace rafter
