// chart: the roofline itself, drawn by plotly.js.

const MOST_LINKED = 500; // pairs of a point and its baseline joined by a line
// Of a picture's heading, in pixels: the title, and each line under it.
const HEAD = 48;
const LINE = 18;
// A point that stands for itself: neither a baseline nor other levels.
const NO_OTHERS = { pairs: new Map(), peers: new Map() };

class Chart {
  // `chosen(item)` after a click on a point; `legend(series, alone)` after one in the legend;
  // `moved()` when the view changed; `labelled(labels)` when it got its texts.
  // `alsoTold`: columns that are told of each point besides those that always are.
  constructor(div, data, items, older, { alsoTold, chosen, legend, moved, labelled }) {
    Object.assign(this, { div, data, alsoTold, labelled });
    this.frame = frameOf(
      data,
      [...items, ...older].filter((item) => item.x !== null),
    );
    this.curves = []; // by trace: its items; none for what is no point
    this.ready = this.start(chosen, legend, moved);
  }

  async start(chosen, legend, moved) {
    await Plotly.newPlot(this.div, [], this.layout(), {
      responsive: true,
      displayModeBar: false,
      doubleClick: "reset",
      showTips: false,
    });
    this.div.on("plotly_click", ({ points: [point] }) => {
      const item = this.curves[point.curveNumber]?.[point.pointNumber];
      if (item) chosen(item);
    });
    this.div.on("plotly_legendclick", ({ curveNumber }) => {
      legend(this.series[curveNumber], false);
      return false;
    });
    this.div.on("plotly_legenddoubleclick", ({ curveNumber }) => {
      legend(this.series[curveNumber], true);
      return false;
    });
    this.div.on("plotly_relayout", (change) => {
      if (Object.keys(change).some((name) => name.endsWith(".tickvals"))) return;
      this.retick().then(() => {
        this.label();
        moved();
      });
    });
  }

  // `items`: those to draw; `older`: the baseline's, or none; `pairs`: by item, its baseline;
  // `roofs`: those to draw; `named`: whether points have names.
  async draw({ items, older, pairs, roofs, named }) {
    await this.ready;
    Object.assign(this, { items, older, pairs, roofs, named });
    this.ridges = ridgesOf(roofs);
    this.sets = joinedLevels(items);
    this.peers = peersOf(this.sets);
    this.colors = theme();
    const traces = [];
    this.curves = [];
    this.series = [];
    const add = (trace, members, series) => {
      traces.push({ type: "scatter", hoverinfo: "skip", showlegend: false, ...trace });
      this.curves.push(members ?? []);
      this.series.push(series);
    };
    // Lines would vanish under thousands of points.
    const crowded = items.length > CROWD;
    const lines = roofTraces(roofs, this.frame, this.colors);
    if (!crowded) lines.forEach((trace) => add(trace));
    this.addBaseline(add);
    this.addPoints(add);
    if (crowded) lines.forEach((trace) => add(trace));
    await Plotly.react(this.div, traces, this.layout());
    // The first plot in a new size has ticks for another one.
    await this.retick();
    this.label();
  }

  size() {
    const count = this.items.length;
    return count <= 40 ? 11 : count <= 120 ? 9 : count <= 1000 ? 7 : 5;
  }

  // [[from, to]]: an item and its baseline, as far as they are joined.
  links() {
    const linked = this.items.filter((item) => this.pairs.get(item)?.x > 0);
    if (this.older.length === 0 || linked.length > MOST_LINKED) return [];
    return linked.map((item) => [this.pairs.get(item), item]);
  }

  addBaseline(add) {
    if (this.older.length === 0) return;
    const alone = { ...NO_OTHERS, alsoTold: this.alsoTold };
    const links = { x: [], y: [] };
    for (const [from, to] of this.links()) {
      links.x.push(from.x, to.x, null);
      links.y.push(from.y, to.y, null);
    }
    add({ mode: "lines", ...links, line: { color: this.colors.old, width: 1 } });
    add({
      mode: "markers",
      name: "baseline",
      showlegend: true,
      x: this.older.map((item) => item.x),
      y: this.older.map((item) => item.y),
      hoverinfo: "text",
      hovertext: this.older.map((item) => `baseline: ${hoverText(item, alone)}`),
      marker: {
        symbol: "x-thin",
        size: this.size() - 1,
        color: this.colors.old,
        line: { color: this.colors.old, width: 1.8 },
      },
    });
  }

