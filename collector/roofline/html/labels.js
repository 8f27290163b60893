// labels: texts on the plot - of roofs, ridges and points - so that they cover neither each other
// nor points. Worked out in pixels of the plot for one view. On the page they are an SVG group of
// ours: plotly.js takes 2.5 ms for each annotation, and 200 names come with every zoom. A saved
// picture has annotations.

const MOST_RIDGES = 4;
const NAME_FONT = 11.5;
const SMALL_NAME_FONT = 10.5;
const MANY_NAMES = 60; // more points in view have smaller and shorter names
const ROOF_FONT = 12.5;
const CROWD = 400; // points, from which on they are everywhere
const NO_PLACE = 1000; // trouble of a text that covers another or leaves the plot
const STEP = 14; // between places along a line that are tried

const measure = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, size, bold) => {
    context.font = `${bold ? "bold " : ""}${size}px "DejaVu Sans", system-ui, sans-serif`;
    return context.measureText(text).width + 4;
  };
})();

const svgElement = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

class Labels {
  // `view`: {x(value), y(value): pixels in the plot, width, height}.
  constructor(view, colors) {
    this.view = view;
    this.colors = colors;
    this.obstacles = new Obstacles(view.width, view.height);
    this.inside = this.inside.bind(this);
    this.texts = []; // {kind, text, x, y: its middle, angle, size, bold, color}
    this.leaders = [];
    this.named = 0;
    this.unnamed = 0;
  }

  inside(box) {
    const { width, height } = this.view;
    return box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;
  }

  has({ x, y }) {
    return x >= 0 && y >= 0 && x <= this.view.width && y <= this.view.height;
  }

  at([x, y]) {
    return { x: this.view.x(x), y: this.view.y(y) };
  }

  // Texts keep off the marks of `items`.
  avoid(items, reachOf) {
    this.crowded ||= items.length > CROWD;
    for (const item of items) {
      const spot = this.at([item.x, item.y]);
      const reach = 2 * reachOf(item);
      if (this.has(spot)) this.obstacles.addBox(around(spot.x, spot.y, reach, reach), "marker");
    }
  }

  // And off a line between two pairs of values.
  avoidLine(from, to) {
    this.obstacles.addLine([this.at(from), this.at(to)], "line");
  }

  trouble(boxes) {
    let trouble = 0;
    for (const box of boxes) {
      if (!this.inside(box)) trouble += NO_PLACE;
      this.obstacles.some(box, (thing) => {
        if (this.obstacles.touches(thing, box)) trouble += thing.kind === "text" ? NO_PLACE : 3;
        return false;
      });
    }
    return trouble;
  }

  put(kind, text, { x, y }, more = {}) {
    const color = this.colors.text;
    this.texts.push({ kind, text, x, y, angle: 0, size: NAME_FONT, bold: false, color, ...more });
  }

  // A text along a roof of roofLines(). A level one is labelled at its right end, and has room to
  // the left of its ridge too, though not far where it may be taken for another's; a slanted one at
  // its left.
  along({ text, apart, ...line }) {
    if (text === "") return;
    const [from, to] = [line.from, line.to].map((end) => this.at(end));
    const width = measure(text, ROOF_FONT, true);
    const { view } = this;
    const slope = (to.y - from.y) / (to.x - from.x);
    const is_level = slope === 0;
    const low = is_level ? 0 : Math.max(from.x, 0, from.x + (view.height - from.y) / slope);
    const high = Math.min(to.x, view.width, is_level ? view.width : from.x - from.y / slope);
    if (high - low < 30 || (is_level && !this.has({ x: high, y: from.y }))) return;
    const angle = Math.atan(slope);
    const half = (width / 2) * Math.cos(angle);
    let best = null;
    for (const side of [-1, 1]) {
      for (let step = 8; step + 2 * half < high - low || step === 8; step += STEP) {
        const x = is_level ? high - half - step : low + half + step;
        const lift = side * (ROOF_FONT * 0.5 + 5);
        const center = {
          x: x - Math.sin(angle) * lift,
          y: from.y + (x - from.x) * slope + Math.cos(angle) * lift,
        };
        const boxes = [];
        for (let part = -0.5; part <= 0.5; part += 1 / Math.ceil(width / 14)) {
          const along = part * width;
          boxes.push(
            around(center.x + along * Math.cos(angle), center.y + along * Math.sin(angle), 14, 14),
          );
        }
        const away = is_level ? from.x - (x - half) : 0;
        const beyond = away > 0 ? 2 + (apart ? away / 15 : 0) : 0;
        const trouble = this.trouble(boxes) + (side > 0 ? 1 : 0) + beyond + step / 1000;
        if (!best || trouble < best.trouble) best = { trouble, center, boxes };
      }
    }
    if (best.trouble >= NO_PLACE) return; // it is told under the chart
    best.boxes.forEach((box) => this.obstacles.addBox(box, "text"));
    this.put("roof", text, best.center, {
      angle: (angle * 180) / Math.PI,
      size: ROOF_FONT,
      bold: true,
      color: this.colors.roof,
    });
  }

