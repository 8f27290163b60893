// Immortal holds a T that is built on first use and never destroyed, so that a
// callback that arrives while the target is exiting still finds it alive.
//
//   Threads   as T; construction is the caller's to order.
//   Blocking  never.
//   Memory    inside the object.
//   Lifetime  as long as the process.
#pragma once

#include <new>
#include <utility>

namespace rafter {

template <typename T>
class Immortal {
 public:
  template <typename... Args>
  explicit Immortal(Args&&... args) {
    new (storage_) T(std::forward<Args>(args)...);
  }
  T& operator*() { return *std::launder(reinterpret_cast<T*>(storage_)); }
  T* operator->() { return &**this; }

 private:
  alignas(T) unsigned char storage_[sizeof(T)];
};

}  // namespace rafter
