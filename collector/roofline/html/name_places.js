// name_places: where names of points stand, each near its point and over nothing else; one that
// stands farther away has a line to it. As label_placer.cc does it, but for names without room,
// which are left out here: hovering, the keys and the table tell them.

// Distances from the marker's border at which places are tried.
const RINGS = [3, 8, 14, 22, 32, 44, 58, 74, 92, 112, 134, 158, 186];
const DIRECTIONS = 36;
const LEADER_FROM = 10; // farther than this, a name needs a line
const NAME_GAP = 2; // kept free around a name
const EDGE = 2; // of a text's box that has no ink: a line may touch it
// Names tried in one view, those with most room first: 500 take 60 ms on two cores.
const MOST_TRIED = 500;

// What a leader costs, in pixels of distance, for what it crosses; a dearer place is none.
const OVER = { text: 400, marker: 60, leader: 40 };
const DEAREST = 260;

const TURNS = Array.from({ length: DIRECTIONS }, (_, i) => {
  const angle = (2 * Math.PI * i) / DIRECTIONS;
  // To the right of its point a name reads best, and level before slanted.
  const cost = 2 * (1 - Math.cos(angle)) + 0.5 * Math.abs(Math.sin(2 * angle));
  return { x: Math.cos(angle), y: -Math.sin(angle), cost };
});

const clamped = (value, low, high) => Math.min(Math.max(value, low), high);

// Null where the name is near enough without a line.
function leaderOf({ x, y, reach }, box) {
  const to = { x: clamped(x, box.left, box.right), y: clamped(y, box.top, box.bottom) };
  return Math.hypot(to.x - x, to.y - y) - reach > LEADER_FROM ? [{ x, y }, to] : null;
}

function leaderCost(leader, spot, obstacles) {
  let cost = 0;
  obstacles.some(boundsOf(leader), (thing) => {
    if (thing.box) {
      const own =
        thing.kind === "marker" &&
        Math.hypot(
          (thing.box.left + thing.box.right) / 2 - spot.x,
          (thing.box.top + thing.box.bottom) / 2 - spot.y,
        ) < spot.reach;
      if (!own && crossesBox(leader, grown(thing.box, -EDGE))) cost += OVER[thing.kind];
    } else if (thing.kind === "leader" && crossesLine(leader, thing.line)) {
      cost += OVER.leader;
    }
    return cost > DEAREST;
  });
  return cost;
}

// {box, leader}, or null where there is no room for less than `dearest`.
function placeOf(spot, obstacles, inside, dearest) {
  let best = null;
  let least = dearest;
  for (const ring of RINGS) {
    if (ring >= least) break;
    for (const turn of TURNS) {
      const far = spot.reach + ring;
      const box = around(
        spot.x + turn.x * (far + spot.width / 2),
        spot.y + turn.y * (far + spot.height / 2),
        spot.width,
        spot.height,
      );
      if (ring + turn.cost >= least || !inside(box)) continue;
      if (!obstacles.isFree(grown(box, NAME_GAP))) continue;
      const leader = leaderOf(spot, box);
      const cost = ring + turn.cost + (leader ? leaderCost(leader, spot, obstacles) : 0);
      if (cost < least) [least, best] = [cost, { box, leader }];
    }
  }
  return best;
}

// `spots`: {x, y, reach: of the marker, text}. Returns those with a place as {spot, box, leader},
// having added them to `obstacles`. `sizeOf(text)`: [width, height].
function placeNames(spots, obstacles, inside, sizeOf) {
  const order = spots
    .map((spot) => ({ spot, crowd: obstacles.crowdAt(spot.x, spot.y) }))
    .sort((a, b) => a.crowd - b.crowd)
    .slice(0, MOST_TRIED);
  const placed = [];
  const place = ({ spot }, dearest) => {
    const found = placeOf(spot, obstacles, inside, dearest);
    if (!found) return false;
    obstacles.addBox(found.box, "text");
    if (found.leader) obstacles.addLine(found.leader, "leader");
    placed.push({ spot, ...found });
    return true;
  };
  for (const { spot } of order) [spot.width, spot.height] = sizeOf(spot.text);
  // Names beside their points first: lines to others would take their room.
  const without = order.filter((one) => !place(one, LEADER_FROM));
  without.forEach((one) => place(one, DEAREST));
  return placed;
}
