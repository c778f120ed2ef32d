/* What script adds to tables of figures, which are whole without it: what is behind a
   cell, addresses to copy, CSV of what is shown, and on demand DataTables, which sorts,
   filters and hides columns. */
(() => {
  "use strict";
  const script = document.currentScript;
  const LIBRARY = new URL("perfguide-datatables.js", script.src).href;
  const ARROWS = /\s*[↑↓]\s*$/;
  const EMPTY = new Set(["", "—", "failed"]);
  const SIZES = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
  const collator = new Intl.Collator("en", { numeric: true });
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

  /* A cell's text without the signs of findings beside it. */
  const textOf = (cell) => {
    if (!cell.querySelector(".perf-mark, .dt-column-order")) return cell.textContent.trim();
    const copy = cell.cloneNode(true);
    copy.querySelectorAll(".perf-mark, .dt-column-order").forEach((each) => each.remove());
    return copy.textContent.trim();
  };

  /* ---- What is where in a table, before anything is sorted or hidden ---- */
  const models = new WeakMap();

  const headRows = (table) => {
    const grid = [...table.tHead.rows].map(() => []);
    [...table.tHead.rows].forEach((row, level) => {
      let column = 0;
      for (const cell of row.cells) {
        while (grid[level][column]) column += 1;
        for (let down = 0; down < cell.rowSpan; down += 1) {
          for (let right = 0; right < cell.colSpan; right += 1) {
            grid[level + down][column + right] = { text: textOf(cell), first: down === 0 };
          }
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
    const used = {};
    const columns = [...Array(width).keys()].map((column) => {
      const labels = head.filter((row) => row[column].first).map((row) => row[column].text);
      let name = words(labels.map((each) => each.replace(ARROWS, "")).join(" ")) || `column-${column}`;
      used[name] = (used[name] || 0) + 1;
      if (used[name] > 1) name += `--${used[name]}`;
      return { labels, name };
    });
    const places = new WeakMap();
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row, number) => {
      [...row.cells].forEach((cell, column) => places.set(cell, { row: number, column }));
    });
    const stub = Number(table.dataset.perfStub);
    const model = { head, columns, places, rows, stub };
    models.set(table, model);
    return model;
  };

  /* ---- Saying and copying ---- */
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

  /* ---- CSV of what is shown ---- */
  const field = (text, first) => {
    // A spreadsheet computes a text that begins so; see “How a table is copied”.
    const figure = /^-?[0-9][0-9.,]*(e[-+]?[0-9]+)?( \(.*| n=.*|;.*)?$/.test(text);
    if (/^\s*'*[=+\-@＝＋－＠]/.test(text) && !(figure && !first)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const csvOf = (table) => {
    const model = modelOf(table);
    const shown = table.tBodies[0].rows;
    const kept = model.columns.map((_, column) => !(model.hidden && model.hidden.has(column)));
    const line = (texts) => texts.map((text, place) => field(text, place === 0)).join(",");
    const lines = model.head.map((row) =>
      line(row.map((cell) => (cell.first ? cell.text : "")).filter((_, column) => kept[column])));
    for (const row of shown) {
      if (!row.classList.contains("perf-none")) lines.push(line([...row.cells].map(textOf)));
    }
    return `${lines.join("\n")}\n`;
  };

  /* ---- Sorting, filtering, hiding columns ---- */
  let library;
  const load = (address) => new Promise((resolve, reject) => {
    const element = make("script", { src: address, onload: resolve });
    element.onerror = () => reject(new Error(address));
    document.head.append(element);
  });

  /* A cell as a list that compares: its kind and its number, or its text; null goes last. */
  const keyOf = (text, [kind, scale], stub) => {
    if (EMPTY.has(text)) return null;
    if (stub) {
      const size = /^(-?\d+(?:\.\d+)?)([kmg]?)$/i.exec(text.replace("−", "-"));
      return size ? ["", Number(size[1]) * SIZES[size[2].toLowerCase()]] : ["text", text];
    }
    const figure = /^([-+−]?\d[\d.]*(?:e[-+]?\d+)?)(?= ?%|$| \(|;| n=)/.exec(text);
    if (!figure) return ["text", text];
    return [kind, Number(figure[1].replace("−", "-")) * scale];
  };

  const compare = (a, b) => {
    if (a[0] !== b[0]) return collator.compare(a[0], b[0]);
    return typeof a[1] === "number" ? a[1] - b[1] : collator.compare(a[1], b[1]);
  };
  const lastEmpty = (sign) => (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * compare(a, b);
  };

  const start = (table) => {
    const model = modelOf(table);
    if (model.api) return model.api;
    const unitColumn = model.columns.findIndex((each) => each.labels[0] === "Unit");
    // By what the column says: the kind of unit, and the factor into the kind's base unit.
    const known = JSON.parse(table.dataset.perfUnits || "{}");
    for (const row of model.rows) {
      const texts = [...row.cells].map(textOf);
      const unit = known[texts[unitColumn]] || ["", 1];
      texts.forEach((text, column) => {
        const key = keyOf(text, unit, column < model.stub);
        row.cells[column].dataset.order = JSON.stringify(key);
        row.cells[column].dataset.search = text;
      });
    }
    model.api = new library(table, {
      autoWidth: false, info: false, order: [], paging: false,
      columnDefs: [{ targets: "_all", type: "perf" }],
      language: { zeroRecords: "No row matches" },
      layout: { topStart: null, topEnd: null, bottomStart: null, bottomEnd: null },
    });
    return model.api;
  };

  const groups = (tables) => {
    // The levels of the heads above the figures, where a choice can be made at all.
    const levels = [];
    for (const table of tables) {
      const model = modelOf(table);
      model.columns.slice(model.stub).forEach(({ labels }) => labels.forEach((label, level) => {
        levels[level] = levels[level] || new Set();
        levels[level].add(label);
      }));
    }
    return levels.map((labels) => [...labels]).filter((labels) => labels.length > 1);
  };

  const controls = (figure, tables, tools) => {
    const filter = make("input", { type: "search", "aria-label": "Filter rows", placeholder: "Filter rows" });
    const count = make("span", { className: "perf-count", role: "status" });
    const chosen = new Map();
    const refresh = () => {
      let all = 0;
      let left = 0;
      for (const table of tables) {
        const model = modelOf(table);
        model.hidden = new Set();
        model.columns.forEach(({ labels }, column) => {
          const off = column >= model.stub && labels.some((label) => chosen.get(label) === false);
          if (off) model.hidden.add(column);
          model.api.column(column).visible(!off, false);
        });
        model.api.search(filter.value).draw();
        const shown = model.api.rows({ search: "applied" }).count();
        if (!shown) table.tBodies[0].rows[0]?.classList.add("perf-none");
        if (table.offsetParent) { all += model.rows.length; left += shown; }
      }
      count.textContent = left === all ? "" : `${left} of ${all} rows`;
    };
    filter.addEventListener("input", refresh);
    const levels = groups(tables);
    const boxes = levels.map((labels) => make("fieldset", {},
      make("legend", { textContent: "Columns" }),
      ...labels.map((label) => {
        const box = make("input", { type: "checkbox", checked: true });
        box.addEventListener("change", () => { chosen.set(label, box.checked); refresh(); });
        return make("label", {}, box, ` ${label}`);
      })));
    const reset = make("button", { type: "button", textContent: "As published" });
    reset.addEventListener("click", () => {
      filter.value = "";
      chosen.clear();
      tools.querySelectorAll("input[type=checkbox]").forEach((box) => { box.checked = true; });
      tables.forEach((table) => modelOf(table).api.order([]));
      refresh();
    });
    const choose = boxes.length
      ? [make("details", {}, make("summary", { textContent: "Choose boards and columns" }), ...boxes)] : [];
    tools.prepend(filter, count, ...choose, reset);
    filter.focus();
  };

  const enhance = async (figure, tables, tools, button) => {
    button.disabled = true;
    try {
      if (!window.perfguideDataTable) await load(LIBRARY);
      library = window.perfguideDataTable;
      library.type("perf", {
        order: { pre: (key) => JSON.parse(key), asc: lastEmpty(1), desc: lastEmpty(-1) },
      });
      tables.forEach(start);
      controls(figure, tables, tools);
      button.remove();
    } catch (error) {
      button.disabled = false;
      say("This could not be loaded; the table is whole without it");
      throw error;
    }
  };

  const equip = (figure) => {
    const tools = figure.querySelector(".perf-tools");
    const tables = [...figure.querySelectorAll("table.perf-grid")].filter((each) => each.tHead);
    if (!tools || !tables.length) return;
    const button = make("button", { type: "button", textContent: "Sort, filter, choose columns" });
    button.addEventListener("click", () => enhance(figure, tables, tools, button));
    const csv = make("button", { type: "button", textContent: "Copy as CSV" });
    csv.addEventListener("click", () => {
      copy(csvOf(tables.find((each) => each.offsetParent) || tables[0]), "Table copied as CSV");
    });
    tools.append(button, csv);
    for (const table of tables) {
      const first = table.querySelector("tbody td, tbody th");
      if (first) first.tabIndex = 0;
    }
  };

  /* ---- What is behind a cell ---- */
  const files = new Map();
  const fileOf = (figure) => {
    const address = figure.dataset.cells;
    if (!address) return Promise.resolve(null);
    if (!files.has(address)) {
      files.set(address, load(address).then(() => {
        const content = window.perfguideCells;
        content.at = new Map(content.cells.map((each) => [`${each[0]}:${each[1]}`, each]));
        return content;
      }).catch(() => { files.delete(address); return null; }));
    }
    return files.get(address);
  };

  const original = (table, cell) => {
    const { row, column } = modelOf(table).places.get(cell);
    const place = (given, number) => {
      if (!given) return number;
      const list = given.split(",").map(Number);
      return list.length === 1 ? list[0] + number : list[number];
    };
    return `${place(table.dataset.perfRows, row)}:${place(table.dataset.perfColumns, column)}`;
  };

  const panel = make("div", { className: "perf-behind", id: "perf-behind", hidden: true });
  let shownFor = null;
  let pinned = false;
  let waiting;

  const hide = () => {
    clearTimeout(waiting);
    const back = pinned && panel.contains(document.activeElement) ? shownFor : null;
    // While it counts as pinned, the focus that comes back opens nothing.
    if (back) back.focus();
    panel.hidden = true;
    shownFor = null;
    pinned = false;
  };

  const place = (cell) => {
    const box = cell.getBoundingClientRect();
    const { width, height } = panel.getBoundingClientRect();
    const below = box.bottom + height + 8 < innerHeight || box.top < height + 8;
    panel.style.left = `${Math.max(4, Math.min(box.left, innerWidth - width - 4))}px`;
    panel.style.top = `${below ? Math.min(box.bottom + 4, innerHeight - height - 4) : box.top - height - 4}px`;
  };

  const line = (list, name, ...value) => list.append(make("dt", { textContent: name }), make("dd", {}, ...value));

  const describe = (list, content, entry) => {
    const [, , bundles, commands, samples, count, runs, failed] = entry;
    if (samples.length) {
      const more = count > samples.length ? ` … and ${count - samples.length} more` : "";
      line(list, samples.length === 1 ? "Sample" : `Samples (${count})`, samples.join(", ") + more);
    } else {
      line(list, "Samples", count > 1 ? `${count}, which the bundle does not list` : "none listed: the bundle has this figure alone");
    }
    if (runs > 1 || failed) line(list, "Runs", failed ? `${runs}, of which ${failed} failed` : `${runs}`);
    const home = document.getElementById("sources") ? "#sources" : script.dataset.provenance;
    for (const [id, board, release, day] of bundles.map((each) => content.bundles[each])) {
      const name = home ? make("a", { href: home, textContent: id }) : id;
      line(list, "Bundle", name, `: ${board}, ${release}, ${day}`);
    }
    for (const command of commands.slice(0, 3).map((each) => content.commands[each])) {
      line(list, "Command", make("code", { textContent: command }));
    }
    if (commands.length > 3) line(list, "Command", `and ${commands.length - 3} more`);
  };

  const show = async (cell, pin) => {
    clearTimeout(waiting);
    const table = cell.closest("table");
    const figure = cell.closest("figure");
    const model = modelOf(table);
    if (!model.places.has(cell)) return;
    if (shownFor === cell && pinned && !pin) return;
    shownFor = cell;
    pinned = pin;
    const { column } = model.places.get(cell);
    const row = cell.parentElement;
    const key = [...row.cells].filter((each) => each.scope === "row")
      .map(textOf).filter(Boolean).join(", ");
    const title = column < model.stub ? key : `${key}; ${model.columns[column].labels.join(", ")}`;
    const list = make("dl");
    if (column >= model.stub) line(list, "Shown", textOf(cell) || "nothing");
    const parts = [make("p", { className: "perf-behind-title", textContent: title }), list];
    if (pin) {
      const tools = make("div", { className: "perf-behind-tools" });
      const button = (words, act) => {
        const made = make("button", { type: "button", textContent: words });
        made.addEventListener("click", act);
        tools.append(made);
      };
      const target = row.id || figure.id;
      if (column >= model.stub && row.id) {
        button("Copy link to this cell", () =>
          copy(addressOf(target, model.columns[column].name), "Link to the cell copied"));
      }
      if (target) button("Copy link to this row", () => copy(addressOf(target), "Link to the row copied"));
      button("Close", hide);
      parts.push(tools);
    }
    panel.replaceChildren(...parts);
    panel.setAttribute("role", pin ? "dialog" : "tooltip");
    panel.setAttribute("aria-label", pin ? `What is behind ${title}` : "");
    panel.classList.toggle("perf-pinned", pin);
    panel.hidden = false;
    place(cell);
    if (column >= model.stub) {
      const content = await fileOf(figure);
      if (shownFor !== cell) return;
      const entry = content && content.at.get(original(table, cell));
      if (entry) describe(list, content, entry);
      else if (figure.dataset.cells && !content) line(list, "Samples", "could not be loaded; see the sources");
      place(cell);
    }
  };

  const cellAt = (event) => {
    const cell = event.target.closest?.("table.perf-grid tbody :is(td, th)");
    return cell && !event.target.closest("a, button, input") ? cell : null;
  };

  const listen = () => {
    document.addEventListener("pointerover", (event) => {
      clearTimeout(waiting);
      const cell = cellAt(event);
      if (pinned || event.pointerType === "touch") return;
      if (cell && cell.closest("figure.perf-table")?.dataset.cells && cell.tagName === "TD") {
        waiting = setTimeout(() => { if (!pinned) show(cell, false); }, 350);
      } else if (shownFor && !panel.contains(event.target)) hide();
    });
    document.addEventListener("click", (event) => {
      const cell = cellAt(event);
      if (cell && cell.closest("figure.perf-table")) show(cell, true);
      else if (!panel.hidden && !panel.contains(event.target)) hide();
      const link = event.target.closest?.("a.headerlink");
      if (link) copy(link.href, "Link copied");
    });
    document.addEventListener("focusin", (event) => {
      const cell = cellAt(event);
      if (cell && cell === event.target && !pinned && cell.matches(":focus-visible")) show(cell, false);
      else if (!pinned && shownFor && !cell) hide();
    });
    document.addEventListener("scroll", (event) => {
      if (shownFor && !pinned && event.target !== panel) hide();
      else if (shownFor && event.target !== panel) place(shownFor);
    }, { capture: true, passive: true });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !panel.hidden) return hide();
      const cell = cellAt(event);
      if (!cell || cell !== event.target) return undefined;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        return show(cell, true).then(() => panel.querySelector("button")?.focus());
      }
      const row = cell.parentElement;
      const across = [...row.cells].indexOf(cell);
      const next = {
        ArrowLeft: () => row.cells[across - 1],
        ArrowRight: () => row.cells[across + 1],
        ArrowUp: () => row.previousElementSibling?.cells[across],
        ArrowDown: () => row.nextElementSibling?.cells[across],
      }[event.key]?.();
      if (next) {
        event.preventDefault();
        cell.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
      return undefined;
    });
  };

  /* ---- Addresses ---- */
  const lead = () => {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const found = id && document.getElementById(id);
    if (!found) return;
    for (let outer = found.closest("[role=tabpanel][hidden]"); outer;
      outer = outer.parentElement.closest("[role=tabpanel][hidden]")) {
      const tab = document.getElementById(outer.getAttribute("aria-labelledby"));
      if (!tab) break;
      tab.click();
      if (outer.hidden) break;
    }
    const wanted = new URLSearchParams(location.search).get("cell");
    let target = found;
    if (wanted && found.tagName === "TR") {
      const model = modelOf(found.closest("table"));
      const column = model.columns.findIndex((each) => each.name === wanted);
      target = [...found.cells].find((cell) => model.places.get(cell)?.column === column) || found;
    }
    document.querySelectorAll(".perf-target").forEach((each) => each.classList.remove("perf-target"));
    if (found.tagName === "TR") {
      target.classList.add("perf-target");
      target.scrollIntoView({ block: "center", inline: "center" });
    } else target.scrollIntoView();
  };

  const begin = () => {
    document.body.append(status, panel);
    document.querySelectorAll("figure.perf-table").forEach(equip);
    listen();
    if (location.hash) lead();
    window.addEventListener("hashchange", lead);
  };
  // After all that others do when the page has been read, such as the tabs.
  if (document.readyState === "complete") begin();
  else document.addEventListener("DOMContentLoaded", () => setTimeout(begin));
})();
