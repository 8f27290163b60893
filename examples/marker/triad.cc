// A benchmark in C++: a = b + s * c, some times over, at three sizes. A kernel
// launched where the loops are would be counted for the region it is in.
#include <rafter/marker.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kRepeats = 4;

double Triad(std::size_t size) {
  // Different work gets a different name, so that its numbers are not averaged.
  RAFTER_REGION("triad " + std::to_string(size));
  std::vector<double> a(size), b(size, 1.0), c(size, 2.0);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    RAFTER_REGION("pass");  // inside: "triad 1000/pass"
    for (std::size_t i = 0; i < size; ++i) a[i] = b[i] + 3.0 * c[i];
  }
  return a[size / 2];
}

}  // namespace

int main() {
  RAFTER_MARKER_INIT();
  double sum = 0;
  for (const std::size_t size : {1000u, 10000u, 100000u}) sum += Triad(size);
  RAFTER_MARKER_CLOSE();
  std::printf("triad: sum %g\n", sum);
  return 0;
}
