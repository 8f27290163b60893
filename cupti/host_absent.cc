// Stands for host.cc and table.cc where Rafter is built without CUPTI's
// headers: everything that needs them fails with that reason.
#include "cupti/host.h"

namespace rafter {
namespace {

Status Absent() {
  return Status::Failed(
      "this Rafter was built without CUPTI's headers; install the CUDA toolkit and build again");
}

const std::string& Nothing() {
  static const std::string* const nothing = new std::string;
  return *nothing;
}

}  // namespace

struct CuptiHost::Chip {};

Result<std::unique_ptr<CuptiHost>> CuptiHost::Open(const CuptiSearch&) { return Absent(); }
CuptiHost::CuptiHost(const CuptiTable* table) : table_(table) {}
CuptiHost::~CuptiHost() = default;
const std::string& CuptiHost::path() const { return Nothing(); }
uint32_t CuptiHost::version() const { return table_ == nullptr ? 0 : 0; }
Result<std::vector<std::string>> CuptiHost::Chips() { return Absent(); }
Result<CuptiHost::Chip*> CuptiHost::ChipFor(const std::string&, const std::vector<uint8_t>&,
                                            const std::string&) {
  return Absent();
}
Result<std::vector<std::string>> CuptiHost::BaseMetrics(const std::string&,
                                                        const std::vector<uint8_t>&) {
  return Absent();
}
Result<std::vector<std::string>> CuptiHost::RollUps(const std::string&, const std::vector<uint8_t>&,
                                                    const std::string&) {
  return Absent();
}
Result<bool> CuptiHost::HasMetric(const std::string&, const std::vector<uint8_t>&,
                                  const std::string&) {
  return Absent();
}
Result<MetricProperties> CuptiHost::Properties(const std::string&, const std::vector<uint8_t>&,
                                               const std::string&) {
  return Absent();
}
Result<PlannedConfiguration> CuptiHost::Plan(const std::string&, const std::vector<uint8_t>&,
                                             const std::vector<std::vector<std::string>>&) {
  return Absent();
}
Result<std::vector<std::string>> CuptiHost::RangeNames(std::span<const uint8_t>) {
  return Absent();
}
Result<std::vector<std::optional<double>>> CuptiHost::Evaluate(const std::string&,
                                                               const std::vector<uint8_t>&,
                                                               const std::string&,
                                                               std::span<const uint8_t>, size_t,
                                                               const std::vector<std::string>&) {
  return Absent();
}
const std::vector<CuptiCandidate>& CuptiSearchTrace() {
  static const std::vector<CuptiCandidate>* const none = new std::vector<CuptiCandidate>;
  return *none;
}

}  // namespace rafter
