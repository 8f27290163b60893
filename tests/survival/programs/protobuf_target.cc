// A program with protobuf and Abseil of its own, all of it visible to others
// (-rdynamic).
#include <absl/strings/str_cat.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/struct.pb.h>

#include <cstdio>

#include "tests/survival/programs/story.h"

namespace rafter::survival {
namespace {

SURVIVAL_STORY(uses_its_own_protobuf) {
  google::protobuf::Struct message;
  (*message.mutable_fields())["one"].set_number_value(1);
  std::string bytes;
  message.SerializeToString(&bytes);
  Prologue();
  google::protobuf::Any any;
  any.PackFrom(message);
  std::puts(absl::StrCat("bytes ", bytes.size(), " any ", any.type_url()).c_str());
  google::protobuf::ShutdownProtobufLibrary();
  Work();
  return 0;
}

}  // namespace
}  // namespace rafter::survival
