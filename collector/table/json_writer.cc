#include "collector/table/json_writer.h"

#include "collector/table/number_text.h"
#include "collector/table/utf8.h"

namespace rafter {

void JsonWriter::Key(std::string_view key) {
  const std::string valid = ValidUtf8(key);
  writer_.Key(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void JsonWriter::Text(std::string_view text) {
  const std::string valid = ValidUtf8(text);
  writer_.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void JsonWriter::Number(const std::optional<double>& value) {
  // NaN and infinities have no digits.
  Digits(value ? NumberText(*value) : "");
}

void JsonWriter::Digits(std::string_view digits) {
  if (digits.empty()) {
    Null();
  } else {
    writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }
}

void JsonWriter::Count(const std::optional<uint64_t>& count) {
  if (count) {
    writer_.Uint64(*count);
  } else {
    Null();
  }
}

void JsonWriter::Text(std::string_view key, std::string_view text) {
  Key(key);
  Text(text);
}

void JsonWriter::Number(std::string_view key, const std::optional<double>& value) {
  Key(key);
  Number(value);
}

void JsonWriter::Count(std::string_view key, const std::optional<uint64_t>& count) {
  Key(key);
  Count(count);
}

}  // namespace rafter
