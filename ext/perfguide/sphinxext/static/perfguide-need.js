/* Finds the boards that meet some conditions, by the rules of need.py and the newest figures of each board. */
"use strict";

window.perfguideNeed = (() => {
  const CONDITION = /^([^/?<>≤≥]+)\/([^?<>≤≥]+?)\s*(?:\?([^<>≤≥]*?))?\s*(<=|>=|≤|≥)\s*(\S.*)$/;
  const BOUND = /^([-+−]?[0-9][0-9.,]*(?:e[-+]?[0-9]+)?)\s*(\S*)$/;
  const IN_THOUSANDS = /^[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$/;
  const MIN_MARGIN = 1.1;
  const GROUPS = ["meets", "just", "cannot"];
  const ENGINE = "engine";

  /* Read a number as people write it; return nothing if it is none. */
  function read(text) {
    let plain = text.trim().replace("−", "-");
    if (IN_THOUSANDS.test(plain)) plain = plain.replaceAll(",", "");
    const value = /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(plain) ? Number(plain) : NaN;
    return Number.isFinite(value) && Math.abs(value) <= 1e200 ? value : undefined;
  }

  /* Parse a condition such as “openssl/throughput?block_size=1024 >= 20 MB/s”. Throws an Error with a
     message for the reader if the text is none. */
  function parse(text) {
    const match = CONDITION.exec(text.trim());
    const right = match && (BOUND.exec(match[5]) ?? /^(\S+)\s*(\S*)$/.exec(match[5]));
    if (!right) throw new Error(`“${text}” is not of the form BENCHMARK/METRIC?NAME=VALUE&NAME=VALUE >= NUMBER UNIT; <= works too`);
    const [, benchmark, metric, params, sign] = match;
    const [, number, unit] = right;
    const bound = read(number);
    if (bound === undefined) throw new Error(`“${number}” in “${text}” is not a number`);
    const pairs = (params ?? "").split("&").filter(Boolean).map((pair) => {
      const at = pair.indexOf("=");
      const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
      if (at < 1 || !name || !value) throw new Error(`“${pair}” in “${text}” is not of the form NAME=VALUE`);
      return [name, value];
    });
    return {
      benchmark: benchmark.trim(), metric: metric.trim(), params: new Map(pairs),
      atLeast: sign === ">=" || sign === "≥", bound, unit,
    };
  }

  function written(condition) {
    const params = [...condition.params].map(([name, value]) => `${name}=${value}`).join("&");
    const name = `${condition.benchmark}/${condition.metric}${params ? `?${params}` : ""}`;
    return `${name} ${condition.atLeast ? ">=" : "<="} ${condition.bound} ${condition.unit}`.trimEnd();
  }

  /* Return the lines of a file: {system, board, metric, unit, params, at}, where ``params`` maps names to
     {text, label, number} and ``at`` releases to {mean, engine, link, clock, doubt, release, day}. */
  function linesOf(data) {
    const clocks = new Map(data.clocks.map(([system, board, own]) => [`${system},${board}`, own]));
    return data.lines.map(([system, board, metric, place, figures]) => ({
      system: data.systems[system][0],
      board: data.boards[board][0],
      metric: data.metrics[metric][0],
      unit: data.metrics[metric][1],
      params: new Map(data.cases[place].map(([p, v]) => {
        const [name, label, usual, values] = data.params[p];
        const [text, shown, number] = values[v];
        const isDefault = text === usual;
        return [name, { text, shown, number, label, isDefault, isUsual: name === ENGINE || usual === null || isDefault }];
      })),
      at: new Map(figures.map(([at, mean, day, engine, section, doubt = 0]) => {
        const [release, page] = data.systems[system][1][at];
        const clock = clocks.get(`${system},${board}`)?.[at];
        const link = `${page}#${data.sections[section]}`;
        return [at, { mean, engine: data.texts[engine], link, clock, doubt: data.texts[doubt], release, day: data.texts[day] }];
      })),
    }));
  }

  const ratioOf = (mean, condition, factor) => {
    const bound = condition.bound * factor;
    if (condition.atLeast) return bound > 0 ? mean / bound : mean >= bound ? Infinity : 0;
    return mean > 0 ? bound / mean : mean <= bound ? Infinity : 0;
  };

  /* Return the figures of a board in one release to which a condition applies. */
  function candidates(lines, release, condition, factorOf) {
    const exact = [];
    const others = new Map();
    for (const line of lines) {
      const figure = line.at.get(release);
      const factor = factorOf(condition.unit, line.unit);
      if (!figure || line.metric !== condition.metric || factor === undefined) continue;
      if ([...condition.params.keys()].some((name) => !line.params.has(name))) continue;
      if ([...line.params].some(([name, value]) => !condition.params.has(name) && !value.isUsual)) continue;
      const ratio = ratioOf(figure.mean, condition, factor);
      const reading = { line, figure, ratio, params: line.params, between: [] };
      const wrong = [...condition.params].filter(
        ([name, text]) => text !== line.params.get(name).text && text !== line.params.get(name).shown,
      );
      if (!wrong.length) exact.push(reading);
      else if (wrong.length === 1 && line.params.get(wrong[0][0]).number !== null) {
        const [name] = wrong[0];
        const rest = [...line.params].filter(([other]) => other !== name);
        const key = JSON.stringify([name, rest.map(([other, value]) => [other, value.text])]);
        if (!others.has(key)) others.set(key, { name, readings: [] });
        others.get(key).readings.push(reading);
      }
    }
    const measured = new Set(exact.map((reading) => unasked(reading, condition)));
    const estimates = [...others.values()].flatMap((series) => between(series, condition));
    return [...exact, ...estimates.filter((reading) => !measured.has(unasked(reading, condition)))];
  }

  /* Return the parameters in which answers differ, and which a condition does not name. */
  function unasked({ params }, condition) {
    return JSON.stringify([...params].filter(([name]) => !condition.params.has(name)).map(([n, v]) => [n, v.text]));
  }

  /* Return the worse one of the figures at the next smaller and the next larger value that was measured. */
  function between({ name, readings }, condition) {
    const at = read(condition.params.get(name));
    const value = (reading) => reading.line.params.get(name).number;
    const below = readings.filter((reading) => value(reading) < at);
    const above = readings.filter((reading) => value(reading) > at);
    if (at === undefined || !below.length || !above.length) return [];
    const sides = [
      below.reduce((a, b) => (value(b) > value(a) ? b : a)),
      above.reduce((a, b) => (value(b) < value(a) ? b : a)),
    ];
    const worse = sides[1].ratio < sides[0].ratio ? sides[1] : sides[0];
    return [{ ...worse, between: sides }];
  }

  const product = (lists) =>
    lists.reduce((all, list) => all.flatMap((head) => list.map((item) => [...head, item])), [[]]);

  const areOfOneRun = (readings) =>
    readings.every((one, index) => readings.slice(index + 1).every((other) =>
      [...one.line.params].every(([name, value]) =>
        !other.line.params.has(name) || other.line.params.get(name).text === value.text)));

  /* Return the figures of one benchmark on one board for all its conditions: for each set of parameters
     those of the newest release that has them. */
  function runs(lines, conditions, factorOf) {
    const releases = [...new Set(lines.flatMap((line) => [...line.at.keys()]))].sort((a, b) => a - b);
    const answered = new Set();
    const out = [];
    for (const release of releases) {
      const ofRelease = [];
      const lists = conditions.map((condition) => candidates(lines, release, condition, factorOf));
      for (const readings of product(lists).filter(areOfOneRun)) {
        const key = JSON.stringify(readings.map((reading, at) => unasked(reading, conditions[at])));
        if (!answered.has(key)) {
          ofRelease.push(key);
          out.push(readings);
        }
      }
      ofRelease.forEach((key) => answered.add(key));
    }
    return out;
  }

  /* Return the answers of one board, and the conditions for which it has no figure. ``lines`` are its
     figures by benchmark. */
  function ofBoard(lines, conditions, factorOf) {
    const names = [...new Set(conditions.map((condition) => condition.benchmark))];
    const order = names.flatMap((name) => conditions.flatMap((c, at) => (c.benchmark === name ? [at] : [])));
    const lists = names.map((name) =>
      runs(lines.get(name) ?? [], conditions.filter((c) => c.benchmark === name), factorOf));
    const answers = product(lists).map((chosen) => {
      const readings = [];
      chosen.flat().forEach((reading, at) => (readings[order[at]] = reading));
      const ratio = Math.min(...readings.map((reading) => reading.ratio));
      const isSound = readings.every(({ figure, between }) => ![figure, ...between.map((each) => each.figure)].some((each) => each.doubt));
      return { readings, ratio, group: GROUPS[ratio < 1 ? 2 : ratio >= MIN_MARGIN && isSound ? 0 : 1] };
    });
    const missing = conditions.filter((c) => !runs(lines.get(c.benchmark) ?? [], [c], factorOf).length);
    return { answers, missing };
  }

  return { GROUPS, linesOf, ofBoard, parse, written };
})();
