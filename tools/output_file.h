// OutputFile holds the place of a file until its content is there, so that no
// run ends with a result it may not write, and nothing is overwritten unasked.
//
//   Threads   one.
//   Blocking  file system calls.
//   Memory    one path.
//   Lifetime  a place that was taken and never filled is given back.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cupti/status.h"

namespace rafter {

// Whether both names lead to one file, be it there yet or not.
bool IsSameFile(const std::string& one, const std::string& other);

class OutputFile {
 public:
  // Takes the place. Fails when a file is there and `force` is not set, or when
  // none can be made. What is no regular file (/dev/stdout, a pipe) is fine.
  static Result<OutputFile> Take(const std::string& path, bool force);
  OutputFile(OutputFile&& other) noexcept
      : path_(std::move(other.path_)),
        target_(std::move(other.target_)),
        ours_(other.ours_),
        special_(other.special_) {
    other.ours_ = false;
  }
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // Puts the content there, all or nothing for a regular file.
  Status Write(std::string_view content);

  // The same with content that comes in parts: `make` hands them to its argument, which
  // says whether they could be written. A failure of `make` itself leaves no file.
  using Put = std::function<Status(std::string_view)>;
  Status WriteParts(const std::function<Status(const Put&)>& make);

  // The same for what only writes files by name: `make` is given the name of an empty file
  // beside the target and the target that its file then takes the place of. Not for special files.
  using MakeFile = std::function<Status(const std::string& draft, const std::string& target)>;
  Status WriteNamed(const MakeFile& make);

  // Whether it is no regular file, and written in place.
  bool is_special() const { return special_; }

  // As it was given.
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string target, bool ours, bool special)
      : path_(std::move(path)), target_(std::move(target)), ours_(ours), special_(special) {}
  Status TakeOver(const std::string& draft);  // the place of the target
  std::string path_;
  std::string target_;  // with links followed
  bool ours_;           // an empty file of ours stands there
  bool special_;        // not a regular file: written in place
};

}  // namespace rafter