  addPoints(add) {
    const { colors, pairs, peers, alsoTold } = this;
    const look = { size: this.size(), colors, pairs, peers, alsoTold };
    const colorOf = (item) => visible(seriesOf(this.data.chart, item).color, colors, 1.5);
    levelTraces(this.sets, colorOf).forEach((trace) => add(trace));
    for (const { trace, members, series } of pointTraces(this.data.chart, this.items, look)) {
      add(trace, members, series);
    }
    add(aboveTrace(this.items, look));
  }

  layout() {
    const colors = this.colors ?? theme();
    const axis = (title, range, ticks) => ({
      type: "log",
      title: { text: title, standoff: 10 },
      range: [...range],
      gridcolor: colors.line,
      tickmode: "array",
      tickvals: ticks.tickvals,
      ticktext: ticks.ticktext,
      minor: {
        showgrid: true,
        gridcolor: colors.fine,
        ticks: "",
        tickmode: "array",
        ...ticks.minor,
      },
      linecolor: colors.border,
      showline: true,
      mirror: true,
      zeroline: false,
      ticks: "outside",
      tickcolor: colors.border,
    });
    this.ticks ??= {
      xaxis: ticksOf(this.frame.x, ""),
      yaxis: ticksOf(this.frame.y, "FLOP/s"),
    };
    const { ticks } = this;
    const narrow = narrowness.matches;
    return {
      paper_bgcolor: colors.page,
      plot_bgcolor: colors.page,
      font: { color: colors.text, family: '"DejaVu Sans", system-ui, sans-serif', size: 12 },
      margin: { l: narrow ? 84 : 116, r: narrow ? 10 : 24, t: 14, b: 54 },
      hovermode: "closest",
      hoverdistance: 16,
      dragmode: "zoom",
      uirevision: "view",
      hoverlabel: {
        align: "left",
        bgcolor: colors.panel,
        bordercolor: colors.border,
        font: { color: colors.text, size: 12 },
        namelength: 0,
      },
      legend: {
        // The marks of thousands of points are too small for a legend.
        itemsizing: this.items?.length > 1000 ? "constant" : "trace",
        bgcolor: "rgba(0,0,0,0)",
        ...(narrow ? { orientation: "h", y: -0.16, yanchor: "top" } : {}),
      },
      xaxis: axis("Arithmetic intensity [FLOP/Byte]", this.frame.x, ticks.xaxis),
      yaxis: axis(narrow ? "" : "Performance [FLOP/s]", this.frame.y, ticks.yaxis),
    };
  }

  // Pixels in the plot of values, and back.
  view() {
    const { xaxis, yaxis } = this.div._fullLayout;
    return {
      left: xaxis._offset,
      top: yaxis._offset,
      width: xaxis._length,
      height: yaxis._length,
      x: (value) => xaxis.d2p(value),
      y: (value) => yaxis.d2p(value),
      valueX: (pixel) => xaxis.p2d(pixel),
      valueY: (pixel) => yaxis.p2d(pixel),
    };
  }

  // Texts for the present view. `named` and `unnamed` then say how many of its points have names.
  label() {
    const view = this.view();
    const labels = new Labels(view, this.colors);
    const reachOf = (item) => (this.size() + (item.above ? 10 : 3)) / 2;
    labels.avoid(this.items, reachOf);
    labels.avoid(this.older, reachOf);
    labels.avoid(this.ridges, () => 6);
    const spotOf = ({ x, y }) => [x, y];
    const joins = this.sets.flatMap((set) => set.slice(1).map((item, i) => [set[i], item]));
    for (const [from, to] of [...joins, ...this.links()]) {
      labels.avoidLine(spotOf(from), spotOf(to));
    }
    const lines = roofLines(this.roofs, [view.valueX(0), view.valueX(view.width)]);
    const few = this.ridges.length <= MOST_RIDGES;
    lines.forEach(({ from, to }) => labels.avoidLine(from, to));
    if (few)
      this.ridges.forEach(({ x, y }) => labels.avoidLine([x, y], [x, view.valueY(view.height)]));
    inOrderOfLabels(lines).forEach((line) => labels.along(line));
    if (few) this.ridges.forEach(({ x, text, short }) => labels.upright([text, short], x));
    if (this.named) labels.names(this.items, this.peers, reachOf);
    labels.drawIn(this.labelGroup());
    this.labels = labels;
    this.labelled(labels);
  }

