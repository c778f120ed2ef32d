/* What the explorer shows of a choice: its figures as a table and as a chart, and how two
   releases differ. Every text from the data is put in as text. */
"use strict";

window.perfguideShown = (() => {
  const { el, chart } = window.perfguideDrawing;
  const ALL = "*"; // in the address: every value of a parameter

  const address = (page, fragment = "") => {
    const { start, end } = document.querySelector(".perf-explorer").dataset;
    return `${start}${page}${end}${fragment}`;
  };

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
  function picture(found, room) {
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
    }, room);
  }

  function caption(found) {
    const fixed = found.params
      .filter((p) => found.choice.params.get(p.name) !== ALL)
      .map((p) => `${p.label} ${shownValue(p, { params: found.choice.params })}`);
    const { choice } = found;
    const where = `${choice.soc}, ${found.system}`;
    return [where, `${found.title}: ${found.metric[3]}`, ...fixed].join("; ");
  }

  function cell(figure, head) {
    const own = { class: "perf-n", "data-head": head };
    if (!figure) {
      const dash = el("span", { class: "perf-missing", role: "img", "aria-label": "not measured" }, "—");
      return el("td", own, dash);
    }
    if (figure.mean === null) {
      return el("td", own, el("span", { class: "perf-failed" }, figure.text));
    }
    const spread = figure.rest ? [el("span", { class: "perf-spread" }, figure.rest)] : [];
    return el("td", own, el("data", { value: figure.mean }, figure.text), ...spread);
  }

  /* A change as comparisons write it, “+12.3 %”, “−5.0 %”: the rule is that of percent() in
     units.py, for a share that no page says. */
  function percent(share) {
    const size = Math.abs(100 * share);
    if (size > 1e8) return `over ${share > 0 ? "+" : "−"}100,000,000 %`;
    let text = size.toFixed(1);
    if (size % 1 === 0.25) text = `${Math.trunc(size)}.2`; // halves go to the even digit
    else if (size && Number(text) === 0) {
      const [digits, power] = Number(size.toPrecision(2)).toExponential().split("e-");
      text = power > 4 ? `${digits}e-${power.padStart(2, "0")}` : String(Number(`${digits}e-${power}`));
    }
    return share < 0 && size ? `−${text.replace("-", "−")} %` : `+${text} %`;
  }

  const keysOf = (one) =>
    one.keys.map(([label, text]) => el("th", { scope: "row", "data-head": label }, text));

  /* From the older release to the newer one, on each board that has both figures. */
  function changes(found, one) {
    const [[newer], [older]] = found.releases;
    const cells = found.boards.map((board) => {
      const [to, from] = [one.get(newer, board), one.get(older, board)];
      if (!to || !from || to.mean === null || !from.mean) return cell(null, board);
      const change = to.mean / from.mean - 1;
      return cell({ mean: 100 * change, text: percent(change) }, board);
    });
    const keys = keysOf(one);
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
    const href = address(`compare/${page}`);
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
        const href = address(`guides/${path}`, `#${section}`);
        const first = el("th", { scope: "row", class: "perf-key" }, el("a", { href }, release));
        const cells = held.map((figure, place) => cell(figure, found.boards[place]));
        body.append(el("tr", {}, first, ...keysOf(one), ...cells));
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

  const LINES = 20;

  /* The setup of the runs and the notes about the figures, each once, with the figures that it is
     about where it is not about all. */
  function remarks(found) {
    const about = new Map();
    for (const row of found.rows) {
      for (const [name, text] of row.remarks) {
        const key = JSON.stringify([name, text]);
        if (!about.has(key)) about.set(key, { name, text, rows: [] });
        about.get(key).rows.push(row);
      }
    }
    if (!about.size) return [];
    const all = [...about.values()];
    const items = all.slice(0, LINES).map(({ name, text, rows }) => {
      const places = [...new Set(rows.map((row) => `${row.release} ${row.board}`))];
      const more = places.length > 3 ? ` and ${places.length - 3} more` : "";
      const where = ` (${places.slice(0, 3).join(", ")}${more})`;
      return el("li", {}, `${name}: ${text}${rows.length === found.rows.length ? "" : where}`);
    });
    if (all.length > LINES) items.push(el("li", {}, `${all.length - LINES} more are in the guides`));
    const head = el("p", {}, "Setup of the runs, and notes:");
    return [el("div", { class: "perf-explorer-remarks" }, head, el("ul", {}, ...items))];
  }

  /* The widths between which tables are told apart, as in html_table.py: a table that is too
     wide for what holds it is stacked. This one is here to be measured. */
  const STEPS = [12, 14, 17, 20, 23, 26, 29, 32, 36, 40, 44, 48, 52, 56, 59, 62, 65, 70, 76, 82, 88];

  function fit(box) {
    const grid = box.firstElementChild;
    grid.style.width = "min-content";
    const need = grid.offsetWidth / parseFloat(getComputedStyle(document.documentElement).fontSize);
    grid.style.width = "";
    box.classList.add(`perf-from-${STEPS.find((step) => need + 0.5 <= step) ?? 0}`);
  }

  return { ALL, STEPS, compared, fit, percent, picture, remarks, table };
})();
