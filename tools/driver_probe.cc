#include "tools/driver_probe.h"

#include <dlfcn.h>
#include <link.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tools/apart.h"

namespace rafter {
namespace {

// The few functions of cuda.h that are asked, as the driver exports them.
using InitFunction = int (*)(unsigned flags);
using VersionFunction = int (*)(int* version);
using CountFunction = int (*)(int* count);
using GetFunction = int (*)(int* device, int ordinal);
using NameFunction = int (*)(char* name, int length, int device);
using UuidFunction = int (*)(unsigned char* uuid, int device);
using AttributeFunction = int (*)(int* value, int attribute, int device);
using ErrorFunction = int (*)(int error, const char** text);

constexpr int kComputeMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kComputeMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR

template <typename Function>
Function Find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::string UuidText(const unsigned char (&uuid)[16]) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char byte[3];
    std::snprintf(byte, sizeof(byte), "%02x", uuid[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte;
  }
  return text;
}

std::string ErrorText(void* library, int error) {
  const auto describe = Find<ErrorFunction>(library, "cuGetErrorString");
  const char* text = nullptr;
  if (describe != nullptr && describe(error, &text) == 0 && text != nullptr) {
    return std::to_string(error) + ", " + text;
  }
  return std::to_string(error);
}

void ReportDevices(void* library, const ProbeReport& report) {
  const auto count_devices = Find<CountFunction>(library, "cuDeviceGetCount");
  const auto get = Find<GetFunction>(library, "cuDeviceGet");
  const auto name_of = Find<NameFunction>(library, "cuDeviceGetName");
  auto uuid_of = Find<UuidFunction>(library, "cuDeviceGetUuid_v2");
  if (uuid_of == nullptr) uuid_of = Find<UuidFunction>(library, "cuDeviceGetUuid");
  const auto attribute_of = Find<AttributeFunction>(library, "cuDeviceGetAttribute");
  if (count_devices == nullptr || get == nullptr || name_of == nullptr || uuid_of == nullptr ||
      attribute_of == nullptr) {
    report.Line({"trouble", "this libcuda.so.1 lacks functions that list devices"});
    return;
  }
  int count = 0;
  count_devices(&count);
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char name[256] = {};
    unsigned char uuid[16] = {};
    int major = 0;
    int minor = 0;
    if (get(&device, i) != 0) continue;
    name_of(name, sizeof(name) - 1, device);
    uuid_of(uuid, device);
    attribute_of(&major, kComputeMajor, device);
    attribute_of(&minor, kComputeMinor, device);
    report.Line({"device", name, UuidText(uuid), std::to_string(major), std::to_string(minor)});
  }
}

void AskDriver(const ProbeReport& report) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    report.Line({"trouble", why == nullptr ? "libcuda.so.1 cannot be opened" : why});
    return;
  }
  link_map* map = nullptr;
  const bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  report.Line({"loaded", known ? map->l_name : "libcuda.so.1"});
  const auto version_of = Find<VersionFunction>(library, "cuDriverGetVersion");
  const auto init = Find<InitFunction>(library, "cuInit");
  if (version_of == nullptr || init == nullptr) {
    report.Line({"trouble", "this libcuda.so.1 has no cuInit; it is not NVIDIA's driver"});
    return;
  }
  int version = 0;
  if (version_of(&version) == 0) report.Line({"version", std::to_string(version)});
  const int error = init(0);
  if (error != 0) {
    report.Line({"trouble", "cuInit answers " + ErrorText(library, error)});
    return;
  }
  report.Line({"initialised"});
  ReportDevices(library, report);
}

int Number(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

DriverAnswer ProbeDriver() {
  const ProbeAnswer answer = RunApart(AskDriver);
  DriverAnswer driver;
  for (const std::vector<std::string>& line : answer.lines) {
    const std::string& kind = line[0];
    if (kind == "initialised") driver.initialised = true;
    if (line.size() < 2) continue;
    if (kind == "loaded") {
      driver.loaded = true;
      driver.path = line[1];
    }
    if (kind == "version") driver.cuda_version = Number(line[1]);
    if (kind == "trouble") driver.trouble = line[1];
    if (kind == "device" && line.size() == 5) {
      driver.devices.push_back({line[1], line[2], Number(line[3]), Number(line[4])});
    }
  }
  if (!answer.trouble.empty()) driver.trouble = "asking it failed: " + answer.trouble;
  return driver;
}

std::string KernelModuleVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  ..."
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos && word[0] >= '0' && word[0] <= '9') return word;
  }
  return "";
}

}  // namespace rafter
