// roofs: the lines that bound performance, and the ridge points where they meet.

const DASHES = { FP64: "dash", L2: "dash", FP16: "dashdot", L1: "dashdot" };
const dashOf = (kind) => DASHES[kind] ?? (kind.startsWith("Tensor") ? "dot" : "solid");

// "NVIDIA H200 FP32"; the hardware where roofs are of several.
const whose = (hardware, kind) =>
  hardware === null ? kind : `${hardware || "unnamed hardware"} ${kind}`.trim();

const roofText = (roof, unit) =>
  `${whose(roof.hardware, roof.kind)} ${siText(roof.per_s, unit)} (${roof.origin})`.trim();

// Whether two roofs bound the same rows.
const meet = (a, b) => a.hardware === null || b.hardware === null || a.hardware === b.hardware;

// Of each compute roof and each memory roof of its hardware.
const ridgesOf = ({ compute, memory }) =>
  compute.flatMap((roof) =>
    memory
      .filter((under) => meet(roof, under))
      .map((under) => ({
        x: roof.per_s / under.per_s,
        y: roof.per_s,
        look: roof.look,
        text: ridgeText(roof, under),
        short: `${ratioText(roof.per_s / under.per_s)} FLOP/Byte`,
      })),
  );

function ridgeText(roof, under) {
  const over = whose(roof.hardware ?? under.hardware, roof.kind);
  const where = [over, under.kind].filter(Boolean).join(" at ");
  return `ridge ${where}: ${ratioText(roof.per_s / under.per_s)} FLOP/Byte`;
}

const highest = (roofs) => roofs.reduce((most, roof) => Math.max(most, roof.per_s), 0);

// How roofs of one hardware look: greys that differ in lightness, and widths, as in ../roofs.cc.
// `color` is a name of theme(). The first is that of roofs that bound all rows.
const LOOKS = [
  { color: "roof", width: 2 },
  { color: "roof2", width: 4 },
  { color: "roof", width: 1 },
  { color: "roof3", width: 6.5 },
  { color: "roof2", width: 1.5 },
];

// Gives each roof of the page's data its look.
function giveLooks({ compute, memory, hardware }) {
  const roofs = [...compute, ...memory];
  const first = hardware.length > 0 && roofs.some((roof) => roof.hardware === null) ? 1 : 0;
  for (const roof of roofs) {
    roof.look = LOOKS[roof.hardware === null ? 0 : hardware.indexOf(roof.hardware) + first];
  }
}

// Those of hardware, precisions and memory levels that are shown.
function roofsShown({ compute, memory }, filters) {
  const shown = (column) => (roof) =>
    !filters.hides(column, roof.kind) &&
    (roof.hardware === null || !filters.hides("Hardware", roof.hardware));
  return {
    compute: compute.filter(shown("Precision")),
    memory: memory.filter(shown("Memory Level")),
  };
}

// Every roof and ridge in words, for where the chart has no room to label them.
function roofsInWords(shown) {
  const roofs = [
    ...shown.memory.map((roof) => roofText(roof, "B/s")),
    ...shown.compute.map((roof) => roofText(roof, "FLOP/s")),
  ];
  const ridges = ridgesOf(shown).map(({ text }) => text);
  return [roofs.length ? `Roofs: ${roofs.join(", ")}` : "", ridges.join(", ")]
    .filter(Boolean)
    .join("; ");
}

// The label of a compute roof names all of its hardware that are as high; "" for a roof that
// another's names.
function computeText(roof, all) {
  const same = all.filter((one) =>
    ["per_s", "origin", "hardware"].every((name) => one[name] === roof[name]),
  );
  if (same[0] !== roof) return "";
  return roofText({ ...roof, kind: same.map(({ kind }) => kind).join(", ") }, "FLOP/s");
}

// [{text, kind, look, apart, from, to}] between two intensities, from left to right; ends are
// [x, y]. `apart`: there are roofs of other hardware, for which it must not be taken.
function roofLines({ compute, memory }, [left, right]) {
  const slanted = memory.map((roof) => {
    const top = highest(compute.filter((over) => meet(over, roof)));
    const end = top > 0 ? top / roof.per_s : right;
    return {
      text: roofText(roof, "B/s"),
      kind: roof.kind,
      look: roof.look,
      apart: roof.hardware !== null,
      from: [left, left * roof.per_s],
      to: [end, end * roof.per_s],
    };
  });
  const level = [...compute]
    .sort((a, b) => b.per_s - a.per_s)
    .map((roof) => {
      const strongest = highest(memory.filter((under) => meet(roof, under)));
      return {
        text: computeText(roof, compute),
        kind: roof.kind,
        look: roof.look,
        apart: roof.hardware !== null,
        from: [Math.max(left, strongest > 0 ? roof.per_s / strongest : left), roof.per_s],
        to: [right, roof.per_s],
      };
    });
  return [...slanted, ...level].filter(({ from, to }) => from[0] < to[0]);
}

// Of several kinds of hardware the level ones first: they lie near each other at the right, and
// have fewer places.
function inOrderOfLabels(lines) {
  const is_first = ({ apart, from, to }) => apart && from[1] === to[1];
  return [...lines.filter(is_first), ...lines.filter((line) => !is_first(line))];
}

// Traces of plotly.js; they reach far beyond the frame, for views that are zoomed out.
function roofTraces(roofs, frame, colors) {
  const ridges = ridgesOf(roofs);
  const ends = [10 ** (frame.x[0] - 3), 10 ** (frame.x[1] + 3)];
  // The widest first, so that none hides another that it lies on.
  const lines = roofLines(roofs, ends).sort((a, b) => b.look.width - a.look.width);
  const traces = lines.map(({ kind, look, from, to }) => ({
    mode: "lines",
    name: "roof",
    x: [from[0], to[0]],
    y: [from[1], to[1]],
    line: { color: colors[look.color], width: look.width, dash: dashOf(kind) },
  }));
  const bottom = 10 ** (frame.y[0] - 6);
  for (const { x, y } of ridges.length <= MOST_RIDGES ? ridges : []) {
    traces.push({
      mode: "lines",
      x: [x, x],
      y: [bottom, y],
      line: { color: colors.border, width: 1, dash: "dot" },
    });
  }
  traces.push({
    mode: "markers",
    name: "ridge points",
    x: ridges.map(({ x }) => x),
    y: ridges.map(({ y }) => y),
    hoverinfo: "text",
    hovertext: ridges.map(({ text }) => plotText(text)),
    marker: {
      symbol: "circle",
      size: 8,
      color: colors.page,
      line: { color: ridges.map(({ look }) => colors[look.color]), width: 2 },
    },
  });
  return traces;
}
