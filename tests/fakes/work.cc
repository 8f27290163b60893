#include "tests/fakes/work.h"

#include <charconv>

namespace rafter::fakes {
namespace {

struct Key {
  std::string_view name;
  RawCounter counter;
};

constexpr Key kKeys[] = {
    {"fadd", kFadd},
    {"fmul", kFmul},
    {"ffma", kFfma},
    {"dadd", kDadd},
    {"dmul", kDmul},
    {"dfma", kDfma},
    {"hadd", kHadd},
    {"hmul", kHmul},
    {"hfma", kHfma},
    {"dram", kDramReadBytes},
    {"dram_read", kDramReadBytes},
    {"dram_write", kDramWriteBytes},
    {"l2", kL2Bytes},
    {"l1", kL1Bytes},
    {"tensor", kTensorInstructions},
};

bool ReadNumber(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ReadSetting(std::string_view key, std::string_view value, KernelWork& work,
                 uint64_t& warps_percent) {
  if (key == "wait") return work.waits_for = value, true;
  if (key == "set") return work.sets = value, true;
  uint64_t number = 0;
  if (!ReadNumber(value, number)) return false;
  if (key == "ns") return work.ns = number, true;
  if (key == "sass_ns") return work.patched_ns = number, true;
  if (key == "regs") return work.registers = static_cast<int>(number), true;
  if (key == "shared") return work.shared_bytes = static_cast<int>(number), true;
  if (key == "warps") return warps_percent = number, true;
  for (const Key& known : kKeys) {
    if (known.name == key) return work.counts[known.counter] = number, true;
  }
  return false;
}

}  // namespace

bool ParseKernelScript(std::string_view script, KernelWork& work) {
  work = {};
  const size_t colon = script.find(':');
  work.name = script.substr(0, colon);
  if (script.find('=') == std::string_view::npos) return true;
  std::string_view rest = colon == std::string_view::npos ? script : script.substr(colon + 1);
  uint64_t warps_percent = 0;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view setting = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const size_t equals = setting.find('=');
    if (equals == std::string_view::npos) return false;
    if (!ReadSetting(setting.substr(0, equals), setting.substr(equals + 1), work, warps_percent)) {
      return false;
    }
  }
  if (work.patched_ns == 0) work.patched_ns = work.ns;
  work.counts[kTimeNs] = work.counts[kElapsedNs] = work.ns;
  work.counts[kWarpPercentNs] = warps_percent * work.ns;
  return true;
}

}  // namespace rafter::fakes
