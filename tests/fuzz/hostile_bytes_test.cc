// What libFuzzer does for hours, for seconds and without clang: truncated,
// mutated and hostile bytes, from fixed seeds.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/fuzz/stream_bytes.h"
#include "tests/unit/wire_stream.h"

namespace rafter {
namespace {

// A short session with every kind of frame.
std::string Session() {
  wire::Baseline baseline;
  baseline.set_baseline(1);
  baseline.set_size(64);
  baseline.set_slots(16);
  baseline.add_patches()->set_data("below");
  wire::Batch batch;
  AddInstance(batch, 1, 100, 1);
  AddInstance(batch, 2, 200, 0);
  batch.mutable_instances(1)->set_uncounted(wire::PARTIAL);
  batch.mutable_instances(1)->set_device(1);
  wire::Names launches;
  wire::Path* path = launches.add_paths();
  path->set_path(3);
  path->set_parent(2);
  path->mutable_launch()->set_symbol("_Z4copyPKfPf");
  wire::Image image;
  image.set_epoch(1);
  image.set_baseline(1);
  image.set_chain(1);
  wire::Slot* slot = image.add_slots();
  slot->set_path(2);
  slot->set_segments(4);
  slot->set_cut_segments(1);
  slot->set_counted_ns(1000);
  slot->set_call(1);
  wire::Patch* patch = image.add_patches();
  patch->set_offset(8);
  patch->set_data("above");
  wire::Kernels kernels;
  kernels.add_kernels()->set_path(1);
  kernels.mutable_kernels(0)->set_symbol("_Z4copyPKfPf");
  wire::Health health;
  health.add_notes()->set_text("a note");
  health.add_losses()->set_kind("pops");
  health.mutable_losses(0)->set_count(3);
  WireStream stream;
  stream.Add(wire::HELLO, MakeHello(1))
      .Add(wire::DEVICE, MakeDevice())
      .Add(wire::PLAN, MakePlan())
      .Add(wire::BASELINE, baseline)
      .Add(wire::NAMES, MakeNames())
      .Add(wire::NAMES, launches)
      .Add(wire::BATCH, batch)
      .Add(wire::IMAGE, image)
      .Add(wire::KERNELS, kernels)
      .Add(wire::HEALTH, health)
      .AddRaw(11, std::string("\x08\x00", 2))  // a Release, of an older library
      .Add(wire::GOODBYE, MakeGoodbye());
  return stream.bytes;
}

std::string Mutated(std::string bytes, std::mt19937& random) {
  const int changes = 1 + static_cast<int>(random() % 8);
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    const size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.erase(at, 1 + random() % 16);
        break;
      default:
        bytes.insert(at, std::string(1 + random() % 16, static_cast<char>(random())));
    }
  }
  return bytes;
}

TEST(HostileBytes, FramesMeanTheSameInAnyPieces) {
  std::mt19937 random(1);
  FeedFrameReader(Session());
  for (int i = 0; i < 2000; ++i) FeedFrameReader(Mutated(Session(), random));
}

TEST(HostileBytes, AStreamThatBreaksOffAnywhereIsStoredUpToThere) {
  const std::string session = Session();
  for (size_t length = 0; length <= session.size(); length += 5) {
    FeedStream(std::string_view(session).substr(0, length));
  }
}

TEST(HostileBytes, MutatedStreamsLeaveARunThatCanBeRead) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) FeedStream(Mutated(Session(), random));
}

// Sound headers around random messages reach deeper than mutation does.
TEST(HostileBytes, RandomMessagesLeaveARunThatCanBeRead) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    WireStream stream;
    stream.Add(wire::HELLO, MakeHello(1)).Add(wire::DEVICE, MakeDevice());
    for (int k = 0; k < 5; ++k) {
      std::string message(random() % 40, '\0');
      for (char& byte : message) byte = static_cast<char>(random() % 48);
      stream.AddRaw(static_cast<uint16_t>(1 + random() % 34), message);
    }
    FeedStream(stream.bytes);
  }
}

