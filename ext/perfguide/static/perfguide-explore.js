/* The explorer: one choice of figures as a table and a chart, held in the address.

   Data comes in small files of the site, each loaded by a script element when it is
   needed: that works from a disk too. Every text from them is put in as text. */
"use strict";

(() => {
  const place = document.querySelector(".perf-explorer");
  if (!place) return;
  const { el, chart } = window.perfguideDrawing;
  const ALL = "*";
  const order = new Intl.Collator("en", { numeric: true });

  // ---- data --------------------------------------------------------------------

  const files = new Map(); // name -> {promise, resolve}

  window.perfguideData = (name, value) => files.get(name)?.resolve(value);

  function load(name) {
    if (files.has(name)) return files.get(name).promise;
    const entry = {};
    entry.promise = new Promise((resolve, reject) => {
      entry.resolve = (value) => {
        entry.came = true;
        resolve(value);
      };
      const script = el("script", { src: place.dataset.files + name + ".js" });
      const fail = () => {
        files.delete(name); // so that the next choice tries again
        reject(Object.assign(new Error(name), { file: name }));
      };
      // The data have come when the script ends; a file without them is no better than none.
      script.onload = () => entry.came || fail();
      script.onerror = fail;
      document.head.append(script);
    });
    files.set(name, entry);
    return entry.promise;
  }

  /* All figures of one benchmark in some releases, the newest release first. */
  async function figures(index, slug, position, releases) {
    const wanted = releases.flatMap(([release, path, parts]) => {
      const count = parts.find(([place_]) => place_ === position)?.[1] ?? 0;
      return Array.from({ length: count }, (_, i) => [release, `${path}/${slug}/${i + 1}`]);
    });
    const loaded = await Promise.all(wanted.map(([, name]) => load(name)));
    const metrics = new Map();
    const params = new Map();
    const rows = [];
    loaded.forEach((part, i) => {
      for (const metric of part.metrics) {
        const key = JSON.stringify(metric.slice(0, 2));
        if (!metrics.has(key)) metrics.set(key, metric);
      }
      for (const [name, label, rank, values] of part.params) {
        if (!params.has(name)) params.set(name, { label, rank, values: new Map() });
        const known = params.get(name).values;
        for (const value of values) if (!known.has(value[0])) known.set(value[0], value);
      }
      for (const [board, metric, place_, text, mean, low, high, section] of part.figures) {
        const values = new Map(
          part.cases[place_].map(([p, v]) => [part.params[p][0], part.params[p][3][v][0]]),
        );
        rows.push({
          release: wanted[i][0],
          board: part.boards[board],
          metric: JSON.stringify(part.metrics[metric].slice(0, 2)),
          params: values,
          text,
          mean,
          low,
          high,
          section: part.sections[section],
        });
      }
    });
    return { metrics, params, rows };
  }

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
    result.replaceChildren(picture(found), table(found), ...compared(found));
  }

  // ---- the table ---------------------------------------------------------------

  const shownValue = (param, row) =>
    param.values.find((v) => v[0] === row.params.get(param.name))?.[1] ?? "";

  /* The rows by their parameters, in order: [row keys, figures by release and board]. */
  function cases(found) {
    const open = found.params.filter((p) => found.choice.params.get(p.name) === ALL);
    const groups = new Map();
    for (const row of found.rows) {
      const key = JSON.stringify([...row.params].sort());
      if (!groups.has(key)) groups.set(key, { row, figures: new Map() });
      groups.get(key).figures.set(JSON.stringify([row.release, row.board]), row);
    }
    const rank = (param, row) =>
      param.values.findIndex((v) => v[0] === row.params.get(param.name));
    return [...groups.values()]
      .sort((a, b) => open.reduce((d, p) => d || rank(p, a.row) - rank(p, b.row), 0))
      .map(({ row, figures: held }) => ({
        keys: open.map((p) => [p.label, shownValue(p, row)]),
        all: () => held.values(),
        get: (release, board) => held.get(JSON.stringify([release, board])),
      }));
  }

  /* The figures over releases as a chart, the newest release last. */
  function picture(found) {
    const releases = found.releases.map(([release]) => release).reverse();
    const lines = cases(found).flatMap((one) =>
      found.boards.map((board) => ({
        name: [board, ...one.keys.map(([label, text]) => `${label} ${text}`)].join(", "),
        points: releases.map((release) => one.get(release, board)),
      })),
    );
    return chart({
      title: `${found.title}: ${found.metric[3]} by release`,
      caption: caption(found),
      axis: found.metric[3],
      releases,
      lines: lines.filter((line) => line.points.some(Boolean)),
    });
  }

  function caption(found) {
    const fixed = found.params
      .filter((p) => found.choice.params.get(p.name) !== ALL)
      .map((p) => `${p.label} ${shownValue(p, { params: found.choice.params })}`);
    const { choice } = found;
    const where = `${choice.soc}, ${found.system}`;
    return [where, `${found.title}: ${found.metric[3]}`, ...fixed].join("; ");
  }

  function cell(figure) {
    if (!figure) {
      const dash = el("span", { class: "perf-missing", role: "img", "aria-label": "not measured" }, "—");
      return el("td", { class: "perf-n" }, dash);
    }
    if (figure.mean === null) {
      return el("td", { class: "perf-n" }, el("span", { class: "perf-failed" }, figure.text));
    }
    const [, number, rest] = /^(\S+)(.*)$/s.exec(figure.text);
    const spread = rest ? [el("span", { class: "perf-spread" }, rest)] : [];
    return el("td", { class: "perf-n" }, number, ...spread);
  }

  /* A change as comparisons write it: “+12.3 %”, “−5.0 %”. */
  function percent(share) {
    const text = (100 * share).toFixed(1);
    return `${text.startsWith("-") ? text.replace("-", "−") : `+${text}`} %`;
  }

  /* From the older release to the newer one, on each board that has both figures. */
  function changes(found, one) {
    const [[newer], [older]] = found.releases;
    const cells = found.boards.map((board) => {
      const [to, from] = [one.get(newer, board), one.get(older, board)];
      if (!to || !from || to.mean === null || !from.mean) return cell(null);
      return el("td", { class: "perf-n" }, percent((to.mean - from.mean) / Math.abs(from.mean)));
    });
    const keys = one.keys.map(([, text]) => el("th", { scope: "row" }, text));
    const name = `Change ${older} → ${newer}`;
    return el("tr", {}, el("th", { scope: "row", class: "perf-key" }, name), ...keys, ...cells);
  }

  /* What stands below the figures of two releases. */
  function compared(found) {
    if (found.releases.length !== 2) return [];
    const [[newer], [older]] = found.releases;
    const page = found.compared.find(([from, to]) => from === older && to === newer)?.[2];
    const words = "The change is that of the means. ";
    if (!page) return [el("p", {}, `${words}No page compares these two releases.`)];
    const href = `${place.dataset.start}compare/${page}${place.dataset.end}`;
    const link = el("a", { href }, `${older} → ${newer}`);
    return [el("p", {}, `${words}Whether it is more than noise is said in the comparison `, link, ".")];
  }

  function table(found) {
    const all = cases(found);
    const head = ["Release", ...(all[0]?.keys ?? []).map(([label]) => label)];
    const tops = [...head, ...found.boards].map((text) => el("th", { scope: "col" }, text));
    tops[0].className = "perf-key";
    const body = el("tbody");
    for (const [release, path] of found.releases) {
      for (const one of all) {
        const held = found.boards.map((board) => one.get(release, board));
        if (all.length > 1 && !held.some(Boolean)) continue; // a case that came or went
        const section = (held.find(Boolean) ?? [...one.all()][0]).section;
        const href = `${place.dataset.start}guides/${path}${place.dataset.end}#${section}`;
        const first = el("th", { scope: "row", class: "perf-key" }, el("a", { href }, release));
        const keys = one.keys.map(([, text]) => el("th", { scope: "row" }, text));
        body.append(el("tr", {}, first, ...keys, ...held.map(cell)));
      }
    }
    if (found.releases.length === 2) body.append(...all.map((one) => changes(found, one)));
    const words = caption(found);
    const grid = el("table", { class: "perf-grid no-search" });
    grid.append(el("caption", {}, words), el("thead", {}, el("tr", {}, ...tops)), body);
    const box = el("div", { class: "perf-scroll", role: "region", tabindex: "0", "aria-label": words });
    box.append(grid);
    return el("div", { class: "perf-table" }, box);
  }

  // ---- start -------------------------------------------------------------------

  place.prepend(form, status, result);
  place.classList.add("perf-explorer-ready");
  window.addEventListener("popstate", () => show(fromAddress(), "", false));
  show(fromAddress(), "replace", false);
})();
