// rafter-nvmarkers does the sequence of shared/data/likwid inside regions of LIKWID's
// NvMarker, through whatever library answers to its functions, and writes what each
// region truly did.
#include <thread>

#include "tests/gpu/marked_work.h"
#include "tests/gpu/nvmarkers.h"
#include "tests/gpu/options.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-nvmarkers [options]\n"
    "  --truth FILE   what was done, as JSON (default: standard output)\n"
    "  --crossing     also two regions of which the first ends first\n"
    "  --no-close     ends without closing the markers\n";

// A region on the calling thread that does what `body` does.
template <typename Body>
void Marked(const NvMarkers& markers, MarkedWork& work, const char* name, Body body) {
  markers.start(name);
  body();
  markers.stop(name);
  work.Call(name);
}

void Sequence(const NvMarkers& markers, MarkedWork& work) {
  const auto plain = [&](const char* name, int units) {
    Marked(markers, work, name, [&] { work.Do(units, {name}); });
  };
  plain("first", 100);
  plain("second", 300);
  plain("first", 100);
  work.Do(700, {});
  plain("third", 200);
  Marked(markers, work, "outer", [&] {
    work.Do(50, {"outer"});
    Marked(markers, work, "inner", [&] { work.Do(60, {"outer", "inner"}); });
    work.Do(70, {"outer"});
  });
  Marked(markers, work, "multi", [&] {
    for (int i = 0; i < 4; ++i) work.Do(25, {"multi"});
  });
  std::thread([&] {
    work.OnOtherThread("thread");
    plain("thread", 33);
  }).join();
  Marked(markers, work, "empty", [&] { work.Do(0, {"empty"}); });
}

// "left" ends while "right" is open, which LIKWID allows.
void Crossing(const NvMarkers& markers, MarkedWork& work) {
  markers.start("left");
  work.Do(10, {"left"});
  markers.start("right");
  work.Do(20, {"left", "right"});
  markers.stop("left");
  work.Do(40, {"right"});
  markers.stop("right");
  work.Call("left");
  work.Call("right");
}

int Main(int argc, char** argv) {
  std::string truth;
  bool crossing = false;
  bool close = true;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--truth")) {
      truth = options.Value();
    } else if (options.Is("--crossing")) {
      crossing = true;
    } else if (options.Is("--no-close")) {
      close = false;
    } else {
      options.Unknown();
    }
  }
  const NvMarkers markers = NvMarkers::Require();
  const cudaDeviceProp device = RequireDevice();
  MarkedWork work;
  work.Prepare();
  markers.init();
  Sequence(markers, work);
  if (crossing) Crossing(markers, work);
  if (close) markers.close();
  Check(cudaDeviceSynchronize(), "waiting for the work");
  WriteText(work.ToJson("rafter-nvmarkers", device), truth);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
