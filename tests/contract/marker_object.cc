// The class instead of the macro. Optimised, nothing may be left of it without marks.
#include <rafter/marker.h>

extern "C" int work(const char* name);

extern "C" int work(const char* name) {
  const rafter::ScopedRegion region(name);
#ifdef FORGET_THE_NAME
  rafter::ScopedRegion("gone at once");
#endif
  return name[0];
}
