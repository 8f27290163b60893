#include "collector/evaluate/counter_image.h"

#include <absl/strings/str_cat.h>

#include <cstring>

namespace rafter {
namespace {

template <typename Patches>
absl::Status Apply(const Patches& patches, std::vector<uint8_t>& bytes) {
  for (const wire::Patch& patch : patches) {
    const std::string& data = patch.data();
    if (patch.offset() > bytes.size() || data.size() > bytes.size() - patch.offset()) {
      return absl::InvalidArgumentError(absl::StrCat("a patch of ", data.size(), " bytes at byte ",
                                                     patch.offset(), " lies outside its image of ",
                                                     bytes.size(), " bytes"));
    }
    if (!data.empty()) std::memcpy(bytes.data() + patch.offset(), data.data(), data.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> RebuildBaseline(const wire::Baseline& baseline) {
  if (baseline.size() == 0 || baseline.size() > kMaxImageBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a baseline of ", baseline.size(),
                                                   " bytes; 1 to ", kMaxImageBytes, " are taken"));
  }
  if (baseline.slots() > kMaxSlots) {
    return absl::InvalidArgumentError(absl::StrCat("a baseline of ", baseline.slots(),
                                                   " slots; up to ", kMaxSlots, " are taken"));
  }
  std::vector<uint8_t> bytes(baseline.size());
  if (absl::Status applied = Apply(baseline.patches(), bytes); !applied.ok()) return applied;
  return bytes;
}

absl::StatusOr<std::vector<uint8_t>> RebuildImage(const std::vector<uint8_t>& baseline,
                                                  const wire::Image& image) {
  std::vector<uint8_t> bytes = baseline;
  if (absl::Status applied = Apply(image.patches(), bytes); !applied.ok()) return applied;
  return bytes;
}

}  // namespace rafter
