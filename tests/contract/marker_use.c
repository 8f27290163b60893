/* Every mark that C has. Without marks nothing may be left of this but `work`. */
#include <rafter/marker.h>

extern const char* costly_name(int step);

int work(const char name[], int step);

int work(const char name[], int step) {
  const char* only_for_marks = name;
  RAFTER_MARKER_INIT();
  RAFTER_MARKER_REGISTER(only_for_marks);
  if (step > 0)
    RAFTER_MARKER_START(name);
  else
    RAFTER_MARKER_START("first");
  RAFTER_MARKER_START(costly_name(++step));
  RAFTER_MARKER_STOP(costly_name(step));
  RAFTER_MARKER_STOP(name);
  RAFTER_MARKER_CLOSE();
  return step;
}
