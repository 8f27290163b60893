// chart: the roofline itself, drawn by plotly.js.

const MOST_LINKED = 500; // pairs of a point and its baseline joined by a line

class Chart {
  // `chosen(item)` after a click on a point; `legend(series, alone)` after one in the legend;
  // `moved()` when the view changed.
  constructor(div, data, items, older, { chosen, legend, moved }) {
    this.div = div;
    this.data = data;
    this.frame = frameOf(
      data,
      [...items, ...older].filter((item) => item.x !== null),
    );
    this.curves = []; // by trace: its items; none for what is no point
    this.ridges = ridgesOf(data);
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
      if ("annotations" in change) return;
      this.label();
      moved();
    });
  }

  // `items`: those to draw; `older`: the baseline's, or none; `pairs`: by item, its baseline.
  async draw(items, older, pairs, named) {
    await this.ready;
    this.items = items;
    this.older = older;
    this.pairs = pairs;
    this.named = named;
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
    const crowded = items.length > MOST_OBSTACLES;
    const roofs = roofTraces(this.data, this.frame, this.colors);
    if (!crowded) roofs.forEach((trace) => add(trace));
    this.addBaseline(add);
    this.addPoints(add);
    if (crowded) roofs.forEach((trace) => add(trace));
    // Setting labels afterwards costs as much as drawing, so only where the plot has another size
    // then, as it has beside a new legend.
    const before = this.place();
    await Plotly.react(this.div, traces, this.layout());
    if (this.viewKey() !== before) await this.label();
  }

  size() {
    const count = this.items.length;
    return count <= MOST_NAMED ? 11 : count <= 120 ? 9 : count <= 1000 ? 7 : 5;
  }

  addBaseline(add) {
    if (this.older.length === 0) return;
    const links = { x: [], y: [] };
    const linked = this.items.filter((item) => this.pairs.get(item)?.x > 0);
    for (const item of linked.length <= MOST_LINKED ? linked : []) {
      const from = this.pairs.get(item);
      links.x.push(from.x, item.x, null);
      links.y.push(from.y, item.y, null);
    }
    add({ mode: "lines", ...links, line: { color: this.colors.old, width: 1 } });
    add({
      mode: "markers",
      name: "baseline",
      showlegend: true,
      x: this.older.map((item) => item.x),
      y: this.older.map((item) => item.y),
      hoverinfo: "text",
      hovertext: this.older.map((item) => `baseline: ${hoverText(item)}`),
      marker: {
        symbol: "x-thin",
        size: this.size() - 1,
        color: this.colors.old,
        line: { color: this.colors.old, width: 1.8 },
      },
    });
  }

  addPoints(add) {
    const look = { size: this.size(), colors: this.colors, pairs: this.pairs };
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
    return {
      paper_bgcolor: colors.page,
      plot_bgcolor: colors.page,
      font: { color: colors.text, family: '"DejaVu Sans", system-ui, sans-serif', size: 12 },
      margin: { l: 116, r: 24, t: 14, b: 54 },
      hovermode: "closest",
      hoverdistance: 16,
      dragmode: "zoom",
      uirevision: "view",
      annotations: this.annotations ?? [],
      hoverlabel: {
        align: "left",
        bgcolor: colors.panel,
        bordercolor: colors.border,
        font: { color: colors.text, size: 12 },
        namelength: 0,
      },
      legend: {
        itemsizing: "constant",
        bgcolor: "rgba(0,0,0,0)",
        ...(narrowness.matches ? { orientation: "h", y: -0.16, yanchor: "top" } : {}),
      },
      xaxis: axis("Arithmetic intensity [FLOP/Byte]", this.frame.x, ticks.xaxis),
      yaxis: axis("Performance", this.frame.y, ticks.yaxis),
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

  viewKey() {
    const { xaxis, yaxis } = this.div._fullLayout;
    return JSON.stringify([xaxis._length, yaxis._length, xaxis.range, yaxis.range]);
  }

  // Makes the labels of the present view; returns its key.
  place() {
    const view = this.view();
    const labels = new Labels(view, this.colors);
    labels.avoid(
      this.items.map(({ x, y }) => [x, y]),
      this.size() + 2,
    );
    const { compute, memory } = this.data;
    const place = (text, at) =>
      labels.along(text, ...at.map(([x, y]) => ({ x: view.x(x), y: view.y(y) })));
    const right = view.valueX(view.width);
    const top = highest(compute);
    const strongest = highest(memory);
    for (const roof of memory) {
      const [start, end] = [view.valueX(0), top > 0 ? top / roof.per_s : right];
      if (end > start)
        place(roofText(roof, "B/s"), [
          [start, start * roof.per_s],
          [end, end * roof.per_s],
        ]);
    }
    for (const roof of [...compute].sort((a, b) => b.per_s - a.per_s)) {
      const start = Math.max(view.valueX(0), strongest > 0 ? roof.per_s / strongest : 0);
      const level = view.y(roof.per_s);
      if (right > start && level >= 0 && level <= view.height) {
        place(roofText(roof, "FLOP/s"), [
          [start, roof.per_s],
          [right, roof.per_s],
        ]);
      }
    }
    if (this.ridges.length <= MOST_RIDGES) {
      this.ridges.forEach(({ x, y, text }) => labels.upright(text, x, y));
    }
    if (this.named) labels.names(this.items);
    this.annotations = labels.annotations;
    return this.viewKey();
  }

  label() {
    this.place();
    const { xaxis, yaxis } = this.div._fullLayout;
    const ticks = { xaxis: ticksOf(xaxis.range, ""), yaxis: ticksOf(yaxis.range, "FLOP/s") };
    const change = { annotations: this.annotations };
    // New ticks cost as much as drawing thousands of points.
    for (const axis of ["xaxis", "yaxis"]) {
      if (JSON.stringify(ticks[axis]) === JSON.stringify(this.ticks?.[axis])) continue;
      change[`${axis}.tickvals`] = ticks[axis].tickvals;
      change[`${axis}.ticktext`] = ticks[axis].ticktext;
      change[`${axis}.minor.tickvals`] = ticks[axis].minor.tickvals;
    }
    this.ticks = ticks;
    return Plotly.relayout(this.div, change);
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

  // "png" or "svg": the picture as it is seen, with title and subtitle.
  image(format, subtitle) {
    const { width, height } = this.div._fullLayout;
    const layout = { ...this.div.layout, width, height: height + 72 };
    layout.margin = { ...layout.margin, t: layout.margin.t + 72 };
    layout.title = {
      text:
        `<b>${plotText(shortText(this.data.title, 90))}</b><br>` +
        `<span style="font-size:12px">${plotText(shortText(subtitle, 150))}</span>`,
      x: 0,
      xref: "container",
      xanchor: "left",
      pad: { l: 24 },
      font: { size: 18 },
      y: 1 - 20 / (height + 72),
      yref: "container",
      yanchor: "top",
    };
    return Plotly.toImage(
      { data: this.div.data, layout },
      { format, width, height: height + 72, scale: format === "png" ? 2 : 1 },
    );
  }
}
