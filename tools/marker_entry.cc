#include "tools/marker_entry.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tools/injection.h"
#include "tools/message.h"
#include "tools/needed_libraries.h"

namespace rafter {
namespace {

constexpr const char* kMarkers = "libnvmarker.so";
constexpr const char* kStandIn = "liblikwid-standin.so";
constexpr const char* kLikwid = "liblikwid.so";

// The loader parts LD_PRELOAD at both.
constexpr const char* kSeparators = " :";

bool Lists(const std::string& list, const std::string& path) {
  for (size_t start = 0; start < list.size();) {
    const size_t end = std::min(list.find_first_of(kSeparators, start), list.size());
    if (list.substr(start, end - start) == path) return true;
    start = end + 1;
  }
  return false;
}

// A folder in which every library that is missing is the stand-in.
Result<std::string> MakeStandIns(const std::vector<NeededLibraries::Missing>& missing,
                                 const Variables& target, std::optional<PrivateFolder>& folder) {
  const Result<std::string> library = FindOwnLibrary(kStandIn);
  if (!library.ok()) return library;
  if (!folder.has_value()) {
    Result<PrivateFolder> made = PrivateFolder::Make(target);
    if (!made.ok()) return made.status();
    folder.emplace(std::move(*made));
  }
  const std::string place = folder->path() + "/likwid";
  bool made = mkdir(place.c_str(), 0700) == 0;
  for (const NeededLibraries::Missing& each : missing) {
    made = made && symlink(library->c_str(), (place + "/" + each.library).c_str()) == 0;
  }
  if (made) return place;
  return Status::Failed(place + ": no link can be made there (" + ErrnoText(errno) +
                        "); free some space or set XDG_RUNTIME_DIR to a folder of yours");
}

}  // namespace

std::string Prepended(const std::string& folder, const std::string& path) {
  if (path.empty()) return folder;
  if ((":" + path + ":").find(":" + folder + ":") != std::string::npos) return path;
  return folder + ":" + path;
}

Result<std::string> MarkerPreload(const Variables& environment) {
  const Result<std::string> library = FindOwnLibrary(kMarkers);
  if (!library.ok()) return library;
  if (library->find_first_of(kSeparators) != std::string::npos) {
    return Status::Failed(*library +
                          ": cannot be preloaded, since LD_PRELOAD parts names at blanks and "
                          "colons; install Rafter in a folder whose path has neither");
  }
  const std::string present = ValueOf(environment, "LD_PRELOAD");
  if (Lists(present, *library)) return present;
  return *library + (present.empty() ? "" : ":" + present);
}

MarkerEntry EnterMarkers(const RunRegions& regions, const std::vector<std::string>& command,
                         const Variables& target, std::optional<PrivateFolder>& folder) {
  MarkerEntry entry;
  const NeededLibraries needed = FindMissingLibraries(command, target, kLikwid);
  const std::string lack = needed.missing.empty() ? ""
                                                  : needed.missing.front().program + ": needs " +
                                                        needed.missing.front().library +
                                                        " (LIKWID), which is not installed; ";
  if (!regions.has_nvmarker()) {
    if (!lack.empty()) {
      entry.notes.push_back(lack +
                            "with --regions nvmarker it starts without, and its NvMarker "
                            "regions are counted");
    }
    return entry;
  }
  const Result<std::string> preload = MarkerPreload(target);
  if (preload.ok()) {
    entry.set["LD_PRELOAD"] = *preload;
  } else {
    entry.troubles.push_back("NvMarker regions are not seen: " + preload.status().message());
  }
  if (!needed.trouble.empty()) {
    entry.notes.push_back(needed.trouble + "; if it does not start, install LIKWID");
  }
  if (needed.missing.empty()) return entry;
  const Result<std::string> place = MakeStandIns(needed.missing, target, folder);
  if (!place.ok()) {
    entry.troubles.push_back(lack + "no stand-in lets it start: " + place.status().message());
    return entry;
  }
  entry.has_stand_in = true;
  entry.set["LD_LIBRARY_PATH"] = Prepended(*place, ValueOf(target, "LD_LIBRARY_PATH"));
  entry.notes.push_back(lack + "a stand-in lets it start, its CPU markers are not counted");
  return entry;
}

}  // namespace rafter
