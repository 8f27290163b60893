#include "tools/marker_input.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "collector/ingest/from_wire.h"
#include "collector/table/number_text.h"
#include "tools/absl_status.h"
#include "tools/marker_events.h"
#include "tools/message.h"
#include "tools/nearest.h"

namespace rafter {
namespace {

constexpr char kEventsExample[] =
    "--events SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM:GPU0,"
    "SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM:GPU1";

// "REGION=UNITS" at the last "=", since regions may have one too.
Result<KnownWork> ParseWork(const std::string& option, const std::string& text,
                            const char* example) {
  const size_t equals = text.rfind('=');
  const std::optional<double> units =
      equals == std::string::npos ? std::nullopt : ParseNumber(text.substr(equals + 1));
  if (!units || !std::isfinite(*units) || *units < 0) {
    return Status::Failed(option + " " + text + ": give a number of 0 or more behind the last " +
                          "\"=\", as in " + example);
  }
  return KnownWork{text.substr(0, equals), *units};
}

Result<KnownCount> ParseCount(const std::string& text) {
  constexpr char kExample[] = "copy:DRAM_BYTES_SUM=1.5e9";
  Result<KnownWork> work = ParseWork("--known-count", text, kExample);
  if (!work.ok()) return work.status();
  const size_t colon = work->region.rfind(':');
  if (colon == std::string::npos) {
    return Status::Failed("--known-count " + text + ": give region and event, as in " + kExample);
  }
  return KnownCount{work->region.substr(0, colon), work->region.substr(colon + 1), work->units};
}

Result<std::string> ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostMarkerFileBytes + 1, '\0');
  errno = 0;
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return Status::Failed(path + ": cannot be read (" + ErrnoText(errno) +
                          "); check the name and its rights");
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// What a marker file tells of its process, which is nothing: known by the program's
// name, or by where the file is.
RunProcess ProcessOf(const std::string& program, const std::string& path) {
  RunProcess process;
  process.executable =
      Utf8Text(program.empty() ? std::filesystem::path(path).stem().string() : program);
  std::error_code no_error;
  const std::string place = std::filesystem::absolute(path, no_error).lexically_normal().string();
  process.boot_id = Utf8Text("likwid:" + (program.empty() ? place : program));
  process.ending = "exit";  // LIKWID's file is filled at a normal exit
  return process;
}

}  // namespace

void MarkerChoices::Declare(CommandLine& line) {
  line.Texts("--events", &events, "LIST",
             "Events of marker files, as in LIKWID_NVMON_EVENTS, since the files lack them: "
             "EVENT:GPU0,EVENT:GPU1|EVENT:GPU0; once for all marker files, or once for each, in "
             "their order");
  line.Text("--program", &program, "NAME",
            "The marker files are of one program of this name, run once for each group of events");
  line.Number("--counter-scale", &scale, "N",
              "Factor between readings of marker files and counts (default: 2, marked as assumed)");
  line.Texts("--known-work", &known_work, "REGION=UNITS",
             "Work of a region over all of its calls, in any unit: checks that one factor can be "
             "right (repeatable)");
  line.Texts("--known-count", &known_counts, "REGION:EVENT=N",
             "True count of an event in a region: checks the factor itself (repeatable)");
}

std::string MarkerChoices::Given() const {
  if (!events.empty()) return "--events";
  if (program.value.has_value()) return "--program";
  if (scale.has_value()) return "--counter-scale";
  if (!known_work.empty()) return "--known-work";
  return known_counts.empty() ? "" : "--known-count";
}

