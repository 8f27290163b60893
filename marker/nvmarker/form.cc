#include "marker/nvmarker/form.h"

#include <new>

#include "marker/nvmarker/likwid_form.h"
#include "marker/nvmarker/say.h"
#include "marker/nvmarker/sink_form.h"

namespace rafter {
namespace {

// One form, built in place and never destroyed: calls come while the program exits.
MarkerForm* Build() {
  alignas(LikwidForm) static unsigned char likwid_place[sizeof(LikwidForm)];
  alignas(SinkForm) static unsigned char sink_place[sizeof(SinkForm)];
  MarkerEnvironment environment = ReadEnvironment();
  if (!environment.quiet && !environment.wrong.empty()) {
    Say("RAFTER_NVMARKER=" + environment.wrong + " is neither rafter nor likwid; rafter is taken");
  }
  if (environment.likwid) return new (likwid_place) LikwidForm(std::move(environment));
  return new (sink_place) SinkForm(environment);
}

}  // namespace

MarkerForm& Form() {
  static MarkerForm* const form = Build();
  return *form;
}

}  // namespace rafter
