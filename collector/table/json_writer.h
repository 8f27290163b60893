// JsonWriter is rapidjson's writer with what all our JSON has in common: valid UTF-8
// whatever the text holds, numbers with the digits of the CSV, and null for a missing value.
//
//   Threads   one.
//   Blocking  never.
//   Memory    holds the text until Finish.
//   Lifetime  one document.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rafter {

class JsonWriter {
 public:
  void StartObject() { writer_.StartObject(); }
  void EndObject() { writer_.EndObject(); }
  void StartArray() { writer_.StartArray(); }
  void EndArray() { writer_.EndArray(); }
  void Key(std::string_view key);

  // Values of an array, or of the key before.
  void Null() { writer_.Null(); }
  void Bool(bool value) { writer_.Bool(value); }
  void Text(std::string_view text);
  void Number(const std::optional<double>& value);
  // A number as NumberText writes it; empty is missing.
  void Digits(std::string_view digits);
  void Count(const std::optional<uint64_t>& count);

  // The same with their keys.
  void Text(std::string_view key, std::string_view text);
  void Number(std::string_view key, const std::optional<double>& value);
  void Count(std::string_view key, const std::optional<uint64_t>& count);

  // An array of what `write` makes of each value.
  template <typename Values, typename Write>
  void List(std::string_view key, const Values& values, const Write& write) {
    Key(key);
    StartArray();
    for (const auto& value : values) write(value);
    EndArray();
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    List(key, texts, [&](const std::string& text) { Text(text); });
  }

  // The document.
  std::string Finish() const { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace rafter
