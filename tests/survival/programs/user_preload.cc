// A library that the user preloads for reasons of their own.
#include <cstdio>

namespace {

struct Greets {
  Greets() { std::fputs("preloaded by the user\n", stderr); }
} g_greets;

}  // namespace

extern "C" __attribute__((visibility("default"))) int RafterUserPreload() { return 1; }
