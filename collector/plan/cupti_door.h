// CuptiDoor opens CUPTI's host half when it is first needed and remembers why
// it could not: planning and evaluation share the one host (112 MB, 80 ms).
//
//   Threads   one thread at a time.
//   Blocking  the first Host().
//   Memory    the host.
//   Lifetime  outlives those who plan and evaluate with it.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "cupti/host.h"
#include "cupti/library.h"
#include "cupti/status.h"

namespace rafter {

class CuptiDoor {
 public:
  explicit CuptiDoor(CuptiSearch search) : search_(std::move(search)) {}

  // The host, or what was tried.
  Result<CuptiHost*> Host() {
    if (!opened_.has_value()) opened_ = CuptiHost::Open(search_);
    if (!opened_->ok()) return opened_->status();
    return (*opened_)->get();
  }

 private:
  CuptiSearch search_;
  std::optional<Result<std::unique_ptr<CuptiHost>>> opened_;
};

// 130001 -> 13: libraries of one major version read each other's images.
inline uint32_t CuptiMajor(uint32_t version) { return version / 10000; }

}  // namespace rafter
