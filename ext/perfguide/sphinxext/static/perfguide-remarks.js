/* Lists the facts and notes of a figure and of its runs. */
window.perfguideRemarks = (() => {
  "use strict";

  /* Return pairs of a name and a text. A fact is its name, label and value. A figure's own facts, which come
     before those of its runs, have several values; a run among these stands for its value. A note of a run
     is its text, with a benchmark and a metric if it is only about these. */
  const wordsOf = (own, runs, benchmark, metric) => {
    const facts = new Map();
    const add = (name, label, text) => {
      if (!facts.has(name)) facts.set(name, { label, texts: new Set() });
      facts.get(name).texts.add(text);
    };
    for (const [name, label, values] of own.facts) {
      for (const value of values) {
        add(name, label, value.facts ? value.facts.find(([fact]) => fact === name)[2] : value);
      }
    }
    const stated = new Set(facts.keys());
    for (const run of runs) {
      for (const [name, label, text] of run.facts) if (!stated.has(name)) add(name, label, text);
    }
    const isAbout = ([, of, only]) => (!of || of === benchmark) && (!only || only === metric);
    const ofRuns = runs.flatMap((run) => run.notes.filter(isAbout).map(([text]) => text));
    const names = [...facts.keys()].sort((a, b) => (a < b ? -1 : 1));
    return [
      ...names.map((name) => [facts.get(name).label, [...facts.get(name).texts].join(" and ")]),
      ...[...new Set([...own.notes, ...ofRuns])].map((text) => ["Note", text]),
    ];
  };

  /* Return the same pairs for a cell from the file of its page, given the places of its runs and its own
     words in the form that PageFigures in page_tables.py describes. */
  const wordsBehind = (content, bundles, [notes, facts, ...measured] = [[], []]) => {
    const factOf = (place) => content.facts[place];
    const textOf = (place) => content.remarks[place];
    const run = (place) => ({
      facts: (content.bundles[place][4] || []).map(([fact, text]) => [...factOf(fact), textOf(text)]),
      notes: (content.bundles[place][5] || []).map(([text, ...about]) => [textOf(text), ...about]),
    });
    const valueOf = (value) => (value < 0 ? run(-1 - value) : textOf(value));
    const own = {
      facts: facts.map(([fact, values]) => [...factOf(fact), values.map(valueOf)]),
      notes: notes.map(textOf),
    };
    return wordsOf(own, bundles.map(run), ...measured);
  };

  return { wordsBehind, wordsOf };
})();
