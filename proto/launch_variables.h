// Names of environment variables that both the target and the tools read, so
// that one list serves both. Includes nothing of ours.
//
//   Threads   constants.
//   Blocking  never.
//   Memory    static text.
//   Lifetime  static.
#pragma once

namespace rafter {

// Where the rank is, behind RAFTER_RANK_VARIABLE, in the order in which
// launchers are believed (cli.md, Variables).
inline constexpr const char* kRankVariables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",          "MV2_COMM_WORLD_RANK",
    "SLURM_PROCID",         "PALS_RANKID", "JSM_NAMESPACE_RANK"};

// Where the number of a batch system's job is.
inline constexpr const char* kJobVariables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"};

// All of ours. Whoever meets another RAFTER_ name says so once.
inline constexpr const char* kRafterVariables[] = {
    "RAFTER_COLLECTOR",   "RAFTER_CUPTI_PATH",    "RAFTER_EXACT",    "RAFTER_GRANULARITY",
    "RAFTER_METRICS",     "RAFTER_OUTPUT",        "RAFTER_OVERHEAD", "RAFTER_QUIET",
    "RAFTER_REPLAY",      "RAFTER_RANK_VARIABLE", "RAFTER_SET",      "RAFTER_SKIP",
    "RAFTER_VERBOSE",     "RAFTER_REGIONS",       "RAFTER_DOMAIN",   "RAFTER_REGION",
    "RAFTER_GROUP_NAMES", "RAFTER_NVTX_NEXT",     "RAFTER_NVMARKER", "RAFTER_NVMARKER_RESULT",
    "RAFTER_LIKWID_PATH", "RAFTER_RANKS"};

}  // namespace rafter
