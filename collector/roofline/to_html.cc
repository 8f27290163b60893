#include "collector/roofline/to_html.h"

#include <absl/status/status.h>

#include <array>
#include <utility>

#include "collector/roofline/chart_json.h"
#include "collector/roofline/drawable.h"
#include "collector/table/utf8.h"

namespace rafter {
namespace {

constexpr size_t kMostTitleCharacters = 200;

std::string AsHtmlText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// The template with each "{{NAME}}" replaced, once and in order: what is put in
// is not searched again, so a region may be called "{{script}}".
std::string Filled(std::string_view page,
                   const std::array<std::pair<std::string_view, std::string_view>, 6>& parts) {
  std::string filled;
  for (const auto& [mark, content] : parts) {
    const size_t at = page.find(mark);
    if (at == std::string_view::npos) continue;
    filled += page.substr(0, at);
    filled += content;
    page.remove_prefix(at + mark.size());
  }
  filled += page;
  return filled;
}

}  // namespace

bool CanMakeHtml() { return !BuiltInHtmlParts().plotly.empty(); }

std::string WhyNoHtml() {
  return "this build makes no HTML charts, since plotly.js was not at hand when it was made; "
         "run scripts/setup with a network and build again, or choose .svg, .pdf or .png";
}

absl::StatusOr<std::string> ToHtml(const HtmlChart& chart, const HtmlChart* baseline,
                                   const HtmlParts& parts) {
  if (parts.plotly.empty()) return absl::FailedPreconditionError(WhyNoHtml());
  const absl::StatusOr<Roofline> drawable = Drawable(chart.roofline);
  if (!drawable.ok()) return drawable.status();
  const std::string title = AsHtmlText(OneLine(drawable->title, kMostTitleCharacters));
  const std::string data = ChartJson({*drawable, chart.table, chart.name}, baseline);
  return Filled(parts.page, {{{"{{title}}", title},
                              {"{{style}}", parts.style},
                              {"{{licence}}", AsHtmlText(parts.plotly_licence)},
                              {"{{data}}", data},
                              {"{{plotly}}", parts.plotly},
                              {"{{script}}", parts.script}}});
}

}  // namespace rafter
