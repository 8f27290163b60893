// points: the traces of plotly.js that show rows.

const MOST_TRACES = 30; // more series are one trace with a colour for each point
const SMALL = 5; // of points this small the outlines would be all that is seen
// Of a sum whose rows have no place on the chart, so that they have no series.
const OTHER = { name: "other", color: "#7f7f7f", shape: "circle" };

// Colours and shapes: one of each for all `members`, or one for each of them.
function markerOf(members, seriesOf, { size, colors }) {
  const colorOf = (item) => visible(seriesOf(item).color, colors, item.hollow ? 3 : 1.5);
  const shapeOf = (item) => seriesOf(item).shape + (item.hollow ? "-open" : "");
  const [edge, hollow] = size <= SMALL ? [0.3, 1] : [0.8, 2];
  const first = members[0];
  if (members.every((item) => !item.hollow && item.series === first.series)) {
    const [color, symbol] = first ? [colorOf(first), shapeOf(first)] : [];
    return { size, color, symbol, line: { width: edge, color: colors.text } };
  }
  return {
    size,
    color: members.map(colorOf),
    symbol: members.map(shapeOf),
    line: {
      width: members.map((item) => (item.hollow ? hollow : edge)),
      color: members.map((item) => (item.hollow ? colorOf(item) : colors.text)),
    },
  };
}

// [{trace, members, series}]: a trace for each series, or one for all.
function pointTraces(chart, items, look) {
  const all = [...chart.series, OTHER];
  const seriesOf = (item) => all[item.series] ?? OTHER;
  const apart = chart.series.length <= MOST_TRACES;
  const inLegend =
    chart.by === "Paradigm" ||
    (chart.series.length > 1 &&
      chart.series.length <= 12 &&
      chart.points.row.length > chart.series.length);
  const groups = new Map((apart ? all : [null]).map((series) => [series, []]));
  for (const item of items) groups.get(apart ? seriesOf(item) : null).push(item);
  if (apart && groups.get(OTHER).length === 0) groups.delete(OTHER);
  return [...groups].map(([series, members]) => {
    const marker = markerOf(members, seriesOf, look);
    if (members.length === 0) {
      Object.assign(marker, {
        color: visible(series.color, look.colors, 1.5),
        symbol: series.shape,
      });
    }
    return {
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
        hovertext: members.map((item) => hoverText(item, look.pairs.get(item))),
        marker,
      },
    };
  });
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
