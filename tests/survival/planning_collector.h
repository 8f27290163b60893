// PlanningCollector is a collector as far as one program needs it: it plans
// with the fake CUPTI, grants the counters, and keeps what arrives.
//
//   Threads   one of its own; read the results after Finish.
//   Blocking  Finish waits for the program's connection to end.
//   Memory    keeps every frame of one program.
//   Lifetime  the socket is gone with it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cupti/host.h"
#include "proto/rafter.pb.h"

namespace rafter::survival {

// A metric summed over the images of all epochs that measured it.
struct Measured {
  double value = 0;
  uint64_t instances = 0;
};

class PlanningCollector {
 public:
  explicit PlanningCollector(const std::string& path);
  ~PlanningCollector();

  void Finish();

  // What was measured of a region, by its own name, in the images that came.
  Measured Of(const std::string& region, const std::string& set, const std::string& metric);

  const std::vector<std::string>& faults() const { return faults_; }
  uint64_t instances() const { return instances_; }
  const wire::Hello& hello() const { return hello_; }
  bool said_goodbye() const { return said_goodbye_; }

 private:
  void Serve();
  bool ReadFrame(int client, uint16_t& type, std::string& message);
  void OnFrame(int client, uint16_t type, const std::string& message);
  void OnDevice(int client, const wire::Device& device);
  void Fault(const std::string& what) { faults_.push_back(what); }
  std::vector<uint8_t> Restored(const wire::Image& image);

  int listener_ = -1;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
  std::unique_ptr<CuptiHost> host_;
  std::vector<std::string> faults_;
  wire::Hello hello_;
  wire::Plan plan_;
  std::map<uint32_t, wire::Path> paths_;
  std::map<uint32_t, wire::Baseline> baselines_;
  std::vector<wire::Image> images_;
  uint64_t instances_ = 0;
  bool said_goodbye_ = false;
};

}  // namespace rafter::survival
