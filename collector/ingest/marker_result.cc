#include "collector/ingest/marker_result.h"

#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace rafter {
namespace {

constexpr std::string_view kFirstLine = "rafter-nvmarker 1";
constexpr std::string_view kFirstWord = "rafter-nvmarker ";
constexpr std::string_view kUnknown = "-";
constexpr std::string_view kEmptyText = "%";

// LIKWID's own bound for events of a group.
constexpr size_t kMostValues = 30;
constexpr size_t kUuidDigits = 32;

using Words = std::span<const std::string_view>;

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t blank = line.find(' ');
    words.push_back(line.substr(0, blank));
    if (blank == std::string_view::npos) return words;
    line.remove_prefix(blank + 1);
  }
}

template <typename Number>
bool ReadNumber(std::string_view word, Number& number) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end && !word.empty();
}

// One that the writer may not have known.
template <typename Number>
bool ReadIfKnown(std::string_view word, Number& number) {
  return word == kUnknown || ReadNumber(word, number);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Takes "%20" and the like back. False for a % without two digits behind it.
bool Decode(std::string_view word, std::string& text) {
  text.clear();
  if (word == kEmptyText) return true;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    if (word.size() - i < 3) return false;
    const int high = HexDigit(word[i + 1]);
    const int low = HexDigit(word[i + 2]);
    if (high < 0 || low < 0) return false;
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

bool DecodeIfKnown(std::string_view word, std::string& text) {
  return word == kUnknown || Decode(word, text);
}

// 32 digits -> "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it.
bool ReadUuid(std::string_view word, std::string& uuid) {
  if (word == kUnknown) return true;
  if (word.size() != kUuidDigits) return false;
  uuid = "GPU-";
  for (size_t i = 0; i < word.size(); ++i) {
    const int digit = HexDigit(word[i]);
    if (digit < 0) return false;
    if (i == 8 || i == 12 || i == 16 || i == 20) uuid += '-';
    uuid += "0123456789abcdef"[digit];
  }
  return true;
}

bool ReadGpu(Words words, MarkerResult& result) {
  MarkerResultGpu gpu;
  if (words.size() != 10 || !ReadNumber(words[1], gpu.ordinal) || !ReadUuid(words[2], gpu.uuid) ||
      !DecodeIfKnown(words[3], gpu.pci_address) || !ReadIfKnown(words[4], gpu.sm_count) ||
      !ReadIfKnown(words[5], gpu.memory_bytes) || !ReadIfKnown(words[6], gpu.compute_major) ||
      !ReadIfKnown(words[7], gpu.compute_minor) || !ReadIfKnown(words[8], gpu.sm_clock_hz) ||
      !DecodeIfKnown(words[9], gpu.name)) {
    return false;
  }
  result.gpus.push_back(std::move(gpu));
  return true;
}

bool ReadReading(Words words, MarkerResult& result) {
  MarkerResultReading reading;
  if (words.size() < 6 || words.size() > 6 + kMostValues || !Decode(words[1], reading.region) ||
      !ReadNumber(words[2], reading.gpu) || !ReadNumber(words[3], reading.calls) ||
      !ReadNumber(words[4], reading.time_ns) || !ReadNumber(words[5], reading.likwid_time_s)) {
    return false;
  }
  for (const std::string_view word : words.subspan(6)) {
    double value = 0;
    if (!ReadNumber(word, value)) return false;
    reading.values.push_back(value);
  }
  result.readings.push_back(std::move(reading));
  return true;
}

bool ReadIgnored(Words words, MarkerResult& result) {
  MarkerResultIgnored ignored;
  if (words.size() != 3 || !Decode(words[1], ignored.region) ||
      !ReadNumber(words[2], ignored.calls)) {
    return false;
  }
  result.ignored.push_back(std::move(ignored));
  return true;
}

// A line whose second word is all that it says.
bool ReadFact(std::string_view key, std::string_view word, MarkerResult& result) {
  std::string text;
  if (key == "pid") return ReadNumber(word, result.pid);
  if (key == "start_ticks") return ReadIfKnown(word, result.start_ticks);
  if (key == "rank") return ReadNumber(word, result.rank.emplace());
  if (key == "host") return DecodeIfKnown(word, result.host);
  if (key == "executable") return DecodeIfKnown(word, result.executable);
  if (key == "boot_id") return DecodeIfKnown(word, result.boot_id);
  if (key == "likwid") return DecodeIfKnown(word, result.likwid);
  if (key == "region" && Decode(word, text)) {
    result.regions.push_back(std::move(text));
    return true;
  }
  return false;
}

bool ReadLine(std::string_view line, MarkerResult& result) {
  const std::vector<std::string_view> words = WordsOf(line);
  const std::string_view key = words[0];
  if (key == "gpu") return ReadGpu(words, result);
  if (key == "reading") return ReadReading(words, result);
  if (key == "ignored") return ReadIgnored(words, result);
  if (key == "trouble" && words.size() >= 2) {
    std::string text;
    // A sentence; its blanks may be encoded or not.
    if (!Decode(line.substr(key.size() + 1), text)) return false;
    result.troubles.push_back(std::move(text));
    return true;
  }
  return words.size() == 2 && ReadFact(key, words[1], result);
}

std::string Shown(std::string_view line) {
  constexpr size_t kMostShown = 60;
  std::string text(line.substr(0, kMostShown));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return "\"" + text + (line.size() > kMostShown ? "...\"" : "\"");
}

Status CheckFirstLine(std::string_view line) {
  if (line == kFirstLine) return Status::Ok();
  if (line.starts_with(kFirstWord)) {
    return Status::Failed("is of another version (" + Shown(line) +
                          "); use libnvmarker.so and rafter of one build");
  }
  return Status::Failed("is not a result of the marker library");
}

// Each region once on each GPU, and one number for each event.
Status CheckReadings(const MarkerResult& result) {
  for (const MarkerResultReading& reading : result.readings) {
    if (reading.values.size() == result.readings.front().values.size()) continue;
    return Status::Failed("region " + Shown(reading.region) + " has " +
                          std::to_string(reading.values.size()) + " values, others have " +
                          std::to_string(result.readings.front().values.size()));
  }
  return Status::Ok();
}

}  // namespace

Result<MarkerResult> ReadMarkerResult(std::string_view text) {
  if (text.size() > kMaxMarkerResultBytes) return Status::Failed("is too large to be a result");
  if (text.empty()) return Status::Failed("is empty: the process ended before it was written");
  MarkerResult result;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      RAFTER_RETURN_IF_ERROR(CheckFirstLine(line));
      continue;
    }
    if (line == "end") {
      if (!text.empty()) return Status::Failed("goes on behind its last line");
      RAFTER_RETURN_IF_ERROR(CheckReadings(result));
      return result;
    }
    if (!ReadLine(line, result)) {
      return Status::Failed("line " + std::to_string(number) + ": " + Shown(line) +
                            " is not understood");
    }
  }
  return Status::Failed("was cut: its last line is not there");
}

}  // namespace rafter
