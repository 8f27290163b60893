// Status says whether a step worked and, if not, names the thing, the cause
// and the next step. Result carries a value or that message.
//
//   Threads   plain values.
//   Blocking  never.
//   Memory    a failure owns its message; success allocates nothing.
//   Lifetime  plain values.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace rafter {

class [[nodiscard]] Status {
 public:
  static Status Ok() { return Status(); }
  static Status Failed(std::string message) {
    Status status;
    status.message_ = std::move(message);
    return status;
  }
  bool ok() const { return !message_.has_value(); }
  // Empty when ok().
  const std::string& message() const {
    static const std::string* const none = new std::string;
    return message_.has_value() ? *message_ : *none;
  }

 private:
  std::optional<std::string> message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Status failure) : status_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

#define RAFTER_RETURN_IF_ERROR(expression)           \
  do {                                               \
    ::rafter::Status rafter_status_ = (expression);  \
    if (!rafter_status_.ok()) return rafter_status_; \
  } while (false)

}  // namespace rafter
