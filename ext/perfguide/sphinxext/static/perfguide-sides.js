/* Pairs the figures of some sides and relates them to each other, by the rules of match.py and side_by_side.py. */
"use strict";

window.perfguideSides = (() => {
  const OF_BOARDS = ["cpu_mhz", "memory", "governor"]; // they belong to a board, so two boards may differ in them
  const MAX_ALIKE_CLOCKS = 0.01;

  const isMeasurable = (value) => value > 1e-100 && value < 1e100;

  const isSameBoard = (a, b) =>
    a.soc === b.soc && a.board === b.board && a.guide.system === b.guide.system;

  /* Return the page that compares two sides as {older, newer, page}, or null. */
  function comparisonOf(a, b) {
    if (!isSameBoard(a, b) || a.engine || b.engine) return null;
    const pair = a.soc.compared.find(([old, now]) =>
      [old, now].join() === [a.guide.number, b.guide.number].join() || [now, old].join() === [a.guide.number, b.guide.number].join());
    return pair ? { older: pair[0], newer: pair[1], page: pair[2] } : null;
  }

  const NOT_COMPARABLE = "not comparable"; // as in WORDS of verdicts.py

  /* Return the figures of a side as [{row, figure, line}], in the order of its rows. */
  const figuresOf = (side, lines) =>
    lines.flatMap((line) => {
      if (line.board !== side.board || line.sdk !== side.guide.sdk || line.os !== side.guide.os) return [];
      if (side.engine && line.row.engine !== undefined && line.row.engine !== side.engine) return [];
      const figure = line.figures.find((each) => each.guide === side.guide.number);
      return figure ? [{ row: line.row, figure, line }] : [];
    });

  /* Return the cells by key. A key that several cells have gets null. */
  function unique(cells, keyOf) {
    const by = new Map();
    for (const cell of cells) by.set(keyOf(cell.row), by.has(keyOf(cell.row)) ? null : cell);
    return by;
  }

  /* Map cells of the other side to their partners in the base, with the reasons why the two cannot be compared. */
  function pairs(base, other, keyOf) {
    const out = new Map();
    const taken = new Set();
    for (const key of [keyOf, (row) => row.declaredId]) {
      const [before, after] = [base.filter((cell) => !taken.has(cell)), other.filter((cell) => !out.has(cell))]
        .map((cells) => unique(cells, key));
      for (const [id, cell] of after) {
        const partner = before.get(id);
        if (!cell || !partner) continue;
        taken.add(partner);
        out.set(cell, { partner, differs: key === keyOf ? [] : differences(partner.row, cell.row) });
      }
    }
    return out;
  }

  /* Return the differences in those parameters that both rows have and no description names. */
  function differences(one, two) {
    const valueOf = (row, name) => row.params.find((param) => param.name === name)?.value;
    const changed = two.params.filter(({ name, value }) => ![undefined, value].includes(valueOf(one, name)));
    const isRenumbered = changed.every(({ name }) => name === "table_no") && valueOf(one, "table") === valueOf(two, "table");
    return isRenumbered ? [] : changed.map(({ name, value }) => `${name} was ${valueOf(one, name)} and is ${value}`);
  }

  const isAlike = (a, b) =>
    a.text === b.text || (a.plain === b.plain && a.sizes.length === b.sizes.length
      && a.sizes.every((size, at) => Math.abs(size - b.sizes[at]) <= a.tolerance * Math.max(size, b.sizes[at])));

  /* Return the reasons why figures of two sides cannot be compared. */
  function obstacles(one, two, sameBoard) {
    const out = [];
    for (const name of new Set([...one, ...two].map((condition) => condition.name))) {
      if (!sameBoard && OF_BOARDS.includes(name)) continue;
      const [a, b] = [one, two].map((side) => side.find((condition) => condition.name === name));
      for (const each of [a, b]) {
        if (each?.isMixed) out.push(`the ${each.word} differs between the runs that one figure pools`);
      }
      if (a && b && !isAlike(a, b)) out.push(`the ${a.word} was “${a.text}” and is “${b.text}”`);
    }
    return out;
  }

  /* The divisors of a figure per MHz, core or watt; nothing if one is not known. */
  const DIVISORS = {
    mhz: ({ side }) => side.clock,
    core: ({ side }) => side.cores || null,
    watt: ({ power }) => power,
  };

  /* Return the figure as shown: per MHz, core or watt if the reader chose that. */
  function amount(cell, per) {
    if (!per || cell.figure.mean === null) return cell.figure.mean;
    const by = cell.row.use === 2 && DIVISORS[per](cell);
    if (!by) return null;
    return cell.row.better === "lower" ? cell.figure.mean * by : cell.figure.mean / by;
  }

  /* Relate a figure to that of the base: return {ratio, towards}, or {why} if there is no ratio. */
  function relation(base, cell, differs, per) {
    const isOneBoard = isSameBoard(base.side, cell.side);
    const against = [...differs, ...obstacles(base.figure.conditions, cell.figure.conditions, isOneBoard)];
    if (against.length) return { why: against.join("; ") };
    const judged = comparisonOf(base.side, cell.side);
    const newer = judged && [base, cell].find((each) => each.figure.guide === judged.newer);
    if (newer?.figure.verdict === NOT_COMPARABLE) return { why: "the comparison of these releases says why" };
    const [before, now] = [base.figure.engine, cell.figure.engine];
    if (isOneBoard && before && now && before !== now) return { why: `the engine seems to have changed: ${before} and ${now}` };
    const [one, two] = [base.figure.mean, cell.figure.mean];
    if (one === null || two === null) return { why: "a side failed" };
    const doubt = (cell.figure.doubt ?? base.figure.doubt)?.[1];
    if (doubt) return { why: `${cell.figure.doubt ? "" : "the base is "}in doubt: ${doubt}` };
    if (cell.row.use === 0 && !isOneBoard) return { why: "a share: read it beside the rate that was reached with it" };
    if (one <= 0 || two <= 0) return { why: "no ratio to or from zero" };
    if (!isMeasurable(one) || !isMeasurable(two)) return { why: "figures of this size are not measured" };
    let ratio = two / one;
    if (per) {
      const [a, b] = [base, cell].map((each) => each.row.use === 2 && DIVISORS[per](each));
      if (!a || !b) return { why: "" };
      const isClockAlike = per === "mhz" && Math.abs(b / a - 1) <= MAX_ALIKE_CLOCKS;
      if (!isClockAlike) ratio = cell.row.better === "lower" ? ratio * (b / a) : ratio / (b / a);
    }
    const { better } = cell.row;
    return { ratio, towards: better === "neither" ? null : better === "higher" ? ratio : 1 / ratio };
  }

  /* Return the rows of all sides as {row, label, cells, relations}, with a cell or nothing for each side. */
  function rowsOf(sides, linesOfSides, base, per) {
    const anyEngine = sides.some((side) => side.engine);
    const keyOf = (row) => (anyEngine ? row.bareId : row.id);
    const cells = sides.map((side, at) => {
      const own = figuresOf(side, linesOfSides[at]);
      const powers = new Map(own.filter(({ row }) => row.use === 3).map((cell) => [cell.row.run, cell.figure.mean]));
      return own.map((cell) => ({ ...cell, side, power: powers.get(cell.row.run) }));
    });
    const rows = [];
    const byKey = new Map();
    const add = (cell, at, after) => {
      const entry = { row: cell.row, cells: sides.map(() => null), relations: sides.map(() => null) };
      entry.cells[at] = cell;
      rows.splice(after + 1, 0, entry);
      byKey.set(keyOf(cell.row), entry);
      return entry;
    };
    const first = base ?? 0;
    cells[first].forEach((cell) => add(cell, first, rows.length - 1));
    const entries = new Map(rows.map((entry) => [entry.cells[first], entry]));
    cells.forEach((own, at) => {
      if (at === first) return;
      const partners = pairs(cells[first], own, keyOf);
      let last = -1;
      for (const cell of own) {
        const pair = partners.get(cell);
        const like = byKey.get(keyOf(cell.row));
        const entry = pair ? entries.get(pair.partner) : like && !like.cells[at] ? like : add(cell, at, last);
        entry.cells[at] = cell;
        last = rows.indexOf(entry);
        if (pair && base !== null) entry.relations[at] = relation(pair.partner, cell, pair.differs, per);
      }
    });
    const engines = new Map();
    for (const { row } of rows) engines.set(row.bareId, (engines.get(row.bareId) ?? new Set()).add(row.engine));
    for (const entry of rows) {
      const isOfEngine = !anyEngine && (!entry.row.isUsual || engines.get(entry.row.bareId).size > 1);
      entry.label = entry.row.label + (isOfEngine ? `, ${entry.row.engineLabel}` : "");
    }
    const alike = new Map();
    for (const { label, row } of rows) alike.set(label + row.head, [...(alike.get(label + row.head) ?? []), row]);
    for (const entry of rows) {
      // Rows with equal labels get the name of their metric in bundles or, if that is equal too, their whole id.
      const own = alike.get(entry.label + entry.row.head);
      const isOfMetric = new Set(own.map(({ metric }) => metric)).size === own.length;
      if (own.length > 1) entry.label += isOfMetric ? `, recorded as ${entry.row.metric}` : ` (${entry.row.id.split("#")[0]})`;
      entry.key = anyEngine ? entry.row.bareId : entry.row.id;
    }
    return rows;
  }

  return { NOT_COMPARABLE, amount, comparisonOf, isSameBoard, rowsOf };
})();
