// Message writes what Rafter itself has to say: lines with a prefix to standard
// error, results to standard output.
//
//   Threads   any; a line is one write, so lines never mix.
//   Blocking  as the terminal or pipe behind the descriptor does.
//   Memory    one line at a time.
//   Lifetime  plain functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rafter {

// Writes "rafter: LINE" to standard error, as one line whatever it holds.
void Say(std::string_view line);

// Says `line` and returns the exit status of wrong use.
int SayWrongUse(std::string_view line);

// Writes `text` to standard output. Says why and returns false when not all of
// it could be written.
bool Print(std::string_view text);

// Writes all of `bytes`; false, with errno set, when that fails.
bool WriteAll(int descriptor, std::string_view bytes);

// Columns of the terminal behind `descriptor`; 80 where there is none, or it does not tell.
size_t TerminalColumns(int descriptor);

// "1 row", "3 rows".
std::string CountText(size_t count, const char* one, const char* many);

// "Permission denied": what `error` means, without touching errno.
std::string ErrnoText(int error);

}  // namespace rafter
