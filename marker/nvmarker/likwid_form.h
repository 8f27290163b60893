// LikwidForm passes marker calls on to the real LIKWID and makes what it reports
// one half of what was done, for any regions: nested, crossing, unlike, empty.
//
// LIKWID decodes session after session into one counter image and takes the mean
// of all that is in it for the newest. Here every stretch inside a region is the second
// session of a fresh image whose first one was empty: before LIKWID sees a START, or a
// STOP with another region left open, the group is switched to itself, which ends the
// stretch (half of it joins LIKWID's running total), sets the image up afresh and starts
// the first session; LIKWID's own read at the border ends that one and starts the second.
//
//   Threads   any; LIKWID measures only the one that called INIT. What others ask
//             is answered as LIKWID does, and kept by name and number.
//   Blocking  each border waits for the GPU.
//   Memory    10,000 regions, 64 MiB of names.
//   Lifetime  never destroyed; the handler of exit uses it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "marker/nvmarker/form.h"
#include "marker/nvmarker/gpu_driver.h"
#include "marker/nvmarker/likwid_functions.h"
#include "marker/nvmarker/result_file.h"

namespace rafter {

class LikwidForm final : public MarkerForm {
 public:
  // What a table of a person can hold; LIKWID's own file is read up to far less.
  static constexpr size_t kMaxRegions = 10'000;
  static constexpr size_t kMaxNameBytes = 64u << 20;

  explicit LikwidForm(MarkerEnvironment environment);

  void Init() override;
  void NextGroup() override;
  void Close() override;
  int Register(const char* tag) override;
  int Start(const char* tag) override;
  int Stop(const char* tag) override;
  int Reset(const char* tag) override;
  void Get(const char* tag, const RegionAnswer& answer) override;
  int WriteFile(const char* path) override;
  void NoteUncounted(std::string_view text) override;

 private:
  struct Region {
    bool open = false;
    uint64_t since_ns = 0;
    uint64_t borders_before_ns = 0;  // borders_ns_ when it was opened
    uint64_t time_ns = 0;
    uint64_t calls = 0;
  };

  enum class Stage : uint8_t { kIdle, kActive, kClosed };

  // What becomes of a call.
  enum class Way : uint8_t { kPassOn, kMeasure, kFault, kIgnore };
  Way WayOf(const char* tag);

  Region* Find(std::string_view name);
  Region* FindOrAdd(std::string_view name);  // null: no room
  void FreshImage();
  void ProveEmpty();
  void ProveMean();

  // At CLOSE, or at exit: LIKWID's numbers, then the file.
  void ReadAll();
  void ReadOne(const std::string& name, const Region& region, int gpus, int events);
  void Publish();
  std::vector<std::string> AllTroubles() const;
  void Trouble(const std::string& text);
  void AtExit();

  const MarkerEnvironment environment_;
  LikwidFunctions likwid_;
  GpuDriver driver_;

  std::atomic<Stage> stage_ = Stage::kIdle;
  std::atomic<int> process_;         // whose results these are; a forked child is inert
  std::atomic<int> thread_ = 0;      // that called INIT
  std::atomic<bool> asked_ = false;  // INIT came, whatever became of it

  // Of INIT's thread.
  int group_ = -1;
  std::vector<int> exact_events_;  // that read exactly 0 where nothing ran
  size_t open_regions_ = 0;
  uint64_t borders_ = 0;
  uint64_t borders_ns_ = 0;  // in LIKWID's calls at borders, with the GPU idle: no region's time
  uint64_t spoilt_borders_ = 0;
  bool mean_proven_ = false;  // or disproved, and said
  bool read_ = false;

  mutable std::mutex mutex_;  // guards what follows; never held while LIKWID is called
  std::map<std::string, Region, std::less<>> regions_;
  std::vector<const std::string*> order_;
  size_t name_bytes_ = 0;
  std::map<std::string, uint64_t, std::less<>> ignored_;
  uint64_t ignored_unnamed_ = 0;
  uint64_t refused_ = 0;
  uint64_t early_ = 0;
  uint64_t late_ = 0;
  uint64_t group_changes_ = 0;
  MarkerResult result_;
  std::string published_;
};

}  // namespace rafter
