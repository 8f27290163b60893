// points: the traces of plotly.js that show rows.

const MOST_TRACES = 30; // more series are one trace with a colour for each point
const SMALL = 5; // of points this small the outlines would be all that is seen
// Of a sum whose rows have no place on the chart, so that they have no series.
const OTHER = { name: "other", color: "#7f7f7f", shape: "circle" };

// Sizes that look alike: in a size plotly.js makes some shapes much smaller than a circle.
const SHAPE_SIZES = {
  "triangle-up": 1.2,
  "triangle-down": 1.2,
  "triangle-left": 1.2,
  "triangle-right": 1.2,
  pentagon: 1.1,
  cross: 1.1,
  x: 1.15,
  star: 1.25,
  hourglass: 1.15,
  bowtie: 1.15,
  "diamond-tall": 1.3,
  "diamond-wide": 1.3,
  "star-diamond": 1.3,
};
const sizeOfShape = (shape, size) => size * (SHAPE_SIZES[shape] ?? 1);

const seriesOf = (chart, item) => chart.series[item.series] ?? OTHER;

// Colours, shapes and sizes: one of each for all `members`, or one for each of them.
function markerOf(chart, members, { size, colors }) {
  const colorOf = (item) => visible(seriesOf(chart, item).color, colors, item.hollow ? 3 : 1.5);
  const shapeOf = (item) => seriesOf(chart, item).shape;
  const [edge, hollow] = size <= SMALL ? [0.3, 1] : [0.8, 2];
  const [first] = members;
  if (members.every((item) => !item.hollow && item.series === first.series)) {
    return plainMarker(first && seriesOf(chart, first), { size, colors });
  }
  return {
    opacity: 1, // with a size for each point plotly.js would make it less
    size: members.map((item) => sizeOfShape(shapeOf(item), size)),
    color: members.map(colorOf),
    symbol: members.map((item) => shapeOf(item) + (item.hollow ? "-open" : "")),
    line: {
      width: members.map((item) => (item.hollow ? hollow : edge)),
      color: members.map((item) => (item.hollow ? colorOf(item) : colors.text)),
    },
  };
}

// Of points of one series that are all whole.
function plainMarker(series, { size, colors }) {
  const { color, shape } = series ?? OTHER;
  return {
    size: sizeOfShape(shape, size),
    color: visible(color, colors, 1.5),
    symbol: shape,
    line: { width: size <= SMALL ? 0.3 : 0.8, color: colors.text },
  };
}

// [{trace, members, series}]: a trace for each series, or one for all.
function pointTraces(chart, items, look) {
  const all = [...chart.series, OTHER];
  const apart = chart.series.length <= MOST_TRACES;
  const inLegend =
    chart.by !== "Region" ||
    (chart.series.length > 1 &&
      chart.series.length <= 12 &&
      chart.points.row.length > chart.series.length);
  const groups = new Map((apart ? all : [null]).map((series) => [series, []]));
  for (const item of items) groups.get(apart ? seriesOf(chart, item) : null).push(item);
  if (apart && groups.get(OTHER).length === 0) groups.delete(OTHER);
  return [...groups].map(([series, members]) => ({
    members,
    series,
    trace: {
      mode: "markers",
      name: series ? plotText(shortText(series.name, 26)) : "points",
      showlegend: Boolean(series) && inLegend,
      visible: members.length ? true : "legendonly",
      // A series without points keeps its place in the legend by one that is nowhere.
      x: members.length ? members.map((item) => item.x) : [null],
      y: members.length ? members.map((item) => item.y) : [null],
      hoverinfo: "text",
      hovertext: members.map((item) => hoverText(item, look)),
      marker: members.length ? markerOf(chart, members, look) : plainMarker(series, look),
    },
  }));
}

// Rings around points above their roof.
function aboveTrace(items, { size, colors }) {
  const above = items.filter((item) => item.above);
  return {
    mode: "markers",
    name: "above its roof",
    x: above.map((item) => item.x),
    y: above.map((item) => item.y),
    marker: {
      symbol: "circle-open",
      size: size + 8,
      color: colors.flag,
      line: { width: 2, color: colors.flag },
    },
  };
}
