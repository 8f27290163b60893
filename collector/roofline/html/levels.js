// levels: points of the same launches at several levels of the memory, joined by a line.

// [[item, ...]]: sets of at least two that are drawn, each from the least FLOP a Byte on. A level
// that a filter hides is not among them, and what remains is joined.
function joinedLevels(items) {
  const sets = new Map();
  for (const item of items) {
    if (item.levels < 0) continue;
    if (!sets.has(item.levels)) sets.set(item.levels, []);
    sets.get(item.levels).push(item);
  }
  return [...sets.values()]
    .filter((set) => set.length > 1)
    .map((set) => set.sort((a, b) => a.x - b.x));
}

// By item: all that it is joined to, itself included.
const peersOf = (sets) => new Map(sets.flatMap((set) => set.map((item) => [item, set])));

// Beside a point that is joined to a named one its level is enough; the one with most FLOP a Byte
// has the name.
function nameOf(item, set) {
  return set && item !== set[set.length - 1] ? wordOf(item, "Memory Level") : item.label;
}

// "joined to L1 at 2.1 FLOP/Byte, L2 at 5.5 FLOP/Byte"; "" for what is not joined.
function levelsText(item, set) {
  const others = (set ?? []).filter((other) => other !== item);
  if (others.length === 0) return "";
  const told = others.map(
    (other) => `${wordOf(other, "Memory Level")} at ${ratioText(other.x)} FLOP/Byte`,
  );
  return `joined to ${told.join(", ")}`;
}

// A trace for each colour.
function levelTraces(sets, colorOf) {
  const byColor = new Map();
  for (const set of sets) {
    const color = colorOf(set[0]);
    if (!byColor.has(color)) byColor.set(color, { x: [], y: [] });
    const line = byColor.get(color);
    line.x.push(...set.map(({ x }) => x), null);
    line.y.push(...set.map(({ y }) => y), null);
  }
  return [...byColor].map(([color, line]) => ({
    mode: "lines",
    name: "memory levels",
    ...line,
    line: { color, width: 1.6 },
  }));
}
