/* The data of the explorer, and of the page that finds boards. It comes in small files of the site, each loaded by a script
   element when it is needed: that works from a disk too. */
"use strict";

window.perfguideFigures = (() => {
  const { el } = window.perfguideDrawing;
  const { wordsOf } = window.perfguideRemarks;

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
      const script = el("script", { src: document.querySelector("[data-files]").dataset.files + name + ".js" });
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

  /* The facts and notes of a run, as perfguideRemarks takes them. */
  function runOf({ facts, texts }, [stated, notes]) {
    return {
      facts: stated.map(([fact, text]) => [...facts[fact], texts[text]]),
      notes: notes.map(([text, ...about]) => [texts[text], ...about]),
    };
  }

  /* What a figure has besides its number: its own words, and those of its runs. */
  function remarksOf([facts, notes], runs, all, ...measured) {
    const own = facts.map(([name, label, values]) => [
      name,
      label,
      values.map((value) => (typeof value === "number" ? all[value] : value)),
    ]);
    return wordsOf({ facts: own, notes }, runs.map((run) => all[run]), ...measured);
  }

  /* All figures of one benchmark in some releases, the newest release first. */
  async function figures(index, slug, position, releases) {
    const wanted = releases.flatMap(([release, path, parts, hasWords]) => {
      const count = parts.find(([place_]) => place_ === position)?.[1] ?? 0;
      return Array.from({ length: count }, (_, i) => [release, `${path}/${slug}/${i + 1}`, hasWords && `${path}/words`]);
    });
    const loaded = await Promise.all(wanted.map(([, name]) => load(name)));
    const words = await Promise.all(wanted.map(([, , name]) => (name ? load(name) : null)));
    const runsOf = words.map((each) => (each ? each.runs.map((run) => runOf(each, run)) : []));
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
      for (const [board, metric, place_, mean, text, rest, low, high, section, remark, runs = []] of part.figures) {
        const values = new Map(
          part.cases[place_].map(([p, v]) => [part.params[p][0], part.params[p][3][v][0]]),
        );
        rows.push({
          release: wanted[i][0],
          board: part.boards[board],
          metric: JSON.stringify(part.metrics[metric].slice(0, 2)),
          params: values,
          mean,
          text,
          rest,
          low,
          high,
          section: part.sections[section],
          remarks: remarksOf(
            part.remarks?.[remark] ?? [[], []], runs, runsOf[i], index.benchmarks[position][0], part.metrics[metric][0],
          ),
        });
      }
    });
    return { metrics, params, rows };
  }

  return { figures, load };
})();
