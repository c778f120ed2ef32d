/* Has the functions that scripts of tables share: for elements, the layout of tables, messages and copies. */
window.perfguideGrid = (() => {
  "use strict";
  const ARROWS = /\s*[↑↓]\s*$/;
  /* Return the words of a text for an address, like words() in slugs.py. */
  const words = (text) =>
    text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80).replace(/-$/, "");

  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name.includes("-") || name === "role") element.setAttribute(name, value);
      else element[name] = value;
    }
    element.append(...children);
    return element;
  };

  /* Return a cell's text without the signs of findings. */
  const textOf = (cell) => {
    if (!cell.querySelector(".perf-mark, .dt-column-order")) return cell.textContent.trim();
    const copy = cell.cloneNode(true);
    copy.querySelectorAll(".perf-mark, .dt-column-order").forEach((each) => each.remove());
    return copy.textContent.trim();
  };

  /* Return a cell's text with all digits, and without the commas that are meant for readers. */
  const exactOf = (cell) => {
    const text = textOf(cell);
    const data = cell.querySelector("data");
    if (!data || cell.scope === "row") return text;
    const plain = /^[−-]?[\d,]+(\.\d+)?(e[+-]\d+)?$/.test(data.textContent);
    const rest = text.slice(data.textContent.length);
    const behind = rest.replace(/(\d),(?=\d{3})/g, "$1").replace(/−(?=\d)/g, "-");
    return (plain ? String(Number(data.value)) : data.textContent) + behind;
  };

  const models = new WeakMap();

  const headRows = (table) => {
    const grid = [...table.tHead.rows].map(() => []);
    [...table.tHead.rows].forEach((row, level) => {
      let column = 0;
      for (const cell of row.cells) {
        while (grid[level][column]) column += 1;
        const joined = [...cell.querySelectorAll(".perf-level")];
        const levels = (joined.length ? joined : [cell]).map((each) => {
          const text = each.dataset.name || textOf(each); // the full name of a board
          return { text, shown: textOf(each), raw: each.dataset.raw || text };
        });
        for (let down = 0; down < cell.rowSpan; down += 1) {
          for (let right = 0; right < cell.colSpan; right += 1) grid[level + down][column + right] = down ? [] : levels;
        }
        column += cell.colSpan;
      }
    });
    return grid;
  };

  const modelOf = (table) => {
    if (models.has(table)) return models.get(table);
    const head = table.tHead ? headRows(table) : [[]];
    const width = head[0].length;
    const order = (table.dataset.perfLevels || "").split(",").filter(Boolean).map(Number);
    const used = {};
    const columns = [...Array(width).keys()].map((column) => {
      const parts = head.flatMap((row) => row[column]);
      // Files and addresses have the levels of the head in another order.
      const levels = order.length === parts.length ? order.map((level) => parts[level]) : parts;
      const labels = levels.map((each) => each.text);
      const named = (texts) => words(texts.map((each) => each.replace(ARROWS, "")).join(" "));
      let name = named(levels.map((each) => each.raw)) || `column-${column}`;
      used[name] = (used[name] || 0) + 1;
      if (used[name] > 1) name += `--${used[name]}`;
      return { labels, shown: levels.map((each) => each.shown), name, former: named(labels) }; // the form of old addresses, which had labels
    });
    const places = new WeakMap();
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row, number) => {
      [...row.cells].forEach((cell, column) => places.set(cell, { row: number, column }));
    });
    const stub = Number(table.dataset.perfStub);
    const model = { columns, places, rows, stub };
    models.set(table, model);
    return model;
  };

  const status = make("div", { className: "perf-status", role: "status" });
  const say = (text) => {
    status.textContent = text;
    status.classList.add("perf-said");
    clearTimeout(say.timer);
    say.timer = setTimeout(() => status.classList.remove("perf-said"), 2500);
  };

  const copy = async (text, said) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { value: text, className: "perf-aside" });
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (!done) return say("The browser does not allow copying");
    }
    return say(said);
  };

  const addressOf = (fragment, cell = "") => {
    const address = new URL(location.href);
    address.search = cell ? `?cell=${encodeURIComponent(cell)}` : "";
    address.hash = fragment ? `#${fragment}` : "";
    return address.href;
  };

  const load = (address) => new Promise((resolve, reject) => {
    const element = make("script", { src: address, onload: resolve });
    element.onerror = () => reject(new Error(address));
    document.head.append(element);
  });

  /* Act after other scripts, such as that of the tabs, have prepared the page. */
  const ready = (act) => {
    if (document.readyState === "complete") act();
    else document.addEventListener("DOMContentLoaded", () => setTimeout(act));
  };

  ready(() => document.body.append(status));
  return { ARROWS, addressOf, copy, exactOf, load, make, modelOf, ready, say, textOf, words };
})();