  // Upwards beside a plumb line, from the axis: the first of `texts` that has room.
  upright(texts, value) {
    const at = this.view.x(value);
    const size = NAME_FONT - 0.5;
    for (const text of texts) {
      const width = measure(text, size, false);
      for (const side of [-9, 9]) {
        const middle = { x: at + side, y: this.view.height - 8 - width / 2 };
        const box = around(middle.x, middle.y, 14, width);
        if (!this.inside(box) || !this.obstacles.isFree(box)) continue;
        this.obstacles.addBox(box, "text");
        this.put("ridge", text, middle, { angle: -90, size, color: this.colors.soft });
        return;
      }
    }
  }

  // Names beside points where there is room. `peers`: by item, what it is joined to.
  names(items, peers, reachOf) {
    const spots = items
      .map((item) => ({ ...this.at([item.x, item.y]), reach: reachOf(item), item }))
      .filter((spot) => this.has(spot));
    const [size, most] = spots.length > MANY_NAMES ? [SMALL_NAME_FONT, 26] : [NAME_FONT, 38];
    for (const spot of spots) {
      spot.text = shortText(nameOf(spot.item, peers.get(spot.item)), most) || "(no name)";
    }
    const sizeOf = (text) => [measure(text, size, false), size + 3];
    const placed = placeNames(spots, this.obstacles, this.inside, sizeOf);
    for (const { spot, box, leader } of placed) {
      this.put(
        "name",
        spot.text,
        { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 },
        { size },
      );
      if (leader) this.leaders.push(leader);
    }
    this.named = placed.length;
    this.unnamed = spots.length - placed.length;
  }

  // Draws into a group of SVG; `view` has the plot's left and top there.
  drawIn(group) {
    const { left, top } = this.view;
    const lines = this.leaders.map(([from, to]) =>
      svgElement("line", {
        class: "leader",
        x1: left + from.x,
        y1: top + from.y,
        x2: left + to.x,
        y2: top + to.y,
        stroke: this.colors.border,
      }),
    );
    const texts = this.texts.map(({ kind, text, x, y, angle, size, bold, color }) => {
      const made = svgElement("text", {
        class: `label ${kind}`,
        x: left + x,
        y: top + y,
        ...(angle ? { transform: `rotate(${angle} ${left + x} ${top + y})` } : {}),
        fill: color,
        "font-size": size,
        "font-weight": bold ? 700 : 400,
      });
      made.textContent = text;
      return made;
    });
    group.replaceChildren(...lines, ...texts);
  }

  // The same for a picture that plotly.js makes.
  asLayout() {
    const { view } = this;
    // Readable on a crowd of points too.
    const halo = this.crowded ? { bgcolor: this.colors.page, opacity: 0.9 } : {};
    return {
      annotations: this.texts.map(({ kind, text, x, y, angle, size, bold, color }) => ({
        x: Math.log10(view.valueX(x)),
        y: Math.log10(view.valueY(y)),
        text: plotText(text),
        showarrow: false,
        textangle: angle,
        font: { size, color, weight: bold ? 700 : 400 },
        ...(kind === "roof" ? halo : {}),
      })),
      shapes: this.leaders.map(([from, to]) => ({
        type: "line",
        x0: view.valueX(from.x),
        y0: view.valueY(from.y),
        x1: view.valueX(to.x),
        y1: view.valueY(to.y),
        line: { color: this.colors.border, width: 0.8 },
      })),
    };
  }
}
