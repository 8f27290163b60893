#include "collector/roofline/label_placer.h"

#include <array>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

namespace rafter {
namespace {

// Distances from the marker's border at which places are tried.
constexpr std::array<double, 18> kRings = {3,   8,   14,  22,  32,  44,  58,  74,  92,
                                           112, 134, 158, 186, 220, 260, 310, 370, 450};
// Farther than this, a label needs a line to its point.
constexpr double kLeaderDistance = 10;
constexpr int kDirections = 24;
constexpr double kGap = 2;           // kept free around a label
constexpr double kCrowdRadius = 50;  // points nearer than this crowd each other
// Each further round may better a place; with many labels it takes longer than
// it is worth.
constexpr int kRounds = 3;
constexpr size_t kManyLabels = 120;

// What a leader costs, in page units of distance, for what it crosses.
constexpr double kLeaderOverLabel = 400;
constexpr double kLeaderOverMarker = 60;
constexpr double kLeaderOverLeader = 40;
constexpr size_t kNearRings = 9;
constexpr double kOverlapWeight = 1000;  // of overlapped area, in the last resort

Box CandidateBox(const LabelRequest& request, double ring, int direction) {
  // East first: a label to the right of its point reads best.
  const double angle = 2 * std::numbers::pi * direction / kDirections;
  const double reach = request.radius + ring;
  const Spot center = {request.anchor.x + std::cos(angle) * (reach + request.width / 2),
                       request.anchor.y - std::sin(angle) * (reach + request.height / 2)};
  return Around(center, request.width, request.height);
}

PlacedLabel WithLeader(const LabelRequest& request, const Box& box) {
  PlacedLabel label{box, false, {request.anchor, NearestIn(box, request.anchor)}};
  const double gap = Distance(label.leader.from, label.leader.to) - request.radius;
  label.has_leader = gap > kLeaderDistance;
  return label;
}

class Placement {
 public:
  Placement(const Box& area, const std::vector<Box>& boxes, const std::vector<Segment>& lines,
            const std::vector<LabelRequest>& requests)
      : area_(area), boxes_(boxes), lines_(lines), requests_(requests), placed_(requests.size()) {
    for (const LabelRequest& request : requests) {
      markers_.push_back(Around(request.anchor, 2 * request.radius, 2 * request.radius));
    }
  }

  std::vector<PlacedLabel> Run() {
    const std::vector<size_t> order = LeastCrowdedFirst();
    const int rounds = requests_.size() > kManyLabels ? 1 : kRounds;
    for (int round = 0; round < rounds; ++round) {
      for (const size_t i : order) {
        placed_[i].reset();
        placed_[i] = Best(i);
      }
    }
    std::vector<PlacedLabel> labels;
    for (const auto& label : placed_) labels.push_back(*label);
    return labels;
  }

 private:
  std::vector<size_t> LeastCrowdedFirst() const {
    std::vector<size_t> crowd(requests_.size());
    for (size_t i = 0; i < requests_.size(); ++i) {
      for (const LabelRequest& other : requests_) {
        crowd[i] += Distance(requests_[i].anchor, other.anchor) < kCrowdRadius ? 1 : 0;
      }
    }
    std::vector<size_t> order(requests_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return crowd[a] < crowd[b]; });
    return order;
  }

  // The cheapest free place; without one, the place with the least overlap.
  PlacedLabel Best(size_t index) const {
    std::optional<PlacedLabel> best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const double ring : kRings) {
      if (ring >= best_cost) break;
      for (int direction = 0; direction < kDirections; ++direction) {
        const Box box = CandidateBox(requests_[index], ring, direction);
        if (!Contains(area_, box) || !IsFree(index, box)) continue;
        const PlacedLabel label = WithLeader(requests_[index], box);
        const double cost = ring + LeaderCost(index, label) + DirectionCost(direction);
        if (cost < best_cost) best_cost = cost, best = label;
      }
    }
    return best ? *best : LeastBad(index);
  }

