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

// Every roof and ridge in words, for where the chart has no room to label them.
function roofsInWords(data) {
  const roofs = [
    ...data.memory.map((roof) => roofText(roof, "B/s")),
    ...data.compute.map((roof) => roofText(roof, "FLOP/s")),
  ];
  const ridges = ridgesOf(data).map(({ text }) => text);
  return [roofs.length ? `Roofs: ${roofs.join(", ")}` : "", ridges.join(", ")]
    .filter(Boolean)
    .join("; ");
}

// Traces of plotly.js; they reach far beyond the frame, for views that are zoomed out.
function roofTraces(data, frame, colors) {
  const { compute, memory } = data;
  const ridges = ridgesOf(data);
  const traces = [];
  const line = (x, y, kind) =>
    traces.push({
      mode: "lines",
      x,
      y,
      line: { color: colors.roof, width: 2, dash: dashOf(kind) },
    });
  const [left, right] = [10 ** (frame.x[0] - 3), 10 ** (frame.x[1] + 3)];
  const top = highest(compute);
  for (const roof of memory) {
    const end = top > 0 ? top / roof.per_s : right;
    line([left, end], [left * roof.per_s, end * roof.per_s], roof.kind);
  }
  for (const roof of compute) {
    const start = memory.length ? roof.per_s / highest(memory) : left;
    line([start, right], [roof.per_s, roof.per_s], roof.kind);
  }
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
