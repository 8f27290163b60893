// filters: which rows are shown, by the words of their columns.

const FILTERED = [
  "Region",
  "Executable",
  "Paradigm",
  "Precision",
  "Memory Level",
  "Rank",
  "Kernel",
  "Benchmark Problem",
  "Hardware",
  "Host",
  "Process",
  "Device",
  "Source",
  "Validity",
];
// More choices than this are found by typing a part of them.
const MOST_CHOICES = 200;

class Filters {
  // Calls `changed` after each change.
  constructor(columns, place, changed) {
    this.columns = columns;
    this.changed = changed;
    this.hidden = new Map(); // column: set of words that are not shown
    this.menus = new Map();
    this.find = "";
    for (const name of FILTERED) {
      if (columns.words(name).length < 2) continue;
      this.hidden.set(name, new Set());
      const menu = this.makeMenu(name);
      this.menus.set(name, menu);
      place.append(menu.details);
    }
    document.addEventListener("click", (event) => this.closeOthers(event.target));
  }

  passes(item) {
    const row = item.rows[0];
    for (const [name, words] of this.hidden) {
      if (words.size > 0 && words.has(item.columns.word(name, row))) return false;
    }
    if (this.find === "") return true;
    return [item.label, item.columns.word("Region", row), item.columns.word("Kernel", row)].some(
      (text) => text.toLowerCase().includes(this.find),
    );
  }

  // Of a column that is filtered, whether a word of it is hidden.
  hides(name, word) {
    return this.hidden.get(name)?.has(word) ?? false;
  }

  isActive() {
    return this.find !== "" || [...this.hidden.values()].some((set) => set.size > 0);
  }

  // "Region: 3 of 20"
  describe() {
    const parts = [];
    for (const [name, words] of this.hidden) {
      if (words.size === 0) continue;
      const all = this.columns.words(name).length;
      parts.push(`${name}: ${all - words.size} of ${all}`);
    }
    if (this.find) parts.push(`name has "${this.find}"`);
    return parts.join(", ");
  }

  clear() {
    this.hidden.forEach((words) => words.clear());
    this.find = "";
    this.refresh();
  }

  setFind(text) {
    this.find = text.trim().toLowerCase();
    this.changed();
  }

  toggle(name, word) {
    const words = this.hidden.get(name);
    if (!words) return;
    if (!words.delete(word)) words.add(word);
    this.refresh();
  }

  // Shows one word alone; all of them when it was alone already.
  only(name, word) {
    const words = this.hidden.get(name);
    if (!words) return;
    const others = this.columns.words(name).filter((each) => each !== word);
    const alone = !words.has(word) && words.size === others.length;
    this.hidden.set(name, new Set(alone ? [] : others));
    this.refresh();
  }

  refresh() {
    this.menus.forEach((menu) => {
      this.label(menu);
      if (menu.details.open) this.fill(menu);
    });
    this.changed();
  }

  makeMenu(name) {
    const summary = element("summary", { class: "filter" });
    const list = element("div", {});
    const search = element("input", {
      type: "search",
      "aria-label": `Find in ${name}`,
      placeholder: "part of a name",
      oninput: () => this.fill(menu),
    });
    const some = (hide) => () => {
      const words = this.hidden.get(name);
      for (const word of this.matching(menu)) {
        if (hide) words.add(word);
        else words.delete(word);
      }
      this.refresh();
    };
    const buttons = element(
      "div",
      { class: "buttons" },
      element("button", { type: "button", onclick: some(false) }, "All"),
      element("button", { type: "button", onclick: some(true) }, "None"),
    );
    const choices = element(
      "div",
      { class: "choices", role: "group", "aria-label": name },
      search,
      buttons,
      list,
    );
    const details = element("details", { class: "filter", "data-filter": name }, summary, choices);
    const menu = { name, details, summary, list, search };
    search.hidden = this.columns.words(name).length <= 8;
    details.addEventListener("toggle", () => {
      if (details.open) this.fill(menu);
    });
    details.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !details.contains(relatedTarget)) details.open = false;
    });
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      details.open = false;
      summary.focus();
    });
    this.label(menu);
    return menu;
  }

  label(menu) {
    const all = this.columns.words(menu.name).length;
    const shown = all - this.hidden.get(menu.name).size;
    menu.summary.textContent = `${menu.name}: ${shown === all ? "all" : `${shown} of ${all}`}`;
    menu.summary.classList.toggle("active", shown !== all);
  }

  matching(menu) {
    const part = menu.search.value.trim().toLowerCase();
    return [...this.columns.words(menu.name)]
      .filter((word) => word.toLowerCase().includes(part))
      .sort(inOrder);
  }

  fill(menu) {
    const words = this.matching(menu);
    const hidden = this.hidden.get(menu.name);
    const focused = document.activeElement?.value;
    menu.list.replaceChildren(
      ...words.slice(0, MOST_CHOICES).map((word) => {
        const box = element("input", {
          type: "checkbox",
          value: word,
          onchange: () => this.toggle(menu.name, word),
        });
        box.checked = !hidden.has(word);
        return element("label", {}, box, ` ${shortText(wordText(word), 120)}`);
      }),
    );
    if (words.length > MOST_CHOICES) {
      menu.list.append(
        element(
          "p",
          { class: "small" },
          `and ${countText(words.length - MOST_CHOICES)} more; type a part of the name`,
        ),
      );
    }
    // The list was made anew under the keyboard.
    if (document.activeElement === document.body && focused !== undefined) {
      [...menu.list.querySelectorAll("input")].find((box) => box.value === focused)?.focus();
    }
  }

  closeOthers(target) {
    for (const { details } of this.menus.values()) {
      if (details.open && !details.contains(target) && target.isConnected) details.open = false;
    }
  }
}
