#include "collector/bench_report/bench_report.h"

#include <absl/status/status.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "collector/bench_report/sound_json.h"
#include "collector/store/utf8.h"

namespace rafter {
namespace {

// A report is four deep; what a program puts into its own fields may be more.
constexpr size_t kMostDepth = 64;

constexpr unsigned kParseFlags = rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag;

// One object of "benchmarks". A field counts where it has the type that Google
// Benchmark gives it, and the first time.
struct BenchmarkRow {
  std::optional<std::string> name;
  std::optional<std::string> run_name;
  std::optional<std::string> aggregate_name;
  std::optional<std::string> failure;
  std::optional<std::string> skip_message;
  std::optional<bool> failed;
  std::optional<bool> skipped;
};

class ReportHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, ReportHandler> {
 public:
  explicit ReportHandler(BenchReport& report) : report_(report) {}

  bool is_report() const { return is_report_; }
  bool too_deep() const { return depth_ > kMostDepth; }

  bool Default() { return true; }  // null, and numbers that no field of ours is
  bool Bool(bool value) {
    if (!InRow()) return true;
    if (key_ == "error_occurred") SetOnce(row_.failed, value);
    if (key_ == "skipped") SetOnce(row_.skipped, value);
    return true;
  }
  bool Int(int value) { return Whole(std::to_string(value)); }
  bool Uint(unsigned value) { return Whole(std::to_string(value)); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view value(text, size);
    if (InRow()) return RowText(value);
    return ContextText(value);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_.assign(text, size);
    if (depth_ == 1) section_ = key_;
    return true;
  }
  bool StartObject() {
    ++depth_;
    if (depth_ == 2 && section_ == "context") is_report_ = true;
    if (InRow()) row_ = {};
    return !too_deep();
  }
  bool EndObject(rapidjson::SizeType) {
    if (InRow()) AddRow();
    --depth_;
    return true;
  }
  bool StartArray() {
    ++depth_;
    in_list_ = in_list_ || (depth_ == 2 && section_ == "benchmarks");
    is_report_ = is_report_ || in_list_;
    return !too_deep();
  }
  bool EndArray(rapidjson::SizeType) {
    if (depth_ == 2) in_list_ = false;
    --depth_;
    return true;
  }

  // What was left out, once the report is read.
  void NameLosses();

 private:
  bool InRow() const { return depth_ == 3 && in_list_; }
  bool InContext() const { return depth_ == 2 && section_ == "context"; }

  template <typename T, typename V>
  static void SetOnce(std::optional<T>& field, V&& value) {
    if (!field.has_value()) field = std::forward<V>(value);
  }
  bool Whole(const std::string& digits) {
    return InContext() && key_ == "float_type" ? ContextText(digits) : true;
  }
  bool ContextText(std::string_view value) {
    if (!InContext()) return true;
    std::string* field = nullptr;
    if (key_ == "paradigm") field = &report_.paradigm;
    if (key_ == "float_type") field = &report_.float_type;
    if (field != nullptr && field->empty()) *field = Bounded(value, key_);
    return true;
  }
  bool RowText(std::string_view value) {
    if (key_ == "name") SetOnce(row_.name, value);
    if (key_ == "run_name") SetOnce(row_.run_name, value);
    if (key_ == "aggregate_name") SetOnce(row_.aggregate_name, value);
    if (key_ == "error_message") SetOnce(row_.failure, OneLine(value));
    if (key_ == "skip_message") SetOnce(row_.skip_message, OneLine(value));
    return true;
  }
  std::string Bounded(std::string_view text, std::string_view what) {
    if (text.size() <= BenchReport::kMostNameBytes) return OneLine(text);
    size_t bytes = BenchReport::kMostNameBytes;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
    report_.troubles.push_back(std::string(what) + ": " + std::to_string(text.size()) +
                               " bytes long, cut after " + std::to_string(bytes));
    return OneLine(text.substr(0, bytes));
  }
  void AddRow();
  Benchmark* Find(const std::string& run_name);

  BenchReport& report_;
  std::unordered_map<std::string, size_t> places_;  // by run name
  BenchmarkRow row_;
  std::string key_;
  std::string section_;
  size_t depth_ = 0;
  size_t unnamed_ = 0;
  size_t refused_ = 0;
  bool in_list_ = false;
  bool is_report_ = false;
};

Benchmark* ReportHandler::Find(const std::string& run_name) {
  const auto found = places_.find(run_name);
  if (found != places_.end()) return &report_.benchmarks[found->second];
  if (report_.benchmarks.size() == BenchReport::kMostBenchmarks) {
    ++refused_;
    return nullptr;
  }
  places_.emplace(run_name, report_.benchmarks.size());
  return &report_.benchmarks.emplace_back(Benchmark{run_name, "", ""});
}

void ReportHandler::AddRow() {
  // Fits over a family; its name is no run's.
  if (row_.aggregate_name == "BigO" || row_.aggregate_name == "RMS") return;
  const std::string run_name =
      Bounded(row_.run_name.value_or(row_.name.value_or("")), "name of a benchmark");
  if (run_name.empty()) {
    ++unnamed_;
    return;
  }
  Benchmark* const benchmark = Find(run_name);
  if (benchmark == nullptr) return;
  const auto reason = [](const std::optional<std::string>& text) {
    return text.value_or("").empty() ? "without a message" : *text;
  };
  if (row_.failed.value_or(false) && benchmark->failure.empty()) {
    benchmark->failure = reason(row_.failure);
  }
  if (row_.skipped.value_or(false) && benchmark->skipped.empty()) {
    benchmark->skipped = reason(row_.skip_message);
  }
}

void ReportHandler::NameLosses() {
  if (unnamed_ > 0) {
    report_.troubles.push_back(std::to_string(unnamed_) +
                               " rows of \"benchmarks\" have no name and are left out");
  }
  if (refused_ > 0) {
    report_.troubles.push_back(std::to_string(refused_) +
                               " rows of \"benchmarks\" are left out; there are more than " +
                               std::to_string(BenchReport::kMostBenchmarks) + " benchmarks");
  }
}

}  // namespace

absl::StatusOr<BenchReport> ReadBenchReport(std::string_view json) {
  const SoundText sound = SoundJson(json);
  BenchReport report;
  ReportHandler handler(report);
  rapidjson::MemoryStream stream(sound.text.data(), sound.text.size());
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kParseFlags>(stream, handler);
  std::string breach;
  if (result.IsError()) {
    breach = handler.too_deep() ? "nested too deep" : rapidjson::GetParseError_En(result.Code());
    while (breach.ends_with('.')) breach.pop_back();
    breach = "byte " + std::to_string(result.Offset()) + ": " + breach;
  }
  if (!handler.is_report()) {
    return absl::InvalidArgumentError(
        "not a report of Google Benchmark" +
        (breach.empty() ? std::string(": it has no \"context\" and no \"benchmarks\"")
                        : " (" + breach + ")"));
  }
  handler.NameLosses();
  if (sound.mended > 0) {
    report.troubles.push_back(std::to_string(sound.mended) +
                              " bytes that JSON does not allow were replaced");
  }
  if (!breach.empty()) {
    report.troubles.push_back("it breaks off at " + breach + "; what stands before is read, " +
                              std::to_string(report.benchmarks.size()) + " benchmarks");
  }
  return report;
}

}  // namespace rafter
