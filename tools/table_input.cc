#include "tools/table_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "collector/ingest/marker_file.h"
#include "collector/table/formulas.h"
#include "collector/table/memory_levels.h"
#include "proto/frame.h"
#include "tools/message.h"
#include "tools/nearest.h"
#include "tools/run_table.h"
#include "tools/stored_runs.h"

namespace rafter {
namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

Status Unreadable(const std::string& path, int error) {
  return Status::Failed(path + ": cannot be read (" + ErrnoText(error) +
                        "); check the name and its rights");
}

// The rows of all commands of a run file, merged as those of several files are.
Result<ReadTable> ReadRunFile(const std::string& path, const TableOptions& options,
                              std::vector<std::string>& notes) {
  ReadTable read;
  std::vector<NamedTable> tables;
  RAFTER_RETURN_IF_ERROR(EachRun(path, notes, [&](Run run) {
    for (const RunProcess& process : run.processes) {
      read.devices.insert(read.devices.end(), process.devices.begin(), process.devices.end());
    }
    const std::string name = run.name;
    RunTable made = TableOfRun(std::move(run), options);
    if (!made.refused.empty()) notes.push_back(made.refused);
    notes.insert(notes.end(), made.troubles.begin(), made.troubles.end());
    tables.push_back({name, std::move(made.table)});
  }));
  if (tables.size() == 1) {
    read.table = std::move(tables.front().table);
    return read;
  }
  MergedTable merged = MergeTables(std::move(tables));
  notes.insert(notes.end(), merged.warnings.begin(), merged.warnings.end());
  read.table = std::move(merged.table);
  return read;
}

Result<Table> ReadCsv(const std::string& path, const TableChoices& choices) {
  for (const TextOption* option : {&choices.precision, &choices.fp16_weights}) {
    if (!option->value.has_value()) continue;
    return Status::Failed(
        option->origin + ": " + path +
        " is a CSV file, whose rows were made for one already; give the run file");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::vector<char> block(1 << 20);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<size_t>(file.gcount()));
  } while (file.good());
  if (!file.eof()) return Unreadable(path, errno);
  if (text.find('\0') != std::string::npos) {
    return Status::Failed(path + ": neither a run file nor a table in CSV; name one of those");
  }
  absl::StatusOr<Table> table = FromCsv(text);
  if (!table.ok()) {
    return Status::Failed(path +
                          ": not a run file, and as CSV: " + std::string(table.status().message()));
  }
  if (choices.hardware.value.has_value()) {
    for (Row& row : table->rows) row.hardware = *choices.hardware.value;
  }
  for (Row& row : table->rows) {
    if (!row.peak_flop_per_s) row.peak_flop_per_s = choices.peak_flop_per_s;
    if (!row.peak_bytes_per_s) row.peak_bytes_per_s = choices.peak_bytes_per_s;
  }
  return *std::move(table);
}

}  // namespace

void TableChoices::Declare(CommandLine& line) {
  DeclareReading(line);
  line.Text("--hardware", &hardware, "NAME", "Name of the hardware in tables and charts");
}

void TableChoices::DeclareReading(CommandLine& line) {
  line.Text("--precision", &precision, "PRECISION",
            "What counts as work: fp16, fp32, fp64, tensor, or a tensor format as in tensor.bf16 "
            "(default: auto, the one with most)");
  line.Text("--memory-level", &memory_level, "LEVEL[,LEVEL...]",
            "Where traffic is taken: dram, l2 or l1; of several each row is there once for each "
            "(default: dram)");
  line.Choice("--fp16-weights", &fp16_weights, {"1", "2"},
              "Operations of an FP16 instruction: 2, as NVIDIA counts pairs, or 1, as older tables "
              "do (default: 2)");
}

