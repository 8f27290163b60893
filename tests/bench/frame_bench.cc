// What one batch of regions costs on its way: made with protozero in the target,
// cut out of the stream and parsed with libprotobuf in the collector.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collector/ingest/frame_reader.h"
#include "inject/record/encode.h"
#include "inject/record/region_ring.h"
#include "proto/frame.h"
#include "proto/rafter.pb.h"

namespace rafter {
namespace {

std::vector<FinishedRegion> Regions(int64_t count) {
  std::vector<FinishedRegion> regions(static_cast<size_t>(count));
  uint64_t now_ns = 1'000'000'000'000;
  for (size_t i = 0; i < regions.size(); ++i) {
    regions[i] = {.start_ns = now_ns,
                  .duration_ns = 35'000 + i % 7,
                  .path = static_cast<PathId>(1 + i % 16),
                  .thread = 4242,
                  .epoch = 17,
                  .launches = 3};
    now_ns += 50'000;
  }
  return regions;
}

std::string Frame(uint16_t type, const std::string& message) {
  uint8_t header[kFrameHeaderBytes];
  WriteFrameHeader({static_cast<uint32_t>(message.size()), type}, header);
  return std::string(reinterpret_cast<const char*>(header), sizeof(header)) + message;
}

void CountRegions(benchmark::State& state, size_t bytes_per_batch) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes_per_batch));
  state.counters["bytes_per_region"] =
      static_cast<double>(bytes_per_batch) / static_cast<double>(state.range(0));
}

void WriteBatch(benchmark::State& state) {
  const std::vector<FinishedRegion> regions = Regions(state.range(0));
  size_t bytes = 0;
  for (auto _ : state) {
    const std::string frame = Frame(wire::BATCH, EncodeBatch(regions, 0, {}));
    bytes = frame.size();
    benchmark::DoNotOptimize(frame.data());
  }
  CountRegions(state, bytes);
}
BENCHMARK(WriteBatch)->Arg(1)->Arg(64)->Arg(1024);

void ReadBatch(benchmark::State& state) {
  const std::string frame = Frame(wire::BATCH, EncodeBatch(Regions(state.range(0)), 0, {}));
  FrameReader reader;
  for (auto _ : state) {
    reader.Append(frame);
    auto next = reader.Next();
    wire::Batch batch;
    if (!next.ok() || !next->has_value() ||
        !batch.ParseFromArray((*next)->message.data(), static_cast<int>((*next)->message.size()))) {
      state.SkipWithError("the frame that was written cannot be read");
      break;
    }
    benchmark::DoNotOptimize(batch.instances_size());
  }
  CountRegions(state, frame.size());
}
BENCHMARK(ReadBatch)->Arg(1)->Arg(64)->Arg(1024);

// A counter-data image in which one range of sixteen was used.
void FindPatches(benchmark::State& state) {
  std::vector<uint8_t> baseline(static_cast<size_t>(state.range(0)), 0);
  std::vector<uint8_t> image = baseline;
  for (size_t i = 0; i < image.size() / 16; i += 24) image[image.size() / 2 + i] = 1;
  for (auto _ : state) benchmark::DoNotOptimize(Differences(baseline, image));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(FindPatches)->Arg(300 << 10)->Arg(3 << 20);

}  // namespace
}  // namespace rafter

BENCHMARK_MAIN();
