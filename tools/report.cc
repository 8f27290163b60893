// `rafter report`: tables of run files and CSV, and the timeline of a run file.
#include <algorithm>

#include "tools/command_line.h"
#include "tools/exit_status.h"
#include "tools/message.h"
#include "tools/output_file.h"
#include "tools/row_choices.h"
#include "tools/table_input.h"
#include "tools/trace_output.h"
#include "tools/verbs.h"

namespace rafter {
namespace {

std::string TextOf(const Table& table, const std::string& format) {
  if (format == "json") return ToJson(table);
  if (format == "markdown") return ToMarkdown(table);
  return ToCsv(table);
}

// A table that nobody can see the gaps of is worse than none.
int SayNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) Say(note);
  return notes.empty() ? kDone : kIncomplete;
}

}  // namespace

int VerbReport(Words words) {
  std::vector<std::string> inputs;
  TextOption format;
  TextOption output;
  TableChoices choices;
  RowChoices rows;
  bool force = false;
  CommandLine line({"report", "Tables of run files and CSV files, merged.", "[options] RUN|CSV...",
                    "  rafter report --format markdown run.rafter"});
  line.Inputs("RUN|CSV", &inputs,
              "Run files and CSV files; of rows that are the same the later wins");
  line.Choice("--format", &format, {"csv", "json", "markdown", "perfetto"},
              "Form of the table (default: csv); perfetto: a timeline instead");
  line.Text("-o,--output", &output, "FILE", "Where it goes (default: standard output)");
  line.Flag("--force", &force, "Overwrite FILE");
  choices.Declare(line);
  rows.Declare(line, "none");
  rows.DeclareRanks(line);
  line.Number("--peak-performance", &choices.peak_flop_per_s, "FLOP/s",
              "Peak Performance of rows that have none");
  line.Number("--peak-bandwidth", &choices.peak_bytes_per_s, "B/s",
              "Peak Bandwidth of rows that have none");
  if (const auto status = line.Parse(words); status.has_value()) return *status;
  if (const Status status = choices.Check(); !status.ok()) return line.Refuse(status.message());
  if (const Status status = rows.Check(); !status.ok()) return line.Refuse(status.message());
  if (inputs.empty()) return line.Refuse("no input was given; name a run file or a CSV file");
  if (force && !output.value.has_value()) {
    return line.Refuse("--force: there is no file to overwrite; give --output too");
  }
  for (const std::string& path : inputs) {
    if (output.value.has_value() && IsSameFile(path, *output.value)) {
      return line.Refuse(path + ": is an input too and would be lost; give --output another name");
    }
  }
  std::vector<std::string> notes;
  if (format.value == "perfetto") {
    if (inputs.size() > 1) return line.Refuse("--format perfetto takes one run file at a time");
    if (!output.value.has_value()) {
      return line.Refuse("--format perfetto is for a viewer, not a terminal; give --output FILE");
    }
    const Status status = WriteTraceFile(inputs.front(), choices, *output.value, force, notes);
    if (!status.ok()) return line.Refuse(status.message());
    return SayNotes(notes);
  }
  Result<Table> table = ReadTables(inputs, choices, notes);
  if (!table.ok()) return line.Refuse(table.status().message());
  *table = rows.Arrange(*std::move(table), choices.Levels(), Aggregation::kNone, notes);
  // The other forms have room for them.
  if (format.value.value_or("csv") == "csv") {
    for (const std::string& note : table->notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) Say(note);
    }
  }
  const std::string text = TextOf(*table, format.value.value_or("csv"));
  if (!output.value.has_value()) {
    if (!Print(text)) return kIncomplete;
    return SayNotes(notes);
  }
  Result<OutputFile> file = OutputFile::Take(*output.value, force);
  if (!file.ok()) return line.Refuse(file.status().message());
  if (const Status status = file->Write(text); !status.ok()) {
    Say("report: " + status.message());
    return kIncomplete;
  }
  return SayNotes(notes);
}

}  // namespace rafter