TEST(HostileBytes, MutatedSpoolFilesLeaveARunThatCanBeRead) {
  std::mt19937 random(4);
  const std::string spool = WireStream{Session()}.Spool();
  FeedSpool("");
  for (int i = 0; i < 100; ++i) FeedSpool(Mutated(spool, random));
}

std::string MarkerText() {
  return "2 2 1\n0:a-0\n1:b-c-0\n0 0 0 1 inf 1 5.000000e+00 \n0 0 1 1 1.0e+00 1 6.0e+00 \n"
         "1 0 0 2 nan 1 1.5e+01 \n1 0 1 2 1.0e+00 1 7.0e+00 \n";
}

TEST(HostileBytes, AMarkerFileThatBreaksOffAnywhereIsReadUpToThere) {
  const std::string text = MarkerText();
  for (size_t length = 0; length <= text.size(); ++length) {
    FeedMarkerFile(std::string_view(text).substr(0, length));
  }
}

TEST(HostileBytes, MutatedMarkerFilesGiveATableOrAReason) {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) FeedMarkerFile(Mutated(MarkerText(), random));
}

std::string ReportText() {
  return R"({"context": {"executable": "./b", "load_avg": [0.1, 2], "caches": [{"level": 1}],)"
         R"( "paradigm": "Cuda", "float_type": "32"}, "benchmarks": [)"
         R"({"name": "A-x/8", "run_name": "A-x/8", "run_type": "iteration", "real_time": NaN,)"
         R"( "error_occurred": true, "error_message": "no \"b\" \u00e9"},)"
         R"({"name": "B<int, -1>_mean", "run_name": "B<int, -1>", "aggregate_name": "mean",)"
         R"( "ratio": -Infinity}, {"name": "A_BigO", "aggregate_name": "BigO"}]})";
}

TEST(HostileBytes, AReportOfBenchmarksThatBreaksOffAnywhereIsReadUpToThere) {
  const std::string text = ReportText();
  for (size_t length = 0; length <= text.size(); ++length) {
    FeedBenchReport(std::string_view(text).substr(0, length));
  }
}

TEST(HostileBytes, MutatedReportsOfBenchmarksAreReadOrRefused) {
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) FeedBenchReport(Mutated(ReportText(), random));
}

// Only what a report is made of, so that values of every kind come together.
TEST(HostileBytes, RandomReportsOfBenchmarksAreReadOrRefused) {
  std::mt19937 random(8);
  const std::string_view parts[] = {"{",
                                    "}",
                                    "[",
                                    "]",
                                    ",",
                                    ":",
                                    "\"name\"",
                                    "\"run_name\"",
                                    "\"context\"",
                                    "\"benchmarks\"",
                                    "NaN",
                                    "1e3",
                                    "true",
                                    "null",
                                    "\"A<b/c>-d/8\"",
                                    "-inf",
                                    "\\",
                                    "\"",
                                    "\x01"};
  for (int i = 0; i < 5000; ++i) {
    std::string text = i % 2 == 0 ? "{\"benchmarks\":[{\"name\":" : "{\"context\":{";
    for (size_t k = random() % 60; k > 0; --k) text += parts[random() % std::size(parts)];
    FeedBenchReport(text);
  }
}

// Only what a marker file is made of, so that lines of every kind come together.
TEST(HostileBytes, RandomLinesGiveATableOrAReason) {
  std::mt19937 random(6);
  constexpr std::string_view kLetters = "0123459999 \t\n\r:-e+.infab,|";
  for (int i = 0; i < 3000; ++i) {
    std::string text = "1 1 1\n0:a-0\n";
    for (size_t k = random() % 200; k > 0; --k) text += kLetters[random() % kLetters.size()];
    FeedMarkerFile(text);
    FeedEventList(text);
  }
}

}  // namespace
}  // namespace rafter