Result<MarkerInput> MarkerInput::Make(const MarkerChoices& choices, size_t files,
                                      const CuptiSearch& search) {
  MarkerInput input;
  if (choices.events.empty()) {
    return Status::Failed(
        "--events: marker files do not have the names of their events; give the list that "
        "LIKWID_NVMON_EVENTS had, as in " +
        std::string(kEventsExample));
  }
  if (choices.events.size() != 1 && choices.events.size() != files) {
    return Status::Failed("--events: " + std::to_string(choices.events.size()) + " lists for " +
                          CountText(files, "marker file", "marker files") +
                          "; give one for all, or one for each in their order");
  }
  EventGroups all;
  for (const std::string& list : choices.events) {
    Result<EventGroups> groups = ReadEventList(list);
    if (!groups.ok()) return groups.status();
    all.insert(all.end(), groups->begin(), groups->end());
    input.events_.push_back(NamesOf(*groups));
  }
  RAFTER_RETURN_IF_ERROR(CheckEvents(all, search, input.notes_));
  input.program_ = choices.program.value.value_or("");
  input.scale_ = choices.scale;
  for (const std::string& text : choices.known_work) {
    Result<KnownWork> work = ParseWork("--known-work", text, "copy=200");
    if (!work.ok()) return work.status();
    input.truth_.work.push_back(std::move(*work));
  }
  for (const std::string& text : choices.known_counts) {
    Result<KnownCount> count = ParseCount(text);
    if (!count.ok()) return count.status();
    const auto has = [&](const auto& group) {
      return std::any_of(group.begin(), group.end(),
                         [&](const ListedEvent& event) { return event.name == count->event; });
    };
    if (std::none_of(all.begin(), all.end(), has)) {
      return Status::Failed("--known-count " + text + ": " + count->event +
                            " is not in --events; name one that is");
    }
    input.truth_.counts.push_back(std::move(*count));
  }
  return input;
}

Status MarkerInput::Read(const std::string& path, size_t place) {
  Result<std::string> text = ReadAll(path);
  if (!text.ok()) return text.status();
  const auto& events = events_[events_.size() == 1 ? 0 : place];
  absl::StatusOr<MarkerFile> file = ParseMarkerFile(*text, path, events);
  if (!file.ok()) return ToStatus(file.status());
  file->markers.source = Utf8Text(path);
  if (scale_) {
    file->markers.scale = *scale_;
    file->markers.origin = ScaleOrigin::kGiven;
  }
  for (const std::string& note : file->notes) notes_.push_back(path + ": " + note);
  lacks_ = lacks_ || !file->notes.empty();
  read_.push_back({path, *std::move(file)});
  return Status::Ok();
}

std::vector<std::string> MarkerInput::Regions() const {
  std::vector<std::string> regions;
  for (const OneFile& read : read_) {
    for (const MarkerReading& reading : read.file.markers.readings) {
      regions.push_back(reading.region);
    }
  }
  return regions;
}

Status MarkerInput::CheckTruth() {
  const std::vector<std::string> regions = Regions();
  const auto check = [&](const char* option, const std::string& region) {
    if (std::find(regions.begin(), regions.end(), region) != regions.end()) return Status::Ok();
    return Status::Failed(std::string(option) + ": no marker file has a region \"" + region + "\"" +
                          DidYouMean(region, regions) + "; correct the name");
  };
  for (const KnownWork& work : truth_.work) {
    RAFTER_RETURN_IF_ERROR(check("--known-work", work.region));
  }
  for (const KnownCount& count : truth_.counts) {
    RAFTER_RETURN_IF_ERROR(check("--known-count", count.region));
  }
  for (OneFile& read : read_) {
    MarkerReadings& markers = read.file.markers;
    markers.contradiction = WhyNoConstantScale(markers, truth_);
    if (markers.contradiction.empty()) continue;
    notes_.push_back(read.path + ": no constant factor makes counts of these readings, so there " +
                     "are none: " + markers.contradiction);
    lacks_ = true;
  }
  return Status::Ok();
}

absl::Status MarkerInput::Put(RunFile& file) const {
  const bool is_one_program = !program_.empty() && read_.size() > 1;
  for (size_t i = 0; i < read_.size(); ++i) {
    const OneFile& read = read_[i];
    const absl::StatusOr<int64_t> process = file.AddMarkerProcess(ProcessOf(program_, read.path));
    if (!process.ok()) return process.status();
    MarkerReadings markers = read.file.markers;
    markers.process = *process;
    markers.run = is_one_program ? static_cast<uint32_t>(i + 1) : 0;
    if (absl::Status put = file.AddMarkerReadings(markers); !put.ok()) return put;
    for (const std::string& note : read.file.notes) {
      const absl::Status put =
          file.AddNote(*process, {"warning", "likwid", markers.source + ": " + note});
      if (!put.ok()) return put;
    }
  }
  return absl::OkStatus();
}

size_t MarkerInput::readings() const {
  size_t count = 0;
  for (const OneFile& read : read_) count += read.file.markers.readings.size();
  return count;
}

}  // namespace rafter
