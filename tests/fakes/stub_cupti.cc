// A stub as a toolkit's "stubs" folder holds it: every name of CUPTI, and
// nothing behind it.
#define RAFTER_CUPTI_HOST(name) \
  extern "C" int name() { return 0; }
#define RAFTER_CUPTI_TARGET(name) RAFTER_CUPTI_HOST(name)
#include "cupti/functions.inc"
