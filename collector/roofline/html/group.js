// group: rows of several ranks, processes and devices as one.

// Rows that agree in these are the same but for who ran them: rank, host, process, device.
const WHAT = [
  "Executable",
  "Region",
  "Kernel ID",
  "Kernel",
  "Paradigm",
  "Precision",
  "Memory Level",
  "Benchmark Problem",
  "Hardware",
  "Source",
];
// Such a row is of several ranks already.
const SUMMARIES = new Set(["min", "mean", "max"]);
const NO_RATIOS = new Set(["instances unlike", "shared device"]);

function groupsOf(items) {
  const groups = new Map();
  items.forEach((item, i) => {
    const { columns } = item;
    const row = item.rows[0];
    const key = SUMMARIES.has(columns.word("Rank", row))
      ? `row ${i}`
      : JSON.stringify(WHAT.map((name) => columns.word(name, row)));
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  });
  return [...groups.values()];
}

const hasGroups = (items) => groupsOf(items).length < items.length;

// Why the rows of a group have no sum on the chart; "" when they have one.
function whyNoSum(members) {
  for (const {
    rows: [row],
    columns,
  } of members) {
    const validity = columns.word("Validity", row);
    if (NO_RATIOS.has(validity)) return `${validity}: ${columns.word("Reason", row)}`;
    for (const name of ["FLOP", "Memory Traffic", "Duration"]) {
      if (columns.number(name, row) === null) {
        const why = columns.word("Reason", row);
        return `${name} of one of them is missing${why ? `: ${why}` : ""}`;
      }
    }
  }
  return "";
}

// Work and traffic of all, over the time of all: what one of them did on the mean, to be
// compared with the roofs of one device.
function sumOf(members, roofs) {
  const [first] = members;
  if (members.length === 1) return first;
  const sum = {
    ...first,
    rows: members.flatMap((item) => item.rows),
    x: null,
    y: null,
    above: false,
    series: Math.max(...members.map((item) => item.series)),
    hollow: members.some((item) => item.hollow),
    // The same for the sums at other levels, since those are of the same ranks.
    levels: Math.min(...members.map((item) => item.levels)),
  };
  const region = first.columns.word("Region", first.rows[0]);
  const kernel = first.columns.word("Kernel ID", first.rows[0]);
  const hardware = first.columns.words("Hardware").length > 1 && wordOf(first, "Hardware");
  sum.label = [
    region || first.label,
    ...(kernel ? [`kernel ${kernel}`] : []),
    ...(hardware ? [hardware] : []),
    `sum of ${members.length}`,
  ].join(", ");
  sum.reason = whyNoSum(members);
  if (sum.reason) return sum;
  const [flop, bytes, seconds] = ["FLOP", "Memory Traffic", "Duration"].map((name) =>
    numberOf(sum, name),
  );
  if (!(flop > 0)) sum.reason = "no floating-point work";
  else if (!(bytes > 0)) sum.reason = "no memory traffic";
  else if (!(seconds > 0)) sum.reason = "no GPU time";
  if (sum.reason) return sum;
  sum.x = flop / bytes;
  sum.y = flop / seconds;
  sum.above = isAbove(sum, roofs);
  return sum;
}

// A point on its roof is not above it: allows for rounding.
function isAbove(item, { compute, memory }) {
  const row = item.rows[0];
  const hardware = item.columns.word("Hardware", row);
  const counts = (roof, column) =>
    (roof.kind === "" || roof.kind === item.columns.word(column, row)) &&
    (roof.hardware === null || roof.hardware === hardware);
  const limit = 1 + 1e-9;
  return (
    compute.some((roof) => counts(roof, "Precision") && item.y > roof.per_s * limit) ||
    memory.some((roof) => counts(roof, "Memory Level") && item.y > roof.per_s * item.x * limit)
  );
}

function longestOf(members) {
  let longest = members[0];
  for (const item of members) {
    if ((numberOf(item, "Duration") ?? -1) > (numberOf(longest, "Duration") ?? -1)) longest = item;
  }
  return longest;
}

// `how`: "none", "sum" or "dominant"; `roofs`: what sums are held against.
function grouped(items, how, roofs) {
  if (how === "none") return items;
  return groupsOf(items).map((members) =>
    how === "sum" ? sumOf(members, roofs) : longestOf(members),
  );
}
