// LikwidCounters are the counters of the fake LIKWID: sessions whose readings are
// means over all sessions in an image that only a set-up empties.
//
//   Threads   any; one lock.
//   Blocking  never.
//   Memory    owns all of it.
//   Lifetime  one for each process, never destroyed.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace rafter::fakes {

struct LikwidEvent {
  std::string name;
  double per_unit = 1;  // what one unit of work counts
};

struct LikwidGroup {
  std::vector<LikwidEvent> events;
};

// One GPU's counters of one group.
struct LikwidImage {
  std::vector<double> sum;      // over the sessions in the image
  int sessions = 0;             // in the image
  std::vector<double> last;     // reading of the newest session
  std::vector<double> running;  // sum of readings; no set-up touches it
};

struct LikwidGpu {
  int ordinal = 0;
  double session_units = 0;
  std::vector<LikwidImage> images;  // by group
};

class LikwidCounters {
 public:
  // "A:GPU0,B:GPU1|C:GPU0" and "0,1".
  void Define(const std::string& events, const std::string& gpus);

  void SetUp(int group);
  void Start();
  void Stop();

  void Work(size_t gpu, double units);
  void Stray(double units) { stray_units_ = units; }

  int active_group() const { return active_group_; }
  const std::vector<LikwidGpu>& gpus() const { return gpus_; }
  const std::vector<LikwidGroup>& groups() const { return groups_; }
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  std::recursive_mutex mutex_;
  std::vector<LikwidGroup> groups_;
  std::vector<LikwidGpu> gpus_;
  int active_group_ = -1;
  bool counting_ = false;
  double stray_units_ = 0;
};

}  // namespace rafter::fakes
