// SpoolFile reads the bytes of a spool file, after making sure that it is one.
//
//   Threads   one thread at a time.
//   Blocking  disk reads.
//   Memory    one chunk.
//   Lifetime  the destructor closes the file.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

// Whether `header` begins a spool file that this Rafter reads; `name` is for
// the message. Fewer bytes than a header has are foreign as well.
absl::Status CheckSpoolHeader(std::string_view header, const std::string& name);

class SpoolFile {
 public:
  // Fails for a missing, unreadable or foreign file and for a newer format.
  static absl::StatusOr<std::unique_ptr<SpoolFile>> Open(const std::string& path);

  // The next bytes behind the header, empty at the end. Valid until the next
  // call.
  absl::StatusOr<std::string_view> Read();

  uint64_t size_bytes() const { return size_bytes_; }  // when it was opened
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  SpoolFile(std::string path, std::FILE* file, uint64_t size_bytes);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  uint64_t size_bytes_;
  std::vector<char> chunk_;
};

}  // namespace rafter
