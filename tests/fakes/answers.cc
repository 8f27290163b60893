#include "tests/fakes/answers.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace rafter::fakes {
namespace {

template <typename Number>
void ReadNumberOrDie(const char* variable, std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return;
  std::fprintf(stderr, "fake: cannot read \"%.*s\" in %s\n", static_cast<int>(text.size()),
               text.data(), variable);
  std::abort();
}

}  // namespace

std::map<std::string, Answer> ReadAnswers(const char* variable) {
  std::map<std::string, Answer> answers;
  const char* value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view setting = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const size_t equals = setting.find('=');
    const size_t at = setting.find('@');
    Answer answer;
    ReadNumberOrDie(
        variable,
        equals == std::string_view::npos
            ? ""
            : setting.substr(equals + 1, at == std::string_view::npos ? at : at - equals - 1),
        answer.value);
    if (at != std::string_view::npos) {
      ReadNumberOrDie(variable, setting.substr(at + 1), answer.from_call);
    }
    answers[std::string(setting.substr(0, equals))] = answer;
  }
  return answers;
}

AnswerBook::AnswerBook(const char* fail, const char* delay_us, const char* log)
    : fail_variable_(fail), delay_variable_(delay_us), log_variable_(log) {
  Reload();
}

void AnswerBook::Reload() {
  const std::lock_guard<std::mutex> lock(mutex_);
  fail_ = ReadAnswers(fail_variable_);
  delay_us_ = ReadAnswers(delay_variable_);
  calls_.clear();
  const char* log = std::getenv(log_variable_);
  log_path_ = log == nullptr ? "" : log;
}

int AnswerBook::Begin(const char* function) {
  int64_t delay_us = 0;
  int code = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fail_.empty() && delay_us_.empty()) return 0;
    const uint64_t call = ++calls_[function];
    const auto failure = fail_.find(function);
    if (failure != fail_.end() && call >= failure->second.from_call) {
      code = static_cast<int>(failure->second.value);
    }
    const auto delay = delay_us_.find(function);
    if (delay != delay_us_.end() && call >= delay->second.from_call) {
      delay_us = delay->second.value;
    }
  }
  if (delay_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  return code;
}

void AnswerBook::End(const char* function, int answer) {
  if (log_path_.empty()) return;
  char line[160];
  const int length = std::snprintf(line, sizeof line, "%s %d %d %ld\n", function, answer, getpid(),
                                   syscall(SYS_gettid));
  const int file = open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, line, static_cast<size_t>(length));
  close(file);
}

}  // namespace rafter::fakes
