# Writes the definition of HtmlParts (collector/roofline/html_parts.h):
#   cmake -DOUTPUT=FILE.cc -DPAGE=.. -DSTYLE=.. "-DSCRIPT=A.js|B.js" -DPLOTLY=.. -DLICENCE=..
#         -P EmbedHtml.cmake
# PLOTLY and LICENCE may be empty. Each file becomes one array of characters,
# written as hexadecimal escapes: no byte means anything else in a C++ string then.

# hex_of(VARIABLE FILE...): the bytes of the files, one after the other.
function(hex_of variable)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ "${file}" hex HEX)
    string(APPEND all "${hex}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

function(write_array name)
  hex_of(hex ${ARGN})
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" text "${hex}")
  # Lines of 64 bytes; neighbouring strings are one.
  string(REPEAT "[^\"\n]" 256 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n\"" text "${text}")
  file(APPEND "${OUTPUT}.new" "constexpr char ${name}[] =\n\"${text}\";\n\n")
endfunction()

string(REPLACE "|" ";" SCRIPT "${SCRIPT}")
file(WRITE "${OUTPUT}.new"
  "// Written by cmake/EmbedHtml.cmake.\n#include \"collector/roofline/html_parts.h\"\n\n"
  "namespace rafter {\nnamespace {\n\n")
write_array(kPage ${PAGE})
write_array(kStyle ${STYLE})
write_array(kScript ${SCRIPT})
write_array(kPlotly ${PLOTLY})
write_array(kLicence ${LICENCE})
file(APPEND "${OUTPUT}.new"
  "template <size_t size>\nconstexpr std::string_view Whole(const char (&text)[size]) {\n"
  "  return {text, size - 1};\n}\n\n}  // namespace\n\n"
  "const HtmlParts& BuiltInHtmlParts() {\n"
  "  static constexpr HtmlParts parts{Whole(kPage), Whole(kStyle), Whole(kScript),\n"
  "                                   Whole(kPlotly), Whole(kLicence)};\n"
  "  return parts;\n}\n\n}  // namespace rafter\n")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
