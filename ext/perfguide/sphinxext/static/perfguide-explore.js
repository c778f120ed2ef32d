/* The explorer: one choice of figures as a table and a chart, held in the address. */
"use strict";

(() => {
  const place = document.querySelector(".perf-explorer");
  if (!place) return;
  const { el } = window.perfguideDrawing;
  const { figures, load } = window.perfguideFigures;
  const { ALL, compared, fit, picture, remarks, table } = window.perfguideShown;
  const order = new Intl.Collator("en", { numeric: true });

  const byRank = (rank, name) => (a, b) => rank(a) - rank(b) || order.compare(name(a), name(b));
  const byValue = (a, b) =>
    a[2] - b[2] || (a[3] ?? Infinity) - (b[3] ?? Infinity) || order.compare(a[0], b[0]);

  // ---- the choice and the address ----------------------------------------------

  /* The choice as the address has it; what it leaves out is not there. */
  function fromAddress() {
    const query = new URLSearchParams(location.search);
    const choice = { params: new Map() };
    for (const [name, value] of query) {
      if (name.startsWith("p.")) choice.params.set(name.slice(2), value);
      else if (NAMES.includes(name)) choice[name] = value;
    }
    return choice;
  }

  const NAMES = ["soc", "sdk", "os", "benchmark", "metric", "unit", "board", "release", "with"];

  function toAddress(choice) {
    const query = new URLSearchParams();
    for (const name of NAMES) if (choice[name]) query.set(name, choice[name]);
    for (const [name, value] of choice.params) query.set(`p.${name}`, value);
    return `${location.pathname}?${query}${location.hash}`;
  }

  // ---- the form ----------------------------------------------------------------

  const fields = el("div", { class: "perf-explorer-fields" });
  const extra = el("div", { class: "perf-explorer-fields" });
  const status = el("p", { class: "perf-explorer-status", role: "status", "aria-live": "polite" });
  const result = el("div", { class: "perf-explorer-result" });
  const form = el("form", { class: "perf-explorer-form", "aria-label": "Choice of figures" });
  form.append(fields, extra);
  form.addEventListener("submit", (event) => event.preventDefault());

  let count = 0;
  function field(parent, label, chosen) {
    const id = `perf-explorer-${(count += 1)}`;
    const select = el("select", { id });
    const box = el("div", { class: "perf-explorer-field" }, el("label", { for: id }, label), select);
    select.addEventListener("change", () => chosen(select.value));
    parent.append(box);
    return { box, select };
  }

  /* Make a select offer these [value, text] pairs and show one; keeps the focus. */
  function offer(select, pairs, value) {
    const old = [...select.options].map((o) => [o.value, o.text]);
    if (JSON.stringify(old) !== JSON.stringify(pairs)) {
      select.replaceChildren(...pairs.map(([v, text]) => el("option", { value: v }, text)));
    }
    select.value = value;
  }

  const main = {};
  const setters = {
    soc: (value) => ({ soc: value, sdk: "", os: "", board: "", release: "", with: "" }),
    system: (value) => {
      const [sdk, os] = JSON.parse(value);
      return { sdk, os, board: "", release: "", with: "" };
    },
    benchmark: (value) => ({ benchmark: value, metric: "", unit: "", params: new Map() }),
    metric: (value) => {
      const [metric, unit] = JSON.parse(value);
      return { metric, unit, params: new Map() };
    },
    board: (value) => ({ board: value === ALL ? "" : value }),
    release: (value) => ({ release: value === ALL ? "" : value, with: "" }),
    with: (value) => ({ with: value === ALL ? "" : value }),
  };
  const labels = {
    soc: "SoC",
    system: "System",
    benchmark: "Benchmark",
    metric: "Metric",
    board: "Board",
    release: "Release",
    with: "and release",
  };
  for (const name of Object.keys(setters)) {
    main[name] = field(fields, labels[name], (value) => choose(setters[name](value)));
  }
  const paramFields = new Map();

  let current = null; // the choice that is shown

  function choose(changes) {
    show({ ...current, ...changes }, "push", true);
  }

  // ---- showing a choice --------------------------------------------------------

  let turn = 0;

  async function show(wanted, history_, byHand) {
    const mine = (turn += 1);
    result.setAttribute("aria-busy", "true");
    try {
      const found = await settle(wanted);
      if (mine !== turn) return; // a later choice was quicker
      current = found.choice;
      const address = toAddress(current);
      if (history_ === "push" && address !== location.pathname + location.search + location.hash) {
        history.pushState(null, "", address);
      } else if (history_ === "replace") {
        history.replaceState(null, "", address);
      }
      draw(found, byHand ? [] : found.missing);
    } catch (error) {
      if (mine !== turn) return;
      status.textContent = error.file
        ? `The data file “${error.file}.js” could not be loaded. ` +
          "Reload the page; if that does not help, the guides have the same figures."
        : `This choice cannot be shown (${error.message}). The guides have the same figures.`;
      result.replaceChildren();
    }
    result.removeAttribute("aria-busy");
  }

  /* The nearest choice to the wanted one for which there is data, with its figures
     and with what was wanted and is not there. */
  async function settle(wanted) {
    const missing = [];
    const pick = (what, list, value, key, usual = list[0]) => {
      const found = list.find((item) => key(item) === value);
      if (!found && value) missing.push([what, value]);
      return found ?? usual;
    };
    const top = await load("index");
    if (!top.socs.length) return { choice: { ...wanted }, empty: true, missing: [] };
    const soc = pick("SoC", top.socs, wanted.soc, (s) => s[0]);
    const index = await load(`${soc[1]}/index`);
    const systems = index.systems;
    const sameSystem = (s) =>
      (!wanted.os || s.os === wanted.os) && (!wanted.sdk || s.sdk === wanted.sdk);
    let system = systems.find(sameSystem);
    if (!system) missing.push(["system", [wanted.sdk, wanted.os].filter(Boolean).join(", ")]);
    system ??= systems[0];
    const present = new Set(system.releases.flatMap(([, , parts]) => parts.map(([p]) => p)));
    const offered = index.benchmarks
      .map(([name, title, slug], position) => ({ name, title, slug, position }))
      .filter(({ position }) => present.has(position));
    const benchmark = pick("benchmark", offered, wanted.benchmark, (b) => b.name);
    const releases = system.releases.filter(([, , parts]) =>
      parts.some(([position]) => position === benchmark.position),
    );
    const release = wanted.release && pick("release", releases, wanted.release, (r) => r[0], null);
    const other =
      release && wanted.with && pick("release", releases, wanted.with, (r) => r[0], null);
    const chosen = release ? releases.filter((r) => r === release || r === other) : releases;
    const data = await figures(index, benchmark.slug, benchmark.position, chosen);
    const metrics = [...data.metrics.values()].sort(byRank((m) => m[4], (m) => m[0]));
    const usual = metrics.find((m) => m[5]) ?? metrics[0];
    const named = metrics.filter((m) => m[0] === wanted.metric);
    if (wanted.metric && !named.length) missing.push(["metric", wanted.metric]);
    const metric = named.find((m) => m[1] === wanted.unit) ?? named[0] ?? usual;
    const key = JSON.stringify(metric.slice(0, 2));
    const rows = data.rows.filter((row) => row.metric === key);
    const boards = [...new Set(rows.map((row) => row.board))].sort(order.compare);
    const board = wanted.board && pick("board", boards, wanted.board, (b) => b, "");
    const params = [...data.params]
      .filter(([name]) => rows.some((row) => row.params.has(name)))
      .sort(byRank(([, p]) => p.rank, ([name]) => name))
      .map(([name, { label, values }]) => {
        const used = new Set(rows.map((row) => row.params.get(name)));
        const sorted = [...values.values()].filter((v) => used.has(v[0])).sort(byValue);
        return { name, label, values: sorted, some: used.has(undefined) };
      });
    const picked = new Map();
    let left = rows;
    for (const param of params) {
      // A value is offered where the choice above it has figures.
      const used = new Set(left.map((row) => row.params.get(param.name)));
      param.values = param.values.filter((v) => used.has(v[0]));
      if (!param.values.length) continue;
      const asked = wanted.params.get(param.name);
      const value =
        asked === ALL
          ? ALL
          : pick(param.name, param.values, asked, (v) => v[0])[0];
      picked.set(param.name, value);
      if (value !== ALL) left = left.filter((row) => row.params.get(param.name) === value);
    }
    for (const [name, value] of wanted.params) {
      if (!params.some((p) => p.name === name)) missing.push([name, value]);
    }
    const choice = {
      soc: soc[0],
      sdk: system.sdk,
      os: system.os,
      benchmark: benchmark.name,
      metric: metric[0],
      unit: metric[1],
      board: board || "",
      release: release ? release[0] : "",
      with: other ? other[0] : "",
      params: picked,
    };
    return {
      choice,
      missing,
      offers: {
        soc: top.socs.map(([name]) => [name, name]),
        system: systems.map((s) => [JSON.stringify([s.sdk, s.os]), s.name]),
        benchmark: offered.map((b) => [b.name, b.title]),
        metric: metrics.map((m) => [JSON.stringify(m.slice(0, 2)), m[3]]),
        board: [[ALL, "all"], ...boards.map((b) => [b, b])],
        release: [[ALL, "all"], ...releases.map(([r]) => [r, r])],
        with: [[ALL, "none"], ...releases.filter((r) => r !== release).map(([r]) => [r, r])],
      },
      params: params.filter((p) => p.values.length),
      title: benchmark.title,
      system: system.name,
      compared: system.compared,
      metric,
      releases: chosen,
      boards: board ? [board] : boards,
      rows: left.filter((row) => !board || row.board === board),
    };
  }

  function draw(found, missing) {
    if (found.empty) {
      status.textContent = "There are no figures yet.";
      return;
    }
    const { choice, offers } = found;
    offer(main.soc.select, offers.soc, choice.soc);
    offer(main.system.select, offers.system, JSON.stringify([choice.sdk, choice.os]));
    offer(main.benchmark.select, offers.benchmark, choice.benchmark);
    offer(main.metric.select, offers.metric, JSON.stringify([choice.metric, choice.unit]));
    offer(main.board.select, offers.board, choice.board || ALL);
    offer(main.release.select, offers.release, choice.release || ALL);
    offer(main.with.select, offers.with, choice.with || ALL);
    main.with.box.hidden = !choice.release;
    for (const [name, entry] of paramFields) {
      if (!found.params.some((p) => p.name === name)) {
        entry.box.remove();
        paramFields.delete(name);
      }
    }
    for (const param of found.params) {
      if (!paramFields.has(param.name)) {
        const chosen = (value) =>
          choose({ params: new Map(current.params).set(param.name, value) });
        paramFields.set(param.name, field(extra, param.label, chosen));
      }
      const { box, select } = paramFields.get(param.name);
      // Moving a field takes the focus from it, so only what stands wrong is moved.
      const position = found.params.indexOf(param);
      if (extra.children[position] !== box) extra.insertBefore(box, extra.children[position]);
      const values = param.values.map((v) => [v[0], v[1]]);
      offer(select, [[ALL, "all"], ...values], choice.params.get(param.name));
      box.hidden = values.length < 2; // what cannot be chosen stands in the caption
    }
    const said = missing.map(([what, value]) => `There is no ${what} “${value}” here. `);
    const n = found.rows.length;
    status.textContent = `${said.join("")}${n === 1 ? "1 figure" : `${n} figures`}.`;
    const below = [...remarks(found), ...compared(found)];
    result.replaceChildren(picture(found, result.clientWidth), table(found), ...below);
    fit(result.querySelector(".perf-scroll"));
  }

  // ---- start -------------------------------------------------------------------

  const waiting = el("p", {}, "The figures are being loaded.");
  place.prepend(waiting, status, result);
  place.classList.add("perf-explorer-ready");
  window.addEventListener("popstate", () => show(fromAddress(), "", false));
  // Fields without their choices would be narrow, and move when these come.
  show(fromAddress(), "replace", false).then(() => waiting.replaceWith(form));
})();
