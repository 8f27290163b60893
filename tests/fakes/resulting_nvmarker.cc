// A libnvmarker.so that counts nothing: when the markers are closed it writes the
// result that a script asks for, as the real one would of LIKWID's readings.
//
// FAKE_MARKERS names the script. "work REGION EVENT AMOUNT" makes REGION
// read AMOUNT / factor where the run counts EVENT, else 0; "factor F" (2);
// "disturbed F FILE" is such a factor too, while FILE is not there, and makes it;
// "time REGION NS [EVENT]" is the region's time, only in the run that counts EVENT;
// "calls REGION N" (1); other lines go into the result as they stand; "cut" ends it
// before its last line. FAKE_MARKERS_LOG gets a line for each border.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "A:GPU0,B:GPU1" -> A, B.
std::vector<std::string> Events() {
  std::vector<std::string> events;
  std::istringstream list(Variable("LIKWID_NVMON_EVENTS"));
  for (std::string event; std::getline(list, event, ',');) {
    events.push_back(event.substr(0, event.find(':')));
  }
  return events;
}

struct Script {
  std::vector<std::string> regions;
  std::map<std::string, std::map<std::string, double>> work;
  std::map<std::string, std::string> time_ns;
  std::map<std::string, std::string> calls;
  std::string raw;
  double factor = 2;
  bool cut = false;
};

Script ReadScript(const std::vector<std::string>& events) {
  Script script;
  const auto counts = [&events](const std::string& wanted) {
    for (const std::string& event : events) {
      if (event == wanted) return true;
    }
    return wanted.empty();
  };
  std::ifstream file(Variable("FAKE_MARKERS"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key, region, text, event;
    words >> key >> region >> text >> event;
    if (key == "work") {
      if (!script.work.contains(region)) script.regions.push_back(region);
      script.work[region][text] = std::strtod(event.c_str(), nullptr);
    } else if (key == "time") {
      if (counts(event)) script.time_ns[region] = text;
    } else if (key == "calls") {
      script.calls[region] = text;
    } else if (key == "factor") {
      script.factor = std::strtod(region.c_str(), nullptr);
    } else if (key == "disturbed") {
      if (std::ifstream(text).good()) continue;
      std::ofstream(text) << "once\n";
      script.factor = std::strtod(region.c_str(), nullptr);
    } else if (key == "cut") {
      script.cut = true;
    } else {
      script.raw += line + "\n";
    }
  }
  return script;
}

std::string WithPid(std::string path) {
  const size_t at = path.find("%p");
  return at == std::string::npos ? path : path.replace(at, 2, std::to_string(getpid()));
}

std::string Or(const std::map<std::string, std::string>& texts, const std::string& key,
               const char* otherwise) {
  const auto found = texts.find(key);
  return found == texts.end() ? otherwise : found->second;
}

void WriteResult() {
  const std::vector<std::string> events = Events();
  Script script = ReadScript(events);
  std::ofstream file(WithPid(Variable("RAFTER_NVMARKER_RESULT")));
  file << "rafter-nvmarker 1\npid " << getpid()
       << "\nhost node7\nexecutable /opt/my%20bench\nstart_ticks 100\nboot_id 1-2-3\n"
          "likwid /opt/likwid/lib/liblikwid.so.5.5\n"
          "gpu 0 0123456789abcdef0123456789abcdef 0000:01:00.0 132 150000000000 9 0 1980000000 "
          "NVIDIA%20H200\n";
  for (const std::string& region : script.regions) file << "region " << region << "\n";
  for (const std::string& region : script.regions) {
    file << "reading " << region << " 0 " << Or(script.calls, region, "1") << " "
         << Or(script.time_ns, region, "1000000000") << " inf";
    for (const std::string& event : events) {
      char value[64];
      std::snprintf(value, sizeof(value), " %.17g", script.work[region][event] / script.factor);
      file << value;
    }
    file << "\n";
  }
  file << script.raw;
  if (!script.cut) file << "end\n";
}

int Log(const char* call, const char* region) {
  const std::string path = Variable("FAKE_MARKERS_LOG");
  if (!path.empty()) std::ofstream(path, std::ios::app) << call << " " << region << "\n";
  return 0;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) void nvmon_markerInit() {}
__attribute__((visibility("default"))) int nvmon_markerStartRegion(const char* region) {
  return Log("start", region);
}
__attribute__((visibility("default"))) int nvmon_markerStopRegion(const char* region) {
  return Log("stop", region);
}
__attribute__((visibility("default"))) void nvmon_markerClose() { WriteResult(); }
}
