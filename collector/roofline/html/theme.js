// theme: the page's colours for plotly.js, and series colours that can be seen on them.

// On paper everything is light.
const darkness = window.matchMedia("screen and (prefers-color-scheme: dark)");
// The legend goes under the chart then.
const narrowness = window.matchMedia("(max-width: 760px)");
const printing = window.matchMedia("print");

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colors = {};
  for (const name of [
    "page",
    "panel",
    "text",
    "soft",
    "line",
    "fine",
    "border",
    "roof",
    "roof2",
    "roof3",
    "accent",
    "flag",
    "old",
  ]) {
    colors[name] = style.getPropertyValue(`--${name}`).trim();
  }
  return colors;
}

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

// Relative luminance and contrast as in WCAG 2.2.
function luminance(color) {
  const [r, g, b] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const seen = new Map();

// The colour moved towards the text's until it stands out from the page.
function visible(color, colors, least) {
  const key = `${color} ${colors.page} ${least}`;
  if (seen.has(key)) return seen.get(key);
  const to = channels(colors.text);
  let moved = color;
  for (let part = 1; part <= 10 && contrast(moved, colors.page) < least; ++part) {
    const mixed = channels(color).map((value, i) =>
      Math.round(value + ((to[i] - value) * part) / 10),
    );
    moved = `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
  }
  seen.set(key, moved);
  return moved;
}
