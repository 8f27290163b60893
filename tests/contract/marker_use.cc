// Every macro that C++ has. Without marks nothing may be left of this but `work`.
#include <rafter/marker.h>

struct CostlyName {
  explicit CostlyName(int step);
  ~CostlyName();
  const char* c_str() const;
};

namespace {
const char* HelperForMarks() { return "helper"; }
}  // namespace

extern "C" int work(const char name[], int step);

extern "C" int work(const char name[], int step) {
  const char* only_for_marks = name;
  RAFTER_MARKER_INIT();
  RAFTER_REGION(only_for_marks);
  RAFTER_REGION(HelperForMarks());
  for (int i = 0; i < 3; ++i) {
    RAFTER_REGION(CostlyName(++step));
    RAFTER_MARKER_REGISTER(name);
    RAFTER_MARKER_START("inner");
    RAFTER_MARKER_STOP("inner");
  }
  RAFTER_MARKER_CLOSE();
  return step;
}
