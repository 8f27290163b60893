#include "collector/roofline/series.h"

#include <algorithm>
#include <array>
#include <map>

namespace rafter {
namespace {

struct ParadigmColor {
  std::string_view paradigm;
  uint32_t color;
};

// cli.md, section Charts: the seeds' colours (tab20), so that a point can be
// matched across figures.
constexpr std::array<ParadigmColor, 16> kParadigmColors = {{{"CPP", 0x1f77b4},
                                                            {"Stdpar", 0xaec7e8},
                                                            {"Vulkan", 0xff7f0e},
                                                            {"Slang-Vulkan", 0xffbb78},
                                                            {"AdaptiveCpp", 0x2ca02c},
                                                            {"Kokkos", 0xd62728},
                                                            {"Cuda", 0x9467bd},
                                                            {"Slang-Cuda", 0xc5b0d5},
                                                            {"RAJA", 0x8c564b},
                                                            {"Alpaka", 0xe377c2},
                                                            {"Cublas", 0xf7b6d2},
                                                            {"OpenACC", 0x7f7f7f},
                                                            {"OpenCL", 0xbcbd22},
                                                            {"Boost", 0xdbdb8d},
                                                            {"OpenMP", 0x17becf},
                                                            {"Hip", 0x000000}}};

// Without paradigms: colours that most colour-blind people tell apart (Okabe
// and Ito, 2008), without the yellow, which is too light on white.
constexpr std::array<uint32_t, 7> kRegionColors = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                   0xe69f00, 0x56b4e9, 0x333333};

// Shapes of what has no colour of its own; 7 colours and 8 shapes make 56 pairs.
constexpr size_t kShapes = 8;

Series ParadigmSeries(const std::string& paradigm, size_t fallback) {
  for (size_t i = 0; i < kParadigmColors.size(); ++i) {
    if (kParadigmColors[i].paradigm != paradigm) continue;
    return {paradigm, kParadigmColors[i].color, static_cast<MarkerShape>(i)};
  }
  return {paradigm.empty() ? "no paradigm" : paradigm,
          kRegionColors[fallback % kRegionColors.size()],
          static_cast<MarkerShape>(fallback % kShapes)};
}

bool HasSeveralExecutables(const std::vector<RooflinePoint>& points) {
  return std::any_of(points.begin(), points.end(), [&](const RooflinePoint& point) {
    return point.executable != points.front().executable;
  });
}

}  // namespace

SeriesOfPoints ChooseSeries(const std::vector<RooflinePoint>& points) {
  SeriesOfPoints chosen;
  chosen.by_paradigm = std::any_of(points.begin(), points.end(), [](const RooflinePoint& point) {
    return !point.paradigm.empty();
  });
  chosen.by_executable = !chosen.by_paradigm && HasSeveralExecutables(points);
  std::map<std::string, size_t> places;
  for (const RooflinePoint& point : points) {
    const std::string& key = chosen.by_paradigm     ? point.paradigm
                             : chosen.by_executable ? point.executable
                                                    : point.region;
    const auto [place, is_new] = places.try_emplace(key, chosen.series.size());
    chosen.of_point.push_back(place->second);
    if (!is_new) continue;
    const size_t index = chosen.series.size();
    if (chosen.by_paradigm) {
      chosen.series.push_back(ParadigmSeries(key, index));
    } else {
      chosen.series.push_back({key, kRegionColors[index % kRegionColors.size()],
                               static_cast<MarkerShape>(index % kShapes)});
    }
  }
  return chosen;
}

}  // namespace rafter
