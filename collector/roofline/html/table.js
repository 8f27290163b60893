// table: the rows that the filters let through, drawn or not, in pages.

const ROWS_A_PAGE = 100;
const MOST_SIGNS = 90; // of a word; longer ones lose their middle

const number = (name, unit, format) => ({
  title: name,
  kind: "number",
  value: (item) => numberOf(item, name),
  text: (value) => format(value, unit),
});
const words = (name, kind = "words") => ({
  title: name,
  column: name,
  kind,
  value: (item) => wordOf(item, name),
  text: (value) => value,
});

// In order. `column`: left out, and said once above, where all rows have one word.
function tableColumns(columns, pairs) {
  const all = [
    {
      title: "Intensity",
      unit: "FLOP/Byte",
      kind: "number",
      value: (item) => item.x,
      text: ratioText,
    },
    {
      title: "Performance",
      kind: "number",
      value: (item) => item.y,
      text: (value) => siText(value, "FLOP/s"),
    },
    ...(pairs
      ? [
          {
            title: "To baseline",
            kind: "number",
            value: (item) => (item.y && pairs().get(item)?.y ? item.y / pairs().get(item).y : null),
            text: (value) => (value === null ? "" : `× ${ratioText(value)}`),
          },
        ]
      : []),
    number("Duration", "s", siText),
    number("FLOP", "FLOP", siText),
    number("Memory Traffic", "B", siText),
    number("Calls", "", countText),
    words("Precision"),
    words("Memory Level"),
    words("Paradigm"),
    words("Executable"),
    words("Rank"),
    words("Benchmark Problem"),
    words("Hardware"),
    words("Host"),
    words("Process"),
    words("Device"),
    words("Source"),
    words("Kernel"),
    { ...words("Validity"), column: undefined },
    {
      title: "Not drawn, or reason",
      kind: "words reason",
      reason: true,
      value: (item) => item.reason || wordOf(item, "Reason"),
      text: (value) => value,
    },
  ];
  return all.filter(({ title, kind, column }) => {
    if (column !== undefined) return columns.words(column).length > 1;
    return (
      !["Duration", "FLOP", "Memory Traffic", "Calls"].includes(title) ||
      kind !== "number" ||
      columns.has(title)
    );
  });
}

// "Hardware NVIDIA H200, Precision FP32": what the table leaves out.
function sameText(columns) {
  return [
    "Hardware",
    "Executable",
    "Paradigm",
    "Benchmark Problem",
    "Precision",
    "Memory Level",
    "Rank",
    "Host",
    "Source",
  ]
    .filter((name) => columns.words(name).length === 1 && columns.words(name)[0] !== "")
    .map((name) => `${name} ${shortText(columns.words(name)[0], 80)}`)
    .join(", ");
}

class Table {
  // `show(item)`: its name was pressed.
  constructor(table, pages, columns, show) {
    Object.assign(this, { table, pages, show });
    this.columns = [
      { title: "Name", kind: "name", value: (item) => item.label, text: (value) => value },
      ...columns,
    ];
    this.order = { column: null, down: false };
    this.page = 0;
    this.items = [];
    this.chosen = null;
  }

  setItems(items) {
    this.items = items;
    this.page = 0;
    this.draw();
  }

  sorted() {
    const { column, down } = this.order;
    if (!column) return this.items;
    const values = new Map(this.items.map((item) => [item, column.value(item)]));
    const is_missing = (value) => value === null || value === "";
    return [...this.items].sort((a, b) => {
      const [one, two] = [values.get(a), values.get(b)];
      // What is missing comes last in either order.
      if (is_missing(one) || is_missing(two)) return is_missing(one) - is_missing(two);
      const ascending = column.kind === "number" ? one - two : inOrder(one, two);
      return down ? -ascending : ascending;
    });
  }

  sortBy(column) {
    const { order } = this;
    if (order.column !== column) this.order = { column, down: column.kind === "number" };
    else this.order = { column, down: !order.down };
    this.page = 0;
    this.draw();
    [...this.table.querySelectorAll("thead button")][this.columns.indexOf(column)].focus();
  }

  draw() {
    this.rows = this.sorted();
    const last = Math.max(0, Math.ceil(this.rows.length / ROWS_A_PAGE) - 1);
    this.page = Math.min(this.page, last);
    const start = this.page * ROWS_A_PAGE;
    const shown = this.rows.slice(start, start + ROWS_A_PAGE);
    const caption =
      this.rows.length <= ROWS_A_PAGE
        ? plural(this.rows.length, "row", "rows")
        : `rows ${countText(start + 1)} to ${countText(start + shown.length)} of ${countText(this.rows.length)}`;
    this.table.replaceChildren(
      element("caption", {}, caption),
      this.head(),
      element("tbody", {}, ...shown.map((item) => this.row(item))),
    );
    this.pages.hidden = last === 0;
    const turn = (to) => {
      this.page = to;
      this.draw();
      this.table.parentElement.scrollTop = 0;
    };
    this.pages.replaceChildren(
      element(
        "button",
        { type: "button", disabled: this.page === 0, onclick: () => turn(this.page - 1) },
        "Previous rows",
      ),
      element(
        "button",
        { type: "button", disabled: this.page === last, onclick: () => turn(this.page + 1) },
        "Next rows",
      ),
      `page ${this.page + 1} of ${last + 1}`,
    );
  }

  head() {
    const { order } = this;
    return element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...this.columns.map((column) => {
          const sort = order.column !== column ? "none" : order.down ? "descending" : "ascending";
          const sign = { none: "", ascending: " ▲", descending: " ▼" }[sort];
          const title = column.unit ? `${column.title} [${column.unit}]` : column.title;
          return element(
            "th",
            { scope: "col", class: column.kind, "aria-sort": sort },
            element("button", { type: "button", onclick: () => this.sortBy(column) }, title + sign),
          );
        }),
      ),
    );
  }

  row(item) {
    const cells = this.columns.map((column) => {
      const value = column.value(item);
      const text = column.text(value);
      if (column.kind !== "name") {
        // All digits, or all of a long name.
        const title = column.kind === "number" ? value : text.length > MOST_SIGNS ? value : null;
        return element(
          "td",
          { class: column.kind, title },
          shortText(text, column.reason ? 600 : MOST_SIGNS),
        );
      }
      const name = shortText(text, 160) || "(no name)";
      return element(
        "th",
        { scope: "row" },
        item.x === null
          ? name
          : element("button", { type: "button", onclick: () => this.show(item) }, name),
      );
    });
    return element("tr", { class: item === this.chosen ? "chosen" : null }, ...cells);
  }

  // Turns to the page of an item and marks it; with `focus` puts the keyboard there.
  choose(item, focus) {
    this.chosen = item;
    const at = this.rows.indexOf(item);
    if (at >= 0) this.page = Math.floor(at / ROWS_A_PAGE);
    this.draw();
    const row = this.table.querySelector("tr.chosen");
    if (!row) return;
    const box = this.table.parentElement;
    box.scrollTop = row.offsetTop - box.clientHeight / 3;
    if (focus) row.querySelector("th button")?.focus();
  }
}
