#include "tools/batch_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "collector/store/utf8.h"
#include "tools/message.h"

namespace rafter {
namespace {

using std::chrono::seconds;

// To the start of the line, and clear it.
constexpr std::string_view kClear = "\r\x1b[K";

}  // namespace

std::string RoughTime(seconds time) {
  const auto count = time.count();
  if (count < 100) return std::to_string(count) + " s";
  const auto minutes = (count + 30) / 60;
  if (minutes < 100) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

BatchProgress::Form BatchProgress::FormFor(bool quiet) {
  if (quiet) return Form::kNone;
  const char* const terminal = std::getenv("TERM");
  const bool moves = terminal != nullptr && std::string_view(terminal) != "dumb";
  return moves && isatty(STDERR_FILENO) == 1 ? Form::kUpdating : Form::kLines;
}

std::optional<seconds> TimeLeft(std::chrono::nanoseconds spent, size_t ended, size_t programs,
                                std::chrono::nanoseconds running) {
  if (ended == 0 || programs <= ended) return std::nullopt;
  const std::chrono::nanoseconds mean = spent / static_cast<int64_t>(ended);
  const auto left = mean * static_cast<int64_t>(programs - ended) - std::min(mean, running);
  const auto rounded = std::chrono::round<seconds>(left);
  return rounded.count() > 0 ? std::optional(rounded) : std::nullopt;
}

std::string BatchProgress::LeftText() const {
  const auto running = started_ > ended_ ? Clock::now() - start_ : Clock::duration::zero();
  const auto left = TimeLeft(spent_, ended_, programs_, running);
  return left.has_value() ? ", about " + RoughTime(*left) + " left" : "";
}

void BatchProgress::Start(const std::string& name) {
  name_ = name;
  ++started_;
  start_ = Clock::now();
  if (form_ == Form::kLines) {
    rafter::Say("batch: " + std::to_string(started_) + " of " + std::to_string(programs_) + ": " +
                name_ + LeftText());
  }
  Tick();
}

void BatchProgress::Tick() {
  if (form_ != Form::kUpdating || started_ == ended_) return;
  const auto runs = std::chrono::duration_cast<seconds>(Clock::now() - start_);
  std::string line = "rafter: batch: " + std::to_string(started_) + " of " +
                     std::to_string(programs_) + LeftText() + ": " + OneLine(name_) + " " +
                     RoughTime(runs);
  const size_t room = TerminalColumns(STDERR_FILENO) - 1;  // a line that wraps cannot be taken back
  if (line.size() > room) line.resize(room);
  WriteAll(STDERR_FILENO, std::string(kClear) + line);
  shown_ = true;
}

void BatchProgress::End() {
  spent_ += Clock::now() - start_;
  ended_ = started_;
  Clear();
}

void BatchProgress::Say(const std::string& line) {
  Clear();
  rafter::Say(line);
  Tick();
}

void BatchProgress::Clear() {
  if (!shown_) return;
  WriteAll(STDERR_FILENO, kClear);
  shown_ = false;
}

}  // namespace rafter
