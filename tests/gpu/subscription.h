// Subscription is the one that CUPTI gives a process: taken as another tool
// inside the program would.
//
//   Threads   one.
//   Blocking  Take opens libcupti.
//   Memory    CUPTI's.
//   Lifetime  gives nothing back by itself.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/gpu/cuda_check.h"

namespace rafter {

class Subscription {
 public:
  // Exits with 77 where there is no CUPTI, with 1 where it is taken already.
  void Take() {
    for (const char* name :
         {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
          "/usr/local/cuda/lib64/libcupti.so"}) {
      if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library_ == nullptr) {
      std::fprintf(stderr, "no libcupti.so.13 or .12 on the loader's path or in /usr/local/cuda\n");
      std::exit(kExitNoDevice);
    }
    const auto subscribe = Find<decltype(&cuptiSubscribe)>("cuptiSubscribe");
    const CUptiResult status = subscribe(&subscriber_, Ignore, nullptr);
    if (status != CUPTI_SUCCESS) {
      std::fprintf(stderr, "cuptiSubscribe of the program's own failed: CUPTI error %d\n",
                   static_cast<int>(status));
      std::exit(1);
    }
  }

  void Give() {
    const auto unsubscribe = Find<decltype(&cuptiUnsubscribe)>("cuptiUnsubscribe");
    const CUptiResult status = unsubscribe(subscriber_);
    if (status != CUPTI_SUCCESS) {
      std::fprintf(stderr, "cuptiUnsubscribe failed: CUPTI error %d\n", static_cast<int>(status));
      std::exit(1);
    }
  }

 private:
  static void CUPTIAPI Ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

  template <typename Function>
  Function Find(const char* name) {
    void* const found = dlsym(library_, name);
    if (found == nullptr) {
      std::fprintf(stderr, "libcupti has no %s\n", name);
      std::exit(1);
    }
    return reinterpret_cast<Function>(found);
  }

  void* library_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

}  // namespace rafter
