// What all our JSON has in common.
#include <gtest/gtest.h>

#include <cmath>

#include "collector/table/json_writer.h"

namespace rafter {
namespace {

TEST(JsonWriter, WritesTheDigitsOfTheCsvAndNullForWhatIsMissing) {
  JsonWriter json;
  json.StartObject();
  json.Number("a", 137438953472.0);
  json.Number("b", 0.1);
  json.Number("c", std::nullopt);
  json.Number("d", std::nan(""));
  json.Count("e", 18446744073709551615u);
  json.Count("f", std::nullopt);
  json.EndObject();
  EXPECT_EQ(json.Finish(),
            "{\"a\":137438953472,\"b\":0.1,\"c\":null,\"d\":null,"
            "\"e\":18446744073709551615,\"f\":null}");
}

TEST(JsonWriter, KeepsForeignTextValid) {
  JsonWriter json;
  json.StartObject();
  json.Text("a\xff", "\"b\"\n\xfe");
  json.EndObject();
  EXPECT_EQ(json.Finish(), "{\"a\xEF\xBF\xBD\":\"\\\"b\\\"\\n\xEF\xBF\xBD\"}");
}

TEST(JsonWriter, WritesListsOfAnything) {
  JsonWriter json;
  json.StartObject();
  json.Texts("texts", {"a", "b"});
  json.List("digits", std::vector<std::string>{"1.50", ""},
            [&](const std::string& digits) { json.Digits(digits); });
  json.List("flags", std::vector<bool>{true, false}, [&](bool flag) { json.Bool(flag); });
  json.EndObject();
  EXPECT_EQ(json.Finish(),
            "{\"texts\":[\"a\",\"b\"],\"digits\":[1.50,null],"
            "\"flags\":[true,false]}");
}

}  // namespace
}  // namespace rafter
