// labels: where names of roofs, ridges and points stand, so that they cover neither each other nor
// points. Worked out in pixels of the plot for one view; given to plotly.js as annotations.

const MOST_NAMED = 40; // more points in view are told by hover, keys and the table
const MOST_OBSTACLES = 400; // more points than this are everywhere: nothing avoids them
const MOST_RIDGES = 4;
const NAME_FONT = 11.5;
const ROOF_FONT = 12.5;

const measure = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, size, bold) => {
    context.font = `${bold ? "bold " : ""}${size}px "DejaVu Sans", system-ui, sans-serif`;
    return context.measureText(text).width + 4;
  };
})();

const overlap = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const around = (x, y, width, height) => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});

class Labels {
  // `view`: {x(value), y(value): pixels in the plot, width, height}.
  constructor(view, colors) {
    this.view = view;
    this.colors = colors;
    this.taken = [];
    this.markers = [];
    this.lines = []; // {x, y, slope}: [from, to] in x, y at from; plumb lines: slope null
    this.annotations = [];
  }

  inside(box) {
    return (
      box.left >= 0 &&
      box.top >= 0 &&
      box.right <= this.view.width &&
      box.bottom <= this.view.height
    );
  }

  avoid(points, size) {
    const seen = points
      .map(([x, y]) => [this.view.x(x), this.view.y(y)])
      .filter(([x, y]) => x >= 0 && y >= 0 && x <= this.view.width && y <= this.view.height);
    this.crowded = seen.length > MOST_OBSTACLES;
    if (this.crowded) return;
    this.markers = seen.map(([x, y]) => around(x, y, size, size));
  }

  crosses(box, { x: [from, to], y, slope }) {
    if (slope === null) return box.left < from && from < box.right && box.bottom > y;
    if (box.right < from || box.left > to) return false;
    const above = [box.left, box.right].flatMap((x) => {
      const at = y + (x - from) * slope;
      return [box.top < at, box.bottom < at];
    });
    return above.includes(true) && above.includes(false);
  }

  trouble(boxes) {
    let trouble = 0;
    for (const box of boxes) {
      if (!this.inside(box)) trouble += 20;
      for (const other of this.taken) if (overlap(box, other)) trouble += 10;
      for (const other of this.markers) if (overlap(box, other)) trouble += 3;
    }
    return trouble;
  }

  put(text, at, more) {
    this.annotations.push({
      x: Math.log10(at[0]),
      y: Math.log10(at[1]),
      text: plotText(text),
      showarrow: false,
      font: { size: NAME_FONT, color: this.colors.text },
      captureevents: false,
      ...more,
    });
  }

  // A text along a roof that goes through two points of the page, left to right.
  // A level one is labelled at its right end, a slanted one at its left.
  along(text, from, to) {
    const width = measure(text, ROOF_FONT, true);
    const { view } = this;
    const slope = (to.y - from.y) / (to.x - from.x);
    const low = Math.max(from.x, 0, slope === 0 ? 0 : from.x + (view.height - from.y) / slope);
    const high = Math.min(to.x, view.width, slope === 0 ? view.width : from.x - from.y / slope);
    if (high - low < 30) return;
    this.lines.push({ x: [from.x, to.x], y: from.y, slope });
    const angle = Math.atan(slope);
    const half = (width / 2) * Math.cos(angle);
    let best = null;
    for (const side of [-1, 1]) {
      for (let step = 8; step + 2 * half < high - low || step === 8; step += 14) {
        const x = slope === 0 ? high - half - step : low + half + step;
        const lift = side * (ROOF_FONT * 0.5 + 5);
        const center = {
          x: x - Math.sin(angle) * lift,
          y: from.y + (x - from.x) * slope + Math.cos(angle) * lift,
        };
        const boxes = [];
        for (let part = -0.5; part <= 0.5; part += 1 / Math.ceil(width / 14)) {
          boxes.push(
            around(
              center.x + part * width * Math.cos(angle),
              center.y + part * width * Math.sin(angle),
              14,
              14,
            ),
          );
        }
        const trouble = this.trouble(boxes) + (side > 0 ? 1 : 0) + step / 1000;
        if (!best || trouble < best.trouble) best = { trouble, center, boxes };
      }
    }
    if (best.trouble >= 10 && width > high - low) return;
    this.taken.push(...best.boxes);
    this.put(text, [view.valueX(best.center.x), view.valueY(best.center.y)], {
      textangle: (angle * 180) / Math.PI,
      font: { size: ROOF_FONT, color: this.colors.roof, weight: 700 },
      // Readable on a crowd of points too.
      ...(this.crowded ? { bgcolor: this.colors.page, borderpad: 1, opacity: 0.9 } : {}),
    });
  }

  // Upwards beside a plumb line, from the axis.
  upright(text, x, y) {
    const at = this.view.x(x);
    this.lines.push({ x: [at, at], y: this.view.y(y), slope: null });
    const width = measure(text, NAME_FONT - 0.5, false);
    for (const side of [-9, 9]) {
      const box = around(at + side, this.view.height - 8 - width / 2, 14, width);
      if (!this.inside(box) || this.trouble([box]) >= 3) continue;
      this.taken.push(box);
      this.put(
        text,
        [this.view.valueX(at + side), this.view.valueY(this.view.height - 8 - width / 2)],
        { textangle: -90, font: { size: NAME_FONT - 0.5, color: this.colors.soft } },
      );
      return;
    }
  }

  // Names beside points, where there is room; across a line only where there is no better place.
  names(points) {
    const { view } = this;
    const seen = points.filter(({ x, y }) => {
      const box = around(view.x(x), view.y(y), 1, 1);
      return this.inside(box);
    });
    if (seen.length > MOST_NAMED) return;
    for (const { x, y, label } of seen) {
      const text = shortText(label, 38);
      const width = measure(text, NAME_FONT, false);
      const [px, py] = [view.x(x), view.y(y)];
      let best = null;
      for (const [dx, dy, xanchor] of [
        [10, 0, "left"],
        [-10, 0, "right"],
        [0, -14, "center"],
        [0, 14, "center"],
        [8, -12, "left"],
        [8, 12, "left"],
        [-8, -12, "right"],
        [-8, 12, "right"],
      ]) {
        const left = px + dx - (xanchor === "left" ? 0 : xanchor === "right" ? width : width / 2);
        const box = { left, right: left + width, top: py + dy - 8, bottom: py + dy + 8 };
        const trouble =
          this.trouble([box]) + (this.lines.some((line) => this.crosses(box, line)) ? 1 : 0);
        if (!best || trouble < best.trouble) best = { trouble, box, dx, dy, xanchor };
      }
      if (best.trouble >= 3) continue;
      this.taken.push(best.box);
      this.put(text, [x, y], { xanchor: best.xanchor, xshift: best.dx, yshift: -best.dy });
    }
  }
}
