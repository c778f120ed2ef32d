/* The page that finds boards: its form, the question in its address, and the answers. */
"use strict";

(() => {
  const place = document.querySelector(".perf-finder");
  if (!place) return;
  const { el, fit, number } = window.perfguideDrawing;
  const { load } = window.perfguideFigures;
  const { GROUPS, linesOf, ofBoard, parse, written } = window.perfguideNeed;
  const order = new Intl.Collator("en", { numeric: true });

  const status = el("p", { class: "perf-explorer-status", role: "status", "aria-live": "polite" });
  const result = el("div", { class: "perf-explorer-result" });
  const form = el("form", { class: "perf-explorer-form", "aria-label": "Conditions" });
  const rows = el("div", {});
  let index = null;

  // ---- the form ----------------------------------------------------------------

  let count = 0;
  function field(label, input) {
    const id = `perf-finder-${(count += 1)}`;
    input.id = id;
    return el("div", { class: "perf-explorer-field" }, el("label", { for: id }, label), input);
  }

  const option = (value, text, chosen) =>
    el("option", value === chosen ? { value, selected: "" } : { value }, text);

  /* The values of each parameter of a benchmark, over all SoCs. */
  async function paramsOf(benchmark) {
    const params = new Map();
    for (const [, data] of await filesOf(benchmark)) {
      for (const [name, label, usual, values] of data.params) {
        if (!params.has(name)) params.set(name, { label, usual: name === "engine" ? null : usual, values: new Map() });
        for (const [text, shown, size] of values) params.get(name).values.set(text, [shown, size]);
      }
    }
    return params;
  }

  async function conditionFields(condition) {
    const figure = el("select", {});
    for (const [name, title, , metrics] of index.benchmarks) {
      const options = metrics.map(([metric, , label]) =>
        option(`${name}/${metric}`, `${title}: ${label}`, `${condition.benchmark}/${condition.metric}`));
      figure.append(el("optgroup", { label: title }, ...options));
    }
    const sign = el("select", {}, option(">=", "at least", condition.atLeast ? ">=" : "<="),
      option("<=", "at most", condition.atLeast ? ">=" : "<="));
    const bound = el("input", { inputmode: "decimal", size: "7", value: String(condition.bound ?? "") });
    const unit = el("input", { size: "7", value: condition.unit });
    const fields = el("div", { class: "perf-explorer-fields" }, field("Figure", figure));
    const selects = new Map();
    for (const [name, { label, usual: ordinary, values }] of await paramsOf(condition.benchmark)) {
      if (values.size < 2 && !condition.params.has(name)) continue;
      const sorted = [...values].sort(([a, [, x]], [b, [, y]]) =>
        (x ?? Infinity) - (y ?? Infinity) || order.compare(a, b));
      const asked = condition.params.get(name) ?? "";
      const known = !asked || values.has(asked) ? [] : [option(asked, asked, asked)];
      // What is not asked for has the value of an ordinary run, if there is one.
      const unasked = ordinary === null ? "any" : `${values.get(ordinary)?.[0] ?? ordinary} (usual)`;
      const select = el("select", {}, option("", unasked, asked), ...known,
        ...sorted.filter(([text]) => text !== ordinary).map(([text, [label_]]) => option(text, label_, asked)));
      selects.set(name, select);
      fields.append(field(label, select));
    }
    const remove = el("button", { type: "button" }, "Remove");
    fields.append(field("Bound", sign), field("Number", bound), field("Unit", unit), remove);
    const row = {
      fields,
      text: () => {
        const params = [...selects].filter(([, select]) => select.value);
        const named = params.map(([name, select]) => `${name}=${select.value}`).join("&");
        return `${figure.value}${named ? `?${named}` : ""} ${sign.value} ${bound.value} ${unit.value}`.trim();
      },
    };
    figure.addEventListener("change", async () => {
      const [benchmark, metric] = split(figure.value);
      await replace(row, { ...usual(benchmark, metric), bound: bound.value });
    });
    remove.addEventListener("click", () => {
      shown = shown.filter((each) => each !== row);
      fields.remove();
    });
    return row;
  }

  const split = (name) => {
    const at = name.indexOf("/");
    return [name.slice(0, at), name.slice(at + 1)];
  };

  /* A condition to begin with. */
  function usual(benchmark, metric) {
    const [, unit, , better] = index.benchmarks.find(([name]) => name === benchmark)[3]
      .find(([name]) => name === metric);
    return { benchmark, metric, params: new Map(), atLeast: better !== "lower", bound: "", unit };
  }

  let shown = []; // the rows of the form

  async function replace(row, condition) {
    const other = await conditionFields(condition);
    row.fields.replaceWith(other.fields);
    shown = shown.map((each) => (each === row ? other : each));
    other.fields.querySelector("select").focus();
  }

  async function add(condition) {
    const row = await conditionFields(condition);
    shown.push(row);
    rows.append(row.fields);
  }

  // ---- the answers -------------------------------------------------------------

  /* The files of a benchmark: [SoC, value]. */
  async function filesOf(benchmark) {
    const entry = index.benchmarks.find(([name]) => name === benchmark);
    if (!entry) throw new Error(`there is no benchmark “${benchmark}” here`);
    const position = index.benchmarks.indexOf(entry);
    const socs = index.socs.filter(([, , measured]) => measured.includes(position));
    return Promise.all(socs.map(async ([soc, folder]) => [soc, await load(`${folder}/${entry[2]}`)]));
  }

  function factorOf(unit, target) {
    if (!unit || unit === target) return 1;
    const factor = index.units[target]?.[unit];
    if (factor === undefined) throw new Error(`“${unit}” is no other spelling or multiple of “${target}”`);
    return factor;
  }

  function check(condition) {
    const entry = index.benchmarks.find(([name]) => name === condition.benchmark);
    if (!entry) throw new Error(`there is no benchmark “${condition.benchmark}” here`);
    const metrics = entry[3].filter(([name]) => name === condition.metric);
    if (!metrics.length) throw new Error(`there is no metric “${condition.metric}” of ${entry[1]} here`);
    metrics.forEach(([, unit]) => factorOf(condition.unit, unit));
  }

  async function answer(conditions) {
    conditions.forEach(check);
    const boards = new Map(); // "SoC, system, board" -> {soc, system, board, lines by benchmark}
    for (const [soc, , , own] of index.socs) {
      for (const [system, board, short] of own) {
        boards.set(JSON.stringify([soc, system, board]), { soc, system, board, short, lines: new Map() });
      }
    }
    for (const name of new Set(conditions.map((condition) => condition.benchmark))) {
      for (const [soc, data] of await filesOf(name)) {
        for (const line of linesOf(data)) {
          const { lines } = boards.get(JSON.stringify([soc, line.system, line.board]));
          lines.set(name, [...(lines.get(name) ?? []), line]);
        }
      }
    }
    const measured = [];
    const unmeasured = [];
    for (const board of boards.values()) {
      const { answers, missing } = ofBoard(board.lines, conditions, factorOf);
      measured.push(...answers.map((each) => ({ ...each, board })));
      if (!answers.length) unmeasured.push({ board, missing });
    }
    const rank = ({ group, ratio, readings }) => (group === "cannot" ? ratio : readings[0].ratio);
    measured.sort((a, b) =>
      GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || rank(b) - rank(a)
      || order.compare(a.board.soc, b.board.soc) || order.compare(a.board.board, b.board.board));
    return { measured, unmeasured };
  }

  const HEADINGS = { meets: "Meets it", just: "Just meets it", cannot: "Does not meet it" };

  const exact = (value) => number(Number(value.toPrecision(12)));

  /* The figure of a condition in its unit, with a link to its section. */
  function figureCell(reading, condition, head) {
    const factor = 1 / factorOf(condition.unit, reading.line.unit);
    const figures = (reading.between.length ? reading.between : [reading]).map((each) => {
      const link = el("a", { href: place.dataset.start + each.figure.link.replace("#", `${place.dataset.end}#`) });
      link.textContent = exact(each.figure.mean * factor);
      return link;
    });
    return el("td", { class: "perf-n", "data-head": head }, ...figures.flatMap((each, at) => (at ? [" to ", each] : [each])));
  }

  function marginOf({ group, readings }) {
    if (group !== "cannot") {
      return readings.map(({ ratio }) => (ratio < 100 ? `+${Math.round(100 * (ratio - 1))} %` : "over 100 times")).join(", ");
    }
    const short = readings.filter(({ ratio }) => ratio < 1).map(({ ratio }) => 100 * (1 - ratio));
    return short.map((each) => (each >= 1 ? `${Math.round(each)} % short` : "under 1 % short")).join(", ");
  }

  /* The engine, and the parameters that no condition names. */
  function runOf({ readings }, conditions) {
    const asked = new Set(conditions.flatMap((condition) => [...condition.params.keys()]));
    const words = readings.flatMap(({ figure, params }) => [
      figure.engine,
      ...[...params].filter(([name, value]) => name !== "engine" && !asked.has(name) && !value.isDefault)
        .map(([, value]) => (value.number === null ? value.shown : `${value.label} ${value.shown}`)),
    ]);
    return [...new Set(words.filter(Boolean))].join(", ");
  }

  const nameOf = ({ soc, short }) => `${soc} ${short}`;

  const labelOf = ({ benchmark, metric }) =>
    index.benchmarks.find(([name]) => name === benchmark)[3].find(([name]) => name === metric)[2];

  function table(group, answers, conditions) {
    const heads = ["Board", ...conditions.map((c) => `${labelOf(c)}${c.unit ? ` (${c.unit})` : ""}`),
      "Engine and parameters", "Margin", "Release", "Other releases"];
    const caption = `${HEADINGS[group]}: ${answers.length}`;
    const grid = el("table", { class: "perf-grid no-search" }, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))));
    const body = el("tbody", {});
    for (const each of answers) {
      const releases = new Set(each.readings.map(({ figure }) => `${each.board.system} ${figure.release}`));
      const [first] = each.readings;
      const factor = 1 / factorOf(conditions[0].unit, first.line.unit);
      const others = [...first.line.at.values()].filter((figure) => figure.release !== first.figure.release)
        .map((figure) => `${exact(figure.mean * factor)} (${figure.release})`);
      body.append(el("tr", {},
        el("th", { scope: "row", class: "perf-key" }, nameOf(each.board)),
        ...each.readings.map((reading, at) => figureCell(reading, conditions[at], heads[at + 1])),
        ...[runOf(each, conditions), marginOf(each), [...releases].join(", "), others.join(", ")]
          .map((text, at) => el("td", { "data-head": heads[conditions.length + 1 + at] }, text))));
    }
    grid.append(body);
    const box = el("div", { class: "perf-scroll", role: "region", tabindex: "0", "aria-label": caption }, grid);
    return el("div", { class: "perf-table" }, box);
  }

  function sentence({ measured, unmeasured }, conditions) {
    if (!measured.length) return "No board has these figures.";
    const best = new Map(); // answers are in order, so the first of a board is its best
    for (const each of measured) if (!best.has(each.board)) best.set(each.board, each);
    const count = (...groups) => [...best.values()].filter((each) => groups.includes(each.group)).length;
    const [first] = measured;
    const figures = first.readings.map(({ figure, line }, at) => {
      const factor = 1 / factorOf(conditions[at].unit, line.unit);
      return `${exact(figure.mean * factor)} ${conditions[at].unit || line.unit}`.trim();
    });
    const met = count("meets", "just");
    const all = `${best.size} board${best.size === 1 ? "" : "s"} with these figures`;
    const said = met ? `${met} of ${all} meet${met === 1 ? "s" : ""} it, ${count("meets")} with 10 % or more to spare.` : `None of ${all} meets it.`;
    const others = unmeasured.length ? ` ${unmeasured.length} more were not measured.` : "";
    return `${said}${others} The ${met ? "first" : "nearest"} is ${nameOf(first.board)}: ${figures.join(" and ")}.`;
  }

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  let turn = 0;

  async function show(texts, history_) {
    const mine = (turn += 1);
    try {
      const conditions = texts.map(parse);
      if (history_) {
        const query = new URLSearchParams(conditions.map((each) => ["q", written(each)]));
        window.history.pushState(null, "", `${location.pathname}?${query}`);
      }
      if (!conditions.length) {
        status.textContent = "Choose a figure and a bound, and ask.";
        result.replaceChildren();
        return;
      }
      const answers = await answer(conditions);
      if (mine !== turn) return; // a later question was quicker
      status.textContent = sentence(answers, conditions);
      const groups = GROUPS.map((group) => [group, answers.measured.filter((each) => each.group === group)]);
      const command = `perfguide find ${conditions.map((each) => quoted(written(each))).join(" ")}`;
      const items = answers.unmeasured.map(({ board, missing }) => {
        const reason = missing.length ? `no figure for ${missing.map((c) => `${c.benchmark}/${c.metric}`).join(", ")}` : "not in one run";
        return el("li", {}, `${nameOf(board)}, ${board.system}: ${reason}`);
      });
      result.replaceChildren(
        ...groups.filter(([, own]) => own.length).map(([group, own]) => table(group, own, conditions)),
        ...(items.length ? [el("p", {}, `Not measured: ${items.length}`), el("ul", {}, ...items)] : []),
        el("p", {}, "The same in a terminal: ", el("code", {}, command)),
      );
      result.querySelectorAll(".perf-scroll").forEach((box) => fit(box));
    } catch (error) {
      if (mine !== turn) return;
      status.textContent = error.file
        ? `The data file “${error.file}.js” could not be loaded. Reload the page.`
        : `This question cannot be answered: ${error.message}.`;
      result.replaceChildren();
    }
  }

  // ---- start -------------------------------------------------------------------

  const asked = () => new URLSearchParams(location.search).getAll("q").filter((text) => text.trim());

  async function fill(texts) {
    shown = [];
    rows.replaceChildren();
    for (const text of texts) {
      try {
        const condition = parse(text);
        check(condition);
        await add(condition);
      } catch { /* said by the answer */ }
    }
    const [first] = index.benchmarks;
    if (!shown.length && first) await add(usual(first[0], first[3][0][0]));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(shown.map((row) => row.text()), true);
  });

  async function start() {
    try {
      index = await load("index");
    } catch {
      status.textContent = "The figures could not be loaded. Reload the page.";
      return;
    }
    if (!index.benchmarks.length) {
      status.textContent = "There are no figures yet.";
      return;
    }
    const more = el("button", { type: "button" }, "Add a condition");
    more.addEventListener("click", () => add(usual(index.benchmarks[0][0], index.benchmarks[0][3][0][0])));
    form.append(rows, el("button", { type: "submit" }, "Ask"), " ", more);
    await fill(asked());
    place.prepend(form, status, result);
    place.classList.add("perf-explorer-ready");
    await show(asked(), false);
  }

  window.addEventListener("popstate", async () => {
    await fill(asked());
    await show(asked(), false);
  });
  start();
})();
