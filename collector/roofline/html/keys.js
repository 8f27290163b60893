// keys: the chart by keyboard. One point at a time is the current one; it is ringed, its numbers
// are shown and read out.

class Keys {
  // `enter(item)`: Enter was pressed on it.
  constructor(frame, cursor, told, chart, enter) {
    Object.assign(this, { cursor, told, chart, enter });
    this.items = [];
    this.current = null;
    frame.addEventListener("keydown", (event) => this.press(event));
    frame.addEventListener("blur", () => Plotly.Fx.unhover(chart.div));
  }

  // After each drawing.
  setItems(items) {
    this.items = items;
    this.byX = [...items].sort((a, b) => a.x - b.x || a.y - b.y);
    this.byY = [...items].sort((a, b) => a.y - b.y || a.x - b.x);
    if (!items.includes(this.current)) this.current = null;
    this.place();
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const actions = {
      ArrowRight: () => this.step(this.byX, 1),
      ArrowLeft: () => this.step(this.byX, -1),
      ArrowUp: () => this.step(this.byY, 1),
      ArrowDown: () => this.step(this.byY, -1),
      Home: () => this.go(this.byX[0]),
      End: () => this.go(this.byX[this.byX.length - 1]),
      Enter: () => this.current && this.enter(this.current),
      Escape: () => this.go(null),
      "+": () => this.chart.zoom(0.7, this.current ?? undefined),
      "=": () => this.chart.zoom(0.7, this.current ?? undefined),
      "-": () => this.chart.zoom(1 / 0.7, this.current ?? undefined),
      0: () => this.chart.reset(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  step(order, by) {
    if (order.length === 0) return;
    const at = this.current ? order.indexOf(this.current) : by > 0 ? -1 : order.length;
    this.go(order[Math.min(Math.max(at + by, 0), order.length - 1)]);
  }

  async go(item, quietly = false) {
    this.current = item ?? null;
    if (this.current && !this.chart.spot(this.current)) await this.chart.zoom(1, this.current);
    this.place();
    if (!this.current) {
      Plotly.Fx.unhover(this.chart.div);
      this.told.textContent = "";
      return;
    }
    if (quietly) return;
    this.chart.hover(this.current);
    this.told.textContent =
      `${pointLines(this.current, this.chart).join(". ")}. ` +
      `Point ${this.byX.indexOf(this.current) + 1} of ${this.byX.length}.`;
  }

  place() {
    const spot = this.current && this.chart.spot(this.current);
    this.cursor.hidden = !spot;
    if (!spot) return;
    this.cursor.style.left = `${spot.x}px`;
    this.cursor.style.top = `${spot.y}px`;
  }
}
