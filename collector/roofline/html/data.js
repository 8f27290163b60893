// data: the JSON block of the page (collector/roofline/chart_json.h) as rows.

// The columns of one table, by name.
class Columns {
  constructor(table) {
    this.byName = new Map(table.columns.map((column) => [column.name, column]));
  }

  has(name) {
    return this.byName.has(name);
  }

  // "" where there is nothing.
  word(name, row) {
    const column = this.byName.get(name);
    return column ? column.words[column.of[row]] : "";
  }

  // null where there is nothing.
  number(name, row) {
    const column = this.byName.get(name);
    return column ? column.numbers[row] : null;
  }

  words(name) {
    return this.byName.get(name)?.words ?? [];
  }
}

// Words of a column in all tables; where they are more than one they are told of each point.
const wordsOfAll = (name, tables) => [...new Set(tables.flatMap((table) => table.words(name)))];

// What may stand on the chart and in the table: a row, or several as one. x and
// y are null where it is not drawn; `reason` says why then. `levels`: the same for
// the same launches at several memory levels; -1: at one alone.
function itemsOf(table, columns) {
  const items = new Array(table.rows);
  const { points, undrawn } = table;
  points.row.forEach((row, i) => {
    items[row] = {
      rows: [row],
      label: points.label[i],
      x: points.x[i],
      y: points.y[i],
      series: points.series[i],
      hollow: points.hollow[i] === 1,
      above: points.above[i] === 1,
      levels: points.levels[i],
      reason: "",
      columns,
    };
  });
  undrawn.row.forEach((row, i) => {
    items[row] = {
      rows: [row],
      label: undrawn.label[i],
      x: null,
      y: null,
      series: -1,
      hollow: false,
      above: false,
      levels: -1,
      reason: undrawn.reason[i],
      columns,
    };
  });
  // A row that a roofline left out altogether would be a mistake of ours.
  return items.filter(Boolean);
}

// A word of all rows of an item, or how many there are.
function wordOf(item, name) {
  if (item.rows.length === 1) return item.columns.word(name, item.rows[0]);
  const words = new Set(item.rows.map((row) => item.columns.word(name, row)));
  return words.size === 1 ? [...words][0] : `${words.size} different`;
}

const SUMMED = new Set([
  "Duration",
  "FLOP",
  "Memory Traffic",
  "Calls",
  "Measured Calls",
  "Kernel Time",
  "Launches",
]);

// Over all rows; null where one lacks it, and where several differ in what is no amount.
function numberOf(item, name) {
  const numbers = item.rows.map((row) => item.columns.number(name, row));
  if (numbers.includes(null)) return null;
  if (SUMMED.has(name)) return numbers.reduce((sum, number) => sum + number, 0);
  return numbers.every((number) => number === numbers[0]) ? numbers[0] : null;
}

// What an item is called in a baseline: the same work, whichever process did it.
const SAME_WORK = [
  "Executable",
  "Region",
  "Kernel ID",
  "Kernel",
  "Paradigm",
  "Precision",
  "Memory Level",
  "Benchmark Problem",
];
const workOf = (item) =>
  JSON.stringify(SAME_WORK.map((name) => item.columns.word(name, item.rows[0])));

// By item: the baseline's item of the same work, of the same rank where ranks are there, and of
// the same hardware where the work is there on several; none where several could be meant.
function partners(items, older) {
  const key = (item) => workOf(item) + JSON.stringify(wordOf(item, "Rank"));
  const onHardware = (item) => key(item) + JSON.stringify(wordOf(item, "Hardware"));
  const index = (name) => {
    const found = new Map();
    for (const item of older) found.set(name(item), found.has(name(item)) ? null : item);
    return found;
  };
  const same = index(onHardware);
  const exact = index(key);
  const loose = index(workOf);
  const counts = new Map();
  for (const item of items) counts.set(workOf(item), (counts.get(workOf(item)) ?? 0) + 1);
  const hardware = new Map();
  for (const item of items) {
    if (!hardware.has(key(item))) hardware.set(key(item), new Set());
    hardware.get(key(item)).add(wordOf(item, "Hardware"));
  }
  const result = new Map();
  for (const item of items) {
    const one =
      same.get(onHardware(item)) ??
      (hardware.get(key(item)).size === 1 ? exact.get(key(item)) : null) ??
      (counts.get(workOf(item)) === 1 ? loose.get(workOf(item)) : null);
    if (one) result.set(item, one);
  }
  return result;
}
