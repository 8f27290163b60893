// WireStream builds the bytes that a target would send, for tests.
//
//   Threads   plain value.
//   Blocking  never.
//   Memory    owns its bytes.
//   Lifetime  plain value.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstring>
#include <string>

#include "proto/frame.h"
#include "proto/rafter.pb.h"

namespace rafter {

struct WireStream {
  std::string bytes;

  WireStream& AddRaw(uint16_t type, const std::string& message) {
    uint8_t header[kFrameHeaderBytes];
    WriteFrameHeader({static_cast<uint32_t>(message.size()), type}, header);
    bytes.append(reinterpret_cast<const char*>(header), sizeof(header));
    bytes += message;
    return *this;
  }
  WireStream& Add(wire::FrameType type, const google::protobuf::MessageLite& message) {
    return AddRaw(static_cast<uint16_t>(type), message.SerializeAsString());
  }

  // The same frames as the content of a spool file.
  std::string Spool() const {
    std::string file(kSpoolHeaderBytes, '\0');
    std::memcpy(file.data(), kSpoolMagic, sizeof(kSpoolMagic));
    file[8] = kSpoolVersion;
    return file + bytes;
  }
};

inline wire::Hello MakeHello(uint32_t pid) {
  wire::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.set_library_version("0.1.0");
  hello.set_host("node1");
  hello.set_pid(pid);
  hello.set_start_ticks(1000 + pid);
  hello.set_boot_id("b007");
  hello.set_executable("/opt/bench");
  hello.add_arguments("./bench");
  hello.add_arguments("--size=1");
  return hello;
}

inline wire::Device MakeDevice(uint32_t index = 0, char uuid = 7) {
  wire::Device device;
  device.set_device(index);
  device.set_uuid(std::string(16, uuid));
  device.set_name("NVIDIA H200");
  device.set_chip("GH100");
  device.set_cupti_version(130001);
  device.set_wanted_sets("time");
  return device;
}

// One set named "memory" of the six metrics that shared/data/h200 was counted
// with.
inline wire::Plan MakePlan(uint32_t device = 0) {
  wire::Plan plan;
  plan.set_device(device);
  plan.set_chip("GH100");
  plan.set_cupti_version(130001);
  plan.set_passes(1);
  plan.set_configuration("configuration");
  plan.set_origin("process");
  wire::PlanSet* set = plan.add_sets();
  set->set_name("memory");
  set->set_passes(1);
  for (const char* metric :
       {"dram__bytes.sum", "gpu__time_duration.sum", "lts__t_bytes.sum", "l1tex__t_bytes.sum",
        "sm__cycles_elapsed.max", "dram__bytes.sum.peak_sustained"}) {
    set->add_counters()->set_metric(metric);
  }
  return plan;
}

inline wire::Names MakeNames() {
  wire::Names names;
  const char* const texts[] = {"copy", "fma"};
  for (uint32_t i = 0; i < 2; ++i) {
    wire::Path* path = names.add_paths();
    path->set_path(i + 1);
    path->set_name(texts[i]);
  }
  return names;
}

inline void AddInstance(wire::Batch& batch, uint32_t path, uint64_t start_ns, uint32_t epoch) {
  wire::Instance* instance = batch.add_instances();
  instance->set_path(path);
  instance->set_thread(11);
  instance->set_start_ns(start_ns);
  instance->set_duration_ns(1000);
  instance->set_epoch(epoch);
  if (epoch == 0) instance->set_uncounted(wire::NO_CONTEXT);
}

inline wire::Goodbye MakeGoodbye() {
  wire::Goodbye goodbye;
  goodbye.set_reason("exit");
  return goodbye;
}

}  // namespace rafter
