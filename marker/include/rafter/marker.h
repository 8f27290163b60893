// rafter/marker.h marks the regions of a program in C (C99 and newer) or C++ (C++11 and newer).
//
//   RAFTER_MARKER_INIT();                once, before the first region
//   RAFTER_MARKER_REGISTER("solve");     if you like: LIKWID makes the region before it is timed
//   RAFTER_MARKER_START("solve");
//   RAFTER_MARKER_STOP("solve");         regions end in the reverse order of their start
//   RAFTER_REGION("solve");              C++: from here to the end of the block, however it ends
//   rafter::ScopedRegion solve("solve"); the same as an object; takes std::string too
//   RAFTER_MARKER_CLOSE();               once, after the last region: LIKWID writes its file
//
// OFF unless RAFTER_MARKER is defined (with whatever value) before this file is first included:
// then nothing else is included, the macros make no code and do not evaluate their arguments. On, a
// region is an NVTX push/pop range in the default domain and, inside it, an NvMarker region:
//
//   NVTX      where <nvtx3/nvToolsExt.h> can be included; RAFTER_MARKER_NVTX=0 or 1 decides
//   otherwise NvMarker  where LIKWID_NVMON is defined, as for LIKWID's own macros (5.0 and newer);
//   link with
//             -llikwid; RAFTER_MARKER_NVMARKER=0 leaves it out
//
// On without either half is an error, unless RAFTER_MARKER_ALLOW_NONE is defined: then it is off.
//
//   Threads   any; push and pop count by thread. NvMarker ignores all but the one that called INIT.
//   Blocking  NVTX never, without a tool. LIKWID reads the GPU's counters at each START and STOP.
//   Memory    NVTX none. An object copies its name for NvMarker; where there is no memory for that
//             it has no NvMarker region. Names are evaluated once and need not outlive the call.
//   Lifetime  an object ends its region when it goes. A null name is an empty one.
//
// One file, longer than ours usually are, so that it can be copied into a program.
#pragma once

#ifdef RAFTER_MARKER
#ifndef RAFTER_MARKER_NVTX
#ifdef __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#define RAFTER_MARKER_NVTX 1
#else
#define RAFTER_MARKER_NVTX 0
#endif
#else  // a compiler from before 2015: it will say so if the header is not there
#define RAFTER_MARKER_NVTX 1
#endif
#endif
#ifndef RAFTER_MARKER_NVMARKER
#ifdef LIKWID_NVMON
#define RAFTER_MARKER_NVMARKER 1
#else
#define RAFTER_MARKER_NVMARKER 0
#endif
#endif
#define RAFTER_MARKER_NVTX_ON_ RAFTER_MARKER_NVTX
#define RAFTER_MARKER_NVMARKER_ON_ RAFTER_MARKER_NVMARKER
#if !RAFTER_MARKER_NVTX && !RAFTER_MARKER_NVMARKER && !defined(RAFTER_MARKER_ALLOW_NONE)
#error \
    "RAFTER_MARKER: no marks to be had, nvtx3/nvToolsExt.h is not on the include path and \
LIKWID_NVMON is not defined; add -I$CUDA_HOME/include, or define RAFTER_MARKER_ALLOW_NONE"
#endif
#else
#define RAFTER_MARKER_NVTX_ON_ 0
#define RAFTER_MARKER_NVMARKER_ON_ 0
#endif

#if defined(__cplusplus) && __cplusplus < 201103L
#error "rafter/marker.h: needs C++11; compile with -std=c++11 or newer"
#endif

#if RAFTER_MARKER_NVTX_ON_
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"  // NVTX makes functions of what dlsym finds
#include <nvtx3/nvToolsExt.h>
#pragma GCC diagnostic pop
#endif

