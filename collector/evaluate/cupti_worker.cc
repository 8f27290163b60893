#include "collector/evaluate/cupti_worker.h"

#include <absl/strings/str_cat.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "collector/evaluate/worker_channel.h"
#include "collector/plan/planner.h"

namespace rafter {
namespace {

using Fields = std::vector<std::string>;

// First field of a request.
constexpr char kPlan[] = "plan";
constexpr char kCan[] = "can";
constexpr char kRanges[] = "ranges";

// The first descriptor behind standard input, output and error.
constexpr int kChildSocket = 3;

// The child sits idle for as long as the collector has nothing to ask.
constexpr std::chrono::hours kNoDeadline{24 * 365};

template <typename T>
std::string Pack(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

Fields OfStatus(const absl::Status& status) {
  return {std::to_string(static_cast<int>(status.code())), std::string(status.message())};
}

// Present values as bits of the double, each behind a byte that says whether it
// is there.
std::string PackValues(const std::vector<std::optional<double>>& values) {
  std::string packed;
  for (const std::optional<double>& value : values) {
    const double number = value.value_or(0);
    char bits[sizeof(number)];
    std::memcpy(bits, &number, sizeof(number));
    packed += value.has_value() ? '\1' : '\0';
    packed.append(bits, sizeof(bits));
  }
  return packed;
}

std::vector<std::optional<double>> UnpackValues(const std::string& packed) {
  constexpr size_t kStep = 1 + sizeof(double);
  std::vector<std::optional<double>> values(packed.size() / kStep);
  for (size_t i = 0; i < values.size(); ++i) {
    if (packed[i * kStep] == '\0') continue;
    double number = 0;
    std::memcpy(&number, packed.data() + i * kStep + 1, sizeof(number));
    values[i] = number;
  }
  return values;
}

// What the child does for one request.
Fields Answer(const Fields& request, Planner& planner, Evaluator& evaluator,
              std::vector<std::string>& reports) {
  if (request[0] == kPlan) {
    wire::Device device;
    device.ParseFromString(request[1]);
    Fields answer = OfStatus(absl::OkStatus());
    answer.push_back(planner.PlanFor(device).SerializeAsString());
    for (std::string& line : reports) answer.push_back(std::move(line));
    reports.clear();
    return answer;
  }
  const ImageOrigin origin{request[1],
                           static_cast<uint32_t>(std::stoul(request[2])),
                           {request[3].begin(), request[3].end()},
                           request[4]};
  if (request[0] == kCan) return OfStatus(evaluator.CanEvaluate(origin));
  std::vector<Counter> counters;
  for (size_t i = 6; i < request.size(); ++i) counters.push_back({request[i], "", ""});
  const absl::StatusOr<std::vector<RangeValues>> ranges =
      evaluator.Ranges(origin, {request[5].begin(), request[5].end()}, counters);
  Fields answer = OfStatus(ranges.status());
  if (!ranges.ok()) return answer;
  for (const RangeValues& range : *ranges) {
    answer.push_back(range.name);
    answer.push_back(PackValues(range.values));
  }
  return answer;
}

// The child's life. Returns when the collector is gone.
void AnswerAll(int socket, const CuptiSearch& search, const std::string& plan_cache) {
  CuptiDoor door(search);
  std::vector<std::string> reports;
  Planner planner(door, plan_cache, [&](const std::string& line) { reports.push_back(line); });
  Evaluator evaluator(door);
  while (true) {
    const std::optional<Fields> request =
        ReceiveFields(socket, std::chrono::steady_clock::now() + kNoDeadline);
    if (!request.has_value()) return;
    const Fields answer = Answer(*request, planner, evaluator, reports);
    if (!SendFields(socket, answer, std::chrono::steady_clock::now() + kNoDeadline)) return;
  }
}

// The child: nothing of the parent's is left open, so that a client whose
// connection the collector closes sees that, and nothing that is thrown here
// gets into what the parent was doing when it forked.
[[noreturn]] void Serve(int socket, const CuptiSearch& search, const std::string& plan_cache) {
  prctl(PR_SET_NAME, "rafter-evaluate");
  // It ends when the collector does, which may still have much to evaluate when
  // the terminal or the batch system signals the whole group.
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2}) {
    signal(ignored, SIG_IGN);
  }
  for (const int fatal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) signal(fatal, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(socket, kChildSocket);
  close_range(kChildSocket + 1, ~0U, 0);
  try {
    AnswerAll(kChildSocket, search, plan_cache);
  } catch (...) {
    _exit(1);  // a damaged image can make CUPTI's answers absurd
  }
  _exit(0);
}

}  // namespace

CuptiWorker::CuptiWorker(CuptiSearch search, std::string plan_cache,
                         std::function<void(const std::string&)> report)
    : search_(std::move(search)), plan_cache_(std::move(plan_cache)), report_(std::move(report)) {
  StartChild();
}

CuptiWorker::~CuptiWorker() { EndChild(); }

void CuptiWorker::StartChild() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
  const pid_t child = fork();
  if (child == 0) Serve(pair[1], search_, plan_cache_);
  close(pair[1]);
  if (child < 0) {
    close(pair[0]);
    return;
  }
  child_ = child;
  socket_ = pair[0];
}

