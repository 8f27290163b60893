#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "collector/compare/comparison_text.h"
#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void WriteString(std::string_view text, Writer& writer) {
  const std::string valid = ValidUtf8(text);
  writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void WriteKey(std::string_view key, Writer& writer) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}

void WriteText(std::string_view key, std::string_view text, Writer& writer) {
  WriteKey(key, writer);
  WriteString(text, writer);
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, Writer& writer) {
  WriteKey(key, writer);
  writer.StartArray();
  for (const std::string& text : texts) WriteString(text, writer);
  writer.EndArray();
}

void WriteNumber(std::string_view key, const std::optional<double>& value, Writer& writer) {
  WriteKey(key, writer);
  // The same digits as in the CSV; NaN and infinities have none.
  const std::string text = value ? NumberText(*value) : "";
  if (text.empty()) {
    writer.Null();
  } else {
    writer.RawValue(text.data(), text.size(), rapidjson::kNumberType);
  }
}

void WriteCount(std::string_view key, const std::optional<uint64_t>& count, Writer& writer) {
  WriteKey(key, writer);
  if (count) {
    writer.Uint64(*count);
  } else {
    writer.Null();
  }
}

void WriteNames(const Row& row, Writer& writer) {
  WriteText("hardware", row.hardware, writer);
  WriteText("executable", row.executable, writer);
  WriteText("region", row.region, writer);
  WriteText("kernel_id", row.kernel_id, writer);
  WriteText("kernel", row.kernel, writer);
  WriteText("precision", row.precision, writer);
  WriteText("memory_level", row.memory_level, writer);
  WriteText("rank", row.rank, writer);
  WriteText("host", row.host, writer);
  WriteText("device", row.device, writer);
}

void WriteChange(const QuantityKind& kind, const Change& change, Writer& writer) {
  WriteKey(kind.name, writer);
  writer.StartObject();
  WriteText("unit", kind.unit, writer);
  WriteNumber("base", change.base, writer);
  WriteNumber("new", change.now, writer);
  WriteNumber("ratio", change.ratio, writer);
  WriteKey("spread_known", writer);
  writer.Bool(change.spread.has_value());
  WriteNumber("spread_low", change.spread ? std::optional(change.spread->low) : std::nullopt,
              writer);
  WriteNumber("spread_high", change.spread ? change.spread->high : std::nullopt, writer);
  WriteText("verdict", ShortWordText(kind.quantity, change), writer);
  WriteText("reason", change.reason, writer);
  writer.EndObject();
}

void WriteRow(const ComparedRow& row, const Comparison& comparison, Writer& writer) {
  const Row& base = comparison.base.table.rows[row.base];
  const Row& now = comparison.now.table.rows[row.now];
  writer.StartObject();
  WriteText("label", row.label, writer);
  WriteNames(base, writer);
  WriteCount("calls_base", base.calls, writer);
  WriteCount("calls_new", now.calls, writer);
  WriteText("validity_base", base.validity, writer);
  WriteText("validity_new", now.validity, writer);
  WriteText("basis", row.per_call ? "one call" : "all calls", writer);
  WriteText("verdict", ShortWordText(TimeQuantity(row), TimeChange(row)), writer);
  WriteText("moved", MovedText(row), writer);
  WriteKey("changes", writer);
  writer.StartObject();
  for (const QuantityKind& kind : QuantityKinds()) {
    WriteChange(kind, row.changes[static_cast<size_t>(kind.quantity)], writer);
  }
  writer.EndObject();
  WriteTexts("notes", row.notes, writer);
  writer.EndObject();
}

void WriteLone(const Comparison& comparison, bool in_base, Writer& writer) {
  WriteKey(in_base ? "only_in_base" : "only_in_new", writer);
  writer.StartArray();
  for (const LoneRow& lone : comparison.lone) {
    if (lone.in_base != in_base) continue;
    writer.StartObject();
    WriteText("label", lone.label, writer);
    WriteNames((in_base ? comparison.base : comparison.now).table.rows[lone.row], writer);
    WriteText("reason", lone.reason, writer);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteLimits(const Comparison& comparison, Writer& writer) {
  WriteKey("limits", writer);
  writer.StartArray();
  for (const LimitFinding& finding : comparison.limits) {
    writer.StartObject();
    WriteText("limit", finding.limit, writer);
    WriteText("label", finding.label, writer);
    WriteText("outcome", OutcomeText(finding.outcome), writer);
    WriteText("text", finding.text, writer);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace

std::string ToJson(const Comparison& comparison) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  WriteText("base", comparison.base.name, writer);
  WriteText("new", comparison.now.name, writer);
  WriteText("summary", SummaryText(comparison), writer);
  WriteTexts("forced", comparison.conflicts, writer);
  WriteKey("rows", writer);
  writer.StartArray();
  for (const ComparedRow& row : comparison.rows) WriteRow(row, comparison, writer);
  writer.EndArray();
  WriteLone(comparison, true, writer);
  WriteLone(comparison, false, writer);
  WriteLimits(comparison, writer);
  WriteTexts("notes", comparison.notes, writer);
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace rafter
