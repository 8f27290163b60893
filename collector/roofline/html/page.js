// page: brings the parts together. Everything is drawn anew from the state of the controls.

const data = JSON.parse(byId("data").textContent);
const columns = new Columns(data.chart);
const olderColumns = data.baseline ? new Columns(data.baseline) : null;
const items = itemsOf(data.chart, columns);
const older = data.baseline ? itemsOf(data.baseline, olderColumns) : [];
const hardware = wordsOfAll("Hardware", [columns, olderColumns].filter(Boolean));
giveLooks(data);
let shown = [];
let pairs = new Map();
let under = []; // the baseline's items that are drawn
let drawing = Promise.resolve();

byId("title").textContent = data.title;
byId("subtitle").textContent = data.subtitle;
byId("same").textContent = sameText(columns) && `In all rows: ${sameText(columns)}.`;

const filters = new Filters(columns, byId("filters"), () => update());
const table = new Table(
  byId("table"),
  byId("pages"),
  tableColumns(columns, data.baseline ? () => pairs : null),
  (item) => choose(item, "chart"),
);
const chart = new Chart(byId("chart"), data, items, older, {
  alsoTold: hardware.length > 1 ? ["Hardware"] : [],
  chosen: (item) => choose(item, "row"),
  legend: (series, alone) => {
    const member = series && items.find((item) => data.chart.series[item.series] === series);
    if (!member) return;
    const word = columns.word(data.chart.by, member.rows[0]);
    if (alone) filters.only(data.chart.by, word);
    else filters.toggle(data.chart.by, word);
  },
  moved: () => keys.place(),
  labelled: drawNamed,
});
const keys = new Keys(byId("frame"), byId("cursor"), byId("told"), chart, (item) =>
  choose(item, "focus"),
);

// From the chart to the row, or back.
function choose(item, where) {
  table.choose(item, where === "focus");
  keys.go(item, where !== "chart");
  if (where === "chart") byId("frame").scrollIntoView({ block: "nearest" });
}

// Rows that are not drawn, those of one reason together, and notes.
function drawLists(undrawn) {
  const reasons = new Map();
  for (const item of undrawn) {
    if (!reasons.has(item.reason)) reasons.set(item.reason, []);
    reasons.get(item.reason).push(shortText(item.label, 80));
  }
  const parts = [];
  if (undrawn.length > 0) {
    parts.push(
      element("h2", {}, `Not drawn (${countText(undrawn.length)})`),
      element(
        "div",
        { class: "box", tabindex: "0", role: "region", "aria-label": "Rows that are not drawn" },
        element(
          "ul",
          {},
          ...[...reasons].map(([reason, labels]) =>
            element("li", {}, `${labels.join(" · ")}:  ${reason}`),
          ),
        ),
      ),
    );
  }
  if (data.notes.length > 0) {
    parts.push(
      element("h2", {}, "Notes"),
      element("ul", {}, ...data.notes.map((note) => element("li", {}, note))),
    );
  }
  byId("lists").replaceChildren(...parts);
}

// How many points of the view have no name beside them, and where it is then.
function drawNamed({ unnamed, named }) {
  byId("unnamed").hidden = unnamed === 0 || !byId("names").checked;
  byId("unnamed").textContent =
    `${countText(unnamed)} of ${plural(named + unnamed, "point", "points")} in view ` +
    `${unnamed === 1 ? "has" : "have"} no room for a name: zoom in, point at them, or see the table.`;
}

// What marks and lines mean that are on the chart now.
function marksInWords(drawn) {
  const parts = [];
  if (chart.sets.length > 0) parts.push("lines join the memory levels of the same launches");
  if (drawn.some((item) => item.hollow)) {
    parts.push("hollow: not plainly measured (see Validity)");
  }
  if (drawn.some((item) => item.above)) {
    parts.push(
      "ringed: above its roof, which is too low, or the numbers are too high; not clipped",
    );
  }
  if (under.length > 0) {
    parts.push(`crosses: baseline ${data.baseline.name}${foreignText()}`);
  }
  return parts.join("; ");
}