void CuptiWorker::EndChild() {
  if (child_ < 0) return;
  close(socket_);
  kill(child_, SIGKILL);  // it has nothing to finish
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  socket_ = -1;
}

absl::StatusOr<std::vector<std::string>> CuptiWorker::Ask(const Fields& request) {
  if (child_ < 0) StartChild();
  if (child_ < 0) {
    return absl::UnavailableError(
        absl::StrCat("the process that runs CUPTI cannot be started: ", std::strerror(errno)));
  }
  const auto deadline = std::chrono::steady_clock::now() + kAnswerDeadline;
  std::optional<Fields> answer;
  if (SendFields(socket_, request, deadline)) answer = ReceiveFields(socket_, deadline);
  if (answer.has_value() && answer->size() >= 2) {
    const auto code = static_cast<absl::StatusCode>(std::stoi((*answer)[0]));
    if (code != absl::StatusCode::kOk) return absl::Status(code, (*answer)[1]);
    return Fields(answer->begin() + 2, answer->end());
  }
  const bool late = std::chrono::steady_clock::now() >= deadline;
  EndChild();
  return absl::DataLossError(late ? "CUPTI did not answer in time; its process was ended"
                                  : "CUPTI crashed on it, which damaged counter data makes it do");
}

wire::Plan CuptiWorker::PlanFor(const wire::Device& device) {
  wire::Plan plan;
  const absl::StatusOr<Fields> answer = Ask({kPlan, device.SerializeAsString()});
  if (answer.ok() && !answer->empty() && plan.ParseFromString(answer->front())) {
    for (size_t i = 1; i < answer->size() && report_; ++i) report_((*answer)[i]);
    return plan;
  }
  plan.set_device(device.device());
  plan.set_chip(device.chip());
  plan.set_wanted_sets(device.wanted_sets());
  plan.set_origin("collector");
  plan.set_error(absl::StrCat("planning failed: ", answer.status().message()));
  return plan;
}

absl::Status CuptiWorker::CanEvaluate(const ImageOrigin& origin) {
  return Ask({kCan, origin.chip, std::to_string(origin.cupti_version), Pack(origin.availability),
              origin.gpu})
      .status();
}

absl::StatusOr<std::vector<RangeValues>> CuptiWorker::Ranges(const ImageOrigin& origin,
                                                             const std::vector<uint8_t>& image,
                                                             const std::vector<Counter>& counters) {
  Fields request = {
      kRanges,    origin.chip, std::to_string(origin.cupti_version), Pack(origin.availability),
      origin.gpu, Pack(image)};
  for (const Counter& counter : counters) request.push_back(counter.metric);
  const absl::StatusOr<Fields> answer = Ask(request);
  if (!answer.ok()) return answer.status();
  std::vector<RangeValues> ranges;
  for (size_t i = 0; i + 1 < answer->size(); i += 2) {
    std::vector<std::optional<double>> values = UnpackValues((*answer)[i + 1]);
    if (values.size() != counters.size()) return absl::InternalError("CUPTI's answer is damaged");
    ranges.push_back({(*answer)[i], std::move(values)});
  }
  return ranges;
}

}  // namespace rafter
