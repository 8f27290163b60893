#include "tests/gpu/tally.h"

#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include "tests/gpu/cuda_check.h"

namespace rafter {
namespace {

const char* ClaimText(FlopClaim claim) {
  switch (claim) {
    case FlopClaim::kExact:
      return "exact";
    case FlopClaim::kMissing:
      return "missing";
    case FlopClaim::kHonest:
      return "honest";
  }
  return "";
}

}  // namespace

void Tally::Prepare() { Check(cudaMalloc(&scratch_, ArithmeticBytes(kTallyBlocks)), "allocating"); }

Tally::Place& Tally::Innermost() {
  if (open_.empty()) {
    std::fprintf(stderr, "no region is open; a test program's mistake\n");
    std::exit(1);
  }
  Place& place = places_[{open_.back(), device_uuid_}];
  place.path = open_.back();
  place.device_uuid = device_uuid_;
  return place;
}

Tally::Place& Tally::Enter(const std::string& name) {
  open_.push_back(open_.empty() ? name : open_.back() + "/" + name);
  Place& place = Innermost();
  ++place.instances;
  return place;
}

void Tally::Open(const std::string& name) {
  Enter(name);
  nvtxRangePushA(name.c_str());
}

void Tally::Close() {
  nvtxRangePop();
  open_.pop_back();
}

unsigned long long Tally::Start(const std::string& name) {
  Enter(name);
  return nvtxRangeStartA(name.c_str());
}

void Tally::End(unsigned long long range) {
  nvtxRangeEnd(range);
  open_.pop_back();
}

Truth Tally::Arithmetic(Kind kind, int rounds, int blocks) {
  Truth work;
  work.launches = 1;
  work.counts[kind] = ArithmeticCount(blocks, rounds);
  return work;
}

void Tally::Launch(Kind kind, int rounds, cudaStream_t stream) {
  LaunchArithmetic(kind, scratch_, kTallyBlocks, rounds, stream);
  Note(Arithmetic(kind, rounds));
}

void Tally::Note(const Truth& work) { Add(work, Innermost().exclusive); }

void Tally::Claim(FlopClaim claim, const std::string& reason) {
  Innermost().claim = claim;
  Innermost().reason = reason;
}

void Tally::ClaimTraffic(bool read, bool write) {
  Innermost().read_claimed = read;
  Innermost().write_claimed = write;
}

void Tally::ClaimSeconds(double least_s, double most_s) {
  Innermost().least_s = least_s;
  Innermost().most_s = most_s;
}

void Tally::DoNotClaimLaunches() { Innermost().launches_claimed = false; }

void Tally::DoNotClaimFp16() { Innermost().fp16_claimed = false; }

void Tally::OnDevice(const std::string& uuid) { device_uuid_ = uuid; }

void Tally::AlsoOnDevice(const std::string& uuid) {
  device_uuid_ = uuid;
  ++Innermost().instances;
}

void Tally::Merge(const Tally& other) {
  for (const auto& [key, theirs] : other.places_) {
    const auto [ours, is_new] = places_.try_emplace(key, theirs);
    if (is_new) continue;
    ours->second.instances += theirs.instances;
    Add(theirs.exclusive, ours->second.exclusive);
  }
}

Truth Tally::Inclusive(const Place& place) const {
  Truth sum = place.exclusive;
  const std::string below = place.path + "/";
  for (auto at = places_.lower_bound({below, ""}); at != places_.end(); ++at) {
    if (at->first.first.compare(0, below.size(), below) != 0) break;
    if (at->first.second == place.device_uuid) Add(at->second.exclusive, sum);
  }
  return sum;
}

std::string Tally::PlaceJson(const Place& place) const {
  const Truth inclusive = Inclusive(place);
  std::ostringstream json;
  json << "{\"region\": \"" << place.path << "\", \"device_uuid\": \"" << place.device_uuid
       << "\", \"instances\": " << place.instances << ", \"flop\": \"" << ClaimText(place.claim)
       << "\", \"flop_reason\": \"" << place.reason << "\",\n   \"launches\": "
       << (place.launches_claimed ? std::to_string(inclusive.launches) : "null")
       << ", \"fp16_claimed\": " << (place.fp16_claimed ? "true" : "false")
       << ", \"least_s\": " << place.least_s << ", \"most_s\": " << place.most_s
       << ",\n   \"inclusive\": {" << CountsJson(inclusive) << "},\n   \"exclusive\": {"
       << CountsJson(place.exclusive) << "},\n   \"dram_bytes\": "
       << DramBytesJson(inclusive, place.read_claimed, place.write_claimed) << "}";
  return json.str();
}

std::string Tally::ToJson(const std::string& program, const cudaDeviceProp& device,
                          const std::string& facts) const {
  std::ostringstream json;
  json << "{\"program\": \"" << program << "\", \"pid\": " << getpid() << ", \"device\": \""
       << device.name
       // Elsewhere the driver assembles the kernels anew, and may choose other instructions.
       << "\", \"counts_checked\": " << (device.major == 9 ? "true" : "false")
       << (facts.empty() ? "" : ", " + facts) << ", \"regions\": [";
  const char* separator = "\n  ";
  for (const auto& [key, place] : places_) {
    json << separator << PlaceJson(place);
    separator = ",\n  ";
  }
  json << "\n]}\n";
  return json.str();
}

}  // namespace rafter
