// What a program in C does between INIT and CLOSE; marker_order_test.cc watches.
#include <rafter/marker.h>

int g_names_asked_in_c = 0;

static const char* name_in_c(void) {
  ++g_names_asked_in_c;
  return "in c";
}

void mark_in_c(void) {
  RAFTER_MARKER_INIT();
  RAFTER_MARKER_REGISTER(name_in_c());
  RAFTER_MARKER_START(name_in_c());
  RAFTER_MARKER_STOP(name_in_c());
  RAFTER_MARKER_START(NULL);
  RAFTER_MARKER_STOP(NULL);
  RAFTER_MARKER_CLOSE();
}
