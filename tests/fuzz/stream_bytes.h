// StreamBytes feeds arbitrary bytes to what reads untrusted input: the reader
// of frames, a stream of the collector, and the readers of spool and marker files. Shared
// by the libFuzzer targets and the test that runs without clang.
//
//   Threads   one thread at a time.
//   Blocking  a run file in a temporary folder.
//   Memory    one run file for the life of the process.
//   Lifetime  of the process.
#pragma once

#include <string_view>

namespace rafter {

// Cuts the bytes into frames, in pieces of several sizes; aborts when pieces
// change the outcome.
void FeedFrameReader(std::string_view bytes);

// Takes the bytes as a target's stream, then reads the run back; aborts when
// what was stored cannot be read.
void FeedStream(std::string_view bytes);

// Takes the bytes as a spool file.
void FeedSpool(std::string_view bytes);

// Takes the bytes as a marker file of LIKWID's, and makes a table of what it gives;
// aborts where a reading is not of the list of events.
void FeedMarkerFile(std::string_view bytes);

// Takes the bytes as a report of Google Benchmark and joins it with rows; aborts where
// a run name is beyond its bound or is there twice, or where mending left what JSON
// does not allow.
void FeedBenchReport(std::string_view bytes);

// Takes the bytes as a list of LIKWID's events.
void FeedEventList(std::string_view bytes);

}  // namespace rafter
