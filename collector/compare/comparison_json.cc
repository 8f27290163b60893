#include "collector/compare/comparison_text.h"
#include "collector/compare/ratio_interval.h"
#include "collector/table/json_writer.h"

namespace rafter {
namespace {

void WriteNames(const Row& row, JsonWriter& json) {
  json.Text("hardware", row.hardware);
  json.Text("executable", row.executable);
  json.Text("region", row.region);
  json.Text("kernel_id", row.kernel_id);
  json.Text("kernel", row.kernel);
  json.Text("precision", row.precision);
  json.Text("memory_level", row.memory_level);
  json.Text("rank", row.rank);
  json.Text("host", row.host);
  json.Text("device", row.device);
}

// Of several runs only: what stands instead of a spread.
void WriteInterval(const Change& change, size_t at_once, JsonWriter& json) {
  json.Number("interval_low", change.interval ? std::optional(change.interval->low) : std::nullopt);
  json.Number("interval_high", change.interval ? change.interval->high : std::nullopt);
  json.Count("intervals_at_once", at_once);
  json.Count("runs_base", change.base_runs);
  json.Count("runs_new", change.now_runs);
}

void WriteChange(const QuantityKind& kind, const Change& change,
                 const std::optional<RepeatedRuns>& runs, JsonWriter& json) {
  json.Key(kind.name);
  json.StartObject();
  json.Text("unit", kind.unit);
  json.Number("base", change.base);
  json.Number("new", change.now);
  json.Number("ratio", change.ratio);
  json.Key("spread_known");
  json.Bool(change.spread.has_value());
  json.Number("spread_low", change.spread ? std::optional(change.spread->low) : std::nullopt);
  json.Number("spread_high", change.spread ? change.spread->high : std::nullopt);
  if (runs) WriteInterval(change, runs->at_once[static_cast<size_t>(kind.quantity)], json);
  json.Text("verdict", ShortWordText(kind.quantity, change));
  json.Text("reason", change.reason);
  json.EndObject();
}

void WriteRow(const ComparedRow& row, const Comparison& comparison, JsonWriter& json) {
  const Row& base = comparison.base.table.rows[row.base];
  const Row& now = comparison.now.table.rows[row.now];
  json.StartObject();
  json.Text("label", row.label);
  WriteNames(base, json);
  json.Count("calls_base", base.calls);
  json.Count("calls_new", now.calls);
  json.Text("validity_base", base.validity);
  json.Text("validity_new", now.validity);
  json.Text("basis", row.per_call ? "one call" : "all calls");
  json.Text("verdict", ShortWordText(TimeQuantity(row), TimeChange(row)));
  json.Text("moved", MovedText(row));
  json.Key("changes");
  json.StartObject();
  for (const QuantityKind& kind : QuantityKinds()) {
    WriteChange(kind, row.changes[static_cast<size_t>(kind.quantity)], comparison.runs, json);
  }
  json.EndObject();
  json.Texts("notes", row.notes);
  json.EndObject();
}

void WriteLone(const Comparison& comparison, bool in_base, JsonWriter& json) {
  json.Key(in_base ? "only_in_base" : "only_in_new");
  json.StartArray();
  for (const LoneRow& lone : comparison.lone) {
    if (lone.in_base != in_base) continue;
    json.StartObject();
    json.Text("label", lone.label);
    WriteNames((in_base ? comparison.base : comparison.now).table.rows[lone.row], json);
    json.Text("reason", lone.reason);
    json.EndObject();
  }
  json.EndArray();
}

void WriteRuns(std::string_view key, const std::vector<ComparedRun>& runs, JsonWriter& json) {
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) names.push_back(run.run.name);
  json.Texts(key, names);
}

void WriteLimits(const Comparison& comparison, JsonWriter& json) {
  json.Key("limits");
  json.StartArray();
  for (const LimitFinding& finding : comparison.limits) {
    json.StartObject();
    json.Text("limit", finding.limit);
    json.Text("label", finding.label);
    json.Text("outcome", OutcomeText(finding.outcome));
    json.Text("text", finding.text);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ToJson(const Comparison& comparison) {
  JsonWriter json;
  json.StartObject();
  json.Text("base", comparison.base.name);
  json.Text("new", comparison.now.name);
  if (comparison.runs) {
    WriteRuns("runs_base", comparison.runs->base, json);
    WriteRuns("runs_new", comparison.runs->now, json);
    json.Number("confidence", 1 - kErrorShare);
    json.Number("margin", comparison.runs->margin);
  }
  json.Text("summary", SummaryText(comparison));
  json.Texts("forced", comparison.conflicts);
  json.Key("rows");
  json.StartArray();
  for (const ComparedRow& row : comparison.rows) WriteRow(row, comparison, json);
  json.EndArray();
  WriteLone(comparison, true, json);
  WriteLone(comparison, false, json);
  WriteLimits(comparison, json);
  json.Texts("notes", comparison.notes);
  json.EndObject();
  return json.Finish() + "\n";
}

}  // namespace rafter
