#include "collector/ingest/marker_file.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "collector/ingest/from_wire.h"
#include "collector/store/utf8.h"

namespace rafter {
namespace {

// Notes about single lines; more are counted.
constexpr size_t kMostLineNotes = 3;
constexpr size_t kMostQuotedBytes = 120;
constexpr size_t kValueFields = 6;  // before the values

struct Header {
  uint64_t gpus = 0;
  uint64_t regions = 0;
  uint64_t groups = 0;
};

struct Region {
  std::string tag;
  uint32_t group = 0;
};

struct ValueLine {
  size_t line = 0;  // from 1
  uint64_t region = 0;
  uint64_t declared = 0;  // values
  MarkerReading reading;
};

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view Stripped(std::string_view text) {
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (line = Stripped(line); !line.empty(); line = Stripped(line)) {
    const size_t end = line.find_first_of(kBlanks);
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end);
  }
  return fields;
}

template <typename T>
bool ParseWhole(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// A number of printf's, in any locale; "inf", "nan" and what no double holds are NaN.
std::optional<double> ParseReal(std::string_view field) {
  std::string text(field);
  std::replace(text.begin(), text.end(), ',', '.');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range || !std::isfinite(value)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return error == std::errc() ? std::optional<double>(value) : std::nullopt;
}

std::optional<Header> ParseHeader(std::string_view line) {
  const std::vector<std::string_view> fields = Fields(line);
  Header header;
  if (fields.size() != 3 || !ParseWhole(fields[0], &header.gpus) ||
      !ParseWhole(fields[1], &header.regions) || !ParseWhole(fields[2], &header.groups)) {
    return std::nullopt;
  }
  return header;
}

// "3:sum of all-0".
std::optional<std::pair<uint64_t, Region>> ParseRegion(std::string_view line) {
  const size_t colon = line.find(':');
  const size_t dash = line.rfind('-');
  uint64_t index = 0;
  Region region;
  if (colon == std::string_view::npos || dash == std::string_view::npos || dash < colon ||
      !ParseWhole(line.substr(0, colon), &index) ||
      !ParseWhole(line.substr(dash + 1), &region.group)) {
    return std::nullopt;
  }
  region.tag = Utf8Text(line.substr(colon + 1, dash - colon - 1));
  return std::pair(index, std::move(region));
}

std::optional<ValueLine> ParseValues(std::string_view line) {
  const std::vector<std::string_view> fields = Fields(line);
  ValueLine values;
  MarkerReading& reading = values.reading;
  if (fields.size() < kValueFields || !ParseWhole(fields[0], &values.region) ||
      !ParseWhole(fields[1], &reading.group) || !ParseWhole(fields[2], &reading.gpu) ||
      !ParseWhole(fields[3], &reading.calls) || !ParseWhole(fields[5], &values.declared) ||
      reading.gpu < 0) {
    return std::nullopt;
  }
  const std::optional<double> time_s = ParseReal(fields[4]);
  if (!time_s) return std::nullopt;
  if (*time_s >= 0) reading.time_s = time_s;  // NaN is not
  for (size_t i = kValueFields; i < fields.size(); ++i) {
    const std::optional<double> value = ParseReal(fields[i]);
    if (!value) return std::nullopt;
    reading.values.push_back(*value);
  }
  return values;
}

// Whether the last number of a line that breaks off without a line's end may lack
// digits: printf's "%e" ends in an exponent of two.
bool MayBeCut(std::string_view line) {
  if (line.empty() || kBlanks.find(line.back()) != std::string_view::npos) return false;
  const size_t exponent = line.rfind('e');
  const bool has_exponent = exponent != std::string_view::npos && exponent + 4 <= line.size() &&
                            line.find_first_of(" \t", exponent) == std::string_view::npos;
  return !has_exponent && !line.ends_with("inf") && !line.ends_with("nan");
}

// "1 group", "3 groups".
std::string Counted(uint64_t count, const std::string& what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string Quoted(std::string_view text) {
  const bool is_long = text.size() > kMostQuotedBytes;
  return absl::StrCat("\"", OneLine(Utf8Text(text.substr(0, kMostQuotedBytes))),
                      is_long ? "..." : "", "\"");
}

class Parser {
 public:
  Parser(const std::string& source, const std::vector<std::vector<std::string>>& events)
      : source_(source), events_(events) {}

  absl::StatusOr<MarkerFile> Parse(std::string_view text) {
    if (text.empty()) {
      return Bad(
          "empty; LIKWID fills its marker file only when the program exits normally, so this one "
          "ended by _exit, abort or a signal, or is still running");
    }
    ReadLines(text);
    if (!header_) return Bad("not a marker file of LIKWID's: it does not start with three counts");
    if (header_->groups != events_.size()) {
      return Bad(absl::StrCat("counted ", Counted(header_->groups, "group"),
                              " of events, but the list of events has ", events_.size(),
                              "; give all groups in the order of LIKWID_NVMON_EVENTS, separated ",
                              "by \"|\""));
    }
    for (ValueLine& values : values_) {
      if (absl::Status put = Put(values); !put.ok()) return put;
    }
    DropAmbiguous();
    NoteMissing();
    if (file_.markers.readings.empty()) {
      std::string why = "there is no whole reading in it";
      for (const std::string& note : file_.notes) absl::StrAppend(&why, "; ", note);
      return Bad(why + "; only the thread that called LIKWID's INIT has regions");
    }
    file_.markers.source = source_;
    file_.markers.events = events_;
    return std::move(file_);
  }

 private:
  absl::Status Bad(const std::string& why) const {
    return absl::InvalidArgumentError(absl::StrCat(source_, ": ", why));
  }

  void ReadLines(std::string_view text) {
    for (size_t number = 1; !text.empty(); ++number) {
      const size_t end = text.find('\n');
      const bool is_cut = end == std::string_view::npos;
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(is_cut ? text.size() : end + 1);
      ReadLine(line, number, is_cut);
      if (!header_ && !Stripped(line).empty()) return;
    }
    if (broken_ > kMostLineNotes) {
      file_.notes.push_back(absl::StrCat(broken_ - kMostLineNotes, " more lines are left out"));
    }
  }

  void ReadLine(std::string_view raw, size_t number, bool is_cut) {
    const std::string_view line = Stripped(raw);
    if (line.empty()) return;
    if (!header_) {
      header_ = ParseHeader(line);
      return;
    }
    if (auto region = ParseRegion(line)) {
      auto [place, is_new] = regions_.try_emplace(region->first, region->second);
      if (!is_new) place->second.reset();
      return;
    }
    std::optional<ValueLine> values = ParseValues(line);
    const bool is_short = !values || values->reading.values.size() < values->declared;
    if (is_cut && (is_short || MayBeCut(raw))) {
      file_.notes.push_back(absl::StrCat("breaks off in line ", number, ", which is left out"));
    } else if (!values) {
      NoteBroken(number, "is no line of a marker file");
    } else {
      values->line = number;
      values_.push_back(*std::move(values));
    }
  }

  void NoteBroken(size_t line, const std::string& why) {
    if (++broken_ > kMostLineNotes) return;
    file_.notes.push_back(absl::StrCat("line ", line, " ", why, ", and is left out"));
  }

  absl::Status Put(ValueLine& values) {
    const auto found = regions_.find(values.region);
    if (found == regions_.end() || !found->second) {
      NoteBroken(values.line, found == regions_.end() ? "is of a region that the file does not name"
                                                      : "is of a region that the file names twice");
      return absl::OkStatus();
    }
    const Region& region = *found->second;
    MarkerReading& reading = values.reading;
    if (region.group != reading.group || reading.group >= events_.size()) {
      NoteBroken(values.line,
                 absl::StrCat("is of group ", reading.group, ", its region ", Quoted(region.tag),
                              " of group ", region.group, ", of ", events_.size()));
      return absl::OkStatus();
    }
    const size_t wanted = events_[reading.group].size();
    if (values.declared != reading.values.size()) {
      return Bad(absl::StrCat("region ", Quoted(region.tag), ": line ", values.line, " says ",
                              values.declared, " values and has ", reading.values.size()));
    }
    if (reading.values.size() != wanted) {
      return Bad(absl::StrCat(
          "region ", Quoted(region.tag), " has ", Counted(reading.values.size(), "value"),
          ", but group ", reading.group, " of the list of events has ", Counted(wanted, "event"),
          "; name those that it was counted with, in the ", "order of LIKWID_NVMON_EVENTS"));
    }
    reading.region = region.tag;
    file_.markers.readings.push_back(std::move(reading));
    return absl::OkStatus();
  }

  // Two readings of one thing: which of them is right is not known.
  void DropAmbiguous() {
    using Key = std::tuple<std::string, uint32_t, int>;
    const auto key_of = [](const MarkerReading& reading) {
      return Key(reading.region, reading.group, reading.gpu);
    };
    std::map<Key, size_t> counts;
    std::vector<MarkerReading>& readings = file_.markers.readings;
    for (const MarkerReading& reading : readings) ++counts[key_of(reading)];
    for (const auto& [key, count] : counts) {
      if (count == 1) continue;
      NoteTwice(std::get<0>(key), count);
    }
    std::erase_if(readings, [&](const MarkerReading& each) { return counts[key_of(each)] > 1; });
    if (twice_ > kMostLineNotes) {
      file_.notes.push_back(absl::StrCat(twice_ - kMostLineNotes, " more regions are left out"));
    }
  }

  void NoteTwice(const std::string& tag, size_t count) {
    if (++twice_ > kMostLineNotes) return;
    file_.notes.push_back(absl::StrCat("region ", Quoted(tag), " is there ", count,
                                       " times; which is right is not known, and all are left "
                                       "out"));
  }

  void NoteMissing() {
    if (header_->regions != regions_.size()) {
      file_.notes.push_back(absl::StrCat("the header says ", Counted(header_->regions, "region"),
                                         ", the file names ", regions_.size()));
    }
    std::set<int> gpus;
    for (const ValueLine& values : values_) gpus.insert(values.reading.gpu);
    if (gpus.size() != header_->gpus) {
      file_.notes.push_back(absl::StrCat("the header says ", Counted(header_->gpus, "GPU"),
                                         ", the file has readings of ", gpus.size()));
    }
    // Of what the file itself names, so that a huge header costs nothing.
    const size_t wanted = regions_.size() * gpus.size();
    const size_t whole = file_.markers.readings.size();
    if (whole < wanted) {
      file_.notes.push_back(absl::StrCat(wanted - whole, " of ", wanted, " readings are missing"));
    }
  }

  const std::string& source_;
  const std::vector<std::vector<std::string>>& events_;
  std::optional<Header> header_;
  std::map<uint64_t, std::optional<Region>> regions_;  // by number; nothing: named twice
  std::vector<ValueLine> values_;
  size_t broken_ = 0;
  size_t twice_ = 0;
  MarkerFile file_;
};

}  // namespace

bool IsMarkerFile(std::string_view start) {
  start = start.substr(0, kMarkerStartBytes);
  const size_t end = start.find('\n');
  if (!ParseHeader(Stripped(start.substr(0, end)))) return false;
  if (end == std::string_view::npos) return true;
  const std::string_view rest = start.substr(end + 1);
  const size_t colon = rest.find_first_not_of("0123456789");
  if (colon == std::string_view::npos) return true;
  return colon > 0 && rest[colon] == ':';
}

absl::StatusOr<MarkerFile> ParseMarkerFile(std::string_view text, const std::string& source,
                                           const std::vector<std::vector<std::string>>& events) {
  if (text.size() > kMostMarkerFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(source, ": longer than ",
                                                   kMostMarkerFileBytes >> 20,
                                                   " MiB, which no marker file is; name another"));
  }
  return Parser(source, events).Parse(text);
}

}  // namespace rafter