  // Near its point, since a label that covers something far away misleads.
  PlacedLabel LeastBad(size_t index) const {
    std::optional<PlacedLabel> best;
    double least = std::numeric_limits<double>::infinity();
    for (size_t ring = 0; ring < kNearRings; ++ring) {
      for (int direction = 0; direction < kDirections; ++direction) {
        const Box box = CandidateBox(requests_[index], kRings[ring], direction);
        if (!Contains(area_, box)) continue;
        const double cost = Overlapped(index, box) * kOverlapWeight + kRings[ring];
        if (cost < least) least = cost, best = WithLeader(requests_[index], box);
      }
    }
    return best ? *best : WithLeader(requests_[index], Clamped(index));
  }

  // A label that has no room beside its point at all: inside the area.
  Box Clamped(size_t index) const {
    Box box = CandidateBox(requests_[index], kRings[0], 0);
    box.left = std::max(area_.left, std::min(box.left, area_.right() - box.width));
    box.top = std::max(area_.top, std::min(box.top, area_.bottom() - box.height));
    return box;
  }

  static double DirectionCost(int direction) {
    // Right above left, and level above slanted; less than one ring's step.
    const double angle = 2 * std::numbers::pi * direction / kDirections;
    return 2 * (1 - std::cos(angle)) + 0.5 * std::fabs(std::sin(2 * angle));
  }

  bool IsFree(size_t index, const Box& box) const {
    const Box wide = Grown(box, kGap);
    const auto covered = [&](const Box& other) { return Overlap(wide, other); };
    const auto crossed = [&](const Segment& line) { return Crosses(line, wide); };
    if (std::any_of(markers_.begin(), markers_.end(), covered)) return false;
    if (std::any_of(boxes_.begin(), boxes_.end(), covered)) return false;
    if (std::any_of(lines_.begin(), lines_.end(), crossed)) return false;
    for (size_t i = 0; i < placed_.size(); ++i) {
      if (i == index || !placed_[i]) continue;
      if (Overlap(wide, placed_[i]->box)) return false;
      if (placed_[i]->has_leader && Crosses(placed_[i]->leader, box)) return false;
    }
    return true;
  }

  double Overlapped(size_t index, const Box& box) const {
    double area = 0;
    for (const Box& marker : markers_) area += OverlapArea(box, marker);
    for (const Box& other : boxes_) area += OverlapArea(box, other);
    for (const Segment& line : lines_) area += Crosses(line, box) ? box.width : 0;
    for (size_t i = 0; i < placed_.size(); ++i) {
      if (i != index && placed_[i]) area += OverlapArea(box, placed_[i]->box);
    }
    return area;
  }

  double LeaderCost(size_t index, const PlacedLabel& label) const {
    if (!label.has_leader) return 0;
    double cost = 0;
    for (size_t i = 0; i < markers_.size(); ++i) {
      if (i != index && Crosses(label.leader, markers_[i])) cost += kLeaderOverMarker;
    }
    for (const Box& other : boxes_) {
      if (Crosses(label.leader, other)) cost += kLeaderOverLabel;
    }
    for (size_t i = 0; i < placed_.size(); ++i) {
      if (i == index || !placed_[i]) continue;
      if (Crosses(label.leader, placed_[i]->box)) cost += kLeaderOverLabel;
      if (placed_[i]->has_leader && Crosses(label.leader, placed_[i]->leader)) {
        cost += kLeaderOverLeader;
      }
    }
    return cost;
  }

  const Box& area_;
  const std::vector<Box>& boxes_;
  const std::vector<Segment>& lines_;
  const std::vector<LabelRequest>& requests_;
  std::vector<Box> markers_;
  std::vector<std::optional<PlacedLabel>> placed_;
};

}  // namespace

std::vector<PlacedLabel> LabelPlacer::Place(const std::vector<LabelRequest>& requests) const {
  return Placement(area_, boxes_, lines_, requests).Run();
}

}  // namespace rafter
