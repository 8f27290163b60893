// `rafter roofline`: the chart of run files and CSV.
#include "collector/roofline/roofline.h"

#include "tools/chart_output.h"
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/row_choices.h"
#include "tools/table_input.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

struct RooflineRequest {
  std::vector<std::string> inputs;
  TextOption output;
  TextOption title;
  TextOption baseline;
  TableChoices choices;
  RowChoices rows;
  RooflineOptions options;
  bool force = false;
};

void Declare(CommandLine& line, RooflineRequest& request) {
  line.Inputs("RUN|CSV", &request.inputs,
              "Run files and CSV files; of rows that are the same the later wins");
  line.Text("-o,--output", &request.output, "FILE",
            "The chart; .html, .svg, .pdf or .png says the format");
  line.Flag("--force", &request.force, "Overwrite FILE");
  line.Text("--baseline", &request.baseline, "RUN|CSV",
            "An older table, whose points an HTML chart lays under these");
  line.Text("--title", &request.title, "TEXT", "Title of the chart");
  line.Number("--peak-performance", &request.options.peak_flop_per_s, "FLOP/s",
              "Compute roof to draw");
  line.Number("--peak-bandwidth", &request.options.peak_bytes_per_s, "B/s", "Memory roof to draw");
  request.choices.Declare(line);
  request.rows.Declare(line, "sum");
  request.rows.DeclareRanks(line);
  request.rows.DeclareChart(line);
}

Status Check(RooflineRequest& request) {
  RAFTER_RETURN_IF_ERROR(request.choices.Check());
  RAFTER_RETURN_IF_ERROR(request.rows.Check());
  if (request.rows.is_hierarchical() && request.choices.memory_level.value.has_value()) {
    return Status::Failed("--hierarchical: contradicts --memory-level; leave one of them out");
  }
  if (request.inputs.empty()) {
    return Status::Failed("no input was given; name a run file or a CSV file");
  }
  if (!request.output.value.has_value()) {
    return Status::Failed(
        "--output: a chart needs a file; give --output FILE.html, .svg, .pdf or .png");
  }
  const auto format = ChartFormatOf(*request.output.value);
  if (!format.ok()) return format.status();
  std::vector<std::string> read = request.inputs;
  if (request.baseline.value.has_value()) {
    if (format->has_value()) {
      return Status::Failed("--baseline: only an HTML chart shows one; give --output FILE.html");
    }
    read.push_back(*request.baseline.value);
  }
  for (const std::string& path : read) {
    if (!IsSameFile(path, *request.output.value)) continue;
    return Status::Failed(path + ": is an input too and would be lost; give --output another name");
  }
  return Status::Ok();
}

Result<Table> ReadRows(const std::vector<std::string>& paths, const RooflineRequest& request,
                       std::vector<std::string>& notes) {
  Result<Table> table = ReadTables(paths, request.choices, notes);
  if (!table.ok()) return table;
  return request.rows.Arrange(*std::move(table), request.choices.Levels(), Aggregation::kSum,
                              notes);
}

// Without a baseline: no rows.
Result<Table> ReadBaseline(const RooflineRequest& request, std::vector<std::string>& notes) {
  if (!request.baseline.value.has_value()) return Table();
  Result<Table> table = ReadRows({*request.baseline.value}, request, notes);
  if (table.ok()) return table;
  return Status::Failed("--baseline: " + table.status().message());
}

}  // namespace

int VerbRoofline(Words words) {
  RooflineRequest request;
  CommandLine line({"roofline", "The roofline chart of run files and CSV files.",
                    "[options] --output FILE.html|.svg|.pdf|.png RUN|CSV...",
                    "  rafter roofline --output roofline.html run.rafter"});
  Declare(line, request);
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (const Status status = Check(request); !status.ok()) return line.Refuse(status.message());
  request.options.title = request.title.value.value_or("");
  std::vector<std::string> notes;
  const Result<Table> table = ReadRows(request.inputs, request, notes);
  if (!table.ok()) return line.Refuse(table.status().message());
  const Result<Table> older = ReadBaseline(request, notes);
  if (!older.ok()) return line.Refuse(older.status().message());
  Result<OutputFile> file = OutputFile::Take(*request.output.value, request.force);
  if (!file.ok()) return line.Refuse(file.status().message());
  const bool complete = notes.empty();
  const Roofline roofline = BuildRoofline(*table, request.options);
  const Roofline older_roofline = BuildRoofline(*older, request.options);
  const bool has_baseline = request.baseline.value.has_value();
  const HtmlChart baseline{older_roofline, *older, request.baseline.value.value_or("")};
  Result<std::string> drawing =
      DrawChart({roofline, *table}, file->path(), notes, has_baseline ? &baseline : nullptr);
  const Status written = drawing.ok() ? file->Write(*drawing) : drawing.status();
  for (const std::string& note : notes) Say(note);
  if (!written.ok()) Say("roofline: " + written.message());
  return written.ok() && complete ? kDone : kIncomplete;
}

}  // namespace rafter
