#include "tests/survival/planning_collector.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "cupti/sets.h"
#include "proto/frame.h"
#include "proto/plan_cache.h"
#include "tests/survival/program_run.h"

namespace rafter::survival {
namespace {

bool ReadAll(int client, void* to, size_t size) {
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = read(client, bytes, size);
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

template <typename Message>
void Send(int client, wire::FrameType type, const Message& message) {
  const std::string body = message.SerializeAsString();
  uint8_t header[kFrameHeaderBytes];
  WriteFrameHeader({static_cast<uint32_t>(body.size()), static_cast<uint16_t>(type)}, header);
  std::string frame(reinterpret_cast<char*>(header), sizeof header);
  frame += body;
  send(client, frame.data(), frame.size(), MSG_NOSIGNAL);
}

}  // namespace

PlanningCollector::PlanningCollector(const std::string& path) {
  CuptiSearch search;
  search.override_path = FakesPath();
  search.reuse_mapped = false;
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
  if (!host.ok()) {
    Fault(host.status().message());
    return;
  }
  host_ = std::move(*host);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  listen(listener_, 8);
  thread_ = std::thread([this] { Serve(); });
}

PlanningCollector::~PlanningCollector() {
  stop_ = true;
  Finish();
  close(listener_);
}

void PlanningCollector::Finish() {
  if (thread_.joinable()) thread_.join();
}

void PlanningCollector::Serve() {
  int client = -1;
  while (client < 0 && !stop_) {
    pollfd wanted = {listener_, POLLIN, 0};
    if (poll(&wanted, 1, 20) > 0) client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  }
  uint16_t type = 0;
  std::string message;
  while (client >= 0 && ReadFrame(client, type, message)) OnFrame(client, type, message);
  if (client >= 0) close(client);
}

bool PlanningCollector::ReadFrame(int client, uint16_t& type, std::string& message) {
  uint8_t bytes[kFrameHeaderBytes];
  FrameHeader header;
  if (!ReadAll(client, bytes, sizeof bytes)) return false;
  if (ReadFrameHeader(bytes, header) != FrameFault::kNone) {
    Fault("a header that is none");
    return false;
  }
  type = header.type;
  message.resize(header.length);
  if (ReadAll(client, message.data(), message.size())) return true;
  Fault("a frame cut short");
  return false;
}

void PlanningCollector::OnFrame(int client, uint16_t type, const std::string& message) {
  const auto parsed = [&](auto& into) {
    if (into.ParseFromString(message)) return true;
    Fault("a message of type " + std::to_string(type) + " that cannot be read");
    return false;
  };
  wire::Device device;
  wire::Names names;
  wire::Baseline baseline;
  wire::Image image;
  wire::Batch batch;
  switch (type) {
    case wire::HELLO:
      parsed(hello_);
      return;
    case wire::DEVICE:
      if (parsed(device)) OnDevice(client, device);
      return;
    case wire::NAMES:
      if (parsed(names)) {
        for (const wire::Path& path : names.paths()) paths_[path.path()] = path;
      }
      return;
    case wire::BASELINE:
      if (parsed(baseline)) baselines_[baseline.baseline()] = baseline;
      return;
    case wire::IMAGE:
      if (parsed(image)) images_.push_back(image);
      return;
    case wire::BATCH:
      if (parsed(batch)) instances_ += static_cast<uint64_t>(batch.instances_size());
      return;
    case wire::GOODBYE:
      said_goodbye_ = true;
      return;
    default:
      return;
  }
}

void PlanningCollector::OnDevice(int client, const wire::Device& device) {
  const std::vector<uint8_t> availability(device.counter_availability().begin(),
                                          device.counter_availability().end());
  const std::vector<std::string> sets = *ParseSetList(device.wanted_sets());
  Result<ChosenPlan> chosen = PlanSets(*host_, device.chip(), availability, sets);
  if (!chosen.ok()) return Fault(chosen.status().message());
  plan_.Clear();
  plan_.set_device(device.device());
  plan_.set_chip(device.chip());
  plan_.set_cupti_version(device.cupti_version());
  plan_.set_availability_hash(PlanHash(availability.data(), availability.size()));
  plan_.set_wanted_sets(device.wanted_sets());
  plan_.set_passes(static_cast<uint32_t>(chosen->configuration.passes));
  plan_.set_configuration(chosen->configuration.image.data(), chosen->configuration.image.size());
  plan_.set_origin("collector");
  for (const ChosenSet& set : chosen->sets) {
    wire::PlanSet* added = plan_.add_sets();
    added->set_name(set.name);
    added->set_first_pass(static_cast<uint32_t>(set.first_pass));
    added->set_passes(static_cast<uint32_t>(set.passes));
    for (const SetMetric& metric : set.metrics) {
      wire::Counter* counter = added->add_counters();
      counter->set_metric(metric.name);
      counter->set_unit(metric.unit);
      counter->set_description(metric.description);
    }
  }
  // Of an older collector; the library passes over types that it does not know.
  Send(client, static_cast<wire::FrameType>(32), wire::Bye());
  Send(client, wire::PLAN, plan_);
}

std::vector<uint8_t> PlanningCollector::Restored(const wire::Image& image) {
  const wire::Baseline& baseline = baselines_[image.baseline()];
  std::vector<uint8_t> bytes(baseline.size(), 0);
  const auto apply = [&](const auto& patches) {
    for (const wire::Patch& patch : patches) {
      if (patch.offset() + patch.data().size() > bytes.size())
        return Fault("a patch beyond the end");
      std::memcpy(bytes.data() + patch.offset(), patch.data().data(), patch.data().size());
    }
  };
  apply(baseline.patches());
  apply(image.patches());
  return bytes;
}

Measured PlanningCollector::Of(const std::string& region, const std::string& set,
                               const std::string& metric) {
  Measured total;
  for (const wire::Image& image : images_) {
    bool of_this_set = false;
    for (const wire::PlanSet& known : plan_.sets()) {
      of_this_set |= known.name() == set && image.pass() >= known.first_pass() &&
                     image.pass() < known.first_pass() + known.passes();
    }
    if (!of_this_set) continue;
    const std::vector<uint8_t> bytes = Restored(image);
    const std::vector<std::string> names = *host_->RangeNames(bytes);
    for (const wire::Slot& slot : image.slots()) {
      if (paths_[slot.path()].name() != region || slot.incomplete() != 0) continue;
      for (size_t range = 0; range < names.size(); ++range) {
        if (names[range] != std::to_string(slot.path())) continue;
        const auto value = (*host_->Evaluate(plan_.chip(), {}, "", bytes, range, {metric}))[0];
        if (!value.has_value()) {
          Fault(metric + " is absent in an image of " + set);
          continue;
        }
        total.value += *value;
        total.instances += slot.instances();
      }
    }
  }
  return total;
}

}  // namespace rafter::survival