// LIKWID's functions have had two names. The macros that its header defines tell which ones hold;
// those of 5.3 still name functions that are gone, and ROCMON_MARKER_INIT came with 5.3.
#if RAFTER_MARKER_NVMARKER_ON_
#ifndef LIKWID_NVMON
#error "RAFTER_MARKER_NVMARKER: LIKWID declares no marker without LIKWID_NVMON; define it too"
#endif
#ifdef __has_include
#if __has_include(<likwid-marker.h>)
#include <likwid-marker.h>
#elif __has_include(<likwid.h>)
#include <likwid.h>
#else
#error \
    "LIKWID_NVMON: likwid-marker.h is not on the include path; add -I and the include folder \
of LIKWID, or define RAFTER_MARKER_NVMARKER=0 to do without"
#endif
#else
#include <likwid-marker.h>
#endif
#if defined(NVMON_MARKER_INIT) || (defined(LIKWID_NVMARKER_INIT) && defined(ROCMON_MARKER_INIT))
#define RAFTER_MARKER_LIKWID_(call) nvmon_marker##call
#elif defined(LIKWID_NVMARKER_INIT)
#define RAFTER_MARKER_LIKWID_(call) likwid_gpuMarker##call
#else
#error \
    "LIKWID_NVMON: this likwid-marker.h has no NvMarker; use LIKWID 5.0 or newer, or define \
RAFTER_MARKER_NVMARKER=0 to do without"
#endif
#endif

#if RAFTER_MARKER_NVTX_ON_ || RAFTER_MARKER_NVMARKER_ON_

static inline void rafter_marker_init(void) {
#if RAFTER_MARKER_NVTX_ON_
  (void)nvtxInitialize(NULL);  // loads the tool now, so that no region pays for that
#endif
#if RAFTER_MARKER_NVMARKER_ON_
  RAFTER_MARKER_LIKWID_(Init)();
#endif
}

static inline void rafter_marker_register(const char* name) {
  (void)name;
#if RAFTER_MARKER_NVMARKER_ON_
  (void)RAFTER_MARKER_LIKWID_(RegisterRegion)(name ? name : "");
#endif
}

static inline void rafter_marker_start(const char* name) {
  (void)name;
#if RAFTER_MARKER_NVTX_ON_
  (void)nvtxRangePushA(name ? name : "");
#endif
#if RAFTER_MARKER_NVMARKER_ON_
  (void)RAFTER_MARKER_LIKWID_(StartRegion)(name ? name : "");
#endif
}

static inline void rafter_marker_stop(const char* name) {
  (void)name;
#if RAFTER_MARKER_NVMARKER_ON_
  (void)RAFTER_MARKER_LIKWID_(StopRegion)(name ? name : "");
#endif
#if RAFTER_MARKER_NVTX_ON_
  (void)nvtxRangePop();
#endif
}

static inline void rafter_marker_close(void) {
#if RAFTER_MARKER_NVMARKER_ON_
  RAFTER_MARKER_LIKWID_(Close)();
#endif
}

#define RAFTER_MARKER_INIT() rafter_marker_init()
#define RAFTER_MARKER_REGISTER(name) rafter_marker_register(name)
#define RAFTER_MARKER_START(name) rafter_marker_start(name)
#define RAFTER_MARKER_STOP(name) rafter_marker_stop(name)
#define RAFTER_MARKER_CLOSE() rafter_marker_close()
#else
// Mentions `name`, so that a variable that holds it is not unused, and does not evaluate it.
#define RAFTER_MARKER_MENTION_(name) (0 ? (void)(name) : (void)0)
#define RAFTER_MARKER_INIT() ((void)0)
#define RAFTER_MARKER_REGISTER(name) RAFTER_MARKER_MENTION_(name)
#define RAFTER_MARKER_START(name) RAFTER_MARKER_MENTION_(name)
#define RAFTER_MARKER_STOP(name) RAFTER_MARKER_MENTION_(name)
#define RAFTER_MARKER_CLOSE() ((void)0)
#endif

