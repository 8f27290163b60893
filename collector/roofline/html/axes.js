// axes: which values the chart shows, and where its ticks are.

// Room around what is shown, as factors, like chart_frame.cc: [lowest, highest] of both axes.
function frameOf(data, items) {
  const xs = items.flatMap((item) => [item.x / 2, item.x * 2]);
  const beside = data.hardware.length > 0 ? 60 : 12;
  ridgesOf(data).forEach((ridge) => xs.push(ridge.x / 12, ridge.x * beside));
  const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  const [low, high] = xs.length ? [least(xs), most(xs)] : [0.01, 1000];
  const middle = Math.sqrt(low) * Math.sqrt(high);
  const x = [Math.min(low, middle / Math.sqrt(1000)), Math.max(high, middle * Math.sqrt(1000))];
  const ys = items.flatMap((item) => [item.y / 3, item.y * 2]);
  data.compute.forEach((roof) => ys.push(roof.per_s / 10, roof.per_s * 2));
  if (!ys.length) data.memory.forEach((roof) => ys.push(roof.per_s * x[0], roof.per_s * x[1]));
  const top = most(ys);
  const bottom = Math.min(least(ys), top / 1000);
  // Room for the label of the highest roof: on an axis of many decades a factor of 2 is a few
  // pixels.
  const roof = Math.log10(highest(data.compute) || bottom);
  const above = roof + ((roof - Math.log10(bottom)) * 0.045) / 0.955;
  return { x: x.map(Math.log10), y: [Math.log10(bottom), Math.max(Math.log10(top), above)] };
}

// Ticks of a view, from its range in powers of ten: decades, fewer where they are many, and 2 and 5
// too where they are few. `unit` empty: plain numbers; else SI prefixes.
function ticksOf([low, high], unit) {
  const decades = high - low;
  const every = Math.max(1, Math.ceil(decades / 10));
  const digits = decades < 0.5 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : decades < 2 ? [1, 2, 5] : [1];
  const tickvals = [];
  const minor = [];
  // A little beyond, for the time until the next view.
  for (let power = Math.floor(low) - 3; power <= Math.ceil(high) + 3; ++power) {
    for (const digit of [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const value = Number(`${digit}e${power}`);
      if (digits.includes(digit) && power % every === 0) tickvals.push(value);
      else if (digit !== 1.5 && every === 1) minor.push(value);
    }
  }
  const plain = (value) => {
    if (value >= 1e-3 && value < 1e5) return String(value);
    const [digit, power] = value.toExponential().split("e");
    return `${digit === "1" ? "" : `${digit}·`}10<sup>${Number(power)}</sup>`;
  };
  return {
    tickvals,
    ticktext: tickvals.map((value) => (unit ? siText(value, unit) : plain(value))),
    minor: { tickvals: minor },
  };
}
