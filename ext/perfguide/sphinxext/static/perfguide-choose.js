/* Adds fields to the list of comparisons, in which a reader chooses a system and two releases. Neighbouring releases have
   a page that compares them; any others open in the explorer. */
"use strict";

(() => {
  const { explorer } = document.currentScript.dataset;
  const chooser = document.querySelector(".perf-choose");
  const order = new Intl.Collator("en", { numeric: true });

  /* The list below has all comparisons: {name, path, releases, pages}, with the pages by "older newer". */
  const systems = [...document.querySelectorAll(".perf-marks > dt")].map((term) => {
    const system = { name: term.textContent.replace(/:\s*$/, ""), path: "", releases: [], pages: new Map() };
    for (const link of term.nextElementSibling.querySelectorAll("a")) {
      const [, path, older, newer] = link.getAttribute("href").match(/^(.+)\/([^/]+)-vs-([^/]+?)(?:\.html|\/)$/) ?? [];
      if (!path) continue;
      system.path = path;
      system.pages.set(`${older} ${newer}`, link.href);
      system.releases.push(older, newer);
    }
    system.releases = [...new Set(system.releases)].sort((a, b) => order.compare(b, a));
    return system;
  }).filter(({ path }) => path);
  if (!chooser || !systems.length) return;

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const offer = (select, texts, chosen) => {
    select.replaceChildren(...texts.map((text) => make("option", { value: text }, text)));
    select.value = texts.includes(chosen) ? chosen : texts[0];
  };
  const [systemField, olderField, newerField] = ["system", "older", "newer"].map((name) => make("select", { id: `perf-choose-${name}` }));
  const button = make("button", { type: "submit" }, "Compare");
  const chosenSystem = () => systems.find(({ name }) => name === systemField.value);

  /* Without an explorer, only releases that have a page together are offered. */
  const offerOlder = () => {
    const { pages, releases } = chosenSystem();
    const older = releases.slice(releases.indexOf(newerField.value) + 1);
    offer(olderField, explorer ? older : older.filter((each) => pages.has(`${each} ${newerField.value}`)));
  };
  const offerNewer = () => {
    const { pages, releases } = chosenSystem();
    offer(newerField, explorer ? releases.slice(0, -1) : releases.filter((each) => [...pages.keys()].some((pair) => pair.endsWith(` ${each}`))));
    offerOlder();
  };
  offer(systemField, systems.map(({ name }) => name));
  offerNewer();
  systemField.addEventListener("change", offerNewer);
  newerField.addEventListener("change", offerOlder);

  const labelled = (text, field) => make("div", { className: "perf-explorer-field" }, make("label", { htmlFor: field.id }, text), field);
  const form = make("form", { className: "perf-explorer-fields" }, labelled("SoC and system", systemField), labelled("Older", olderField), labelled("Newer", newerField), button);
  form.setAttribute("aria-label", "Compare two releases");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { pages, path } = chosenSystem();
    const [older, newer] = [olderField.value, newerField.value];
    location.href = pages.get(`${older} ${newer}`) ?? `${explorer}?side=${path}/${older}&side=${path}/${newer}`;
  });
  chooser.prepend(form);
})();
