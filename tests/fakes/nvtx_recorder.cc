// A tool for NVTX programs that is nothing but marker/ and a sink that writes down
// what it is told: one JSON line each, to the file that NVTX_RECORD names. With
// RAFTER_NVTX_NEXT another tool is told too.
#include <stdlib.h>

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "marker/nvtx_payload.h"
#include "marker/nvtx_source.h"

namespace rafter {
namespace {

// Never destroyed: a program may call until its last moment.
struct Record {
  std::mutex mutex;
  std::FILE* file = nullptr;
  std::vector<std::string> domains{""};
  std::vector<std::string> ranges;
  std::set<std::string> notes;
  std::vector<int> depths = std::vector<int>(kMaxDomainHandles);

  Record() {
    const char* path = getenv("NVTX_RECORD");
    if (path != nullptr) file = std::fopen(path, "ae");
  }
  void Line(const char* event, const std::string& domain, const RegionEvent& told) {
    static constexpr const char* kKinds[] = {"none", "unsigned", "signed", "double", "float"};
    if (file == nullptr) return;
    std::fprintf(file,
                 "{\"event\":\"%s\",\"domain\":\"%s\",\"name\":\"%.*s\",\"bytes\":%zu,"
                 "\"category\":%u,\"payload\":\"%s\",\"bits\":%" PRIu64 "}\n",
                 event, domain.c_str(), static_cast<int>(told.name.size < 64 ? told.name.size : 64),
                 told.name.data == nullptr ? "" : told.name.data, told.name.size, told.category,
                 kKinds[static_cast<int>(told.payload.kind)], told.payload.bits);
    std::fflush(file);
  }
  std::string Domain(uint32_t number) {
    return number < domains.size() ? domains[number] : "(untracked)";
  }
};

Record& Told() {
  static auto* record = new Record;
  return *record;
}

const RegionSink kSink = {
    .push =
        [](uint32_t domain, const RegionEvent& event) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          Told().Line("push", Told().Domain(domain), event);
          return domain < kMaxDomainHandles ? Told().depths[domain]++ : -2;
        },
    .pop =
        [](uint32_t domain) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          Told().Line("pop", Told().Domain(domain), {{"", 0}, 0, {}});
          if (domain >= kMaxDomainHandles) return -2;
          return Told().depths[domain] == 0 ? -1 : --Told().depths[domain];
        },
    .start =
        [](uint32_t domain, const RegionEvent& event) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          Told().Line("start", Told().Domain(domain), event);
          Told().ranges.emplace_back(event.name.data, event.name.size);
          return uint64_t{Told().ranges.size()};
        },
    .end =
        [](uint64_t range) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          const bool known = range > 0 && range <= Told().ranges.size();
          const std::string name = known ? Told().ranges[range - 1] : "(unknown range)";
          Told().Line("end", "", {{name.data(), name.size()}, 0, {}});
        },
    .mark =
        [](uint32_t domain, const RegionEvent& event) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          Told().Line("mark", Told().Domain(domain), event);
        },
    .domain =
        [](NameBytes name) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          const std::string wanted(name.data, name.size);
          for (uint32_t i = 1; i < Told().domains.size(); ++i) {
            if (Told().domains[i] == wanted) return i;
          }
          Told().domains.push_back(wanted);
          return static_cast<uint32_t>(Told().domains.size() - 1);
        },
    .category =
        [](uint32_t domain, uint32_t category, NameBytes name) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          Told().Line("category", Told().Domain(domain), {name, category, {}});
        },
    .open_named = [](NameBytes) { return false; },
    .close_named = [](NameBytes) { return false; },
    .note =
        [](NameBytes text) {
          const std::lock_guard<std::mutex> lock(Told().mutex);
          if (!Told().notes.emplace(text.data, text.size).second) return;  // the same one once
          Told().Line("note", "", {text, 0, {}});
        },
};

}  // namespace
}  // namespace rafter

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int InitializeInjectionNvtx2(const void* get_export_table) {
  rafter::NvtxSource::Attach(get_export_table, &rafter::kSink, getenv("RAFTER_NVTX_NEXT"));
  return 1;
}
EXPORT int InitializeInjectionNvtx(const void* get_export_table) {
  rafter::NvtxSource::Attach(get_export_table, &rafter::kSink, getenv("RAFTER_NVTX_NEXT"),
                             rafter::NvtxSource::Door::kNvtx2);
  return 1;
}
EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  return rafter::NvtxPayload::Attach(module_info, &rafter::kSink) ? 1 : 0;
}
