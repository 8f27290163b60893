// RealCupti finds the CUPTI library and the H200 data that some tests need.
// Without them a test is skipped with the reason, or fails where
// RAFTER_REQUIRE_CUPTI=1 says that they must be there.
//
//   Threads   one thread at a time.
//   Blocking  loads CUPTI once.
//   Memory    CUPTI's.
//   Lifetime  of the process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cupti/host.h"

namespace rafter {

inline CuptiSearch SearchFromEnvironment() {
  const auto text = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return {.override_path = text("RAFTER_CUPTI_PATH"), .cuda_home = text("CUDA_HOME")};
}

inline std::string H200File(const std::string& name) {
  return std::string(RAFTER_SHARED_DIR) + "/data/h200/" + name;
}

// Why the real thing is not at hand; empty when it is. Asked in a child, since a
// process that has found CUPTI keeps it.
inline std::string WhyNoRealCupti() {
  if (!std::filesystem::exists(H200File("image.cdi"))) return "no " + H200File("image.cdi");
  const pid_t child = fork();
  if (child == 0) {
    const auto host = CuptiHost::Open(SearchFromEnvironment());
    _exit(!host.ok() ? 1 : (*host)->version() / 10000 != 13 ? 2 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0) return "";
  return WIFEXITED(status) && WEXITSTATUS(status) == 2 ? "the data needs CUPTI 13"
                                                       : "CUPTI was not found";
}

inline bool CuptiIsRequired() {
  const char* required = std::getenv("RAFTER_REQUIRE_CUPTI");
  return required != nullptr && std::string(required) == "1";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitizerForbidsCupti = true;  // CUPTI loads with RTLD_DEEPBIND
#else
inline constexpr bool kSanitizerForbidsCupti = false;
#endif

#define RAFTER_NEED_REAL_CUPTI()                                            \
  do {                                                                      \
    if (::rafter::kSanitizerForbidsCupti) {                                 \
      GTEST_SKIP() << "the sanitizers refuse to load CUPTI's libraries";    \
    }                                                                       \
    const std::string why_not = ::rafter::WhyNoRealCupti();                 \
    if (!why_not.empty() && ::rafter::CuptiIsRequired()) FAIL() << why_not; \
    if (!why_not.empty()) GTEST_SKIP() << why_not;                          \
  } while (false)

}  // namespace rafter
