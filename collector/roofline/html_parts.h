// HtmlParts are the files of collector/roofline/html and plotly.js as they were
// when Rafter was built. cmake/EmbedHtml.cmake writes the definition.
//
//   Threads   any.
//   Blocking  never.
//   Memory    constants of the program.
//   Lifetime  as long as the program.
#pragma once

#include <string_view>

namespace rafter {

struct HtmlParts {
  std::string_view page;            // with {{NAME}} where the others go
  std::string_view style;           // CSS
  std::string_view script;          // JavaScript of ours, all files in order
  std::string_view plotly;          // plotly.js; empty where the build had none
  std::string_view plotly_licence;  // its text, which has to go along
};

const HtmlParts& BuiltInHtmlParts();

}  // namespace rafter
