#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "collector/table/number_text.h"
#include "collector/table/table.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void WriteString(std::string_view text, Writer& writer) {
  const std::string valid = ValidUtf8(text);
  writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void WriteKey(std::string_view key, Writer& writer) {
  const std::string valid = ValidUtf8(key);
  writer.Key(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void WriteText(std::string_view key, std::string_view text, Writer& writer) {
  WriteKey(key, writer);
  WriteString(text, writer);
}

void WriteValue(const std::optional<double>& value, Writer& writer) {
  // The same digits as in the CSV; NaN and infinities have none.
  const std::string text = value ? NumberText(*value) : "";
  if (text.empty()) {
    writer.Null();
  } else {
    writer.RawValue(text.data(), text.size(), rapidjson::kNumberType);
  }
}

void WriteNumber(std::string_view key, const std::optional<double>& value, Writer& writer) {
  WriteKey(key, writer);
  WriteValue(value, writer);
}

void WriteCount(std::string_view key, const std::optional<uint64_t>& count, Writer& writer) {
  WriteKey(key, writer);
  if (count) {
    writer.Uint64(*count);
  } else {
    writer.Null();
  }
}

void WriteIdentity(const Row& row, Writer& writer) {
  WriteText("benchmark_problem", row.benchmark_problem, writer);
  WriteText("paradigm", row.paradigm, writer);
  WriteText("precision", row.precision, writer);
  WriteText("hardware", row.hardware, writer);
  WriteText("executable", row.executable, writer);
  WriteText("region", row.region, writer);
  if (!row.category.empty()) WriteText("category", row.category, writer);
  if (!row.payload.empty()) WriteText("payload", row.payload, writer);
  WriteText("kernel_id", row.kernel_id, writer);
  WriteText("kernel", row.kernel, writer);
  WriteText("kernel_signature", row.kernel_signature, writer);
  WriteText("grid_size", row.grid_size, writer);
  WriteText("block_size", row.block_size, writer);
}

void WriteQuantities(const Row& row, Writer& writer) {
  WriteNumber("duration_s", row.duration_s, writer);
  WriteText("memory_level", row.memory_level, writer);
  WriteNumber("flop", row.flop, writer);
  WriteNumber("traffic_bytes", row.traffic_bytes, writer);
  WriteNumber("flop_per_byte", row.flop_per_byte, writer);
  WriteNumber("flop_per_s", row.flop_per_s, writer);
  WriteNumber("peak_flop_per_s", row.peak_flop_per_s, writer);
  WriteNumber("peak_bytes_per_s", row.peak_bytes_per_s, writer);
  WriteNumber("flop_fp32", row.flop_fp32, writer);
  WriteNumber("flop_fp64", row.flop_fp64, writer);
  WriteNumber("flop_fp16", row.flop_fp16, writer);
  WriteNumber("flop_tensor", row.flop_tensor, writer);
  WriteNumber("exclusive_flop", row.exclusive_flop, writer);
  WriteNumber("exclusive_traffic_bytes", row.exclusive_traffic_bytes, writer);
  WriteNumber("exclusive_duration_s", row.exclusive_duration_s, writer);
}

void WriteOrigin(const Row& row, Writer& writer) {
  WriteText("source", row.source, writer);
  WriteText("validity", row.validity, writer);
  WriteText("reason", row.reason, writer);
  WriteCount("calls", row.calls, writer);
  WriteCount("measured_calls", row.measured_calls, writer);
  WriteNumber("duration_spread", row.duration_spread, writer);
  WriteNumber("kernel_time_s", row.kernel_time_s, writer);
  WriteCount("launches", row.launches, writer);
  WriteText("rank", row.rank, writer);
  if (row.rank_imbalance) WriteNumber("rank_imbalance", row.rank_imbalance, writer);
  WriteText("host", row.host, writer);
  WriteText("process", row.process, writer);
  WriteText("device", row.device, writer);
  WriteText("device_uuid", row.device_uuid, writer);
  WriteNumber("sm_clock_hz", row.sm_clock_hz, writer);
  WriteNumber("dram_clock_hz", row.dram_clock_hz, writer);
}

void WriteMetrics(const Row& row, Writer& writer) {
  WriteKey("metrics", writer);
  writer.StartObject();
  for (const auto& [metric, value] : row.metrics) {
    WriteKey(metric, writer);
    writer.StartObject();
    WriteNumber("value", value, writer);
    const auto unit = row.metric_units.find(metric);
    WriteText("unit", unit == row.metric_units.end() ? "" : unit->second, writer);
    writer.EndObject();
  }
  writer.EndObject();
}

}  // namespace

std::string ToJson(const Table& table) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  WriteKey("rows", writer);
  writer.StartArray();
  for (const Row& row : table.rows) {
    writer.StartObject();
    WriteIdentity(row, writer);
    WriteQuantities(row, writer);
    WriteOrigin(row, writer);
    WriteMetrics(row, writer);
    writer.EndObject();
  }
  writer.EndArray();
  WriteKey("notes", writer);
  writer.StartArray();
  for (const std::string& note : table.notes) WriteString(note, writer);
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace rafter
