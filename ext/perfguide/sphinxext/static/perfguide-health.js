/* Adds fields to the list of all findings, which leave those of a SoC, a release and a benchmark. */
"use strict";

(() => {
  const chooser = document.querySelector(".perf-choose");
  const top = document.querySelector(".perf-all-findings");
  if (!chooser || !top) return;
  const order = new Intl.Collator("en", { numeric: true });
  const foldsOf = (outer) => [...outer.querySelectorAll(":scope > details")];
  const wordsOf = (fold) => fold.querySelector("summary").textContent.trim();

  /* A guide is named “SoC, system release: 3 findings”, followed by the number of each benchmark: “STREAM 2 · NBench 1”. */
  const guides = foldsOf(top).flatMap((outer) => foldsOf(outer).map((fold) => {
    const [, soc, release] = wordsOf(fold).match(/^(.+), (.+?): /);
    const parts = fold.querySelector("small").textContent.split(" · ").map((part) => part.match(/^(.+) (\d+)$/));
    return { outer, fold, soc, release, counts: new Map(parts.map(([, name, count]) => [name, Number(count)])) };
  }));

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const selects = [
    ["SoC", ({ soc }) => [soc]], ["Release", ({ release }) => [release]], ["Benchmark", ({ counts }) => [...counts.keys()]],
  ].map(([label, namesOf]) => {
    const names = [...new Set(guides.flatMap(namesOf))].sort(order.compare);
    const select = make("select", { id: `perf-choose-${label.toLowerCase()}` }, make("option", { value: "" }, "all"), ...names.map((name) => make("option", {}, name)));
    select.addEventListener("change", show);
    return { label, namesOf, select };
  });
  const status = make("p", { className: "perf-small", role: "status" });

  function show() {
    const benchmark = selects[2].select.value;
    const shown = guides.filter((guide) => selects.every(({ namesOf, select }) => !select.value || namesOf(guide).includes(select.value)));
    const isChosen = selects.some(({ select }) => select.value);
    for (const { outer, fold } of guides) {
      const isShown = shown.some((guide) => guide.fold === fold);
      fold.hidden = !isShown;
      fold.open = isChosen && shown.length === 1 && isShown;
      outer.hidden = !shown.some((guide) => guide.outer === outer);
      outer.open = isChosen && !outer.hidden && shown.length <= 20;
      for (const finding of foldsOf(fold)) finding.hidden = Boolean(benchmark) && !finding.querySelector("summary").textContent.includes(`${benchmark}, `);
    }
    const count = shown.reduce((sum, { counts }) => sum + (benchmark ? counts.get(benchmark) : [...counts.values()].reduce((a, b) => a + b)), 0);
    status.textContent = isChosen ? `${count} finding${count === 1 ? "" : "s"} in ${shown.length} guide${shown.length === 1 ? "" : "s"}` : "";
  }

  const fields = selects.map(({ label, select }) => make("div", { className: "perf-explorer-field" }, make("label", { htmlFor: select.id }, label), select));
  const form = make("form", { className: "perf-explorer-fields" }, ...fields);
  form.setAttribute("aria-label", "Choose findings");
  chooser.replaceChildren(form, status);
  // A link may lead to a finding that is not shown.
  window.addEventListener("hashchange", () => {
    for (const { select } of selects) select.value = "";
    show();
  }, true);
})();
