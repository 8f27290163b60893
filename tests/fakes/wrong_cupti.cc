// A library with CUPTI's soname that is something else: it tells a version and
// has none of the functions.
#include <cstdint>

extern "C" int cuptiGetVersion(uint32_t* version) {
  *version = 130001;
  return 0;
}
extern "C" int somethingElseEntirely() { return 42; }
