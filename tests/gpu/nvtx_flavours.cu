// rafter-nvtx-flavours does known work inside a region of every kind that NVTX has, each
// with an amount of its own, and writes what each region truly did.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <thread>

#include "tests/gpu/marked_work.h"
#include "tests/gpu/options.h"

namespace rafter {
namespace {

constexpr const char* kUsage =
    "usage: rafter-nvtx-flavours [options]\n"
    "  --truth FILE    what was done, as JSON (default: standard output)\n"
    "  --instances N   passes through each region (default 8)\n";

constexpr const char* kDomain = "flavours";

nvtxEventAttributes_t Attributes() {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return attributes;
}

nvtxEventAttributes_t Ascii(const char* name) {
  nvtxEventAttributes_t attributes = Attributes();
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  return attributes;
}

class Flavours {
 public:
  explicit Flavours(MarkedWork& work) : work_(work), domain_(nvtxDomainCreateA(kDomain)) {
    registered_ = nvtxDomainRegisterStringA(nullptr, "registered");
    in_domain_ = nvtxDomainRegisterStringW(domain_, L"in a domain");
    nvtxNameCategoryA(7, "seven");
  }

  // Every region once.
  void Pass() {
    units_ = 31;  // so many bytes that the L2 cache cannot hide them
    Does(
        "push a", [](const char* name) { nvtxRangePushA(name); }, Pop);
    Does(
        "push w \xC3\xA9", [](const char*) { nvtxRangePushW(L"push w \u00e9"); }, Pop);
    Does(
        "push ex",
        [](const char* name) {
          nvtxEventAttributes_t attributes = Ascii(name);
          attributes.category = 7;
          attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
          attributes.payload.ullValue = 4096;
          nvtxRangePushEx(&attributes);
        },
        Pop);
    Does(
        "registered",
        [this](const char*) {
          nvtxEventAttributes_t attributes = Attributes();
          attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
          attributes.message.registered = registered_;
          nvtxRangePushEx(&attributes);
        },
        Pop);
    Does(
        "flavours:in a domain",
        [this](const char*) {
          nvtxEventAttributes_t attributes = Attributes();
          attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
          attributes.message.registered = in_domain_;
          nvtxDomainRangePushEx(domain_, &attributes);
        },
        [this] { nvtxDomainRangePop(domain_); });
    Ranges();
    nvtxMarkA("a moment");
  }

 private:
  static void Pop() { nvtxRangePop(); }

  void Ranges() {
    nvtxRangeId_t range = 0;
    const auto end = [&] { nvtxRangeEnd(range); };
    Does(
        "start a", [&](const char* name) { range = nvtxRangeStartA(name); }, end);
    Does(
        "start w", [&](const char*) { range = nvtxRangeStartW(L"start w"); }, end);
    Does(
        "start ex",
        [&](const char* name) {
          const nvtxEventAttributes_t attributes = Ascii(name);
          range = nvtxRangeStartEx(&attributes);
        },
        [&] { std::thread([&] { nvtxRangeEnd(range); }).join(); });
    Does(
        "flavours:start in a domain",
        [&](const char*) {
          const nvtxEventAttributes_t attributes = Ascii("start in a domain");
          range = nvtxDomainRangeStartEx(domain_, &attributes);
        },
        [&] { nvtxDomainRangeEnd(domain_, range); });
  }

  template <typename Begin, typename End>
  void Does(const char* name, Begin begin, End end) {
    begin(name);
    work_.Do(++units_, {name});
    end();
    work_.Call(name);
  }

  MarkedWork& work_;
  nvtxDomainHandle_t domain_;
  nvtxStringHandle_t registered_ = nullptr;
  nvtxStringHandle_t in_domain_ = nullptr;
  int units_ = 0;
};

int Main(int argc, char** argv) {
  std::string truth;
  unsigned long long instances = 8;
  Options options(argc, argv, kUsage);
  while (options.Next()) {
    if (options.Is("--truth")) {
      truth = options.Value();
    } else if (options.Is("--instances")) {
      instances = options.Number();
    } else {
      options.Unknown();
    }
  }
  nvtxInitialize(nullptr);  // before CUDA
  const cudaDeviceProp device = RequireDevice();
  MarkedWork work;
  work.Prepare();
  Flavours flavours(work);
  for (unsigned long long i = 0; i < instances; ++i) flavours.Pass();
  Check(cudaDeviceSynchronize(), "waiting for the work");
  WriteText(work.ToJson("rafter-nvtx-flavours", device), truth);
  return 0;
}

}  // namespace
}  // namespace rafter

int main(int argc, char** argv) { return rafter::Main(argc, argv); }
