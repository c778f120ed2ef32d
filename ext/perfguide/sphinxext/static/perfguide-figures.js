/* Loads the data of the explorer and of the page that finds boards. Each file is a script that is loaded on demand, since
   browsers allow that even for pages opened from a disk. */
"use strict";

window.perfguideFigures = (() => {
  const { el } = window.perfguideDrawing;

  const files = new Map(); // name -> {promise, resolve}

  window.perfguideData = (name, value) => files.get(name)?.resolve(value);

  function loadScript(src) {
    return new Promise((resolve, reject) => {
      const script = el("script", { src });
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });
  }

  function load(name) {
    if (files.has(name)) return files.get(name).promise;
    const entry = {};
    entry.promise = new Promise((resolve, reject) => {
      entry.resolve = (value) => {
        entry.came = true;
        resolve(value);
      };
      const fail = () => {
        files.delete(name); // so that the next choice tries again
        reject(Object.assign(new Error(name), { file: name }));
      };
      // When the script has run, its data must be there; a file without data counts as missing.
      loadScript(`${document.querySelector("[data-files]").dataset.files}${name}.js`).then(() => entry.came || fail(), fail);
    });
    files.set(name, entry);
    return entry.promise;
  }

  /* Escape only those characters of a name that have a meaning in addresses. */
  const escaped = (text) => text.replace(/[%&=?#/]/g, (each) => encodeURIComponent(each));

  /* Return the lines of a file, each with a row's figures on one board over the releases of a system. */
  function linesOf(part) {
    const rows = part.rows.map(([metric, pairs, label, engineLabel, isUsual]) => {
      const [benchmark, name, metricLabel, head, unit, better, use, loadOf, largerUnit = unit, largerHead = head, factor = 1] = part.metrics[metric];
      const params = pairs.map(([p, v]) => ({ name: part.params[p][0], declared: part.params[p][1], value: part.params[p][2][v] }));
      const queryOf = (own) => own.map((param) => `${escaped(param.name)}=${escaped(param.value)}`).join("&");
      const idOf = (own) => `${escaped(benchmark)}/${escaped(name)}${own.length ? "?" : ""}${queryOf(own)}#${unit}`;
      const withoutEngine = params.filter((param) => param.name !== "engine");
      return {
        benchmark, metric: name, metricLabel, head, unit, better, use, params, label, engineLabel, isUsual, loadOf,
        engine: params.find((param) => param.name === "engine")?.value,
        larger: { unit: largerUnit, head: largerHead, factor },
        id: idOf(params), bareId: idOf(withoutEngine),
        declaredId: idOf(params.filter((param) => param.declared)),
        run: `${benchmark}?${queryOf(params)}`,
      };
    });
    const conditions = part.conditions.map(([name, word, text, isMixed, plain, sizes, tolerance]) =>
      ({ name, word, text, isMixed, plain, sizes, tolerance }));
    const now = new Set();
    const stated = part.stated.map(([dropped, added]) => {
      dropped.forEach((each) => now.delete(each));
      added.forEach((each) => now.add(each));
      return [...now].map((each) => conditions[each]);
    });
    return part.lines.map(([row, [sdk, os], board, figures, breaks, doubts = []]) => ({
      row: rows[row], sdk, os, board, breaks: new Map(breaks),
      figures: figures.map(([guide, mean, low, high, count, section, engine, load, condition, verdict, remark, runs = [], samples = []]) => ({
        guide, mean, low, high, count, samples, runs,
        section: part.sections[section], engine: part.engines[engine], load: load === null ? "" : `${load} % ${rows[row].loadOf || "CPU"}`, conditions: stated[condition],
        verdict: part.verdicts[verdict], remarks: part.remarks[remark] ?? [[], []],
        doubt: part.doubts[doubts.find(([, ...guides]) => guides.includes(guide))?.[0]], // its sign, and why
      })),
    }));
  }

  return { linesOf, load, loadScript };
})();
