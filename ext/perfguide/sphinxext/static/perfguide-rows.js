/* Shows all rows of a comparison in one table, which readers can order, and filter by verdict, benchmark, board and
   words. The address holds the choice; without it, the page is complete as well. */
"use strict";

(() => {
  const section = document.querySelector(".perf-rows");
  const { end, name, start } = document.currentScript.dataset;
  /* This script is the explorer's; most readers of a comparison never need it. */
  const TOOLS = ["drawing", "figures"].map((each) => new URL(`perfguide-${each}.js`, document.currentScript.src).href);
  if (!section) return;
  let el, fit, number;
  const FEW_ROWS = 100; // until the reader asks for more
  const MORE_ROWS = 400; // added at a time, since thousands of rows take seconds
  const NAMES = ["verdict", "benchmark", "board", "order", "find", "count"];
  const GONE = "No longer measured";
  const ORDERS = {
    "": ["as in the tables", () => 0],
    usual: ["by change over usual scatter", (a, b) => (b.times ?? -1) - (a.times ?? -1)],
    change: ["by change", (a, b) => b.size - a.size],
  };

  const decoded = (data) => data.rows.map(([benchmark, board, verdict, label, unit, before, now, change, share, times, why, ...at]) => ({
    benchmark: data.benchmarks[benchmark], board: data.boards[board], verdict: data.verdicts[verdict], label,
    unit: data.units[unit], figures: [before, now], change, times, why: data.grounds[why], sections: at.map((each) => data.sections[each]),
    // A rise to three times and a fall to a third are equally far.
    size: share === null ? -1 : share > -1 ? Math.abs(Math.log1p(share)) : Infinity,
  }));

  // ---- the choice, which is in the address ---------------------------------------

  const fromAddress = () => {
    const query = new URLSearchParams(location.search);
    return Object.fromEntries(NAMES.map((each) => [each, query.get(each) ?? ""]));
  };

  function toAddress(choice) {
    const query = new URLSearchParams();
    for (const each of NAMES) if (choice[each]) query.set(each, choice[each]);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}#${section.id}`);
  }

  const isChosen = ({ benchmark, board, find, verdict }) => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    return (row) => (!verdict || row.verdict === verdict) && (!benchmark || row.benchmark === benchmark) && (!board || row.board === board)
      && words.every((word) => `${row.label} ${row.board} ${row.why}`.toLowerCase().includes(word));
  };

  // ---- the form and the table ----------------------------------------------------

  let status, result;
  let rows = [];
  let choice = fromAddress();

  function choose(changes) {
    choice = { ...choice, count: "", ...changes };
    toAddress(choice);
    draw();
  }

  function select(label, key, pairs) {
    const input = el("select", {}, ...pairs.map(([value, text]) => el("option", value === choice[key] ? { value, selected: "" } : { value }, text)));
    return field(label, key, input, "change");
  }

  function field(label, key, input, event) {
    input.id = `perf-rows-${key}`;
    input.addEventListener(event, () => choose({ [key]: input.value }));
    return el("div", { class: "perf-explorer-field" }, el("label", { for: input.id }, label), input);
  }

  /* Return the values of a column in order, each with the number of its rows. */
  function counted(key) {
    const counts = new Map();
    for (const row of rows) counts.set(row[key], (counts.get(row[key]) ?? 0) + 1);
    return [["", "all"], ...[...counts].map(([value, count]) => [value, `${value} (${number(count)})`])];
  }

  function form() {
    const words = el("input", { type: "search", size: "14", value: choice.find });
    const out = el("form", { class: "perf-explorer-fields", "aria-label": "Rows" }, select("Verdict", "verdict", counted("verdict")),
      select("Benchmark", "benchmark", counted("benchmark")), select("Board", "board", counted("board")),
      select("Order", "order", Object.entries(ORDERS).map(([value, [text]]) => [value, text])), field("Rows with", "find", words, "input"));
    out.addEventListener("submit", (event) => event.preventDefault());
    return out;
  }

  const HEADS = ["Figure", "Board", "Unit", "Old", "New", "Change", "Over usual", "Verdict", "Why, and what would have shown"];
  const FIRST_NUMBER = 3;
  const FIRST_TEXT = 7;

  function line(row) {
    const figures = row.figures.map((text, at) => {
      const [page, anchor] = row.sections[at].split("#");
      return page ? el("a", { href: `${start}${page}${end}#${anchor}` }, text) : text;
    });
    const cells = [row.label, row.board, row.unit, ...figures, row.change.replace(" ", "\u00a0"), row.times === null ? "" : row.times.toFixed(1), row.verdict, row.why];
    return el("tr", {}, ...cells.map((content, at) => {
      if (!at) return el("th", { scope: "row", class: "perf-key" }, content);
      const kind = at >= FIRST_NUMBER && at < FIRST_TEXT ? "perf-n" : at === FIRST_TEXT + 1 ? "perf-words" : "";
      return el("td", { class: kind, "data-head": HEADS[at] }, ...(content === "" ? [] : [content]));
    }));
  }

  function draw() {
    const chosen = rows.filter(isChosen(choice));
    const [, compare] = ORDERS[choice.order] ?? ORDERS[""];
    chosen.sort(compare); // the sort is stable, so equal rows keep the order of the tables
    const drawn = chosen.slice(0, Number(choice.count) || FEW_ROWS);
    const gone = chosen.filter((row) => row.verdict === GONE).length;
    status.textContent = `${number(chosen.length)} of ${number(rows.length)} rows${gone && gone < chosen.length ? `, ${number(gone)} of them gone` : ""}.`;
    const grid = el("table", { class: "perf-grid no-search", "aria-label": "Rows of the comparison" },
      el("thead", {}, el("tr", {}, ...HEADS.map((head, at) => el("th", { scope: "col", class: at >= FIRST_NUMBER && at < FIRST_TEXT ? "perf-n" : "" }, head)))),
      el("tbody", {}, ...drawn.map(line)));
    const box = el("div", { class: "perf-scroll", role: "region", tabindex: "0", "aria-label": "Rows of the comparison" }, grid);
    result.replaceChildren(...(chosen.length ? [el("div", { class: "perf-table" }, box)] : []));
    if (drawn.length < chosen.length) {
      const more = Math.min(MORE_ROWS, chosen.length - drawn.length);
      const button = el("button", { type: "button" }, `Show ${more} more`);
      button.addEventListener("click", () => choose({ count: String(drawn.length + more) }));
      result.append(el("p", {}, button));
    }
    if (chosen.length) fit(box);
  }

  async function open(button) {
    button.disabled = true;
    try {
      for (const tool of TOOLS) await window.perfguideGrid.load(tool);
      ({ el, fit, number } = window.perfguideDrawing);
      rows = decoded(await window.perfguideFigures.load(name));
    } catch {
      button.disabled = false;
      window.perfguideGrid.say("The rows could not be loaded; the tables have them");
      return;
    }
    status = el("p", { class: "perf-count", role: "status", "aria-live": "polite" });
    result = el("div", {});
    section.replaceChildren(form(), status, result);
    draw();
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (!window.perfguideGrid) return;
    section.id = "all-rows";
    const button = window.perfguideGrid.make("button", { type: "button", textContent: "Filter and order all rows" });
    button.addEventListener("click", () => open(button));
    section.append(" ", button);
    if (location.hash === `#${section.id}`) open(button).then(() => section.scrollIntoView());
  });
})();
