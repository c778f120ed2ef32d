/* Builds the answers of the page that finds boards: a sentence, counts, a table for each group and, if no board meets the
   question, questions close to it that some boards meet. */
"use strict";

window.perfguideAnswers = (() => {
  const { el, fit, number } = window.perfguideDrawing;
  const { GROUPS, written } = window.perfguideNeed;
  const MONTHS_UNTIL_OLD = 18;
  const MAX_OTHER_RELEASES = 3; // shown in a row; the explorer shows all
  const MAX_ROWS = 10; // of the boards that meet a need, without a click
  const MAX_OTHER_ROWS = 4; // of another group
  const MAX_UNMEASURED = 12; // boards listed without a click
  const TITLES = { meets: "Meets it", just: "Just meets it, or is in doubt", cannot: "Does not meet it", none: "Not measured" };
  const COUNTED = { meets: "meet it", just: "just meet it (under 10 %), or are in doubt", cannot: "do not meet it", none: "not measured" };
  const NOTES = {
    meets: "By the first figure. Each is of the newest release that measured it.",
    just: "A figure is in doubt, or less than 10 % from its bound: the next run may fall below it.",
    cannot: "The nearest first, each with the engine of its row; another engine or system of the same board may meet the need.",
  };

  const idOf = (group) => `perf-finder-${group}`;
  const exact = (value) => number(Number(value.toPrecision(12)));
  const few = (value) => number(Number(value.toPrecision(2)));
  const boards = (count) => `${count} board${count === 1 ? "" : "s"}`;
  const withoutRepeats = (texts) => [...new Set(texts.filter(Boolean))];

  /* Return the functions that answer one question. ``labelOf`` and ``titleOf`` name a condition. */
  function forQuestion(conditions, { measured, unmeasured }, { factorOf, hrefOf, labelOf, titleOf }) {
    const valueOf = ({ figure, line }, at) => figure.mean / factorOf(conditions[at].unit, line.unit);
    const figureText = (reading, at) => `${exact(valueOf(reading, at))} ${conditions[at].unit}`.trim();
    // The title of the benchmark is only needed if the question is about several.
    const isOneBenchmark = new Set(conditions.map((condition) => condition.benchmark)).size === 1;
    const wordsOf = (condition) => (isOneBenchmark ? labelOf(condition) : titleOf(condition));
    const nameOf = ({ soc, short }) => `${soc} ${short}`;

    // A board counts once, however many systems and engines it has. Answers are sorted, so its first one is its best.
    const boardOf = ({ board: { soc, board } }) => JSON.stringify([soc, board]);
    function bestOf(answers) {
      const seen = new Set();
      return answers.filter((each) => !seen.has(boardOf(each)) && seen.add(boardOf(each)));
    }
    const best = bestOf(measured);
    const every = bestOf([...measured, ...unmeasured]);
    const counts = { ...Object.fromEntries(GROUPS.map((group) => [group, best.filter((each) => each.group === group).length])), none: every.length - best.length };

    /* Return the distance of a figure from its bound without a sign: in points for shares, otherwise in per cent. */
    function distance({ figure, line, ratio }, at) {
      if (line.unit === "%") {
        const points = Math.abs(figure.mean - conditions[at].bound * factorOf(conditions[at].unit, line.unit));
        return `${few(points)}\u00a0points`;
      }
      if (ratio >= 100) return "over 100 times";
      const share = 100 * Math.abs(ratio - 1);
      return share >= 1 || !share ? `${Math.round(share)}\u00a0%` : "under 1\u00a0%";
    }

    /* Return the margin of each condition or, if some fail, by how much these miss their bounds. */
    function marginOf({ group, readings }) {
      const fails = group === "cannot";
      const said = readings.flatMap((reading, at) => {
        if (fails && reading.ratio >= 1) return [];
        const name = conditions.length > 1 ? `${wordsOf(conditions[at])} ` : "";
        const isFar = !fails && reading.ratio >= 100 && reading.line.unit !== "%";
        const over = conditions[at].atLeast ? "short" : "over";
        const size = distance(reading, at);
        const margin = fails || isFar ? size : size.startsWith("under ") ? size.replace(" ", " +") : `+${size}`;
        return [`${name}${margin}${fails ? ` ${over}` : ""}`];
      });
      return said.join(", ");
    }

    /* Return the engine, the parameters that no condition names, and the clock. */
    function runOf({ readings }) {
      const asked = new Set(conditions.flatMap((condition) => [...condition.params.keys()]));
      const words = readings.flatMap(({ figure, params }) => [
        figure.engine,
        ...[...params].filter(([name, value]) => name !== "engine" && !asked.has(name) && !value.isDefault)
          .map(([, value]) => (value.number === null ? value.shown : `${value.label} ${value.shown}`)),
      ]);
      return withoutRepeats([...words, ...readings.map(({ figure }) => figure.clock && `${number(figure.clock)}\u00a0MHz`)]).join(", ");
    }

    function figureCell(reading, at, head) {
      const cell = el("td", { class: "perf-n", "data-head": head });
      const figures = reading.between.length ? reading.between : [reading];
      figures.forEach((each, n) => {
        if (n) cell.append(" to ");
        cell.append(el("a", { href: hrefOf(each.figure.link) }, exact(valueOf(each, at))));
        const { doubt } = each.figure;
        if (doubt) cell.append(el("abbr", { class: "perf-mark", title: doubt }, "?"), el("span", { class: "perf-aside" }, ` in doubt: ${doubt}`));
      });
      if (reading.between.length) cell.append(" ", el("small", {}, "between sizes"));
      return cell;
    }

    const days = measured.flatMap((each) => each.readings.map(({ figure }) => figure.day));
    const newest = days.reduce((a, b) => (a > b ? a : b), "");
    const monthOf = (day) => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));

    function releaseCell({ board, readings }, head) {
      const cell = el("td", { "data-head": head });
      const releases = new Map(readings.map(({ figure }) => [figure.release, figure]));
      [...releases.values()].forEach((figure, n) => {
        cell.append(n ? ", " : "", el("a", { href: hrefOf(figure.link.replace(/#.*/, "")) }, `${board.system} ${figure.release}`));
        const isOld = monthOf(newest) - monthOf(figure.day) > MONTHS_UNTIL_OLD;
        if (isOld) cell.append(" ", el("small", { class: "perf-finder-year" }, figure.day.slice(0, 4)));
      });
      return cell;
    }

    /* Return the first condition's figure in other releases, newest first. */
    const othersOf = ([first]) => [...first.line.at.values()].filter((figure) => figure.release !== first.figure.release)
      .slice(0, MAX_OTHER_RELEASES).map((figure) => `${exact(valueOf({ ...first, figure }, 0))} (${figure.release})`).join(", ");

    function section(group) {
      const answers = measured.filter((each) => each.group === group);
      if (!answers.length) return [];
      const heads = ["Board", ...conditions.map((c) => `${wordsOf(c)}${c.unit ? ` (${c.unit})` : ""}`), "Engine and setup", "Margin", "Release", "Other releases"];
      const [run, margin, release, others] = heads.slice(-4);
      const body = el("tbody", {}, ...answers.map((each) => el("tr", {},
        el("th", { scope: "row", class: "perf-key" }, `${each.board.soc} `, el("small", {}, each.board.short)),
        ...each.readings.map((reading, at) => figureCell(reading, at, heads[at + 1])),
        el("td", { "data-head": run }, runOf(each)), el("td", { "data-head": margin }, marginOf(each)),
        releaseCell(each, release), el("td", { "data-head": others }, othersOf(each.readings)))));
      const isFigure = (at) => at > 0 && at <= conditions.length;
      const grid = el("table", { class: "perf-grid no-search", "aria-labelledby": idOf(group) },
        el("thead", {}, el("tr", {}, ...heads.map((head, at) => el("th", { scope: "col", class: isFigure(at) ? "perf-n" : "" }, head)))), body);
      const box = el("div", { class: "perf-scroll", role: "region", tabindex: "0", "aria-labelledby": idOf(group) }, grid);
      const table = el("div", { class: "perf-table" }, box);
      const more = [...body.rows].slice(group === GROUPS[0] ? MAX_ROWS : MAX_OTHER_ROWS);
      if (more.length) {
        const all = el("button", { type: "button" }, `Show all ${answers.length} rows of ${boards(bestOf(answers).length)}`);
        more.forEach((row) => row.remove());
        all.addEventListener("click", () => {
          body.append(...more);
          all.parentNode.remove();
          more[0].querySelector("a").focus();
        });
        table.append(el("p", {}, all));
      }
      return [el("h2", { id: idOf(group) }, TITLES[group]), el("p", { class: "perf-finder-note" }, NOTES[group]), table];
    }

    /* Return the boards without figures, grouped by the measurements that they lack. */
    function unmeasuredSection() {
      if (!unmeasured.length) return [];
      const answered = new Set(best.map(boardOf));
      const lists = new Map();
      for (const each of unmeasured) {
        const { board, missing } = each;
        const reason = answered.has(boardOf(each)) ? "Measured with another system only"
          : missing.length ? `No figure for ${missing.map(titleOf).join(" or ")}` : "Not all figures from one run";
        lists.set(reason, [...(lists.get(reason) ?? []), board]);
      }
      const lines = [...lists].map(([reason, own]) => {
        const names = own.map((board) => `${nameOf(board)}, ${board.system}`);
        return el("li", {}, `${reason}: `, ...(names.length <= MAX_UNMEASURED ? [`${names.join("; ")}.`]
          : [`${boards(new Set(own.map(nameOf)).size)}.`, el("details", { class: "perf-fold" }, el("summary", {}, "Which"), names.join("; "))]));
      });
      return [el("h2", { id: idOf("none") }, TITLES.none), el("p", { class: "perf-finder-note" }, "Nothing is said about these."), el("ul", {}, ...lines)];
    }

    function countsList() {
      return el("ul", { class: "perf-finder-counts" }, ...Object.entries(counts).map(([group, count]) => {
        const words = [el("strong", {}, String(count)), " ", COUNTED[group]];
        return el("li", { class: `perf-finder-${group}` }, el(count ? "a" : "span", count ? { href: `#${idOf(group)}` } : {}, ...words));
      }));
    }

    /* Return the question in words: “STREAM: Copy of at least 1,800 MB/s”. */
    const question = () => conditions.map((condition, at) => {
      const given = measured[0].readings[at].params;
      const params = [...condition.params].map(([name, text]) => {
        const { text: own, shown, number: size, label } = given.get(name);
        const words = own === text ? shown : text;
        return size === null ? words : `${label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())} ${words}`;
      });
      const name = [at ? wordsOf(condition) : titleOf(condition), ...params].join(", ");
      return `${name}${name.includes(", ") ? "," : ""} of at ${condition.atLeast ? "least" : "most"} ${exact(condition.bound)} ${condition.unit}`.trim();
    }).join(" and ");

    function sentence() {
      if (!measured.length) return "No board has these figures.";
      const [first] = measured;
      const met = counts.meets + counts.just;
      const verb = (count) => (count === 1 ? "meets" : "meet");
      const just = counts.just ? `, and ${counts.just} just ${verb(counts.just)} it or ${counts.just === 1 ? "is" : "are"} in doubt` : "";
      const said = counts.meets ? `${boards(counts.meets)} ${verb(counts.meets)} it with 10 % or more to spare${just}.`
        : met ? `${boards(met)} just ${verb(met)} it, or ${met === 1 ? "is" : "are"} in doubt.` : "No board meets it.";
      return `${question()}: ${said} The ${met ? "first" : "nearest"} is ${nameOf(first.board)}: ${first.readings.map((reading, at) => `${at ? `${wordsOf(conditions[at])} ` : ""}${figureText(reading, at)}`).join(", ")}.`;
    }

    /* Return the condition that excludes most boards if none meets all, and bounds that some boards meet. */
    function nearby() {
      if (counts.meets || counts.just || !best.length) return [];
      // These boards meet all other conditions.
      const reach = conditions.map((_, at) => bestOf(measured.filter(({ readings }) => readings.every((each, n) => n === at || each.ratio >= 1))
        .sort((a, b) => b.readings[at].ratio - a.readings[at].ratio)));
      const at = reach.reduce((most, own, n) => (own.length > reach[most].length ? n : most), 0);
      const own = reach[at];
      if (!own.length) return [el("p", {}, "Of these conditions each board misses more than one.")];
      const condition = conditions[at];
      const [top] = own;
      const words = conditions.length > 1
        ? `${wordsOf(condition)} decides: ${boards(own.length)} would meet the rest of the question, and the nearest of them`
        : `The ${condition.atLeast ? "largest" : "smallest"} figure`;
      // Round the bound in the direction in which the board still meets it.
      const bounds = [0, Math.ceil(own.length / 2) - 1, own.length - 1].map((n) => {
        const value = valueOf(own[n].readings[at], at);
        const step = 10 ** (Math.floor(Math.log10(Math.abs(value) || 1)) - 1);
        return Number(((condition.atLeast ? Math.floor(value / step) : Math.ceil(value / step)) * step).toPrecision(6));
      });
      const links = [...new Set(bounds)].flatMap((bound, n) => {
        const count = own.filter(({ readings }) => (condition.atLeast ? valueOf(readings[at], at) >= bound : valueOf(readings[at], at) <= bound)).length;
        const query = new URLSearchParams(conditions.map((each) => ["q", written(each === condition ? { ...condition, bound } : each)]));
        return [n ? ", " : "", el("a", { href: `?${query}` }, `${condition.atLeast ? "at least" : "at most"} ${exact(bound)} ${condition.unit}`.trim()), ` (${boards(count)})`];
      });
      return [el("p", {}, `${words} is ${figureText(top.readings[at], at)}, ${nameOf(top.board)}. Ask for `, ...links, ".")];
    }

    /* Return all answers as rows of texts and numbers, head first, for CSV and JSON. */
    function rows() {
      const head = ["group", "soc", "system", "board", ...conditions.flatMap((_, at) => [`figure ${at + 1}`, `unit ${at + 1}`, `release ${at + 1}`]), "engine and setup", "margin", "doubt"];
      return [head, ...measured.map((each) => [
        each.group, each.board.soc, each.board.system, each.board.board,
        ...each.readings.flatMap((reading, at) => [Number(valueOf(reading, at).toPrecision(12)), conditions[at].unit, reading.figure.release]),
        runOf(each), marginOf(each), withoutRepeats(each.readings.map(({ figure }) => figure.doubt)).join("; "),
      ])];
    }

    /* Return the elements below the sentence; ``more`` come before the groups. */
    function elements(more) {
      const note = measured.length > best.length ? [el("p", { class: "perf-finder-note" }, "Each board counts once, by its best row.")] : [];
      return [countsList(), ...nearby(), ...note, ...more, ...GROUPS.flatMap(section), ...unmeasuredSection()];
    }

    return { elements, fit: (place) => place.querySelectorAll(".perf-scroll").forEach(fit), rows, sentence };
  }

  return { forQuestion };
})();
