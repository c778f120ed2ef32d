/* Shows a panel with the samples, bundles and commands behind a cell, for pointer, touch and
   keyboard. */
(() => {
  "use strict";
  const { addressOf, copy, exactOf, load, make, modelOf, ready, textOf } = window.perfguideGrid;
  /* Only panels need this script, so it is loaded with the first one. */
  const REMARKS = new URL("perfguide-remarks.js", document.currentScript.src).href;
  const { provenance } = document.currentScript.dataset;

  let asked;
  const fileOf = async (figure) => {
    const { cells, file } = figure.dataset;
    if (!cells) return null;
    asked = asked || Promise.all([load(REMARKS), load(cells)]).then(() => window.perfguideFigures);
    let content;
    try { content = await asked; } catch { asked = null; return null; }
    const table = content.tables[file];
    if (table) table.at = table.at || new Map(table.cells.map((each) => [`${each[0]}:${each[1]}`, each]));
    return table ? { ...content, at: table.at } : null;
  };

  const original = (table, cell) => {
    const { row, column } = modelOf(table).places.get(cell);
    const numberIn = (given, number) => {
      if (!given) return number;
      const list = given.split(",").map(Number);
      return list.length === 1 ? list[0] + number : list[number];
    };
    return `${numberIn(table.dataset.perfRows, row)}:${numberIn(table.dataset.perfColumns, column)}`;
  };

  const panel = make("div", { className: "perf-behind", id: "perf-behind", hidden: true });
  let shownFor = null;
  let pinned = false;
  let waiting;

  const hide = () => {
    clearTimeout(waiting);
    const back = pinned && panel.contains(document.activeElement) ? shownFor : null;
    // While the panel counts as pinned, the focus returning to the cell does not open it again.
    if (back) back.focus();
    panel.hidden = true;
    shownFor = null;
    pinned = false;
  };

  const movePanel = (cell) => {
    const box = cell.getBoundingClientRect();
    const { width, height } = panel.getBoundingClientRect();
    const below = box.bottom + height + 8 < innerHeight || box.top < height + 8;
    panel.style.left = `${Math.max(4, Math.min(box.left, innerWidth - width - 4))}px`;
    panel.style.top = `${below ? Math.min(box.bottom + 4, innerHeight - height - 4) : box.top - height - 4}px`;
  };

  const line = (list, name, ...value) => list.append(make("dt", { textContent: name }), make("dd", {}, ...value));

  const describe = (list, content, entry) => {
    const [, , bundles, commands, samples, count, runs, failed, own] = entry;
    if (samples.length) {
      const more = count > samples.length ? ` … and ${count - samples.length} more` : "";
      line(list, samples.length === 1 ? "Sample" : `Samples (${count})`, samples.join(", ") + more);
    } else {
      line(list, "Samples", count > 1 ? `${count}, which the bundle does not list` : "none listed: the bundle has this figure alone");
    }
    // An upload that repeats another is no run of its own.
    const again = bundles.length > runs ? `, in ${bundles.length} uploads` : "";
    if (runs > 1 || failed || again) line(list, "Runs", `${runs}${again}${failed ? `, of which ${failed} failed` : ""}`);
    for (const [name, words] of window.perfguideRemarks.wordsBehind(content, bundles, own)) line(list, name, words);
    const home = document.getElementById("sources") ? "#sources" : provenance;
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
    if (column >= model.stub) {
      const [text, exact] = [textOf(cell), exactOf(cell)];
      line(list, "Shown", text || "nothing");
      if (exact !== text) line(list, "Exactly", exact);
    }
    const parts = [make("p", { className: "perf-behind-title", textContent: title }), list];
    if (pin) {
      const tools = make("div", { className: "perf-behind-tools" });
      const button = (words, act) => {
        const element = make("button", { type: "button", textContent: words });
        element.addEventListener("click", act);
        tools.append(element);
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
    movePanel(cell);
    if (column >= model.stub) {
      const content = await fileOf(figure);
      if (shownFor !== cell) return;
      const entry = content && content.at.get(original(table, cell));
      if (entry) describe(list, content, entry);
      else if (figure.dataset.cells && !content) line(list, "Samples", "could not be loaded; see the sources");
      movePanel(cell);
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
    });
    document.addEventListener("focusin", (event) => {
      const cell = cellAt(event);
      if (cell && cell === event.target && !pinned && cell.matches(":focus-visible")) show(cell, false);
      else if (!pinned && shownFor && !cell) hide();
    });
    document.addEventListener("scroll", (event) => {
      if (shownFor && !pinned && event.target !== panel) hide();
      else if (shownFor && event.target !== panel) movePanel(shownFor);
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

  ready(() => {
    document.body.append(panel);
    listen();
  });
})();
