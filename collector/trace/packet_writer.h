// PacketWriter makes the packets of a Perfetto trace, one sequence of them, and
// hands their bytes on. Equal calls make equal bytes.
//
//   Threads   one.
//   Blocking  as the sink does.
//   Memory    every name once, and one packet.
//   Lifetime  the sink must outlive it.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "collector/trace/perfetto.pb.h"

namespace rafter {

// Takes the next bytes of a file.
using ByteSink = std::function<absl::Status(std::string_view)>;

// What the viewer shows of an event when it is selected.
struct Annotation {
  std::string name;
  std::variant<bool, uint64_t, int64_t, double, std::string> value;
};
using Annotations = std::vector<Annotation>;

class PacketWriter {
 public:
  explicit PacketWriter(const ByteSink& sink) : sink_(sink) {}

  // The first packet: all times are ns since the Unix epoch. `monotonic_ns` and
  // `realtime_ns` were read together.
  void Clocks(uint64_t monotonic_ns, uint64_t realtime_ns);

  // Describes a track and returns its number. `descriptor` lacks only that.
  uint64_t Track(perfetto::TrackDescriptor descriptor);

  void Begin(uint64_t track, uint64_t time_ns, std::string_view category, std::string_view name,
             const Annotations& annotations);
  void End(uint64_t track, uint64_t time_ns);
  void Instant(uint64_t track, uint64_t time_ns, std::string_view category, std::string_view name,
               const Annotations& annotations);
  void Count(uint64_t track, uint64_t time_ns, double value);

  // The sink's first failure; nothing is handed on after it.
  const absl::Status& status() const { return status_; }

 private:
  // Texts of one kind that have a number, from 1.
  using Numbers = std::unordered_map<std::string, uint64_t>;

  // The number of a text; a new one is described in the packet at hand.
  template <typename Add>
  uint64_t NumberOf(Numbers& numbers, std::string_view text, Add add);
  perfetto::TrackEvent& Event(uint64_t track, uint64_t time_ns, perfetto::TrackEvent::Type type);
  void Describe(perfetto::TrackEvent& event, std::string_view category, std::string_view name,
                const Annotations& annotations);
  void Annotate(perfetto::TrackEvent& event, const Annotation& annotation);
  void Put();

  const ByteSink& sink_;
  absl::Status status_;
  perfetto::TracePacket packet_;
  std::string bytes_;
  uint64_t tracks_ = 0;
  Numbers categories_;
  Numbers names_;
  Numbers annotation_names_;
  Numbers strings_;
};

}  // namespace rafter