#ifdef __cplusplus
#if RAFTER_MARKER_NVMARKER_ON_
#include <cstdlib>
#include <cstring>
#endif

// An object that is gone at once, as `ScopedRegion("solve");` is, marks nothing: a mistake.
#define RAFTER_MARKER_NODISCARD_
#if __cplusplus >= 201703L && defined(__has_cpp_attribute)
#if __has_cpp_attribute(nodiscard) >= 201907L  // from then on for constructors too
#undef RAFTER_MARKER_NODISCARD_
#define RAFTER_MARKER_NODISCARD_ [[nodiscard]]
#endif
#endif

// Parts of one program may be compiled with different halves: their classes are different ones.
#if RAFTER_MARKER_NVTX_ON_ && RAFTER_MARKER_NVMARKER_ON_
#define RAFTER_MARKER_HALVES_ marker_both
#elif RAFTER_MARKER_NVTX_ON_
#define RAFTER_MARKER_HALVES_ marker_nvtx
#elif RAFTER_MARKER_NVMARKER_ON_
#define RAFTER_MARKER_HALVES_ marker_nvmarker
#else
#define RAFTER_MARKER_HALVES_ marker_off
#endif

namespace rafter {
inline namespace RAFTER_MARKER_HALVES_ {

// A region from here to the end of the block. Construct it with a name only where its cost may stay
// when marks are off; RAFTER_REGION does not even evaluate the name then.
class ScopedRegion {
 public:
  RAFTER_MARKER_NODISCARD_ explicit ScopedRegion(const char* name) noexcept { Start(name); }
  // std::string, and whatever else has a c_str().
  template <typename String>
  RAFTER_MARKER_NODISCARD_ explicit ScopedRegion(const String& name,
                                                 decltype(name.c_str())* = nullptr) {
    Start(name.c_str());
  }
  ~ScopedRegion() { Stop(); }
  ScopedRegion(const ScopedRegion&) = delete;
  ScopedRegion& operator=(const ScopedRegion&) = delete;

 private:
#if RAFTER_MARKER_NVMARKER_ON_
  void Start(const char* name) noexcept {
    if (name == nullptr) name = "";
    const std::size_t bytes = std::strlen(name) + 1;
    name_ = static_cast<char*>(std::malloc(bytes));
#if RAFTER_MARKER_NVTX_ON_
    (void)nvtxRangePushA(name);
#endif
    if (name_ == nullptr) return;
    std::memcpy(name_, name, bytes);
    (void)RAFTER_MARKER_LIKWID_(StartRegion)(name_);
  }
  void Stop() noexcept {
    if (name_ != nullptr) (void)RAFTER_MARKER_LIKWID_(StopRegion)(name_);
#if RAFTER_MARKER_NVTX_ON_
    (void)nvtxRangePop();
#endif
    std::free(name_);
  }
  char* name_;  // STOP asks for the name again, when the caller's may be gone
#elif RAFTER_MARKER_NVTX_ON_
  static void Start(const char* name) noexcept { rafter_marker_start(name); }
  static void Stop() noexcept { rafter_marker_stop(nullptr); }
#else
  static void Start(const char*) noexcept {}
  static void Stop() noexcept {}
#endif
};

}  // namespace RAFTER_MARKER_HALVES_
}  // namespace rafter

#if RAFTER_MARKER_NVTX_ON_ || RAFTER_MARKER_NVMARKER_ON_
#define RAFTER_MARKER_JOIN_AGAIN_(a, b) a##b
#define RAFTER_MARKER_JOIN_(a, b) RAFTER_MARKER_JOIN_AGAIN_(a, b)
#define RAFTER_REGION(name) \
  const ::rafter::ScopedRegion RAFTER_MARKER_JOIN_(rafter_region_, __COUNTER__)(name)
#else
#define RAFTER_REGION(name) RAFTER_MARKER_MENTION_(name)
#endif
#endif  // __cplusplus