  // Over the points, under what hovering shows.
  labelGroup() {
    const layer = this.div.querySelector(".infolayer");
    const group =
      layer.querySelector(".labels") ?? svgElement("g", { class: "labels", "aria-hidden": "true" });
    if (group.parentNode !== layer) layer.append(group);
    return group;
  }

  // New ticks cost as much as drawing thousands of points, so only where they are others.
  retick() {
    const { xaxis, yaxis } = this.div._fullLayout;
    const ticks = { xaxis: ticksOf(xaxis.range, ""), yaxis: ticksOf(yaxis.range, "FLOP/s") };
    const change = {};
    for (const axis of ["xaxis", "yaxis"]) {
      if (JSON.stringify(ticks[axis]) === JSON.stringify(this.ticks?.[axis])) continue;
      change[`${axis}.tickvals`] = ticks[axis].tickvals;
      change[`${axis}.ticktext`] = ticks[axis].ticktext;
      change[`${axis}.minor.tickvals`] = ticks[axis].minor.tickvals;
    }
    this.ticks = ticks;
    return Object.keys(change).length ? Plotly.relayout(this.div, change) : Promise.resolve();
  }

  // Where an item stands in the div; null when it is out of view.
  spot(item) {
    const view = this.view();
    const [x, y] = [view.x(item.x), view.y(item.y)];
    if (!(x >= 0 && y >= 0 && x <= view.width && y <= view.height)) return null;
    return { x: x + view.left, y: y + view.top };
  }

  hover(item) {
    const curveNumber = this.curves.findIndex((members) => members.includes(item));
    if (curveNumber < 0 || !this.spot(item)) {
      Plotly.Fx.unhover(this.div);
      return;
    }
    Plotly.Fx.hover(this.div, [
      { curveNumber, pointNumber: this.curves[curveNumber].indexOf(item) },
    ]);
  }

  reset() {
    return Plotly.relayout(this.div, {
      "xaxis.range": [...this.frame.x],
      "yaxis.range": [...this.frame.y],
    });
  }

  // Shows an item in the middle where it was out of view; `factor` below 1 comes nearer.
  zoom(factor, item) {
    const { xaxis, yaxis } = this.div._fullLayout;
    const around = (range, value) => {
      const middle = value === undefined ? (range[0] + range[1]) / 2 : Math.log10(value);
      const half = ((range[1] - range[0]) / 2) * factor;
      return [middle - half, middle + half];
    };
    return Plotly.relayout(this.div, {
      "xaxis.range": around(xaxis.range, item?.x),
      "yaxis.range": around(yaxis.range, item?.y),
    });
  }

  // To the size that the page gives it now.
  refit() {
    return Plotly.relayout(this.div, { autosize: true });
  }

  // "png" or "svg": the picture as it is seen, under its title and further `lines`.
  image(format, lines) {
    const { width, height } = this.div._fullLayout;
    const head = HEAD + LINE * lines.length;
    const { annotations, shapes } = this.labels.asLayout();
    const { margin } = this.div.layout;
    // Each line by itself: other programs than browsers set lines of one text over each other.
    const write = (text, size, top) => ({
      text,
      font: { size },
      align: "left",
      x: 0,
      xref: "paper",
      xanchor: "left",
      xshift: 24 - margin.l,
      y: 1,
      yref: "paper",
      yanchor: "top",
      yshift: head + margin.t - top,
      showarrow: false,
    });
    const heading = [
      write(`<b>${plotText(shortText(this.data.title, 90))}</b>`, 18, 12),
      ...lines.map((line, i) => write(plotText(shortText(line, 150)), 12, 42 + LINE * i)),
    ];
    const layout = {
      ...this.div.layout,
      annotations: [...heading, ...annotations],
      shapes,
      width,
      height: height + head,
      margin: { ...margin, t: margin.t + head },
    };
    return Plotly.toImage(
      { data: this.div.data, layout },
      { format, width, height: height + head, scale: format === "png" ? 2 : 1 },
    );
  }
}
