#include "tests/survival/counted_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <tuple>

#include "proto/frame.h"

namespace rafter::survival {

CountedStream CountedStream::Of(const ProgramRun& run) {
  const std::vector<std::string> spools = run.FilesEndingIn(".spool");
  EXPECT_EQ(spools.size(), 1u);
  return CountedStream(spools.empty() ? "/dev/null" : spools.front());
}

CountedStream::CountedStream(const std::string& spool) {
  CuptiSearch search;
  search.override_path = FakesPath();
  search.reuse_mapped = false;
  Result<std::unique_ptr<CuptiHost>> host = CuptiHost::Open(search);
  if (host.ok()) host_ = std::move(*host);
  EXPECT_NE(host_, nullptr);
  std::ifstream file(spool, std::ios::binary);
  file.seekg(kSpoolHeaderBytes);
  uint8_t bytes[kFrameHeaderBytes];
  std::string message;
  while (file.read(reinterpret_cast<char*>(bytes), sizeof bytes)) {
    FrameHeader header;
    if (ReadFrameHeader(bytes, header) != FrameFault::kNone) return;
    message.resize(header.length);
    if (!file.read(message.data(), static_cast<std::streamsize>(header.length))) return;
    Take(header.type, message);
  }
  whole_ = file.gcount() == 0;
}

void CountedStream::Take(uint16_t type, const std::string& message) {
  const auto parsed = [&](auto& into) -> auto& {
    EXPECT_TRUE(into.ParseFromString(message)) << "type " << type;
    return into;
  };
  wire::Plan plan;
  wire::Names names;
  wire::Baseline baseline;
  wire::Image image;
  wire::Batch batch;
  wire::Health health;
  wire::Kernels kernels;
  wire::Device device;
  switch (type) {
    case wire::DEVICE:
      devices_[parsed(device).device()] = device;
      return;
    case wire::PLAN:
      plans_[parsed(plan).device()] = plan;
      return;
    case wire::NAMES:
      for (const wire::Path& path : parsed(names).paths()) paths_[path.path()] = path;
      return;
    case wire::BASELINE:
      baselines_[parsed(baseline).baseline()] = baseline;
      return;
    case wire::IMAGE:
      images_.push_back(parsed(image));
      return;
    case wire::BATCH:
      TakeBatch(parsed(batch));
      return;
    case wire::KERNELS:
      for (const wire::Kernel& kernel : parsed(kernels).kernels()) {
        seen_[{kernel.symbol(), kernel.device()}] += kernel.launches();
      }
      return;
    case wire::HEALTH:
      for (const wire::Note& note : parsed(health).notes()) notes_.push_back(note);
      for (const wire::Loss& loss : health.losses()) losses_[loss.kind()] = loss.count();
      return;
    case wire::GOODBYE:
      said_goodbye_ = true;
      return;
    default:
      return;
  }
}

void CountedStream::TakeBatch(const wire::Batch& batch) {
  for (const wire::Instance& instance : batch.instances()) {
    EXPECT_EQ(instance.epoch() != 0, instance.uncounted() == wire::COUNTED);
    ++calls_[{instance.path(), instance.device(), instance.uncounted()}];
  }
  for (const wire::PathLoss& loss : batch.dropped()) dropped_[loss.path()] = loss.instances();
}

// --- names ----------------------------------------------------------------------

std::string CountedStream::PathName(uint32_t number) const {
  const auto found = paths_.find(number);
  if (found == paths_.end()) return "(path " + std::to_string(number) + ")";
  const wire::Path& path = found->second;
  if (path.members_size() > 0) {
    std::string all;
    for (const uint32_t member : path.members())
      all += (all.empty() ? "" : " + ") + PathName(member);
    return all;
  }
  const std::string own = path.has_launch() ? path.launch().symbol() : path.name();
  return path.parent() == 0 ? own : PathName(path.parent()) + "/" + own;
}

std::vector<uint32_t> CountedStream::PathsNamed(const std::string& region) const {
  std::vector<uint32_t> named;
  for (const auto& [number, path] : paths_) {
    if (path.members_size() == 0 && PathName(number) == region) named.push_back(number);
  }
  return named;
}

// The last byte of a fake device's UUID is its ordinal's digit.
bool CountedStream::IsMeant(uint32_t number, int device) const {
  const auto found = devices_.find(number);
  return device == kAnyDevice || (found != devices_.end() &&
                                  found->second.uuid().back() == static_cast<char>('0' + device));
}

bool CountedStream::IsInside(uint32_t path, uint32_t around) const {
  while (path != 0 && path != around) {
    const auto found = paths_.find(path);
    path = found == paths_.end() ? 0 : found->second.parent();
  }
  return path == around;
}

// --- calls ----------------------------------------------------------------------

uint64_t CountedStream::Calls(const std::string& region, int device) const {
  uint64_t calls = 0;
  for (const uint32_t path : PathsNamed(region)) {
    for (const auto& [key, count] : calls_) {
      const bool here = device == kAnyDevice || IsMeant(std::get<1>(key) - 1, device);
      if (std::get<0>(key) == path && here) calls += count;
    }
    const auto lost = dropped_.find(path);
    if (lost != dropped_.end() && device == kAnyDevice) calls += lost->second;
  }
  return calls;
}

uint64_t CountedStream::Uncounted(const std::string& region, wire::Uncounted why,
                                  int device) const {
  uint64_t calls = 0;
  for (const uint32_t path : PathsNamed(region)) {
    for (const auto& [key, count] : calls_) {
      const bool here = device == kAnyDevice || IsMeant(std::get<1>(key) - 1, device);
      if (std::get<0>(key) == path && std::get<2>(key) == why && here) calls += count;
    }
  }
  return calls;
}

std::string CountedStream::Why(const std::string& region) const {
  std::ostringstream text;
  text << "calls of " << region << ":";
  for (const uint32_t path : PathsNamed(region)) {
    for (const auto& [key, count] : calls_) {
      if (std::get<0>(key) != path) continue;
      text << " device " << static_cast<int>(std::get<1>(key)) - 1 << " "
           << wire::Uncounted_Name(static_cast<wire::Uncounted>(std::get<2>(key))) << " " << count
           << ";";
    }
  }
  text << "\n" << NoteTexts();
  return text.str();
}

bool CountedStream::Noted(const std::string& part, wire::Severity severity) const {
  return std::any_of(notes_.begin(), notes_.end(), [&](const wire::Note& note) {
    return note.severity() == severity && note.text().find(part) != std::string::npos;
  });
}

std::string CountedStream::NoteTexts() const {
  std::string all;
  for (const wire::Note& note : notes_) {
    all += wire::Severity_Name(note.severity()) + " " + note.about() + ": " + note.text() + "\n";
  }
  for (const auto& [kind, count] : losses_) all += kind + ": " + std::to_string(count) + "\n";
  return all;
}

uint64_t CountedStream::Lost(const std::string& kind) const {
  const auto found = losses_.find(kind);
  return found == losses_.end() ? 0 : found->second;
}

uint64_t CountedStream::Seen(const std::string& symbol, int device) const {
  uint64_t launches = 0;
  for (const auto& [key, count] : seen_) {
    const bool here = device == kAnyDevice || IsMeant(key.second - 1, device);
    if (key.first == symbol && here) launches += count;
  }
  return launches;
}

// --- counts ---------------------------------------------------------------------

std::vector<uint8_t> CountedStream::Restored(const wire::Image& image) const {
  const auto found = baselines_.find(image.baseline());
  if (found == baselines_.end()) {
    ADD_FAILURE() << "an image without its baseline";
    return {};
  }
  std::vector<uint8_t> bytes(found->second.size(), 0);
  const auto apply = [&](const auto& patches) {
    for (const wire::Patch& patch : patches) {
      ASSERT_LE(patch.offset() + patch.data().size(), bytes.size());
      std::memcpy(bytes.data() + patch.offset(), patch.data().data(), patch.data().size());
    }
  };
  apply(found->second.patches());
  apply(image.patches());
  return bytes;
}

std::vector<CountedStream::Decoded> CountedStream::ImagesOf(const std::string& set,
                                                            int device) const {
  std::vector<Decoded> decoded;
  for (const wire::Image& image : images_) {
    const auto plan = plans_.find(image.device());
    if (plan == plans_.end() || !IsMeant(image.device(), device)) {
      continue;
    }
    for (const wire::PlanSet& known : plan->second.sets()) {
      if (known.name() != set || image.pass() < known.first_pass() ||
          image.pass() >= known.first_pass() + known.passes()) {
        continue;
      }
      Decoded one{&image, &known, Restored(image), {}};
      const std::vector<std::string> names = *host_->RangeNames(one.bytes);
      for (size_t i = 0; i < names.size(); ++i) one.ranges[names[i]] = i;
      decoded.push_back(std::move(one));
    }
  }
  return decoded;
}

std::vector<CountedStream::Group> CountedStream::Groups(const std::string& region,
                                                        const std::string& set,
                                                        const std::string& metric,
                                                        int device) const {
  struct Sum : Group {
    uint64_t incomplete = 0;
  };
  // Device, chain or epoch, pass, call and path.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, Sum> sums;
  const std::vector<uint32_t> wanted = PathsNamed(region);
  for (const Decoded& one : ImagesOf(set, device)) {
    const wire::Image& image = *one.image;
    const uint32_t logical = image.chain() == 0 ? image.epoch() : image.chain();
    const bool launches_are_ranges =
        std::any_of(image.slots().begin(), image.slots().end(),
                    [](const wire::Slot& slot) { return slot.range() != 0; });
    for (const wire::Slot& slot : image.slots()) {
      for (const uint32_t path : wanted) {
        if (!IsInside(slot.path(), path)) continue;
        Sum& sum = sums[{image.device(), logical, image.pass(), slot.call(), path}];
        if (sum.first_ns == 0) sum.first_ns = image.start_ns();
        if (slot.path() == path) {
          sum.instances += slot.instances();
          sum.incomplete += slot.incomplete();
        }
        if (slot.range() == 0 && launches_are_ranges) continue;
        std::string name = std::to_string(slot.range() != 0 ? slot.range() - 1 : slot.path());
        if (slot.call() != 0) name.append(".").append(std::to_string(slot.call()));
        if (slot.range() != 0 && slot.segments() == 0) continue;  // it may be another's
        const auto range = one.ranges.find(name);
        EXPECT_EQ(range != one.ranges.end(), slot.segments() > 0) << name << " of " << region;
        if (range == one.ranges.end()) continue;
        const auto value = (*host_->Evaluate(plans_.at(image.device()).chip(), {}, "", one.bytes,
                                             range->second, {metric}))[0];
        EXPECT_TRUE(value.has_value()) << metric << " is absent in an image of " << set;
        sum.value += value.value_or(0);
      }
    }
  }
  std::vector<Group> groups;
  for (const auto& [key, sum] : sums) {
    if (sum.instances > 0 && sum.incomplete == 0) groups.push_back(sum);
  }
  return groups;
}

uint64_t CountedStream::Measured(const std::string& region, const std::string& set,
                                 int device) const {
  const char* metric = set == "flop" ? kFfmaMetric : kTimeMetric;
  uint64_t instances = 0;
  for (const Group& group : Groups(region, set, metric, device)) instances += group.instances;
  return instances;
}

void ExpectExact(const CountedStream& stream, const std::string& region, const std::string& set,
                 const std::string& metric, double each, int device) {
  const std::vector<CountedStream::Group> groups = stream.Groups(region, set, metric, device);
  EXPECT_FALSE(groups.empty()) << set << " has no whole call of " << region << ", device " << device
                               << "; " << stream.Why(region);
  for (const CountedStream::Group& group : groups) {
    ASSERT_EQ(group.value, each * static_cast<double>(group.instances))
        << metric << " of " << group.instances << " calls of " << region << " in " << set;
  }
}

}  // namespace rafter::survival
