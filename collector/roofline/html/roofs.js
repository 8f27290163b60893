// roofs: the lines that bound performance, and the ridge points where they meet.

const DASHES = { FP64: "dash", L2: "dash", FP16: "dashdot", L1: "dashdot" };
const dashOf = (kind) => DASHES[kind] ?? (kind.startsWith("Tensor") ? "dot" : "solid");

const roofText = (roof, unit) => `${roof.kind} ${siText(roof.per_s, unit)} (${roof.origin})`.trim();

// Of each compute roof and each memory roof.
const ridgesOf = ({ compute, memory }) =>
  compute.flatMap((roof) =>
    memory.map((under) => ({
      x: roof.per_s / under.per_s,
      y: roof.per_s,
      text:
        `ridge ${[roof.kind, under.kind].filter(Boolean).join(" at ")}: ` +
        `${ratioText(roof.per_s / under.per_s)} FLOP/Byte`,
    })),
  );

const highest = (roofs) => roofs.reduce((most, roof) => Math.max(most, roof.per_s), 0);

// Those of precisions and memory levels that are shown.
function roofsShown({ compute, memory }, filters) {
  return {
    compute: compute.filter(({ kind }) => !filters.hides("Precision", kind)),
    memory: memory.filter(({ kind }) => !filters.hides("Memory Level", kind)),
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

// The label of a compute roof names all that are as high; "" for a roof that another's names.
function computeText(roof, all) {
  const same = all.filter((one) => one.per_s === roof.per_s && one.origin === roof.origin);
  if (same[0] !== roof) return "";
  return roofText({ ...roof, kind: same.map(({ kind }) => kind).join(", ") }, "FLOP/s");
}

// [{text, kind, from, to}] between two intensities, from left to right; ends are [x, y].
function roofLines({ compute, memory }, [left, right]) {
  const top = highest(compute);
  const strongest = highest(memory);
  const slanted = memory.map((roof) => {
    const end = top > 0 ? top / roof.per_s : right;
    return {
      text: roofText(roof, "B/s"),
      kind: roof.kind,
      from: [left, left * roof.per_s],
      to: [end, end * roof.per_s],
    };
  });
  const level = [...compute]
    .sort((a, b) => b.per_s - a.per_s)
    .map((roof) => ({
      text: computeText(roof, compute),
      kind: roof.kind,
      from: [Math.max(left, strongest > 0 ? roof.per_s / strongest : left), roof.per_s],
      to: [right, roof.per_s],
    }));
  return [...slanted, ...level].filter(({ from, to }) => from[0] < to[0]);
}

// Traces of plotly.js; they reach far beyond the frame, for views that are zoomed out.
function roofTraces(roofs, frame, colors) {
  const ridges = ridgesOf(roofs);
  const ends = [10 ** (frame.x[0] - 3), 10 ** (frame.x[1] + 3)];
  const traces = roofLines(roofs, ends).map(({ kind, from, to }) => ({
    mode: "lines",
    x: [from[0], to[0]],
    y: [from[1], to[1]],
    line: { color: colors.roof, width: 2, dash: dashOf(kind) },
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
      line: { color: colors.roof, width: 2 },
    },
  });
  return traces;
}
