// What a command says of itself: --help, and the manual page.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "tests/unit/tools_program.h"
#include "tools/help_text.h"
#include "tools/manual_page.h"
#include "tools/roff_text.h"

namespace rafter {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

DeclaredCommand MadeUp() {
  DeclaredCommand command;
  command.description = {"weigh", "Weigh a file.", "[options] FILE", "  rafter weigh 'a b'"};
  command.arguments = {{"FILE", "", "What is weighed", ""}};
  command.options = {{"-o,--output", "FILE", "Where it goes", "RAFTER_OUTPUT"},
                     {"--a-name-that-is-longer-than-its-column", "N", "Some number of things", ""},
                     {"--exact", "", "Leave nothing out", "RAFTER_EXACT"}};
  return command;
}

ManualText TextOfIt() {
  ManualText text;
  text.page = "rafter-weigh";
  text.description = {"It weighs; see --output and RAFTER_OUTPUT."};
  text.statuses = {{"0", "Done."}};
  text.files = {{"*.kg", "A weight."}};
  text.note = "A note.";
  text.see_also = {"rafter"};
  return text;
}

TEST(HelpText, IsTheDeclarationsAndTheTable) {
  EXPECT_EQ(HelpText(MadeUp(), TextOfIt(), 80),
            "Weigh a file.\n"
            "Usage: rafter weigh [options] FILE\n"
            "\n"
            "Arguments:\n"
            "  FILE                            What is weighed\n"
            "\n"
            "Options:\n"
            "  -o,--output FILE                Where it goes [RAFTER_OUTPUT]\n"
            "  --a-name-that-is-longer-than-its-column N\n"
            "                                  Some number of things\n"
            "  --exact                         Leave nothing out [RAFTER_EXACT]\n"
            "\n"
            "Exit status:\n"
            "  0  Done.\n"
            "\n"
            "Example:\n"
            "  rafter weigh 'a b'\n"
            "\n"
            "A note.\n");
}

TEST(HelpText, KeepsToANarrowTerminal) {
  const std::string text = HelpText(MadeUp(), TextOfIt(), 30);
  EXPECT_THAT(text,
              HasSubstr("  -o,--output FILE\n        Where it goes\n        [RAFTER_OUTPUT]"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
    if (line.starts_with("  --a-name")) continue;  // the name itself is too long
    EXPECT_TRUE(line.size() <= 30 || is_one_word) << line;
  }
}

TEST(HelpText, BreaksLinesBetweenWordsOnly) {
  std::string lines;
  AppendWrapped("one two three", 0, 2, 7, lines);
  EXPECT_EQ(lines, "one two\n  three\n");
  lines.clear();
  AppendWrapped("incomprehensible to me", 4, 2, 7, lines);
  EXPECT_EQ(lines, "incomprehensible\n  to me\n");
}

TEST(RoffText, CanBeCopiedIntoAShell) {
  EXPECT_EQ(RoffLiteral(R"(a -b 'c' `d` ^~ "\n")"),
            R"(a \-b \(aqc\(aq \(gad\(ga \(ha\(ti \(dq\en\(dq)");
  EXPECT_EQ(RoffLiteral(".svg"), "\\&.svg") << "else it would be a request";
  EXPECT_EQ(RoffLiteral("'a'"), "\\&\\(aqa\\(aq");
}

TEST(RoffText, MakesOptionsAndVariablesBold) {
  EXPECT_EQ(RoffProse("See --csv, -v and RAFTER_SET."),
            "See \\fB\\-\\-csv\\fR, \\fB\\-v\\fR and \\fBRAFTER_SET\\fR.");
  EXPECT_EQ(RoffProse("host-time of roll-ups - and (a)-b"),
            "host\\-time of roll\\-ups \\- and (a)\\-b")
      << "hyphens are no options";
  EXPECT_EQ(RoffProse(".svg"), "\\&.svg");
}

TEST(ManualPage, IsTheDeclarationsAndTheTable) {
  EXPECT_EQ(ManualPage(MadeUp(), TextOfIt(), "1.2"),
            ".\\\" Made by \"rafter weigh --man\".\n"
            ".TH RAFTER\\-WEIGH 1 \"\" \"Rafter 1.2\" \"Rafter\"\n"
            ".SH NAME\n"
            "rafter\\-weigh \\- weigh a file\n"
            ".SH SYNOPSIS\n"
            "\\fBrafter weigh\\fR [options] FILE\n"
            ".SH DESCRIPTION\n"
            "It weighs; see \\fB\\-\\-output\\fR and \\fBRAFTER_OUTPUT\\fR.\n"
            ".PP\nA note.\n"
            ".TP\n\\fIFILE\\fR\nWhat is weighed.\n"
            ".SH OPTIONS\n"
            ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nWhere it goes.\n"
            "The variable \\fBRAFTER_OUTPUT\\fR stands for it.\n"
            ".TP\n\\fB\\-\\-a\\-name\\-that\\-is\\-longer\\-than\\-its\\-column\\fR \\fIN\\fR\n"
            "Some number of things.\n"
            ".TP\n\\fB\\-\\-exact\\fR\nLeave nothing out.\n"
            "The variable \\fBRAFTER_EXACT\\fR stands for it.\n"
            ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nDone.\n"
            ".SH ENVIRONMENT\n"
            ".TP\n\\fBRAFTER_OUTPUT\\fR\nStands for \\fB\\-\\-output\\fR, which wins.\n"
            ".TP\n\\fBRAFTER_EXACT\\fR\n1 stands for \\fB\\-\\-exact\\fR, 0 for leaving it out.\n"
            ".SH FILES\n.TP\n\\fI*.kg\\fR\nA weight.\n"
            ".SH EXAMPLES\n.nf\nrafter weigh \\(aqa b\\(aq\n.fi\n"
            ".SH SEE ALSO\n\\fBrafter\\fR(1)\n");
}

TEST(ManualTexts, HaveWhatEachPageNeedsAndNameOnlyPages) {
  for (const ManualText& text : ManualTexts()) {
    EXPECT_FALSE(text.description.empty()) << text.page;
    EXPECT_FALSE(text.statuses.empty()) << text.page;
    EXPECT_FALSE(text.see_also.empty()) << text.page;
    for (const std::string_view other : text.see_also) {
      EXPECT_NE(other, text.page);
      EXPECT_NE(FindManualText(other), nullptr) << text.page << ": " << other;
    }
  }
  EXPECT_EQ(FindManualText("rafter-rnu"), nullptr);
}

class ManualOfCommands : public ToolsProgram {};

TEST_F(ManualOfCommands, IsAskedForInThreeWays) {
  const Said own = Shell("$RAFTER run --man");
  EXPECT_EQ(own.exit_status, 0);
  EXPECT_THAT(own.out, HasSubstr("\n.TH RAFTER\\-RUN 1 "));
  EXPECT_EQ(Shell("$RAFTER help --man run").out, own.out);
  EXPECT_EQ(Shell("$RAFTER help run --man").out, own.out);
  EXPECT_THAT(Shell("$RAFTER help --man").out, HasSubstr("\n.TH RAFTER 1 "));
  EXPECT_EQ(Shell("$RAFTER --man").out, Shell("$RAFTER help --man").out);
  EXPECT_THAT(Shell("$COLLECTOR --man").out, HasSubstr("\n.TH RAFTER\\-COLLECTOR 1 "));
  EXPECT_EQ(Shell("$RAFTER report --man >/dev/full").exit_status, 1);
}

TEST_F(ManualOfCommands, DoesNotCountOrRead) {
  const Said said = Shell("$RAFTER report --man gone.rafter");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith(".\\\" Made by"));
}

TEST_F(ManualOfCommands, MisuseIsOneLine) {
  const Said more = Shell("$RAFTER help run report");
  EXPECT_EQ(more.exit_status, 2);
  EXPECT_EQ(more.err, "rafter: \"report\": not expected after help; run \"rafter --help\"\n");
  const Said collector = Shell("$COLLECTOR --socekt x");
  EXPECT_EQ(collector.exit_status, 2);
  EXPECT_THAT(collector.err, HasSubstr("did you mean --socket?); run \"rafter-collector --help\""));
}

TEST_F(ManualOfCommands, ColumnsAreToldWithoutAnyChip) {
  const Said said = Shell("RAFTER_CUPTI_PATH=/nowhere $RAFTER metrics --columns");
  EXPECT_EQ(said.exit_status, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith("| column | unit | meaning | formula | source |\n"));
  const Said both = Shell("$RAFTER metrics --columns --chip GH100");
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_THAT(both.err, HasSubstr("--columns: is the same for every chip"));
  EXPECT_THAT(both.out, Not(HasSubstr("column")));
}

}  // namespace
}  // namespace rafter
