// MarkerForm is who answers LIKWID's marker calls: Rafter itself (SinkForm), or
// the real LIKWID with its readings put right (LikwidForm).
//
//   Threads   any.
//   Blocking  as the form says.
//   Memory    tags are valid during the call only.
//   Lifetime  Form() is built at the first marker call and never destroyed.
#pragma once

#include <string_view>

#include "marker/nvmarker/environment.h"

namespace rafter {

// What LIKWID's functions return when a call does not fit: -EFAULT.
inline constexpr int kMarkerFault = -14;

// Where GetRegion puts its answers, as LIKWID lays it out. Any may be null.
struct RegionAnswer {
  int* gpus;        // in: room in the arrays; out: GPUs answered for
  int* events;      // in: room for events of one GPU; out: events answered
  double** values;  // [gpu][event]
  double* time_s;   // [gpu]
  int* count;       // [gpu]
};

class MarkerForm {
 public:
  virtual void Init() = 0;
  virtual void NextGroup() = 0;
  virtual void Close() = 0;
  virtual int Register(const char* tag) = 0;
  virtual int Start(const char* tag) = 0;
  virtual int Stop(const char* tag) = 0;
  virtual int Reset(const char* tag) = 0;
  virtual void Get(const char* tag, const RegionAnswer& answer) = 0;
  virtual int WriteFile(const char* path) = 0;

  // The stand-in was asked for markers that it does not count.
  virtual void NoteUncounted(std::string_view text) = 0;

 protected:
  ~MarkerForm() = default;
};

MarkerForm& Form();

}  // namespace rafter
