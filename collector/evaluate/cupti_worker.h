// CuptiWorker runs CUPTI's host half in a child process. CUPTI trusts the
// images it is given: 132 of 200 images with a damaged header crashed it, and
// the collector must outlive any target. The child also keeps CUPTI's 112 MB
// out of the collector.
//
//   Threads   one thread at a time.
//   Blocking  until the child answers, at most kAnswerDeadline; an image of
//             300 KB takes about 0.2 ms.
//   Memory    one request and one answer; CUPTI's is the child's.
//   Lifetime  the child ends with this object or with the process. Make it
//             while the process has one thread.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "collector/evaluate/evaluator.h"
#include "cupti/library.h"
#include "proto/rafter.pb.h"

namespace rafter {

class CuptiWorker {
 public:
  // Planning the dearest sets of a chip takes about a second.
  static constexpr std::chrono::seconds kAnswerDeadline{30};

  // `plan_cache` and `report` as for Planner.
  CuptiWorker(CuptiSearch search, std::string plan_cache,
              std::function<void(const std::string&)> report);
  CuptiWorker(const CuptiWorker&) = delete;
  CuptiWorker& operator=(const CuptiWorker&) = delete;
  ~CuptiWorker();

  // As Planner::PlanFor; a crash of CUPTI is an error in the plan.
  wire::Plan PlanFor(const wire::Device& device);

  // As Evaluator::CanEvaluate and Ranges. DataLoss for an image that CUPTI
  // crashed on.
  absl::Status CanEvaluate(const ImageOrigin& origin);
  absl::StatusOr<std::vector<RangeValues>> Ranges(const ImageOrigin& origin,
                                                  const std::vector<uint8_t>& image,
                                                  const std::vector<Counter>& counters);

 private:
  using Fields = std::vector<std::string>;
  void StartChild();
  void EndChild();
  absl::StatusOr<Fields> Ask(const Fields& request);

  const CuptiSearch search_;
  const std::string plan_cache_;
  const std::function<void(const std::string&)> report_;
  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace rafter
