/* Adds tools to tables of figures, which are complete without them: a button that copies, and one that
   loads DataTables, which sorts, filters and hides columns. */
(() => {
  "use strict";
  const { ARROWS, copy, exactOf, load, make, modelOf, ready, say, textOf } = window.perfguideGrid;
  const LIBRARY = new URL("perfguide-datatables.js", document.currentScript.src).href;
  const collator = new Intl.Collator("en", { numeric: true });

  const SIZE = / (bytes?|[KMG]iB)$/;

  const withoutArrow = (text) => text.replace(ARROWS, "");

  const field = (text, number) => {
    const words = text.replace(/[\t\r\n]+/g, " ");
    // A spreadsheet would compute a text that starts like this; see “Sort, filter, copy” in reading.rst.
    const safe = !number && /^\s*'*[=+\-@＝＋－＠]/.test(words) ? `'${words}` : words;
    return safe.includes('"') ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  const valueOf = (cell) => {
    if (cell.querySelector(".perf-missing")) return "";
    const data = cell.querySelector("data");
    const number = data ? Number(data.value) : NaN;
    return Number.isNaN(number) ? field(withoutArrow(textOf(cell))) : field(String(number), true);
  };

  /* Return the unit of all rows, or nothing if they have several. */
  const unitOf = (model, column) => {
    const units = new Set(model.rows.map((row) => withoutArrow(textOf(row.cells[column]))));
    return units.size === 1 ? [...units][0] : "";
  };

  /* Return whether a column has sizes, which are numbers of bytes in a copy. */
  const isSize = (table, column) =>
    [...table.tBodies[0].rows].some(({ cells }) => cells[column]?.querySelector("data") && SIZE.test(textOf(cells[column])));

  /* Return the short name of a board that the page shows, with its name in bundles in brackets. */
  const bothNames = (label, shown) => withoutArrow(label.startsWith(shown) ? label : `${shown} (${label})`);

  /* Return the head of a table and its rows as lines for spreadsheets. */
  const tabbed = (table) => {
    const model = modelOf(table);
    const united = model.columns.findIndex(({ labels }, column) => column < model.stub && labels[0] === "Unit");
    const { perfUnit = "" } = table.dataset;
    const unit = united < 0 ? withoutArrow(perfUnit) : unitOf(model, united);
    // As in the CSV file, the heads of figures state a unit that all rows share.
    const heads = model.columns.map(({ labels, shown }, column) => {
      const name = column < model.stub && perfUnit && labels[0] === perfUnit
        ? "Metric" : labels.map((label, level) => bothNames(label, shown[level])).filter(Boolean).join(", ");
      const own = column < model.stub && !name.endsWith(")") && isSize(table, column) ? "bytes" : column < model.stub ? "" : unit;
      return own ? `${name} (${own})` : name;
    });
    const kept = model.columns.map((_, column) => column)
      .filter((column) => !model.hidden?.has(column) && !(unit && column === united));
    // Facts that hold for all rows, such as the SoC or the algorithm, become columns.
    const same = JSON.parse(table.dataset.perfSame || "[]");
    const before = same.map(([, value]) => field(value));
    const hasSigns = Boolean(table.closest("figure").querySelector(".perf-mark"));
    const head = [...same.map(([name]) => field(name)), ...kept.map((column) => field(heads[column])), ...(hasSigns ? ["Signs"] : [])];
    const lines = [];
    for (const row of table.tBodies[0].rows) {
      if (row.classList.contains("perf-none")) continue;
      const cells = [...row.cells];
      const ordered = kept.map((column) => cells.find((cell) => model.places.get(cell)?.column === column));
      const signs = ordered.map((cell, at) => [cell?.querySelector(".perf-mark")?.textContent, heads[kept[at]]]).filter(([sign]) => sign);
      lines.push([
        ...before, ...ordered.map((cell) => (cell ? valueOf(cell) : "")),
        ...(hasSigns ? [field(signs.map(([sign, name]) => `${name}: ${sign}`).join("; "))] : []),
      ]);
    }
    return [head, ...lines].map((texts) => `${texts.join("\t")}\n`);
  };

  /* Return all tables as text, including those of hidden tabs. Successive tables with the same head share it. */
  const copyOf = (tables) => {
    let last = "";
    const all = tables.map(tabbed);
    const filled = all.filter(({ length }) => length > 1); // a filter may leave no row in a tab
    return (filled.length ? filled : all.slice(0, 1)).map(([head, ...lines]) => {
      const before = head === last ? [] : last ? ["\n", head] : [head];
      last = head;
      return [...before, ...lines].join("");
    }).join("");
  };

  let library;

  /* Return a key by which cells are sorted: kind and number, or text. Empty cells have null and go last. */
  const keyOf = (cell, [kind, scale]) => {
    const figure = cell.querySelector("data");
    if (figure) return [kind, Number(figure.value) * scale];
    const text = textOf(cell);
    return text && !cell.querySelector(".perf-missing, .perf-failed") ? ["text", text] : null;
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
    // For each text in the “Unit” column: the kind of the unit, and the factor to the base unit of that kind.
    const units = JSON.parse(table.dataset.perfUnits || "{}");
    for (const row of model.rows) {
      const cells = [...row.cells];
      const unit = (unitColumn >= 0 && units[textOf(cells[unitColumn])]) || ["", 1];
      cells.forEach((cell, column) => {
        cell.dataset.order = JSON.stringify(keyOf(cell, column < model.stub ? ["", 1] : unit));
        cell.dataset.search = `${textOf(cell)} ${exactOf(cell)}`;
        // The cell keeps its own head when columns before it are hidden.
        cell.style.setProperty("--h", `var(--h${column + 1})`);
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

  /* Names in the address for the rows and the order that a reader chose; it holds those of one table at a time. */
  const ROWS = "rows";
  const BY = "by";
  const DOWN = "down";

  const remember = (figure, tables, text) => {
    const asked = new URLSearchParams(location.search);
    [ROWS, BY, DOWN, "cell"].forEach((name) => asked.delete(name));
    if (text) asked.set(ROWS, text);
    const sorted = tables.find((table) => modelOf(table).api.order().length);
    if (sorted) {
      const [[column, way]] = modelOf(sorted).api.order();
      asked.set(way === "desc" ? DOWN : BY, modelOf(sorted).columns[column].name);
    }
    history.replaceState(null, "", `${location.pathname}${asked.size ? `?${asked}` : ""}#${figure.id}`);
  };

  /* Return whether the address asks for rows or an order of a table. */
  const isAsked = (figure) => {
    const asked = new URLSearchParams(location.search);
    return `#${figure.id}` === location.hash && [ROWS, BY, DOWN].some((name) => asked.has(name));
  };

  const recall = (tables, filter) => {
    const asked = new URLSearchParams(location.search);
    filter.value = asked.get(ROWS) || "";
    for (const table of tables) {
      const { api, columns } = modelOf(table);
      const column = columns.findIndex(({ name }) => name === (asked.get(BY) ?? asked.get(DOWN)));
      if (column >= 0) api.order([[column, asked.has(DOWN) ? "desc" : "asc"]]);
    }
  };

  const groups = (tables) => {
    // Only levels of heads with several labels offer a choice.
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
        const count = model.api.rows({ search: "applied" }).count();
        if (!count) table.tBodies[0].rows[0]?.classList.add("perf-none");
        if (table.offsetParent) { all += model.rows.length; left += count; }
      }
      count.textContent = left === all ? "" : `${left} of ${all} rows`;
    };
    filter.addEventListener("input", () => { refresh(); remember(figure, tables, filter.value); });
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
      remember(figure, tables, "");
    });
    const choose = boxes.length
      ? [make("details", {}, make("summary", { textContent: "Choose boards and columns" }), ...boxes)] : [];
    tools.prepend(filter, count, ...choose, reset);
    if (isAsked(figure)) {
      recall(tables, filter);
      refresh();
    } else {
      filter.focus();
    }
    tables.forEach((table) => modelOf(table).api.on("order", () => remember(figure, tables, filter.value)));
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
      // Sorting and filtering apply to all rows, so show all.
      figure.querySelectorAll(".perf-all > input").forEach((box) => { box.checked = true; });
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
    const button = make("button", { type: "button", textContent: "Sort and filter" });
    button.addEventListener("click", () => enhance(figure, tables, tools, button));
    if (isAsked(figure)) enhance(figure, tables, tools, button);
    const copying = make("button", { type: "button", textContent: "Copy" });
    copying.addEventListener("click", () => {
      const tabs = figure.querySelectorAll("[role=tab]").length;
      copy(copyOf(tables), tabs ? `Table copied, with all ${tabs} tabs` : "Table copied");
    });
    tools.append(button, copying);
    if (figure.querySelector(".perf-spread")) {
      const spread = make("button", { type: "button", className: "perf-show-spread", textContent: "Show spread" });
      spread.setAttribute("aria-pressed", "false");
      spread.addEventListener("click", () =>
        spread.setAttribute("aria-pressed", String(figure.classList.toggle("perf-spreads"))));
      tools.append(spread);
    }
    for (const table of tables) {
      const first = table.querySelector("tbody td, tbody th");
      if (first) first.tabIndex = 0;
    }
  };

  ready(() => document.querySelectorAll("figure.perf-table").forEach(equip));
})();
