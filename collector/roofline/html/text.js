// text: numbers and names for people, as the static chart writes them.

const PREFIXES = [
  "y",
  "z",
  "a",
  "f",
  "p",
  "n",
  "µ",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Z",
  "Y",
];

// "549.8 GFLOP/s"; "" for null.
function siText(value, unit) {
  if (value === null || value === undefined) return "";
  if (value === 0) return `0 ${unit}`.trim();
  let step = Math.floor(Math.log10(Math.abs(value)) / 3);
  // Rounding to four digits may reach the next prefix.
  if (Number((value / 1000 ** step).toPrecision(4)) >= 1000) step += 1;
  const prefix = PREFIXES[step + 8];
  if (prefix === undefined) return `${value.toExponential(3)} ${unit}`.trim();
  return `${Number((value / 1000 ** step).toPrecision(4))} ${prefix}${unit}`.trim();
}

// "0.325", for ratios.
function ratioText(value) {
  if (value === null || value === undefined) return "";
  const rounded = Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : String(rounded);
}

const countText = (value) => (value === null ? "" : value.toLocaleString("en-US"));

// At most so many characters, the middle left out: names differ at both ends.
function shortText(text, most) {
  const signs = [...text.replace(/\p{Cc}+/gu, " ")];
  if (signs.length <= most) return signs.join("");
  const head = Math.ceil((most - 1) / 2);
  return `${signs.slice(0, head).join("")}…${signs.slice(signs.length - (most - 1 - head)).join("")}`;
}

// plotly.js reads some tags and entities in texts; a name must mean neither.
const plotText = (text) =>
  text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

const plural = (count, one, many) => `${countText(count)} ${count === 1 ? one : many}`;

// "step 2" before "step 10".
const inOrder = new Intl.Collator("en", { numeric: true }).compare;

const wordText = (word) => (word === "" ? "(none)" : word);

// element("li", {class: "small", onclick: f}, "text", child): text is never read as markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const byId = (id) => document.getElementById(id);
