// RangeSession drives CUPTI's range profiler on one context: one
// configuration, one pass per Start/Stop, an image that is fresh at every
// Start. Free of NVIDIA's headers.
//
//   Threads   one at a time; the borders order the calls.
//   Blocking  Open, Configure, Start, Stop: up to seconds. Push, Pop: 3 us to 1
//             ms, by set (gpu-facts.md, section 3).
//   Memory    two images of 3 to 200 KB a slot.
//   Lifetime  Close gives CUPTI's object back; nothing happens in a destructor,
//             since the driver may be gone by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cupti/status.h"
#include "inject/cupti/cuda_driver.h"

namespace rafter {

struct CuptiTable;

class RangeSession {
 public:
  enum class Ranges : uint8_t {
    kOurs,      // Push and Pop; each Start/Stop is one pass
    kLaunches,  // each launch, repeated by CUPTI until every pass has measured it
  };

  // With a driver every call is made with the session's own context current, and the
  // caller's is put back: a range that is pushed while another GPU's context is
  // current loses its per-SM counters for good
  // (docs/measurements/2026-11-30-turns-and-devices.md).
  void UseDriver(const CudaDriver* driver) { driver_ = driver; }

  // Initialises CUPTI's profiler and asks the device what it supports. The
  // context must be current on the calling thread. Completes `facts`.
  Status Open(const CuptiTable* cupti, void* context, DeviceFacts& facts);

  // Whether the last failure was that somebody else has the hardware (26).
  bool busy() const { return busy_; }

  // Gives the profiler its configuration. `metrics`: all of them, over all
  // sets; `slots`: distinct range names in one epoch; `ranges`: ranges in one
  // epoch, which the caller must never exceed.
  Status Configure(std::span<const uint8_t> configuration, const std::vector<std::string>& metrics,
                   size_t slots, size_t ranges, Ranges kind = Ranges::kOurs);

  // Begins an epoch with a freshly initialised image.
  Status Start();

  // Ends it and decodes into the image. CUPTI steps to the next pass, also when
  // nothing was marked.
  Status Stop();

  // Hot path while counting. False when CUPTI refuses.
  bool Push(const char* name) noexcept;
  bool Pop() noexcept;
  // What CUPTI answered to the last refused border.
  std::string LastBorderError() const;

  std::span<const uint8_t> image() const { return image_; }
  std::span<const uint8_t> baseline() const { return baseline_; }
  void* context() const { return context_; }
  bool open() const { return object_ != nullptr; }

  // Names the context again after Close, for Configure; CUPTI knows it already.
  void Reopen(void* context) { context_ = context; }

  // Gives the object back. `context_alive` false: the driver has let go
  // already, so CUPTI is not asked.
  void Close(bool context_alive) noexcept;

 private:
  Status Refresh();
  Status Failed(const char* step, int code);

  const CuptiTable* cupti_ = nullptr;
  const CudaDriver* driver_ = nullptr;
  void* context_ = nullptr;
  void* object_ = nullptr;              // CUpti_RangeProfiler_Object
  std::vector<uint8_t> configuration_;  // CUPTI keeps the pointer
  std::vector<uint8_t> image_;          // likewise
  std::vector<uint8_t> baseline_;
  size_t push_params_bytes_ = 0;  // looked up once, for the hot path
  size_t pop_params_bytes_ = 0;
  int last_border_error_ = 0;
  bool busy_ = false;
};

}  // namespace rafter
