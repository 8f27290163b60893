// csv_bench write ROWS FILE: makes a table of ROWS rows, each with its own numbers, and
// writes it. csv_bench read FILE: reads one. Both print the seconds that making text of
// rows, or rows of text, took, file included, and the rows. csv_side_by_side.py runs it.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "collector/table/table.h"

namespace rafter {
namespace {

Row MakeRow(size_t at) {
  const auto number = static_cast<double>(at + 1);
  Row row;
  row.precision = "fp64";
  row.hardware = "NVIDIA H200";
  row.executable = "bench";
  row.region = std::string("solve/step ").append(std::to_string(at));
  row.kernel = "void stencil<double, 3>(double*, double const*)";
  row.kernel_signature = "void stencil<double, 3>(double*, double const*, int, int)";
  row.grid_size = "(132, 1, 1)";
  row.block_size = "(256, 1, 1)";
  row.duration_s = 1e-6 * number / 3;
  row.memory_level = "dram";
  row.flop = 1e6 * number;
  row.traffic_bytes = 4096 * number;
  row.flop_per_byte = *row.flop / *row.traffic_bytes;
  row.flop_per_s = *row.flop / *row.duration_s;
  row.peak_flop_per_s = 3.35e13;
  row.peak_bytes_per_s = 4.81e12;
  for (const char* metric : {"dram__bytes.sum", "gpu__time_duration.sum", "lts__t_bytes.sum"}) {
    row.metrics[metric] = 1e6 * number / 7;
    row.metric_units[metric] = "Byte";
  }
  row.flop_fp64 = row.flop;
  row.source = "cupti";
  row.validity = "extrapolated";
  row.reason = "counted of 20 calls: time 12, memory 3, sm 2, flop 2";
  row.calls = 20;
  row.measured_calls = 2;
  row.duration_spread = 1 / (number + 2);
  row.kernel_time_s = row.duration_s;
  row.launches = 20;
  row.host = "node1";
  row.process = "4242";
  row.device = "0";
  row.device_uuid = "GPU-55fce9b6-8aec-8178-c868-22c6af06f5a4";
  row.sm_clock_hz = 1.98e9 + number;
  row.dram_clock_hz = 3.2e9 + number;
  return row;
}

void Say(std::chrono::steady_clock::time_point begin, size_t rows) {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.6f %zu %ld\n", taken.count(), rows, usage.ru_maxrss);  // KiB
}

bool Write(size_t rows, const char* path) {
  Table table;
  table.rows.reserve(rows);
  for (size_t at = 0; at < rows; ++at) table.rows.push_back(MakeRow(at));
  const auto begin = std::chrono::steady_clock::now();
  const bool written = static_cast<bool>(std::ofstream(path, std::ios::binary) << ToCsv(table));
  Say(begin, rows);
  return written;
}

bool Read(const char* path) {
  const auto begin = std::chrono::steady_clock::now();
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::vector<char> block(1 << 20);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<size_t>(file.gcount()));
  } while (file.good());
  const auto table = FromCsv(text);
  if (!table.ok()) {
    std::fprintf(stderr, "%s: %s\n", path, std::string(table.status().message()).c_str());
    return false;
  }
  Say(begin, table->rows.size());
  return true;
}

}  // namespace
}  // namespace rafter

int main(int count, char** words) {
  const std::string_view verb = count > 1 ? words[1] : "";
  if (verb == "write" && count == 4) {
    return rafter::Write(std::strtoull(words[2], nullptr, 10), words[3]) ? 0 : 1;
  }
  if (verb == "read" && count == 3) return rafter::Read(words[2]) ? 0 : 1;
  std::fprintf(stderr, "usage: csv_bench write ROWS FILE | read FILE\n");
  return 2;
}
