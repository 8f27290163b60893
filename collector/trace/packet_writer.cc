#include "collector/trace/packet_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <type_traits>
#include <utility>

namespace rafter {
namespace {

constexpr uint32_t kSequence = 1;
constexpr uint32_t kNamesStartAnew = 1;
constexpr uint32_t kNeedsEarlierNames = 2;

// Field 1 of Trace, with a length: all that stands between two packets.
constexpr char kPacketTag = 1 << 3 | 2;

}  // namespace

void PacketWriter::Clocks(uint64_t monotonic_ns, uint64_t realtime_ns) {
  packet_.set_sequence_flags(kNamesStartAnew);
  packet_.mutable_trace_packet_defaults()->set_timestamp_clock_id(perfetto::BUILTIN_CLOCK_REALTIME);
  perfetto::ClockSnapshot& snapshot = *packet_.mutable_clock_snapshot();
  snapshot.set_primary_trace_clock(perfetto::BUILTIN_CLOCK_REALTIME);
  const std::pair<perfetto::BuiltinClock, uint64_t> clocks[] = {
      {perfetto::BUILTIN_CLOCK_REALTIME, realtime_ns},
      {perfetto::BUILTIN_CLOCK_MONOTONIC, monotonic_ns}};
  for (const auto& [id, time_ns] : clocks) {
    perfetto::ClockSnapshot::Clock& clock = *snapshot.add_clocks();
    clock.set_clock_id(id);
    clock.set_timestamp(time_ns);
  }
  Put();
}

uint64_t PacketWriter::Track(perfetto::TrackDescriptor descriptor) {
  descriptor.set_uuid(++tracks_);
  *packet_.mutable_track_descriptor() = std::move(descriptor);
  Put();
  return tracks_;
}

void PacketWriter::Begin(uint64_t track, uint64_t time_ns, std::string_view category,
                         std::string_view name, const Annotations& annotations) {
  Describe(Event(track, time_ns, perfetto::TrackEvent::TYPE_SLICE_BEGIN), category, name,
           annotations);
}

void PacketWriter::End(uint64_t track, uint64_t time_ns) {
  Event(track, time_ns, perfetto::TrackEvent::TYPE_SLICE_END);
  Put();
}

void PacketWriter::Instant(uint64_t track, uint64_t time_ns, std::string_view category,
                           std::string_view name, const Annotations& annotations) {
  Describe(Event(track, time_ns, perfetto::TrackEvent::TYPE_INSTANT), category, name, annotations);
}

void PacketWriter::Count(uint64_t track, uint64_t time_ns, double value) {
  Event(track, time_ns, perfetto::TrackEvent::TYPE_COUNTER).set_double_counter_value(value);
  Put();
}

perfetto::TrackEvent& PacketWriter::Event(uint64_t track, uint64_t time_ns,
                                          perfetto::TrackEvent::Type type) {
  packet_.set_timestamp(time_ns);
  packet_.set_sequence_flags(kNeedsEarlierNames);
  perfetto::TrackEvent& event = *packet_.mutable_track_event();
  event.set_track_uuid(track);
  event.set_type(type);
  return event;
}

void PacketWriter::Describe(perfetto::TrackEvent& event, std::string_view category,
                            std::string_view name, const Annotations& annotations) {
  event.add_category_iids(NumberOf(categories_, category, [&] {
    return packet_.mutable_interned_data()->add_event_categories();
  }));
  event.set_name_iid(
      NumberOf(names_, name, [&] { return packet_.mutable_interned_data()->add_event_names(); }));
  for (const Annotation& annotation : annotations) Annotate(event, annotation);
  Put();
}

void PacketWriter::Annotate(perfetto::TrackEvent& event, const Annotation& annotation) {
  perfetto::DebugAnnotation& made = *event.add_debug_annotations();
  made.set_name_iid(NumberOf(annotation_names_, annotation.name, [&] {
    return packet_.mutable_interned_data()->add_debug_annotation_names();
  }));
  if (const auto* flag = std::get_if<bool>(&annotation.value)) {
    made.set_bool_value(*flag);
  } else if (const auto* amount = std::get_if<uint64_t>(&annotation.value)) {
    made.set_uint_value(*amount);
  } else if (const auto* number = std::get_if<int64_t>(&annotation.value)) {
    made.set_int_value(*number);
  } else if (const auto* real = std::get_if<double>(&annotation.value)) {
    made.set_double_value(*real);
  } else {
    made.set_string_value_iid(NumberOf(strings_, std::get<std::string>(annotation.value), [&] {
      return packet_.mutable_interned_data()->add_debug_annotation_string_values();
    }));
  }
}

template <typename Add>
uint64_t PacketWriter::NumberOf(Numbers& numbers, std::string_view text, Add add) {
  const auto [place, is_new] = numbers.try_emplace(std::string(text), numbers.size() + 1);
  if (is_new) {
    auto* described = add();
    described->set_iid(place->second);
    if constexpr (std::is_same_v<decltype(described), perfetto::InternedString*>) {
      described->set_str(place->first);
    } else {
      described->set_name(place->first);
    }
  }
  return place->second;
}

void PacketWriter::Put() {
  packet_.set_trusted_packet_sequence_id(kSequence);
  bytes_.clear();
  {
    google::protobuf::io::StringOutputStream stream(&bytes_);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.WriteTag(static_cast<uint32_t>(kPacketTag));
    coded.WriteVarint32(static_cast<uint32_t>(packet_.ByteSizeLong()));
    packet_.SerializeWithCachedSizes(&coded);
  }
  packet_.Clear();
  if (status_.ok()) status_ = sink_(bytes_);
}

}  // namespace rafter