// Which of the baseline's hardware has no roofs here: its points are held against roofs that are
// not drawn.
function foreignText() {
  const own = columns.words("Hardware");
  const foreign = olderColumns.words("Hardware").filter((name) => name && !own.includes(name));
  if (foreign.length === 0 || areDrawn(data.baseline.limits)) return "";
  const names = own.filter(Boolean).join(", ") || "other hardware";
  return `, of ${foreign.join(", ")}, whose roofs are not drawn (roofs are of ${names})`;
}

// Whether all these roofs stand on the chart too, as those that were given do.
function areDrawn(limits) {
  const among = (drawn) => (roof) =>
    drawn.some((one) => ["kind", "per_s", "origin"].every((name) => one[name] === roof[name]));
  return limits.compute.every(among(data.compute)) && limits.memory.every(among(data.memory));
}

function statusText(drawn, rows) {
  const active = filters.describe();
  let text = `${plural(drawn.length, "point", "points")} drawn of ${plural(rows.length, "row", "rows")}`;
  if (rows.length !== items.length) text += `, ${countText(items.length)} in all`;
  if (active) text += ` (${active})`;
  if (data.baseline && under.length > 0) {
    const met = drawn.filter((item) => pairs.has(item)).length;
    text +=
      `; baseline: ${plural(under.length, "point", "points")}, ` +
      `${plural(met, "row has its", "rows have their")} counterpart`;
  }
  return text;
}

function update() {
  const how = byId("group").value;
  shown = grouped(
    items.filter((item) => filters.passes(item)),
    how,
    data.chart.limits,
  );
  const before = grouped(
    older.filter((item) => filters.passes(item)),
    how,
    data.baseline?.limits,
  );
  pairs = data.baseline ? partners(shown, before) : new Map();
  under = byId("baseline").checked ? before.filter((item) => item.x !== null) : [];
  const drawn = shown.filter((item) => item.x !== null);
  table.setItems(shown);
  drawLists(shown.filter((item) => item.x === null));
  const roofs = roofsShown(data, filters);
  byId("status").textContent = statusText(drawn, shown);
  byId("frame").setAttribute(
    "aria-label",
    `Roofline, log-log. ${statusText(drawn, shown)}. ${roofsInWords(roofs)}.`,
  );
  byId("clear").disabled = !filters.isActive();
  drawing = drawing
    .then(() =>
      chart.draw({ items: drawn, older: under, pairs, roofs, named: byId("names").checked }),
    )
    .then(() => {
      byId("key").textContent = [roofsInWords(roofs), marksInWords(drawn)]
        .filter(Boolean)
        .join("; ");
      keys.setItems(drawn);
    });
  return drawing;
}

async function save(format) {
  await drawing;
  const parts = [data.subtitle];
  if (filters.isActive()) {
    parts.push(`shown: ${plural(chart.items.length, "point", "points")} (${filters.describe()})`);
  }
  parts.push(...data.notes.map((note) => `note: ${note}`));
  const lines = [parts.join("  ·  "), marksInWords(chart.items)];
  const address = await chart.image(format, lines.filter(Boolean));
  const name = document.title.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "roofline";
  element("a", { href: address, download: `${name}.${format}` }).click();
}

byId("grouping").hidden = !hasGroups(items);
byId("overlay").hidden = !data.baseline;
if (data.baseline) {
  byId("overlay").querySelector("span").textContent =
    `baseline ${shortText(data.baseline.name, 40)}`;
}
let typing = 0;
byId("find").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => filters.setFind(byId("find").value), 150);
});
for (const id of ["group", "baseline", "names"])
  byId(id).addEventListener("change", () => update());
byId("clear").addEventListener("click", () => {
  byId("find").value = "";
  filters.clear();
});
byId("reset").addEventListener("click", () => chart.reset());
for (const format of ["png", "svg"]) byId(format).addEventListener("click", () => save(format));
for (const query of [darkness, narrowness, printing]) {
  query.addEventListener("change", () => {
    drawing = drawing.then(() => chart.refit());
    update();
  });
}
update();
