// Undo reverses one step of a set-up unless the whole set-up succeeds.
//
//   Threads   one.
//   Blocking  as the action does.
//   Memory    the action.
//   Lifetime  a local variable; runs the action when it goes out of scope.
#pragma once

#include <utility>

namespace rafter {

template <typename Action>
class Undo {
 public:
  Undo(Action action) : action_(std::move(action)) {}  // NOLINT(google-explicit-constructor)
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    if (armed_) action_();
  }
  void Cancel() && { armed_ = false; }

 private:
  Action action_;
  bool armed_ = true;
};

}  // namespace rafter