Status TableChoices::Check() const {
  if (memory_level.value.has_value()) {
    const auto levels = ParseMemoryLevels(*memory_level.value);
    if (!levels.ok()) {
      return Status::Failed(memory_level.origin + ": " + std::string(levels.status().message()));
    }
  }
  if (!precision.value.has_value()) return Status::Ok();
  const std::string& asked = *precision.value;
  std::vector<std::string> known = Precisions();
  known.emplace_back("auto");
  if (std::find(known.begin(), known.end(), asked) != known.end()) return Status::Ok();
  const std::string_view format = TensorFormatOf(asked);
  const bool is_format = !format.empty() && asked.size() == format.size() + 7;
  if (!is_format) {
    return Status::Failed(precision.origin + " " + asked + ": not known" +
                          DidYouMean(asked, known) +
                          "; use auto, fp16, fp32, fp64, tensor or a tensor format as in "
                          "tensor.bf16");
  }
  if (!IsFloatingPoint(format)) {
    return Status::Failed(precision.origin + " " + asked +
                          ": integer operations are no FLOP; with --set " + asked +
                          " they are in columns of their own");
  }
  return Status::Ok();
}

TableOptions TableChoices::Options() const {
  TableOptions options;
  if (precision.value.has_value()) options.precision = *precision.value;
  if (const auto levels = Levels(); !levels.empty()) options.memory_level = levels.front();
  if (hardware.value.has_value()) options.hardware = *hardware.value;
  if (fp16_weights.value == "1") {
    options.fp16_add_weight = 1;
    options.fp16_fma_weight = 2;
  }
  options.peak_flop_per_s = peak_flop_per_s;
  options.peak_bytes_per_s = peak_bytes_per_s;
  return options;
}

std::vector<std::string> TableChoices::Levels() const {
  if (!memory_level.value.has_value()) return {};
  auto levels = ParseMemoryLevels(*memory_level.value);
  return levels.ok() ? *std::move(levels) : std::vector<std::string>{};
}

bool TableChoices::any() const {
  return precision.value.has_value() || memory_level.value.has_value() ||
         fp16_weights.value.has_value() || hardware.value.has_value();
}

Result<FileKind> FileKindOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return Unreadable(path, errno);
  char start[kMarkerStartBytes] = {};
  errno = 0;
  file.read(start, sizeof(start));
  if (file.bad() || (file.gcount() == 0 && errno != 0)) return Unreadable(path, errno);
  const std::string_view bytes(start, static_cast<size_t>(file.gcount()));
  if (bytes.empty()) return FileKind::kEmpty;
  if (bytes.starts_with(kSqliteMagic)) return FileKind::kRunFile;
  if (bytes.starts_with(std::string_view(kSpoolMagic, sizeof(kSpoolMagic))))
    return bytes.size() < kSpoolHeaderBytes ? FileKind::kSpoolStart : FileKind::kSpool;
  return IsMarkerFile(bytes) ? FileKind::kMarker : FileKind::kOther;
}

Result<ReadTable> ReadOneTable(const std::string& path, const TableChoices& choices,
                               std::vector<std::string>& notes) {
  Result<FileKind> kind = FileKindOf(path);
  if (!kind.ok()) return kind.status();
  switch (*kind) {
    case FileKind::kRunFile:
      return ReadRunFile(path, choices.Options(), notes);
    case FileKind::kSpool:
    case FileKind::kSpoolStart:
      return Status::Failed(path + ": a spool file; run \"rafter ingest " + path +
                            " -o RUN\" first");
    case FileKind::kMarker:
      return Status::Failed(path + ": a marker file of LIKWID's; run \"rafter ingest " + path +
                            " --events LIST -o RUN\" first");
    case FileKind::kEmpty:
      return Status::Failed(path + ": empty; give a run file or a CSV file");
    case FileKind::kOther:
      break;
  }
  Result<Table> table = ReadCsv(path, choices);
  if (!table.ok()) return table.status();
  return ReadTable{std::move(*table), {}};
}

Result<Table> ReadTables(const std::vector<std::string>& paths, const TableChoices& choices,
                         std::vector<std::string>& notes) {
  std::vector<NamedTable> tables;
  for (const std::string& path : paths) {
    Result<ReadTable> read = ReadOneTable(path, choices, notes);
    if (!read.ok()) return read.status();
    tables.push_back({path, std::move(read->table)});
  }
  if (tables.size() == 1) return std::move(tables.front().table);
  MergedTable merged = MergeTables(std::move(tables));
  notes.insert(notes.end(), merged.warnings.begin(), merged.warnings.end());
  return std::move(merged.table);
}

}  // namespace rafter
