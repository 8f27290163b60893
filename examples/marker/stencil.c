/* A benchmark in C: a stencil of three points. */
#include <rafter/marker.h>
#include <stdio.h>

enum { kSize = 4096, kSteps = 8 };

static double field[2][kSize];

static void step(const double* from, double* to) {
  RAFTER_MARKER_START("step");
  for (int i = 1; i < kSize - 1; ++i) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3.0;
  RAFTER_MARKER_STOP("step");
}

int main(void) {
  RAFTER_MARKER_INIT();
  RAFTER_MARKER_REGISTER("stencil");
  RAFTER_MARKER_REGISTER("step");

  field[0][kSize / 2] = 1.0;
  RAFTER_MARKER_START("stencil");
  for (int i = 0; i < kSteps; ++i) step(field[i % 2], field[(i + 1) % 2]);
  RAFTER_MARKER_STOP("stencil");

  RAFTER_MARKER_CLOSE();
  printf("stencil: middle %.6f\n", field[kSteps % 2][kSize / 2]);
  return 0;
}
