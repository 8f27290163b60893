#include "collector/table/json_writer.h"
#include "collector/table/table.h"

namespace rafter {
namespace {

void WriteIdentity(const Row& row, JsonWriter& json) {
  json.Text("benchmark_problem", row.benchmark_problem);
  json.Text("paradigm", row.paradigm);
  json.Text("precision", row.precision);
  json.Text("hardware", row.hardware);
  json.Text("executable", row.executable);
  json.Text("region", row.region);
  if (!row.category.empty()) json.Text("category", row.category);
  if (!row.payload.empty()) json.Text("payload", row.payload);
  json.Text("kernel_id", row.kernel_id);
  json.Text("kernel", row.kernel);
  json.Text("kernel_signature", row.kernel_signature);
  json.Text("grid_size", row.grid_size);
  json.Text("block_size", row.block_size);
}

void WriteQuantities(const Row& row, JsonWriter& json) {
  json.Number("duration_s", row.duration_s);
  json.Text("memory_level", row.memory_level);
  json.Number("flop", row.flop);
  json.Number("traffic_bytes", row.traffic_bytes);
  json.Number("flop_per_byte", row.flop_per_byte);
  json.Number("flop_per_s", row.flop_per_s);
  json.Number("peak_flop_per_s", row.peak_flop_per_s);
  json.Number("peak_bytes_per_s", row.peak_bytes_per_s);
  json.Number("flop_fp32", row.flop_fp32);
  json.Number("flop_fp64", row.flop_fp64);
  json.Number("flop_fp16", row.flop_fp16);
  json.Number("flop_tensor", row.flop_tensor);
  json.Number("exclusive_flop", row.exclusive_flop);
  json.Number("exclusive_traffic_bytes", row.exclusive_traffic_bytes);
  json.Number("exclusive_duration_s", row.exclusive_duration_s);
}

void WriteOrigin(const Row& row, JsonWriter& json) {
  json.Text("source", row.source);
  json.Text("validity", row.validity);
  json.Text("reason", row.reason);
  json.Count("calls", row.calls);
  json.Count("measured_calls", row.measured_calls);
  json.Number("duration_spread", row.duration_spread);
  json.Number("kernel_time_s", row.kernel_time_s);
  json.Count("launches", row.launches);
  json.Text("rank", row.rank);
  if (row.rank_imbalance) json.Number("rank_imbalance", row.rank_imbalance);
  json.Text("host", row.host);
  json.Text("process", row.process);
  json.Text("device", row.device);
  json.Text("device_uuid", row.device_uuid);
  json.Number("sm_clock_hz", row.sm_clock_hz);
  json.Number("dram_clock_hz", row.dram_clock_hz);
}

void WriteMetrics(const Row& row, JsonWriter& json) {
  json.Key("metrics");
  json.StartObject();
  for (const auto& [metric, value] : row.metrics) {
    json.Key(metric);
    json.StartObject();
    json.Number("value", value);
    const auto unit = row.metric_units.find(metric);
    json.Text("unit", unit == row.metric_units.end() ? "" : unit->second);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

std::string ToJson(const Table& table) {
  JsonWriter json;
  json.StartObject();
  json.Key("rows");
  json.StartArray();
  for (const Row& row : table.rows) {
    json.StartObject();
    WriteIdentity(row, json);
    WriteQuantities(row, json);
    WriteOrigin(row, json);
    WriteMetrics(row, json);
    json.EndObject();
  }
  json.EndArray();
  json.Texts("notes", table.notes);
  json.EndObject();
  return json.Finish() + "\n";
}

}  // namespace rafter
