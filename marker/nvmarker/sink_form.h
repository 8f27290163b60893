// SinkForm delivers LIKWID's regions to Rafter: to the RegionSink of the
// libinject.so that lies beside this library.
//
// Calls before INIT and after CLOSE count like all others: LIKWID needs INIT to set
// its counters up, Rafter does not, and a region is not less a region for coming
// from a constructor or a library that knows nothing of main's INIT.
//
//   Threads   any; a region belongs to the thread that opened it.
//   Blocking  loading libinject.so, at the first call; else as the sink does.
//   Memory    as RegionTimes; names are not kept here.
//   Lifetime  never destroyed.
#pragma once

#include <atomic>

#include "marker/nvmarker/form.h"
#include "marker/nvmarker/region_times.h"
#include "marker/region_sink.h"

namespace rafter {

class SinkForm final : public MarkerForm {
 public:
  explicit SinkForm(const MarkerEnvironment& environment);

  void Init() override {}
  void NextGroup() override {}  // all sets are counted, each in its turn
  void Close() override {}
  int Register(const char* tag) override;
  int Start(const char* tag) override;
  int Stop(const char* tag) override;
  int Reset(const char* tag) override;
  void Get(const char* tag, const RegionAnswer& answer) override;
  int WriteFile(const char* path) override;
  void NoteUncounted(std::string_view text) override;

 private:
  void NoteOnce(std::atomic<bool>& noted, std::string_view text);

  const bool quiet_;
  const RegionSink* sink_ = nullptr;  // null: there is none; LIKWID's answers when it is off
  RegionTimes times_;
  std::atomic<bool> reset_noted_ = false;
  std::atomic<bool> file_noted_ = false;
  std::atomic<bool> uncounted_noted_ = false;
};

}  // namespace rafter
