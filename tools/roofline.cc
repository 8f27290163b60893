// `rafter roofline`: the chart of run files and CSV.
#include "collector/roofline/roofline.h"

#include "tools/chart_output.h"
#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/table_input.h"
#include "tools/verbs.h"

namespace rafter {

int VerbRoofline(Words words) {
  std::vector<std::string> inputs;
  TextOption output;
  TextOption title;
  TableChoices choices;
  RooflineOptions options;
  bool force = false;
  CommandLine line({"roofline", "The roofline chart of run files and CSV files.",
                    "[options] --output FILE.svg|.pdf|.png RUN|CSV...",
                    "  rafter roofline --output roofline.svg run.rafter"});
  line.Inputs("RUN|CSV", &inputs,
              "Run files and CSV files; of rows that are the same the later wins");
  line.Text("-o,--output", &output, "FILE", "The chart; .svg, .pdf or .png says the format");
  line.Flag("--force", &force, "Overwrite FILE");
  line.Text("--title", &title, "TEXT", "Title of the chart");
  line.Number("--peak-performance", &options.peak_flop_per_s, "FLOP/s", "Compute roof to draw");
  line.Number("--peak-bandwidth", &options.peak_bytes_per_s, "B/s", "Memory roof to draw");
  choices.Declare(line);
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (const Status status = choices.Check(); !status.ok()) return line.Refuse(status.message());
  if (inputs.empty()) return line.Refuse("no input was given; name a run file or a CSV file");
  if (!output.value.has_value()) {
    return line.Refuse("--output: a chart needs a file; give --output FILE.svg, .pdf or .png");
  }
  if (Result<ChartFormat> format = ChartFormatOf(*output.value); !format.ok()) {
    return line.Refuse(format.status().message());
  }
  for (const std::string& path : inputs) {
    if (IsSameFile(path, *output.value)) {
      return line.Refuse(path + ": is an input too and would be lost; give --output another name");
    }
  }
  options.title = title.value.value_or("");
  std::vector<std::string> notes;
  Result<Table> table = ReadTables(inputs, choices, notes);
  if (!table.ok()) return line.Refuse(table.status().message());
  Result<OutputFile> file = OutputFile::Take(*output.value, force);
  if (!file.ok()) return line.Refuse(file.status().message());
  const bool complete = notes.empty();
  Result<std::string> drawing = DrawChart(BuildRoofline(*table, options), file->path(), notes);
  const Status written = drawing.ok() ? file->Write(*drawing) : drawing.status();
  for (const std::string& note : notes) Say(note);
  if (!written.ok()) Say("roofline: " + written.message());
  return written.ok() && complete ? kDone : kIncomplete;
}

}  // namespace rafter
