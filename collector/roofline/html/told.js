// told: what is said of a point, by hover and aloud.

// What is told of a point, in lines. `pairs`: by item, its baseline; `peers`: by item, the points
// of other memory levels that it is joined to; `alsoTold`: columns that are told besides.
function pointLines(item, { pairs, peers, alsoTold }) {
  const partner = pairs.get(item);
  const lines = [item.label, `${ratioText(item.x)} FLOP/Byte, ${siText(item.y, "FLOP/s")}`];
  const say = (name, unit) => {
    const number = numberOf(item, name);
    return number === null ? "" : `${name} ${siText(number, unit)}`;
  };
  lines.push(
    [say("Duration", "s"), say("FLOP", "FLOP"), say("Memory Traffic", "B")]
      .filter(Boolean)
      .join(", "),
  );
  const words = (...names) => names.map((name) => wordOf(item, name)).filter(Boolean);
  const rank = wordOf(item, "Rank");
  const what = [
    words("Precision", "Memory Level").join(" at "),
    ...words("Paradigm", "Executable", ...alsoTold),
  ];
  if (rank) what.push(`rank ${rank}`);
  lines.push(what.filter(Boolean).join(", "));
  lines.push(levelsText(item, peers.get(item)));
  const validity = wordOf(item, "Validity");
  const reason = wordOf(item, "Reason");
  if (validity) lines.push(reason ? `${validity}: ${reason}` : validity);
  if (item.above) lines.push("above its roof: the roof is too low or the numbers are too high");
  if (partner && partner.y !== null) {
    lines.push(`${ratioText(item.y / partner.y)} of the baseline's ${siText(partner.y, "FLOP/s")}`);
  }
  return lines.filter(Boolean);
}

// Lines of at most 76 characters and at most five for each text.
function hoverText(item, others) {
  const folded = (text) => {
    const rows = [""];
    for (const word of shortText(text, 360).split(" ")) {
      for (const piece of word.match(/.{1,76}/gu) ?? [""]) {
        const last = rows[rows.length - 1];
        if (last && last.length + piece.length > 75) rows.push(piece);
        else rows[rows.length - 1] = last ? `${last} ${piece}` : piece;
      }
    }
    return rows.map(plotText).join("<br>");
  };
  const [name, ...rest] = pointLines(item, others).map(folded);
  return [`<b>${name}</b>`, ...rest].join("<br>");
}
