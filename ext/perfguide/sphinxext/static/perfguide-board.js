/* Runs the page that finds boards: its form, the question in its address, and the place of the answers. */
"use strict";

(() => {
  const finder = document.querySelector(".perf-finder");
  if (!finder) return;
  const { el, number } = window.perfguideDrawing;
  const { load } = window.perfguideFigures;
  const { GROUPS, linesOf, ofBoard, parse, written } = window.perfguideNeed;
  const { forQuestion } = window.perfguideAnswers;
  const order = new Intl.Collator("en", { numeric: true });
  const MAX_EXAMPLES = 8;
  const MAX_SOCS = 100; // each has a file of 5 to 30 kB

  const status = el("p", { class: "perf-explorer-status", role: "status", "aria-live": "polite" });
  const result = el("div", { class: "perf-explorer-result" });
  const form = el("form", { class: "perf-explorer-form", "aria-label": "Conditions" });
  const rows = el("div", {});
  let index = null;

  // ---- the index -----------------------------------------------------------------

  const benchmarkOf = (name) => index.benchmarks.find(([each]) => each === name);
  const metricOf = ({ benchmark, metric }) => benchmarkOf(benchmark)[3].find(([name]) => name === metric);
  const labelOf = (condition) => metricOf(condition)[2];
  const titleOf = (condition) => {
    const [, title] = benchmarkOf(condition.benchmark);
    const label = labelOf(condition);
    return title === label ? title : `${title}: ${label}`;
  };

  /* Return the factor from one unit to another, or nothing if they do not convert. */
  const factorOf = (unit, target) => (unit === target ? 1 : index.units[target]?.[unit]);

  /* Return a condition with its unit. Throws an Error with a message for the reader if it makes no sense. */
  function resolved(condition) {
    const entry = benchmarkOf(condition.benchmark);
    if (!entry) throw new Error(`there is no benchmark “${condition.benchmark}” here`);
    const metric = metricOf(condition);
    if (!metric) throw new Error(`there is no metric “${condition.metric}” of ${entry[1]} here`);
    const [, usualUnit, , , measured] = metric;
    const unit = condition.unit || usualUnit;
    const quoted = measured.map((each) => `“${each}”`).join(" and ");
    if (!unit && measured.length > 1) throw new Error(`${titleOf(condition)} is measured in ${quoted}: add the unit to the number`);
    if (measured.every((each) => factorOf(unit, each) === undefined)) {
      const like = Object.keys(index.units[usualUnit] ?? {}).filter((each) => each.toLowerCase().startsWith(unit.toLowerCase()));
      const meant = like.length ? `; “${like.join("” or “")}” can` : "";
      throw new Error(`${titleOf(condition)} is measured in ${quoted}, to which “${unit}” cannot be converted${meant}`);
    }
    return { ...condition, unit };
  }

  /* Return a sentence about the figures that cannot be compared with a condition. */
  const notesOf = (condition) => metricOf(condition)[4].filter((each) => factorOf(condition.unit, each) === undefined)
    .map((each) => `Figures of ${titleOf(condition)} in “${each}” are left out: they cannot be converted to “${condition.unit}”.`);

  /* Return what a bound means for a sum of both ways, which readers may take for a rate each way. */
  const sumOf = ({ benchmark, metric, bound, unit, atLeast }) =>
    (atLeast && index.both_ways.some(([name, of]) => name === benchmark && of === metric)
      ? [`Sum of both ways; one way alone was not measured. ${number(bound)} each way would be ${number(2 * bound)} ${unit}.`] : []);

  /* Return the SoCs on which a benchmark was measured. */
  function socsOf(benchmark) {
    const position = index.benchmarks.indexOf(benchmarkOf(benchmark));
    return index.socs.filter(([, , measured]) => measured.includes(position));
  }

  /* Load a benchmark's files for some SoCs, as [SoC, content] pairs. */
  const filesOf = (benchmark, socs) =>
    Promise.all(socs.map(async ([soc, folder]) => [soc, await load(`${folder}/${benchmarkOf(benchmark)[2]}`)]));

  // ---- the form ----------------------------------------------------------------

  let count = 0;
  function field(label, input) {
    const id = `perf-finder-${(count += 1)}`;
    input.id = id;
    return el("div", { class: "perf-explorer-field" }, el("label", { for: id }, label), input);
  }

  const option = (value, text, chosen) =>
    el("option", value === chosen ? { value, selected: "" } : { value }, text);

  /* Return the values of each parameter of a benchmark on all SoCs. */
  async function paramsOf(benchmark) {
    const params = new Map();
    for (const [, data] of await filesOf(benchmark, socsOf(benchmark).slice(0, MAX_SOCS))) {
      for (const [name, label, usual, values] of data.params) {
        if (!params.has(name)) params.set(name, { label, usual: name === "engine" ? null : usual, values: new Map() });
        for (const [text, shown, size] of values) params.get(name).values.set(text, [shown, size]);
      }
    }
    return params;
  }

  /* Return the select element for one parameter of a condition. */
  function valueSelect(asked, { usual, values }) {
    const sorted = [...values].sort(([a, [, x]], [b, [, y]]) =>
      (x ?? Infinity) - (y ?? Infinity) || order.compare(a, b));
    const unlisted = !asked || values.has(asked) ? [] : [option(asked, asked, asked)];
    // Unless the reader asks for another value, use that of an ordinary run.
    const unasked = usual === null ? "any" : `${values.get(usual)?.[0] ?? usual} (usual)`;
    return el("select", {}, option("", unasked, asked), ...unlisted,
      ...sorted.filter(([text]) => text !== usual).map(([text, [label]]) => option(text, label, asked)));
  }

  /* Return the fields after the figure of a condition: its parameters and its bound. */
  async function valueFields(condition, remove) {
    const sign = el("select", {}, option(">=", "at least", condition.atLeast ? ">=" : "<="),
      option("<=", "at most", condition.atLeast ? ">=" : "<="));
    const bound = el("input", { inputmode: "decimal", size: "6", value: String(condition.bound ?? "") });
    const unit = el("input", { size: "5", value: condition.unit });
    const nodes = [];
    const usualFields = [];
    const selects = new Map();
    for (const [name, param] of await paramsOf(condition.benchmark)) {
      const asked = condition.params.get(name) ?? "";
      if (param.values.size < 2 && !asked) continue;
      const select = valueSelect(asked, param);
      selects.set(name, select);
      // Few readers change a parameter that has a usual value, such as the background load, so it is folded until they do.
      (param.usual !== null && !asked ? usualFields : nodes).push(field(param.label, select));
    }
    nodes.push(el("div", { class: "perf-finder-bound" }, field("Bound", sign), field("Number", bound), field("Unit", unit), remove));
    if (usualFields.length) {
      const names = usualFields.map((each) => each.firstElementChild.textContent.toLowerCase()).join(", ");
      nodes.push(el("details", { class: "perf-finder-more" }, el("summary", {}, `More: ${names}`),
        el("div", { class: "perf-explorer-fields" }, ...usualFields)));
    }
    const text = () => {
      const params = [...selects].filter(([, select]) => select.value);
      const named = params.map(([name, select]) => `${name}=${select.value}`).join("&");
      return `${named ? `?${named}` : ""} ${sign.value} ${bound.value} ${unit.value}`;
    };
    return { bound, nodes, text };
  }

  async function conditionRow(condition) {
    const ofBenchmark = el("select", {}, ...index.benchmarks.map(([name, title]) => option(name, title, condition.benchmark)));
    const figure = el("select", {});
    const offer = (name, chosen) => {
      const [, , , metrics, described] = benchmarkOf(name);
      const options = metrics.map(([metric, , label]) => option(`${name}/${metric}`, label, chosen));
      figure.replaceChildren(...options.slice(0, described));
      // Results of some old guides have no description, but only the name that they were recorded under.
      if (described < options.length) figure.append(el("optgroup", { label: "As recorded, not described" }, ...options.slice(described)));
    };
    offer(condition.benchmark, `${condition.benchmark}/${condition.metric}`);
    const remove = el("button", { type: "button" }, "Remove");
    const fields = el("div", { class: "perf-explorer-fields" }, field("Benchmark", ofBenchmark), field("Figure", figure));
    let values = await valueFields(condition, remove);
    fields.append(...values.nodes);
    const row = { fields, text: () => `${figure.value}${values.text()}`.trim() };
    let latest = 0;
    const renew = async () => {
      const mine = (latest += 1);
      const [benchmark, metric] = split(figure.value);
      const others = await valueFields({ ...usual(benchmark, metric), bound: values.bound.value }, remove);
      if (mine !== latest) return;
      // Keep the select element, so that the keyboard focus stays in it.
      values.nodes.forEach((node) => node.remove());
      values = others;
      fields.append(...values.nodes);
    };
    figure.addEventListener("change", renew);
    ofBenchmark.addEventListener("change", () => {
      offer(ofBenchmark.value);
      renew();
    });
    remove.addEventListener("click", () => {
      conditionRows = conditionRows.filter((each) => each !== row);
      fields.remove();
    });
    return row;
  }

  const split = (name) => {
    const at = name.indexOf("/");
    return [name.slice(0, at), name.slice(at + 1)];
  };

  /* Return the condition that the form starts with. */
  function usual(benchmark, metric) {
    const [, unit, , better] = metricOf({ benchmark, metric });
    return { benchmark, metric, params: new Map(), atLeast: better !== "lower", bound: "", unit };
  }

  /* Return a condition to add to another: a share of the same benchmark, such as the CPU load, if it has one. */
  function beside(text) {
    const [benchmark, metric] = split(text.replace(/[?<>].*/, "").trim());
    const [name, , , metrics] = benchmarkOf(benchmark) ?? index.benchmarks[0];
    const others = metrics.filter(([each]) => each !== metric);
    const [other] = others.find(([, unit]) => unit === "%") ?? others[0] ?? metrics[0];
    return usual(name, other);
  }

  let conditionRows = [];

  async function add(condition) {
    const row = await conditionRow(condition);
    conditionRows.push(row);
    rows.append(row.fields);
  }

  // ---- the answers -------------------------------------------------------------

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  const commandOf = (conditions) => `perfguide find ${conditions.map((each) => quoted(written(each))).join(" ")}`;

  async function answer(conditions) {
    const boards = new Map(); // "SoC, system, board" -> {soc, system, board, lines by benchmark}
    for (const [soc, , , own] of index.socs) {
      for (const [system, board, short] of own) {
        boards.set(JSON.stringify([soc, system, board]), { soc, system, board, short, lines: new Map() });
      }
    }
    for (const name of new Set(conditions.map((condition) => condition.benchmark))) {
      const socs = socsOf(name);
      if (socs.length > MAX_SOCS) {
        throw new Error(`it is over ${socs.length} SoCs, and this page loads ${MAX_SOCS} at most; in a terminal, ask ${commandOf(conditions)}`);
      }
      for (const [soc, data] of await filesOf(name, socs)) {
        for (const line of linesOf(data)) {
          const { lines } = boards.get(JSON.stringify([soc, line.system, line.board]));
          if (!lines.has(name)) lines.set(name, []);
          lines.get(name).push(line);
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

  const hrefOf = (link) => {
    const [page, anchor] = link.split("#");
    return `${finder.dataset.start}${page}${finder.dataset.end}${anchor ? `#${anchor}` : ""}`;
  };

  const csvOf = (lines) => lines.map((cells) => `${cells.map((cell) => {
    const text = typeof cell === "number" ? String(cell) : cell.replace(/^(?='*[=+\-@])/, "'");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(",")}\n`).join("");

  const jsonOf = ([head, ...lines]) => `${JSON.stringify(lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [head[at], cell]))), null, 1)}\n`;

  /* Return a button that saves a file. The file is made on the click, as most readers need none. */
  function saving(name, textOf) {
    const button = el("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      const link = el("a", { href: URL.createObjectURL(new Blob([textOf()])), download: `boards.${name.toLowerCase()}` });
      link.click();
      URL.revokeObjectURL(link.href);
    });
    return button;
  }

  /* Return the buttons and links below an answer. */
  function takeAlong(conditions, said) {
    const copying = el("button", { type: "button" }, "Copy link");
    copying.addEventListener("click", () => window.perfguideGrid.copy(location.href.replace(/#.*/, ""), "Link copied"));
    return el("div", { class: "perf-finder-take" }, copying, saving("CSV", () => csvOf(said.rows())), saving("JSON", () => jsonOf(said.rows())),
      el("details", {}, el("summary", {}, "In a terminal"), el("code", {}, commandOf(conditions))));
  }

  /* Return the headlines that are example questions, those of the list of guides first. */
  function headlines() {
    const all = index.benchmarks.flatMap(([benchmark, , , metrics]) =>
      metrics.filter((metric) => metric.length > 5).map(([metric, , , , , rank, short, params]) => ({ benchmark, metric, rank: rank || Infinity, short, params })));
    // Two metrics of a benchmark may share a short name; the first one is the usual one.
    const listed = [...new Map(all.reverse().sort((a, b) => (a.rank === b.rank ? 0 : b.rank - a.rank)).map((each) => [each.short, each])).values()].reverse();
    return listed.slice(0, MAX_EXAMPLES);
  }

  /* Return buttons that ask the example questions. */
  function examples() {
    const listed = headlines();
    if (!listed.length) return [];
    return [el("p", {}, "Enter the number that you need above and ask, or see which boards are in the faster half:"),
      el("ul", { class: "perf-finder-examples" }, ...listed.map((example) => {
        const button = el("button", { type: "button" }, example.short);
        button.addEventListener("click", () => ask(example));
        return el("li", {}, button);
      }))];
  }

  /* Ask for the boards that reach what half of them do in a headline. */
  async function ask({ benchmark, metric, params }) {
    const open = { ...usual(benchmark, metric), params: new Map(params) };
    const { measured } = await answer([{ ...open, bound: open.atLeast ? 0 : Number.MAX_VALUE }]);
    const best = new Map();
    for (const { board, readings: [{ figure }] } of measured) {
      const before = best.get(board);
      if (before === undefined || (figure.mean > before) === open.atLeast) best.set(board, figure.mean);
    }
    const sorted = [...best.values()].sort((a, b) => (open.atLeast ? b - a : a - b));
    if (!sorted.length) {
      status.textContent = "No board has this figure.";
      return;
    }
    const bound = Number(sorted[Math.ceil(sorted.length / 2) - 1].toPrecision(2));
    const text = written({ ...open, bound });
    await fill([text]);
    await show([text], true);
  }

  let turn = 0;

  async function show(texts, isNew) {
    const mine = (turn += 1);
    try {
      const conditions = texts.map(parse).map(resolved);
      if (isNew) {
        const query = new URLSearchParams(conditions.map((each) => ["q", written(each)]));
        window.history.pushState(null, "", `${location.pathname}?${query}`);
      }
      if (!conditions.length) {
        status.textContent = "Which boards are fast enough for your use?";
        result.replaceChildren(...examples());
        return;
      }
      const answers = await answer(conditions);
      if (mine !== turn) return; // a later question was quicker
      const said = forQuestion(conditions, answers, { factorOf, hrefOf, labelOf, titleOf });
      status.textContent = [...conditions.flatMap(sumOf), said.sentence()].join(" ");
      const notes = conditions.flatMap(notesOf).map((note) => el("p", { class: "perf-finder-note" }, note));
      result.replaceChildren(...said.elements([...notes, takeAlong(conditions, said)]));
      said.fit(result);
    } catch (error) {
      if (mine !== turn) return;
      status.textContent = error.file
        ? `The data file “${error.file}.js” could not be loaded. Reload the page.`
        : `This question cannot be answered: ${error.message}.`;
      result.replaceChildren(...examples());
    }
  }

  // ---- start -------------------------------------------------------------------

  const asked = () => new URLSearchParams(location.search).getAll("q").filter((text) => text.trim());
  finder.classList.toggle("perf-finder-unasked", !asked().length);

  async function fill(texts) {
    conditionRows = [];
    rows.replaceChildren();
    for (const text of texts) {
      try {
        await add(resolved(parse(text)));
      } catch { /* the answer tells the reader */ }
    }
    const [[name, , , [[metric]]]] = index.benchmarks;
    const [first = { benchmark: name, metric }] = headlines();
    if (!conditionRows.length) await add({ ...usual(first.benchmark, first.metric), params: new Map(first.params) });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(conditionRows.map((row) => row.text()), true);
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
    more.addEventListener("click", async () => {
      await add(beside(conditionRows.at(-1)?.text() ?? ""));
      conditionRows.at(-1).fields.querySelector("select").focus();
    });
    form.append(rows, el("button", { type: "submit", class: "perf-finder-ask" }, "Ask"), " ", more);
    await fill(asked());
    finder.prepend(form, status, result);
    finder.classList.add("perf-explorer-ready");
    await show(asked(), false);
  }

  window.addEventListener("popstate", async () => {
    await fill(asked());
    await show(asked(), false);
  });
  start();
})();
