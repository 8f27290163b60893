// AnswerBook decides what a call of a fake library answers instead of doing
// its work, how long it takes, and writes the log of calls.
//
//   Threads   any.
//   Blocking  the log is a file; a delay sleeps.
//   Memory    owns its settings.
//   Lifetime  one for each fake library, never destroyed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace rafter::fakes {

// Numbers after '=' and '@' in "cuptiRangeProfilerStart=26@2".
struct Answer {
  int64_t value = 0;
  uint64_t from_call = 1;  // the first call, from 1, that gets it
};

// Reads "name=26,other=35@2". Settings that cannot be read end the program: a
// test that misspells one would otherwise pass.
std::map<std::string, Answer> ReadAnswers(const char* variable);

class AnswerBook {
 public:
  // Names of the environment variables, read now and at Reload.
  AnswerBook(const char* fail, const char* delay_us, const char* log);

  void Reload();

  // Counts a call, sleeps its delay and returns the code that it must answer,
  // or 0 when it is to do its work.
  int Begin(const char* function);

  // Writes "function answer pid tid" to the log, if there is one.
  void End(const char* function, int answer);

 private:
  const char* const fail_variable_;
  const char* const delay_variable_;
  const char* const log_variable_;
  std::mutex mutex_;
  std::map<std::string, Answer> fail_;
  std::map<std::string, Answer> delay_us_;
  std::map<std::string, uint64_t> calls_;
  std::string log_path_;
};

// Runs `body`, which returns a code, as the call named `function`.
template <typename Code, typename Body>
Code Answered(AnswerBook& book, const char* function, Body&& body) {
  int code = book.Begin(function);
  if (code == 0) code = static_cast<int>(body());
  book.End(function, code);
  return static_cast<Code>(code);
}

}  // namespace rafter::fakes
