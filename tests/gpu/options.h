// Options reads the command line of the test programs in this folder.
//
//   Threads   one.
//   Blocking  never.
//   Memory    keeps pointers into argv.
//   Lifetime  main's.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace rafter {

class Options {
 public:
  Options(int argc, char** argv, const char* usage) : argc_(argc), argv_(argv), usage_(usage) {}

  // Steps to the next argument; false after the last.
  bool Next() { return ++index_ < argc_; }
  bool Is(const char* name) const { return std::strcmp(argv_[index_], name) == 0; }

  // The value that follows the current option; exits with 2 where there is none.
  std::string Value() {
    if (index_ + 1 >= argc_) Refuse("needs a value");
    return argv_[++index_];
  }
  unsigned long long Number() {
    const char* const option = argv_[index_];
    const std::string text = Value();
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || text[0] == '-' || *end != '\0') {
      std::fprintf(stderr, "%s: \"%s\" is not a number\n%s", option, text.c_str(), usage_);
      std::exit(2);
    }
    return number;
  }

  // For an argument that is none of those known.
  [[noreturn]] void Unknown() {
    if (Is("--help")) {
      std::fputs(usage_, stdout);
      std::exit(0);
    }
    Refuse("is not an option");
  }

 private:
  [[noreturn]] void Refuse(const char* why) {
    std::fprintf(stderr, "%s %s\n%s", argv_[index_], why, usage_);
    std::exit(2);
  }

  int argc_;
  char** argv_;
  const char* usage_;
  int index_ = 0;
};

}  // namespace rafter
