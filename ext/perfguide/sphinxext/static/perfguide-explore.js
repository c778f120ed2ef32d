/* Runs the explorer, which shows the figures of some sides as a chart and a table. The address holds the choice. All
   words from the data are inserted as text, never as markup. */
"use strict";

(() => {
  const explorer = document.querySelector(".perf-explorer:not(.perf-finder)");
  if (!explorer) return;
  const { chart, el, fit, number, ratioText, ratios } = window.perfguideDrawing;
  const { linesOf, load, loadScript } = window.perfguideFigures;
  const { NOT_COMPARABLE, amount, comparisonOf, isSameBoard, rowsOf } = window.perfguideSides;
  /* Figures that differ by less are called about the same. */
  const SAME = 1.09;
  /* Only an opened row needs this script. */
  const REMARKS = new URL("perfguide-remarks.js", document.currentScript.src).href;
  const order = new Intl.Collator("en", { numeric: true });
  const MAX_SIDES = 5;
  const MAX_ROWS = 100; // in the table, until the reader asks for all
  const MAX_DRAWN = 24; // in the chart
  const MIN_SHARE = 0.5; // the share of the previous release's rows from which a release counts as full
  const MIN_SPREAD = 1.5; // like MIN_SPREAD in pool.py
  const MIN_LARGE = 1000; // the figure from which a larger unit reads better
  const NONE = "none";
  const PER = { "": "board", mhz: "MHz", core: "core", watt: "watt" };
  const SCALED = { mhz: "MHz", core: "core", watt: "W" };

  // ---- the choice and the address ----------------------------------------------

  const NAMES = ["results", "base", "per", "order", "find", "row", "rows"];

  /* Write a side for the address: the path of its guide, its board, and the engine if one is chosen. */
  const written = (side) => [side.path, ...[side.board, side.engine].filter(Boolean).map(encodeURIComponent)].join(":");

  function read(text) {
    const [path, ...rest] = text.split(":");
    const [board, engine] = rest.map((part) => {
      try { return decodeURIComponent(part); } catch { return part; }
    });
    return { path, board: board ?? "", engine: engine ?? "" };
  }

  function fromAddress() {
    const query = new URLSearchParams(location.search);
    const choice = { sides: query.getAll("side").slice(0, MAX_SIDES).map(read) };
    for (const name of NAMES) choice[name] = query.get(name) ?? "";
    // Addresses from before there were sides name a SoC and up to two releases.
    if (!choice.sides.length && query.has("soc")) {
      const [soc, board] = [query.get("soc"), query.get("board") ?? ""];
      const releases = [query.get("with"), query.get("release")].filter(Boolean);
      choice.sides = (releases.length ? releases : [""]).map((release) => ({ soc, os: query.get("os") ?? "", release, board, engine: "" }));
      choice.results = query.get("benchmark") ?? "";
    }
    return choice;
  }

  function toAddress(choice) {
    const query = new URLSearchParams(choice.sides.map((side) => ["side", written(side)]));
    for (const name of NAMES) if (choice[name]) query.set(name, choice[name]);
    return `${location.pathname}?${query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":")}${location.hash}`;
  }

  // ---- sides -------------------------------------------------------------------

  let top = null;

  async function socOf(name, folder) {
    const index = await load(`${folder}/index`);
    index.decoded ??= {
      name, folder, benchmarks: index.benchmarks, headlines: linesOf(index.headlines), compared: index.compared,
      boards: index.boards.map(([board, short, cores, cpu]) => ({ board, short, cores, cpu })),
      guides: index.guides.map(([system, release, path, date, hasWords, boards], at) => {
        const [label, sdk, os] = index.systems[system];
        return { number: at, system: label, sdk, os, release, path, date, hasWords, clocks: new Map(boards.map(([b, clock]) => [index.boards[b][0], clock])) };
      }),
    };
    return index.decoded;
  }

  /* Return a side with all that is known about it, and the parts of the request that do not exist. */
  async function resolve({ path, soc: asked, os, release, board, engine }) {
    const missing = [];
    const entry = top.socs.find(([name, folder]) => (path === undefined ? name === asked : path.startsWith(`${folder}/`)));
    if (!entry) return { missing: [["SoC", path ?? asked]] };
    const soc = await socOf(...entry);
    const isMeant = (guide) => (path === undefined ? (!os || guide.os === os) && (!release || guide.release === release) : guide.path === path);
    let guide = soc.guides.find((each) => isMeant(each) && (!board || each.clocks.has(board))) ?? soc.guides.find(isMeant);
    if (!guide) {
      missing.push(["guide", path ?? release]);
      [guide] = soc.guides;
    }
    if (board && !guide.clocks.has(board)) missing.push([`board of ${guide.path}`, board]);
    const name = guide.clocks.has(board) ? board : usualBoard(soc, guide);
    return { side: sideOf(soc, guide, name, engine), missing };
  }

  function sideOf(soc, guide, board, engine) {
    const entry = soc.boards.find((each) => each.board === board);
    const isOnly = soc.boards.filter((each) => each.short === entry.short).length === 1;
    const short = isOnly ? entry.short : board;
    const title = `${soc.name} ${short} · ${guide.system} ${guide.release}`;
    return { soc, guide, path: guide.path, board, short, title, engine: engine ?? "", clock: guide.clocks.get(board), cores: entry.cores, cpu: entry.cpu };
  }

  /* Name each side by its SoC and by what differs between the sides of that SoC. */
  function nameSides(sides) {
    for (const side of sides) {
      const others = sides.filter((other) => other !== side && other.soc === side.soc);
      const parts = [
        [side.short, ({ board }) => board !== side.board], [side.guide.system, ({ guide }) => guide.system !== side.guide.system],
        [side.guide.release, ({ guide }) => guide.release !== side.guide.release], [side.engine || "as recorded", (other) => isSameSide(other, side)],
      ];
      side.name = sides.length === 1 ? side.title : [side.soc.name, ...parts.filter(([, differs]) => others.some(differs)).map(([part]) => part)].join(" ");
    }
  }

  const sidesOf = (soc) => soc.guides.flatMap((guide) => [...guide.clocks.keys()].map((board) => sideOf(soc, guide, board)));

  const isSameSide = (a, b) => a.path === b.path && a.board === b.board;

  /* Choose the side of a SoC to open beside another one. Return {side, count} with the number of rows that both have, or
     nothing if there are none. ``lines`` are those of both; ``shown`` are the figures of the other side that count. The newest
     side is not always chosen, since a release with a single run would hide the one before it. */
  function newestFull(sides, beside, lines, shown, isPreferred = () => false) {
    const systems = new Map();
    for (const side of sides) {
      const besides = beside ?? side;
      const rows = rowsOf([besides, side], beside ? lines : [lines[1], lines[1]], null, "");
      const count = rows.filter(({ cells: [one, own] }) => one && own && own.figure.mean !== null && (!shown || shown.has(one.figure))).length;
      const key = JSON.stringify([side.guide.sdk, side.guide.os, side.board]);
      if (count) systems.set(key, [...(systems.get(key) ?? []), { side, count }]);
    }
    // The guides of a system are sorted, newest first.
    const full = [...systems.values()].map((own) => {
      const all = own.filter(({ count }, at) => at === own.length - 1 || count >= MIN_SHARE * own[at + 1].count);
      return all.find(({ side }) => side.guide === beside?.guide) ?? all[0];
    });
    const most = Math.max(...full.map(({ count }) => count));
    return full.filter(({ count }) => count >= MIN_SHARE * most)
      .sort((a, b) => order.compare(b.side.guide.date, a.side.guide.date) || isPreferred(b.side) - isPreferred(a.side) || b.count - a.count)[0];
  }

  /* Return the board of a guide that has the most headline figures. */
  function usualBoard(soc, guide) {
    const sides = sidesOf(soc).filter((side) => side.guide === guide);
    return (newestFull(sides, null, [[], soc.headlines])?.side ?? sides[0]).board;
  }

  /* Return the side to open after a SoC, a system or a board was chosen. */
  async function opened({ soc: name, isMeant = () => true, isPreferred, beside }, results) {
    const soc = await socOf(...top.socs.find(([each]) => each === name));
    const meant = sidesOf(soc).filter(isMeant);
    const others = meant.filter((side) => !beside || !isSameSide(side, beside));
    const sides = others.length ? others : meant;
    for (const each of new Set([results, ""])) {
      const lines = await Promise.all([beside ?? { soc }, { soc }].map((side) => linesOfSide(side, each)));
      const nearest = newestFull(sides, beside, lines, null, isPreferred);
      if (nearest) return nearest.side;
    }
    return sides[0];
  }

  /* Return the first sides to show: the newest ones of a few SoCs or, if there is one SoC, two releases of a board. */
  async function usual() {
    const names = top.socs.map(([soc]) => soc);
    // Names that differ only in a number at the end are those of variants, which are alike.
    const stems = names.map((soc) => soc.replace(/-\d+$/, ""));
    const apart = names.filter((_, at) => stems.indexOf(stems[at]) === at);
    const [first, ...others] = (apart.length > 1 ? apart : names).slice(0, 3);
    const beside = await opened({ soc: first }, "");
    if (others.length) return [beside, ...await Promise.all(others.map((soc) => opened({ soc, beside }, "")))];
    const older = sidesOf(beside.soc).find((side) => isSameBoard(side, beside) && side.guide.number > beside.guide.number);
    return older ? [older, beside] : [beside];
  }

  async function linesOfSide(side, results) {
    if (!results) return side.soc.headlines;
    const entry = side.soc.benchmarks.find(([name]) => name === results);
    if (!entry) return [];
    const [, , file, count] = entry;
    const parts = await Promise.all(Array.from({ length: count }, (_, at) => load(`${side.soc.folder}/${file}/${at + 1}`)));
    return parts.flatMap((part) => (part.decoded ??= linesOf(part)));
  }

  async function settle(wanted) {
    top ??= await load("index");
    if (!top.socs.length) return null;
    const chosen = await Promise.all(wanted.sides.map((side) => (side.beside ? opened(side, wanted.results) : side)));
    let asked = await Promise.all(chosen.map(resolve));
    const missing = asked.flatMap((each) => each.missing);
    let sides = asked.map((each) => each.side).filter(Boolean);
    if (!sides.length) {
      asked = await Promise.all((await usual()).map(resolve));
      sides = asked.map((each) => each.side);
    }
    nameSides(sides);
    const offered = new Map(sides.flatMap((side) => side.soc.benchmarks.map(([name, title]) => [name, title])));
    const results = offered.has(wanted.results) ? wanted.results : "";
    if (wanted.results && !results) missing.push(["benchmark", wanted.results]);
    const per = PER[wanted.per] ? wanted.per : "";
    const base = wanted.base === NONE ? null : Math.max(0, Math.min(sides.length, Number(wanted.base) || 1) - 1);
    const lines = await Promise.all(sides.map((side) => linesOfSide(side, results)));
    const all = rowsOf(sides, lines, base, per);
    // All rows of a metric have the same unit, whichever of them are shown.
    const metricOf = ({ row }) => JSON.stringify([row.benchmark, row.metric, row.unit]);
    const large = new Set(all.filter(({ cells }) => cells.some((cell) => cell?.figure.mean >= MIN_LARGE)).map(metricOf));
    for (const entry of all) entry.shown = large.has(metricOf(entry)) ? entry.row.larger : { ...entry.row, factor: 1 };
    const words = wanted.find.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = all.filter(({ label, row }) => words.every((word) => `${label} ${row.metricLabel}`.toLowerCase().includes(word)));
    const distance = ({ relations }) => Math.max(0, ...relations.map((each) => (each?.ratio ? Math.abs(Math.log(each.ratio)) : 0)));
    if (wanted.order) rows.sort((a, b) => distance(b) - distance(a));
    const open = rows.find(({ key }) => key === wanted.row);
    if (wanted.row && !open) missing.push(["row", wanted.row]);
    const notes = open ? await Promise.all(open.cells.map((cell) => cell && notesOf(cell))) : [];
    return {
      choice: { ...wanted, sides, results, per, row: open ? wanted.row : "" },
      sides, lines, base, per, rows, open, notes, missing, offered, total: all.length,
    };
  }

  // ---- the form ----------------------------------------------------------------

  let current = null; // what is shown
  const choose = (changes) => show({ ...current.choice, ...changes }, "push");

  let count = 0;
  function field(label, input, chosen, event = "change") {
    const id = `perf-explorer-${(count += 1)}`;
    input.id = id;
    input.addEventListener(event, () => chosen(input.value));
    return el("div", { class: "perf-explorer-field" }, el("label", { for: id }, label), input);
  }

  /* Make a select element offer [value, text] pairs and choose one; it keeps the focus. */
  function offer(select, pairs, value) {
    const old = [...select.options].map((o) => [o.value, o.text]);
    if (JSON.stringify(old) !== JSON.stringify(pairs)) {
      select.replaceChildren(...pairs.map(([v, text]) => el("option", { value: v }, text)));
    }
    select.value = value;
  }

  const sidesBox = el("div", {});
  const editors = [];

  const changeSide = (at, changes) =>
    choose({ sides: current.sides.map((side, n) => (n === at ? { ...side, ...changes } : side)), row: current.choice.row });

  /* Make the fields of one side. */
  function editor(at) {
    const parts = {};
    const legend = el("legend", {});
    const box = el("fieldset", { class: "perf-explorer-side" }, legend);
    const add = (name, label, chosen) => {
      parts[name] = el("select", {});
      box.append(field(label, parts[name], chosen));
    };
    // Open a side with rows that the reader sees now: those of the base, another side or, alone, this one.
    const open = (isMeant, isPreferred, soc = current.sides[at].soc.name) => {
      const { sides, base } = current;
      const beside = [sides[base ?? 0], ...sides].find((side) => side !== sides[at]) ?? sides[at];
      changeSide(at, { soc, isMeant, isPreferred, beside });
    };
    const systemOf = ({ guide }) => JSON.stringify([guide.sdk, guide.os]);
    add("soc", "SoC", (name) => open(undefined, undefined, name));
    add("system", "System", (value) => {
      const { board } = current.sides[at];
      open((side) => systemOf(side) === value, (side) => side.board === board);
    });
    add("board", "Board", (name) => {
      const { guides } = current.sides[at].soc;
      const system = systemOf(current.sides[at]);
      const isHere = guides.some((guide) => guide.clocks.has(name) && systemOf({ guide }) === system);
      open((side) => side.board === name && (!isHere || systemOf(side) === system));
    });
    add("release", "Release", (path) => changeSide(at, { path }));
    add("engine", "Engine", (engine) => changeSide(at, { engine }));
    const remove = el("button", { type: "button" }, "Remove");
    remove.addEventListener("click", () => {
      choose({ sides: current.sides.filter((_, n) => n !== at), base: "" });
      editors[0]?.parts.soc.focus();
    });
    box.append(remove);
    return { box, legend, parts, remove };
  }

  function drawForm({ sides, lines, choice, offered, base }) {
    while (editors.length > sides.length) editors.pop().box.remove();
    while (editors.length < sides.length) {
      editors.push(editor(editors.length));
      sidesBox.append(editors[editors.length - 1].box);
    }
    sides.forEach((side, at) => {
      const { legend, parts, remove } = editors[at];
      legend.textContent = `Side ${at + 1}${at === base ? ", the base" : ""}`;
      const { guides, boards } = side.soc;
      const same = (guide) => guide.sdk === side.guide.sdk && guide.os === side.guide.os;
      offer(parts.soc, top.socs.map(([name]) => [name, name]), side.soc.name);
      const systems = new Map(guides.map((guide) => [JSON.stringify([guide.sdk, guide.os]), guide.system]));
      offer(parts.system, [...systems], JSON.stringify([side.guide.sdk, side.guide.os]));
      const here = new Set(guides.filter(same).flatMap((guide) => [...guide.clocks.keys()]));
      const elsewhere = (name) => guides.find((guide) => guide.clocks.has(name))?.system;
      // Boards of the chosen system come first; choosing another one also changes the system.
      offer(parts.board, [...boards].sort((a, b) => here.has(b.board) - here.has(a.board)).map(({ board, short }) => {
        const name = boards.filter((other) => other.short === short).length > 1 ? board : short;
        return [board, here.has(board) ? name : `${name}, ${elsewhere(board)}`];
      }), side.board);
      offer(parts.release, guides.filter((guide) => same(guide) && guide.clocks.has(side.board)).map((guide) => [guide.path, guide.release]), side.path);
      const engines = new Map(lines[at].filter((line) => line.board === side.board && line.row.engine !== undefined)
        .map((line) => [line.row.engine, line.row.engineLabel]));
      if (side.engine && !engines.has(side.engine)) engines.set(side.engine, side.engine);
      offer(parts.engine, [["", "as recorded"], ...engines], side.engine);
      parts.engine.parentElement.hidden = engines.size < 2 && !side.engine;
      remove.hidden = sides.length < 2;
    });
    addButton.hidden = sides.length >= MAX_SIDES;
    offer(main.base, [...sides.map((side, at) => [String(at + 1), `${at + 1}: ${side.title}`]), [NONE, "nothing: figures only"]], base === null ? NONE : String(base + 1));
    offer(main.per, Object.entries(PER), choice.per);
    offer(main.results, [["", "Headline results"], ...[...offered].sort((a, b) => order.compare(a[1], b[1]))], choice.results);
    offer(main.order, [["", "as in guides"], ["far", "farthest apart first"]], choice.order);
    if (document.activeElement !== main.find) main.find.value = choice.find;
  }

  const main = { base: el("select", {}), per: el("select", {}), results: el("select", {}), order: el("select", {}), find: el("input", { type: "search", size: "14" }) };
  const addButton = el("button", { type: "button" }, "Add a side");
  addButton.addEventListener("click", () => {
    choose({ sides: [...current.sides, current.sides[current.sides.length - 1]] });
  });
  const form = el("form", { class: "perf-explorer-form", "aria-label": "What is compared" }, sidesBox,
    el("div", { class: "perf-explorer-fields perf-explorer-main" }, addButton,
      field("Results", main.results, (results) => choose({ results, row: "", rows: "" })),
      field("Relative to", main.base, (base) => choose({ base: base === "1" ? "" : base })),
      field("Per", main.per, (per) => choose({ per })),
      field("Order", main.order, (value) => choose({ order: value })),
      // Typing replaces the address, so that “back” does not undo it letter by letter.
      field("Rows with", main.find, (find) => show({ ...current.choice, find, rows: "" }, "replace"), "input")));
  form.addEventListener("submit", (event) => event.preventDefault());
  const status = el("p", { class: "perf-explorer-status", role: "status", "aria-live": "polite" });
  const result = el("div", { class: "perf-explorer-result" });

  // ---- what is shown -----------------------------------------------------------

  const address = (page, fragment = "") => `${explorer.dataset.start}${page}${explorer.dataset.end}${fragment}`;

  const sectionOf = ({ figure, side }) => address(`guides/${side.soc.guides[figure.guide].path}`, `#${figure.section}`);

  /* Convert a figure to its row's unit, which may read better than the one it was measured in. The <data> elements keep
     the figure as it was measured. */
  const inShown = (value, { factor }) => (value === null || factor === 1 ? value : Number((value / factor).toPrecision(15)));
  const textIn = (value, shown) => number(inShown(value, shown));

  const spreadOf = ({ low, high, count: n }, shown) =>
    (low === null ? "" : ` (min ${textIn(low, shown)}, max ${textIn(high, shown)})${n === null ? "" : ` n=${n}`}`);

  const unitOf = ({ row, shown }, per) =>
    !per || row.use !== 2 ? shown.head : `${shown.unit}${row.better === "lower" ? " × " : " per "}${SCALED[per]}`;

  function figureCell(entry, at, { per, base, sides }) {
    const cell = entry.cells[at];
    const own = { class: "perf-n", "data-head": sides[at].title };
    if (!cell) return el("td", own, el("span", { class: "perf-missing", role: "img", "aria-label": "not measured" }, "—"));
    const out = el("td", own);
    const more = [cell.figure.engine, cell.figure.load];
    if (cell.figure.mean === null) out.append(el("a", { href: sectionOf(cell), class: "perf-failed" }, "failed"));
    else {
      const value = !per || cell.row.use !== 2 ? cell.figure.mean : amount(cell, per);
      out.append(el("a", { href: sectionOf(cell) }, el("data", { value: value ?? "" }, value === null ? "not known" : textIn(value, entry.shown))));
      const relation = base === null ? null : entry.relations[at];
      const { doubt, low, high } = cell.figure;
      if (doubt) out.append(el("abbr", { class: "perf-mark", title: doubt[1] }, doubt[0]));
      else if (low > 0 && high >= MIN_SPREAD * low) out.append(el("abbr", { class: "perf-mark perf-mark-note", title: "runs far apart" }, "±"));
      if (relation?.ratio) more.push(el("data", { value: relation.ratio, class: "perf-ratio" }, ratioText(relation.towards ?? relation.ratio)));
      else if (relation?.why) more.push(el("abbr", { title: relation.why }, "not compared"));
    }
    more.push(verdictOf(entry, at, sides, base));
    for (const each of more.filter(Boolean)) out.append(" ", el("small", {}, each));
    return out;
  }

  /* Return the build's verdict on two figures of neighbouring releases. */
  function verdictOf(entry, at, sides, base) {
    if (base === null || at === base || !entry.cells[base]) return null;
    const both = comparisonOf(sides[base], sides[at]);
    if (!both) return null;
    const newer = [entry.cells[base], entry.cells[at]].find((cell) => cell.figure.guide === both.newer);
    return newer.figure.verdict === NOT_COMPARABLE ? null : newer.figure.verdict; // the relation already says it
  }

  const quoted = (text) => (/^[\w.,=/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

  const argumentOf = ({ guide, soc, board }) => quoted(`${guide.release},soc=${soc.name},os=${guide.os},board=${board}`);

  /* Return for each side a link to its comparison with the base, or the command that makes one. */
  function judgements({ sides, base }) {
    if (base === null) return [];
    return sides.flatMap((side, at) => {
      if (at === base) return [];
      const both = comparisonOf(sides[base], side);
      const names = `${sides[base].name} and ${side.name}: `;
      if (both) {
        const { guides } = side.soc;
        const words = `${guides[both.older].release} → ${guides[both.newer].release}`;
        return [el("li", {}, `${names}judged in the comparison `, el("a", { href: address(`compare/${both.page}`) }, words), ".")];
      }
      if (sides[base].path === side.path && sides[base].board === side.board) return [el("li", {}, `${names}one run of each engine, not judged.`)];
      const [one, two] = isSameBoard(sides[base], side) && sides[base].guide.number < side.guide.number ? [side, sides[base]] : [sides[base], side];
      return [el("li", {}, `${names}not judged here. `, el("code", {}, `perfguide compare ${argumentOf(one)} ${argumentOf(two)}`), " does.")];
    });
  }

  function detailRow(entry, { sides, notes }) {
    const boxes = sides.flatMap((side, at) => {
      const cell = entry.cells[at];
      if (!cell) return [];
      const { figure } = cell;
      const list = el("dl", { class: "perf-explorer-behind" });
      const add = (name, ...value) => list.append(el("dt", {}, name), el("dd", {}, ...value));
      const samples = figure.samples.length ? figure.samples.map((sample) => textIn(sample, entry.shown)).join(", ")
        : figure.count > 1 ? `${figure.count}, listed in the guide's data` : "one figure";
      add("Samples", samples);
      if (figure.doubt) add("In doubt", figure.doubt[1]);
      if (figure.low !== null) add("Range", spreadOf(figure, entry.shown).trim());
      if (figure.engine) add("Engine", figure.engine);
      if (figure.load) add("Load", figure.load);
      if (side.clock) add("Clock", `${number(side.clock)} MHz`);
      if (side.cpu) add("Processor", side.cpu);
      add("Measured", side.guide.date);
      for (const [name, text] of notes[at] ?? []) add(name, text);
      const relation = entry.relations[at];
      if (relation?.why) add("Not compared", relation.why);
      add("Command and runs", el("a", { href: sectionOf(cell) }, `guide of ${side.guide.release}`));
      return [el("div", {}, el("strong", {}, side.title), list)];
    });
    return el("tr", { class: "perf-explorer-open" }, el("td", { colspan: sides.length + 1 }, ...boxes));
  }

  /* Return the facts and notes of a figure and of its runs. */
  async function notesOf({ figure, row, side }) {
    const guide = side.soc.guides[figure.guide];
    const words = guide.hasWords && figure.runs.length ? await load(`${guide.path}/words`) : { facts: [], texts: [], runs: [] };
    const runs = words.runs.map(([stated, notes]) => ({
      facts: stated.map(([fact, text]) => [...words.facts[fact], words.texts[text]]),
      notes: notes.map(([text, ...about]) => [words.texts[text], ...about]),
    }));
    if (!window.perfguideRemarks) await loadScript(REMARKS);
    const [facts, notes] = figure.remarks;
    const own = facts.map(([name, label, values]) => [name, label, values.map((value) => (typeof value === "number" ? runs[value] : value))]);
    return window.perfguideRemarks.wordsOf({ facts: own, notes }, figure.runs.map((run) => runs[run]), row.benchmark, row.metric);
  }

  function table(view) {
    const { sides, rows, per, open, choice } = view;
    const drawn = choice.rows ? rows : rows.slice(0, MAX_ROWS);
    const heads = ["Result", ...sides.map((side) => side.title)];
    const tops = heads.map((text, at) => el("th", { scope: "col", class: at ? "perf-n" : "perf-key" }, text,
      ...(sides[at - 1]?.engine ? [` (${sides[at - 1].engine})`] : [])));
    const body = el("tbody");
    const fact = (name, valueOf) => body.append(el("tr", {}, el("th", { scope: "row", class: "perf-key" }, name),
      ...sides.map((side) => el("td", { class: "perf-n", "data-head": side.title }, valueOf(side)))));
    if (per === "mhz") fact("Clock (MHz)", (side) => (side.clock ? number(side.clock) : "not known"));
    if (per === "core") fact("Cores", (side) => (side.cores ? String(side.cores) : "not known"));
    for (const entry of drawn) {
      const toggle = el("button", { type: "button", class: "perf-explorer-row", "aria-expanded": String(entry === open) }, entry.label);
      toggle.addEventListener("click", async () => {
        await choose({ row: entry === current.open ? "" : entry.key });
        result.querySelector(`[data-key="${CSS.escape(entry.key)}"] button`)?.focus();
      });
      body.append(el("tr", { "data-key": entry.key }, el("th", { scope: "row", class: "perf-key" }, toggle, " ", el("small", {}, unitOf(entry, per))),
        ...sides.map((_, at) => figureCell(entry, at, view))));
      if (entry === open) body.append(detailRow(entry, view));
    }
    const words = captionOf(view);
    const grid = el("table", { class: "perf-grid no-search" }, el("caption", {}, words), el("thead", {}, el("tr", {}, ...tops)), body);
    const box = el("div", { class: "perf-scroll", role: "region", tabindex: "0", "aria-label": words }, grid);
    const out = [el("div", { class: "perf-table" }, box)];
    if (drawn.length < rows.length) {
      const all = el("button", { type: "button" }, `Show all ${rows.length} rows`);
      all.addEventListener("click", () => choose({ rows: "all" }));
      out.push(el("p", {}, all));
    }
    return out;
  }

  const captionOf = ({ offered, choice, per, base, sides }) =>
    `${offered.get(choice.results) ?? "Headline results"}${per ? ` per ${PER[per]}` : ""}${base === null || sides.length < 2 ? "" : `, and each relative to ${sides[base].name}`}`;

  /* Explain which sides have none of the rows shown, and link to sides that have them. */
  function emptySides({ sides, lines, rows, base, choice }) {
    const first = [base ?? 0, ...sides.keys()].find((at) => rows.some(({ cells }) => cells[at]));
    if (first === undefined) return [];
    const wanted = new Set(rows.map(({ cells }) => cells[first]?.figure).filter(Boolean));
    return sides.flatMap((side, at) => {
      if (rows.some(({ cells }) => cells[at])) return [];
      const others = sidesOf(side.soc).filter((each) => !isSameSide(each, sides[first]));
      const nearest = newestFull(others, sides[first], [lines[first], lines[at]], wanted);
      const why = `${side.title} has none of the rows of ${sides[first].title}. `;
      if (!nearest) return [el("p", {}, `${why}Nor has any other release or board of ${side.soc.name}.`)];
      const changed = sides.map((each, n) => (n === at ? nearest.side : each));
      const link = el("a", { href: toAddress({ ...choice, sides: changed }) }, nearest.side.title);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        choose({ sides: changed });
      });
      return [el("p", {}, why, link, ` has ${nearest.count} of ${wanted.size}.`)];
    });
  }

  /* Draw the ratios of all rows that have any. */
  function ratioChart(view, room) {
    const { sides, rows, base, per } = view;
    const drawn = rows.filter(({ relations }) => relations.some((each) => each?.towards));
    if (base === null || !drawn.length) return [];
    const more = drawn.length > MAX_DRAWN ? ` The first ${MAX_DRAWN} of ${drawn.length} rows: the table has all.` : "";
    return [ratios({
      title: captionOf(view),
      note: `Ratio in the better direction on a log scale: right is better. Beside each name: the figure of ${sides[base].name}. No mark: not measured, or not compared.${more}`,
      names: sides.map((side) => side.name),
      base,
      rows: drawn.slice(0, MAX_DRAWN).map(({ label, row, shown, cells, relations }) => {
        const value = cells[base] && (row.use === 2 ? amount(cells[base], per) : cells[base].figure.mean);
        return { label, own: value === null ? "" : `${textIn(value, shown)} ${per ? "" : shown.head.replace(/ ?[↑↓]$/, "")}`.trim(), ratios: relations.map((each) => each?.towards) };
      }),
    }, room)];
  }

  /* Show one row over all releases, for the system and board of each side. */
  function history(view, room) {
    const entry = view.open ?? view.rows.find(({ cells }) => cells.some((cell) => cell && cell.line.figures.length > 1));
    if (!entry) return [];
    const { sides } = view;
    const lines = new Map(); // two releases of a board share a line
    entry.cells.forEach((cell, at) => {
      if (cell && ![...lines.values()].some((each) => each.cell.line === cell.line)) lines.set(at, { cell, side: sides[at] });
    });
    const guides = new Map();
    for (const { cell, side } of lines.values()) {
      for (const { guide } of cell.line.figures) {
        const { release, date } = side.soc.guides[guide];
        if (!guides.has(release) || date < guides.get(release)) guides.set(release, date);
      }
    }
    const releases = [...guides].sort((a, b) => order.compare(a[1], b[1]) || order.compare(a[0], b[0])).map(([release]) => release);
    const series = [...lines.values()].map(({ cell, side }) => {
      const own = new Set(side.soc.guides.filter((each) => each.os === side.guide.os && each.sdk === side.guide.sdk && each.clocks.has(side.board)).map((each) => each.release));
      const at = new Map(cell.line.figures.map((figure) => [side.soc.guides[figure.guide].release, figure]));
      return {
        name: `${side.soc.name} ${side.short}, ${side.guide.system}`,
        side,
        points: releases.map((release) => {
          const figure = at.get(release);
          if (!figure) return own.has(release) ? null : undefined;
          const [mean, low, high] = [figure.mean, figure.low, figure.high].map((value) => inShown(value, entry.shown));
          const text = mean === null ? "failed" : textIn(figure.mean, entry.shown);
          return { ...figure, measured: figure.mean, mean, low, high, text, rest: spreadOf(figure, entry.shown), why: cell.line.breaks.get(figure.guide) };
        }),
      };
    });
    const title = `History of ${entry.label}`;
    const breaks = series.flatMap(({ name, points }) => points.flatMap((point, at) => (point?.why ? [el("li", {}, `${name}, ${releases[at]}: ${point.why}. Figures before and after are of different setups.`)] : [])));
    const body = el("tbody", {}, ...releases.map((release, at) => el("tr", {}, el("th", { scope: "row", class: "perf-key" }, release),
      ...series.map(({ name, points, side }) => historyCell(points[at], name, side)))));
    const grid = el("table", { class: "perf-grid no-search" }, el("caption", {}, `${title} (${entry.shown.head})`),
      el("thead", {}, el("tr", {}, ...["Release", ...series.map(({ name }) => name)].map((text, at) => el("th", { scope: "col", class: at ? "perf-n" : "perf-key" }, text)))), body);
    const box = el("div", { class: "perf-scroll", role: "region", tabindex: "0", "aria-label": title }, grid);
    return [
      chart({ title: `${title} (${entry.shown.head})`, caption: title, axis: entry.shown.head, releases, lines: series }, room),
      ...(breaks.length ? [el("ul", {}, ...breaks)] : []),
      el("details", { class: "perf-fold" }, el("summary", {}, "All releases as a table"), el("div", { class: "perf-table" }, box)),
    ];
  }

  function historyCell(point, head, side) {
    const own = { class: "perf-n", "data-head": head };
    if (!point) return el("td", own, el("span", { class: "perf-missing", role: "img", "aria-label": "not measured" }, "—"));
    const value = point.mean === null ? point.text : el("data", { value: point.measured }, point.text);
    const more = [point.rest.trim(), point.engine, point.load, point.why].filter(Boolean).flatMap((each) => [" ", el("small", {}, each)]);
    return el("td", own, el("a", { href: sectionOf({ figure: point, side }) }, value), ...more);
  }

  function sentence({ rows, total, sides, base, missing, choice }) {
    const said = missing.map(([what, value]) => `There is no ${what} “${value}” here. `).join("");
    const counts = base === null ? [] : sides.flatMap((side, at) => {
      const own = rows.map(({ relations }) => relations[at]?.towards).filter(Boolean);
      if (!own.length) return [];
      const middle = [...own].sort((a, b) => a - b)[Math.floor((own.length - 1) / 2)];
      const much = Math.abs(Math.log(middle)) < Math.log(SAME) ? "about the same" : ratioText(middle);
      return [`${side.name} beats ${sides[base].name} in ${own.filter((each) => each > 1).length} of ${own.length} results; the median result is ${much}.`];
    });
    const results = `${total} result${total === 1 ? "" : "s"}`;
    return [`${said}${counts.join(" ")}`, choice.find ? `${rows.length} of ${results} shown.` : `${results} in all.`].join(" ").trim();
  }

  function draw(view) {
    if (!view) {
      status.textContent = "There are no figures yet.";
      return;
    }
    drawForm(view);
    status.textContent = sentence(view);
    const room = result.clientWidth;
    const judged = judgements(view);
    result.replaceChildren(...emptySides(view), ...ratioChart(view, room), ...table(view), ...(judged.length ? [el("ul", {}, ...judged)] : []), ...history(view, room));
    result.querySelectorAll(".perf-scroll").forEach((box) => fit(box));
  }

  let turn = 0;

  async function show(wanted, how) {
    const mine = (turn += 1);
    result.setAttribute("aria-busy", "true");
    try {
      const view = await settle(wanted);
      if (mine !== turn) return; // a later choice was quicker
      current = view;
      if (view) {
        const now = toAddress(view.choice);
        if (how === "push" && now !== location.pathname + location.search + location.hash) window.history.pushState(null, "", now);
        else if (how === "replace") window.history.replaceState(null, "", now);
      }
      draw(view);
    } catch (error) {
      if (mine !== turn) return;
      status.textContent = error.file
        ? `The data file “${error.file}.js” could not be loaded. Reload the page; if that does not help, the guides have the same figures.`
        : `This choice cannot be shown (${error.message}). The guides have the same figures.`;
      result.replaceChildren();
    }
    result.removeAttribute("aria-busy");
  }

  const waiting = el("p", {}, "The figures are being loaded.");
  explorer.prepend(waiting, status, result);
  explorer.classList.add("perf-explorer-ready");
  window.addEventListener("popstate", () => show(fromAddress(), ""));
  // Insert the form only now: without their choices, fields would be narrow and then shift.
  show(fromAddress(), "replace").then(() => waiting.replaceWith(form));
})();
