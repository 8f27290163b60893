// obstacles: boxes and lines in pixels of the plot, found by where they are, so that a place for a
// label among 10,000 points is tried against its neighbours only.

const CELL = 32; // pixels

const overlap = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const around = (x, y, width, height) => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});
const grown = ({ left, right, top, bottom }, by) => ({
  left: left - by,
  right: right + by,
  top: top - by,
  bottom: bottom + by,
});
const boundsOf = ([from, to]) => ({
  left: Math.min(from.x, to.x),
  right: Math.max(from.x, to.x),
  top: Math.min(from.y, to.y),
  bottom: Math.max(from.y, to.y),
});

// Whether a line [{x, y}, {x, y}] has a point in a box.
function crossesBox([from, to], box) {
  let [first, last] = [0, 1]; // the part of the line that is left
  for (const [start, by, low, high] of [
    [from.x, to.x - from.x, box.left, box.right],
    [from.y, to.y - from.y, box.top, box.bottom],
  ]) {
    if (by === 0) {
      if (start <= low || start >= high) return false;
      continue;
    }
    const [one, two] = [(low - start) / by, (high - start) / by];
    first = Math.max(first, Math.min(one, two));
    last = Math.min(last, Math.max(one, two));
  }
  return first < last;
}

// Whether two lines cross.
function crossesLine([a, b], [c, d]) {
  const side = (from, to, spot) =>
    Math.sign((to.x - from.x) * (spot.y - from.y) - (to.y - from.y) * (spot.x - from.x));
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

class Obstacles {
  constructor(width, height) {
    this.columns = Math.ceil(width / CELL) + 1;
    this.lines = Math.ceil(height / CELL) + 1;
    this.cells = new Map();
    this.search = 0;
  }

  // `kind`: "marker", "text", "line" or "leader".
  addBox(box, kind) {
    const thing = { box, kind, seen: 0 };
    for (const key of this.keysOf(box)) this.addTo(key, thing);
  }

  addLine(line, kind) {
    const thing = { line, kind, seen: 0 };
    for (const key of this.keysOf(boundsOf(line))) {
      const left = (key % this.columns) * CELL;
      const top = Math.floor(key / this.columns) * CELL;
      const cell = { left, top, right: left + CELL, bottom: top + CELL };
      if (crossesBox(line, grown(cell, 1))) this.addTo(key, thing);
    }
  }

  addTo(key, thing) {
    const cell = this.cells.get(key);
    if (cell) cell.push(thing);
    else this.cells.set(key, [thing]);
  }

  // Of the plot's cells; what lies outside it is in none.
  *keysOf({ left, right, top, bottom }) {
    const last = Math.min(Math.floor(right / CELL), this.columns - 1);
    const lowest = Math.min(Math.floor(bottom / CELL), this.lines - 1);
    for (let y = Math.max(Math.floor(top / CELL), 0); y <= lowest; ++y) {
      for (let x = Math.max(Math.floor(left / CELL), 0); x <= last; ++x) yield y * this.columns + x;
    }
  }

  // Calls `visit` with each thing that may touch the box, until it returns true.
  some(box, visit) {
    const search = ++this.search;
    for (const key of this.keysOf(box)) {
      for (const thing of this.cells.get(key) ?? []) {
        if (thing.seen === search) continue;
        thing.seen = search;
        if (visit(thing)) return true;
      }
    }
    return false;
  }

  touches(thing, box) {
    return thing.box ? overlap(thing.box, box) : crossesBox(thing.line, box);
  }

  isFree(box) {
    return !this.some(box, (thing) => this.touches(thing, box));
  }

  // How many markers are in the cells around a spot.
  crowdAt(x, y) {
    let count = 0;
    for (const key of this.keysOf(around(x, y, 2 * CELL, 2 * CELL))) {
      count += this.cells.get(key)?.length ?? 0;
    }
    return count;
  }
}
