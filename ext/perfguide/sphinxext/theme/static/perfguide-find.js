/* Searches answers, figures and sections of guides by names of metrics, parameters, SoCs, boards and releases.
   The words of a query may have any order, and each may be the beginning of a name. */
(() => {
  const SHOWN = 15;
  const ANSWERS = 5;
  const READ = 4; // sections whose rows are read
  const ROWS = 4;
  const CELLS = 4;
  const LEADS = 3; // rankings whose leaders are named
  const MAX_SIDES = 5; // like the explorer
  const BENCHMARKS = 3; // shown for SoCs side by side
  const MAX_OTHERS = 100; // sections of other releases that are listed
  const MAX_EXCERPT = 240; // characters
  const TEXTS = 10; // pages with the words in their text that are shown first; the style sheet has the same number
  const box = document.getElementById("perf-found");
  const data = window.perfguideWords;
  // Signs are no words, so the index of Sphinx has their names, on the page that explains them.
  const SIGNS = { "‡": "dagger", "†": "dagger", "±": "plus minus" };
  const given = new URLSearchParams(window.location.search).get("q") ?? "";
  const query = given.replace(/[‡†±]/gu, (sign) => SIGNS[sign]);
  if (query !== given) window.location.replace(`?${new URLSearchParams({ q: query })}`);
  const root = document.documentElement.dataset.content_root ?? "";
  // A figure with the unit of a rate or a time is a bound; other numbers are sizes.
  const QUANTITY = /(?<!\S)(?:[<>≤≥]=?\s*)?(\d[\d.,]*)\s*(\p{L}+\/s|\p{L}*bps|[mnuµ]?s)(?!\S)/u;
  const quantity = box?.dataset.finder ? query.normalize("NFKC").match(QUANTITY) : null;
  const typed = query.normalize("NFKC").replace(quantity?.[0] ?? "", "").toLowerCase();
  const split = (text) => text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const MARKED = "sphinx_highlight_terms";
  // A unit such as “s” is part of most words.
  const isLong = (word) => word.length > 2;
  const contents = new Map();
  const contentOf = (address) => {
    if (!contents.has(address)) {
      contents.set(address, fetch(address).then(async (answer) =>
        (answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null)));
    }
    return contents.get(address);
  };

  /* Add the paragraph or row with most of the words below a link. The excerpts of Sphinx are off: it would load
     hundreds of pages for them, and run the cells of a table together. */
  async function addExcerpt(item) {
    const page = await contentOf(item.querySelector("a").href.replace(/#.*/, ""));
    const words = split(query).filter(isLong);
    if (!words.length) return;
    const shown = (block) => [...(block.cells ?? [block])].map((each) => each.textContent.trim()).filter(Boolean).join(" · ");
    const texts = [...page?.querySelectorAll("[role=main] :is(p, dt, tr)") ?? []].map(shown);
    const hits = (text) => words.filter((word) => text.toLowerCase().includes(word)).length;
    const [text] = texts.sort((a, b) => hits(b) - hits(a));
    if (!text || !hits(text)) return;
    const parts = text.slice(0, MAX_EXCERPT).split(new RegExp(`(${words.join("|")})`, "iu"));
    const marked = parts.map((part, at) => (at % 2 ? make("span", { className: "highlighted" }, part) : part));
    item.append(make("p", { className: "context" }, ...marked, text.length > MAX_EXCERPT ? "…" : ""));
  }

  /* Show only the first pages with the words in their text until the reader asks for all: the figures above matter more. */
  function foldTexts() {
    const texts = document.getElementById("search-results");
    if (!texts) return;
    const listed = texts.getElementsByTagName("li");
    const all = make("button", { type: "button", className: "perf-more-texts", hidden: true });
    all.addEventListener("click", () => {
      texts.classList.add("perf-all-texts");
      all.remove();
      listed[TEXTS].querySelector("a").focus();
    });
    texts.after(all);
    // Sphinx adds the pages one by one.
    new MutationObserver((changes) => {
      const added = changes.flatMap((each) => [...each.addedNodes]).filter((each) => each.matches?.("li:not(.kind-object)"));
      for (const item of added) if ([...listed].indexOf(item) < TEXTS) addExcerpt(item).catch(() => {});
      all.hidden = listed.length <= TEXTS;
      all.textContent = `Show all ${listed.length} pages`;
    }).observe(texts, { childList: true, subtree: true });
  }

  // Sphinx would mark the words on whichever page comes next, so forget them unless that page was found here, and short
  // ones always.
  let isFound = false;
  document.addEventListener("click", ({ target }) => {
    isFound = Boolean(target.closest?.("#perf-found a, #search-results a"));
  });
  window.addEventListener("pagehide", () => {
    const terms = isFound ? (localStorage.getItem(MARKED) ?? "").split(" ").filter(isLong) : [];
    if (terms.length) localStorage.setItem(MARKED, terms.join(" "));
    else localStorage.removeItem(MARKED);
  });
  foldTexts();
  if (!box || !data) return;

  const pages = data.pages.map(([address, title, text, rank, soc]) => ({
    address, title, rank, soc, words: text.split(" "), sections: [],
  }));
  const sections = data.sections.map(([title, text, about = ""], at) => ({
    title, words: text.split(" "), names: split(title), about: about.split(" "), isAnswer: data.answers.includes(at),
  }));
  for (const [page, section] of data.places) pages[page].sections.push(section);
  const rankings = data.rankings.map(([page, address, name, text, condition, unit]) => ({
    page: pages[page], address, name, names: split(name), words: text.split(" "), condition, unit,
  }));
  const socOf = new Map(pages.filter((page) => page.soc).map(({ soc }) => [soc.toLowerCase(), soc]));

  // Return 2 if the word is in the list, 1 if a word in the list begins with it, and otherwise 0.
  const fit = (list, word) =>
    list.includes(word) ? 2 : list.some((other) => other.startsWith(word)) ? 1 : 0;
  // Sizes are in the names of rows, but not in the index of sections.
  const isSize = (word) => /^(\d+|[kmg]?i?b|bytes?)$/.test(word);
  const isKnown = (word) =>
    isSize(word) || [...sections, ...pages].some((each) => fit(each.words, word));
  const SMALL = new Set(("a and against at by can do does for from has have how i in is it many may most much my of on or soc "
    + "socs the to versus vs we what which with").split(" "));
  const every = [...new Set(split(typed))].filter((word) => !SMALL.has(word));
  const words = every.filter(isKnown);
  const unknown = every.filter((word) => !isKnown(word));
  const typedWhole = new Set(typed.split(/[\s,;:?!/]+/));
  const named = [...typedWhole].filter((word) => socOf.has(word));
  // No guide is about two SoCs, so their newest figures are shown side by side.
  const topic = new Set(split([...typedWhole].filter((word) => !socOf.has(word)).join(" ")));
  const isSideBySide = named.length > 1 && words.some((word) => topic.has(word));
  const asked = isSideBySide ? words.filter((word) => topic.has(word)) : words;
  // A release is a single name: 09.00 fits 09.00.00.03, but not 09.01.00.08.
  const releases = typed.split(/\s+/).filter((word) => /^\d+(\.\d+)+$/.test(word));
  const isOf = (page) =>
    releases.every((release) => page.title.split(/\s+/).some((word) => word.startsWith(release)));
  const releaseOf = ({ title }) => title.match(/\d[\d.]*$/)?.[0] ?? "";
  const byRelease = (a, b) => releaseOf(b).localeCompare(releaseOf(a), "en", { numeric: true }) || a.rank - b.rank;
  if (named.length > 1 && box.dataset.explorer) {
    const sides = named.slice(0, MAX_SIDES).map(newestGuideOf).filter(Boolean).map((page) => sideOf({ page }));
    const names = named.map((word) => socOf.get(word)).join(" and ");
    box.append(make("p", {}, make("a", { href: explorer(sides) }, `All of ${names} side by side`)));
    box.hidden = false;
  }
  if (!asked.length) return;
  // Compound words count as a whole: aes-256-cbc does not mean any row of 256 bytes.
  const whole = typed.split(/\s+/).filter((word) => /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u.test(word));

  /* Offer the page that finds boards, with the figure in the query as a bound of the ranking that fits its words best. */
  if (quantity) {
    const [, number, text] = quantity;
    const written = text.replace(/bps$/, "bit/s");
    const kindOf = (unit) => unit.toLowerCase().replace(/^[kmgt]?i?(b|bit)\/s$/, "rate").replace(/^[mnuµ]?s$/, "time");
    const about = asked.filter((word) => rankings.some((each) => fit(each.words, word) || fit(each.names, word)));
    const [best] = [...new Set(rankings.map(({ page }) => page.title))].flatMap((title) => rankingsOf(title, about))
      .filter(({ condition, unit }) => condition && unit && kindOf(unit) === kindOf(written))
      .sort((a, b) => b.score - a.score);
    if (about.length && best) {
      const unit = best.unit.toLowerCase() === written.toLowerCase() ? best.unit : written;
      const bound = `at ${best.condition.endsWith(">=") ? "least" : "most"} ${number} ${unit}`;
      const href = `${box.dataset.finder}?${new URLSearchParams({ q: `${best.condition} ${number} ${unit}` })}`;
      box.append(make("p", {}, make("a", { href }, `Find the boards with ${bound}`), `: ${best.page.title}`));
      box.hidden = false;
    }
  }
  // AM62X-1 contains the word AM62X too, but must come after AM62X.
  const isExact = ({ soc }) => soc !== "" && typedWhole.has(soc.toLowerCase());

  const bySection = sections.map((section) => asked.map((word) => fit(section.words, word)));
  const byPage = pages.map((page) => asked.map((word) => fit(page.words, word)));
  const ofSoc = new Map();
  for (const page of pages) ofSoc.set(page.soc, [...(ofSoc.get(page.soc) ?? []), ...page.sections]);

  /* Return whether an answer fits: one word asks for it, and its page or, for a SoC, its guides have the other
     words. An answer about one SoC is only for readers who name that SoC or ask for nothing else. */
  function isAsked(page, section) {
    const { soc } = pages[page];
    const rest = asked.map((_, at) => at).filter((at) => bySection[section][at] < 2 && !isSize(asked[at]));
    if (!asked.some((_, at) => bySection[section][at] === 2)) return false;
    const isNamed = (at) => socOf.has(asked[at]);
    if (!soc) {
      return asked.some((_, at) => byPage[page][at] && !isNamed(at))
        && rest.every((at) => byPage[page][at] || isNamed(at));
    }
    if (!rest.length) return true;
    return rest.some((at) => isNamed(at) && byPage[page][at] === 2)
      && rest.every((at) => byPage[page][at] || ofSoc.get(soc).some((each) => bySection[each][at]));
  }

  const ANSWER = 0, BENCHMARK = 1, NEWEST = 2, OLDER = 3;
  const matches = [];
  for (const [number, section, anchor] of data.places) {
    const page = pages[number];
    const own = sections[section];
    // The page of an answer about several releases names none in its title.
    const isOfAll = own.isAnswer && !/\d\.\d/.test(page.title);
    if (!(isOfAll || isOf(page)) || (isSideBySide && page.soc)) continue;
    const fits = asked.map((_, at) => Math.max(bySection[section][at], byPage[number][at]));
    const sum = fits.reduce((before, value) => before + value, 0);
    if (own.isAnswer) {
      if ((!page.rank || releases.length) && isAsked(number, section)) matches.push({ page, section: own, anchor, kind: ANSWER, score: sum, others: 0, benchmark: "", size: 0 });
      continue;
    }
    if (asked.some((word, at) => !fits[at] && !isSize(word))) continue;
    // At least one word has to be the section's own, since a SoC alone would find all its sections.
    const naming = page.soc ? bySection[section] : fits;
    if (!asked.some((word, at) => naming[at] && !/^\d+$/.test(word))) continue;
    const inTitle = asked.filter((word) => own.names.includes(word) || own.about.includes(word)).length;
    matches.push({
      page, section: own, anchor,
      kind: !page.soc ? BENCHMARK : page.rank ? OLDER : NEWEST,
      score: sum + inTitle,
      others: own.names.length - inTitle,
      benchmark: own.title.split(", ")[0],
      size: own.words.length + (page.soc ? 0 : page.words.length),
    });
  }
  const leftOut = unknown.length ? [make("p", {}, `No page or figure is named ${unknown.map((word) => `“${word}”`).join(" or ")}; it was left out here.`)] : [];
  // Only a SoC, a board or a release is asked for: list guides, the newest of each system first.
  if (!matches.length) {
    const isMatch = (page, at) => page.soc && isOf(page) && byPage[at].every((value) => value);
    const systemOf = ({ address }) => address.replace(/[^/]+$/, "");
    const own = pages.filter((page, at) => isMatch(page, at) && page.sections.some((section) => !sections[section].isAnswer))
      .sort((a, b) => Number(isExact(b)) - Number(isExact(a)) || a.rank - b.rank || a.title.localeCompare(b.title, "en", { numeric: true }));
    const newest = own.filter((page, at) => own.findIndex((other) => systemOf(other) === systemOf(page)) === at).slice(0, SHOWN);
    const items = newest.map(({ address, title }) => make("li", {}, make("a", { href: `${root}${address}` }, title)));
    if (items.length) box.append(make("h2", {}, "Guides"), make("ul", {}, ...items), ...leftOut);
    box.hidden = !box.hasChildNodes();
    return;
  }
  // Among equal benchmarks, the one with the fewest other words comes first; sections keep the order of guides.
  const sizes = new Map();
  for (const { benchmark, size } of matches) sizes.set(benchmark, Math.min(size, sizes.get(benchmark) ?? Infinity));
  matches.sort(
    (a, b) =>
      a.kind - b.kind ||
      Number(a.page.soc !== "") - Number(b.page.soc !== "") ||
      Number(isExact(b.page)) - Number(isExact(a.page)) ||
      b.score - a.score ||
      a.others - b.others ||
      sizes.get(a.benchmark) - sizes.get(b.benchmark) ||
      a.page.rank - b.page.rank ||
      releaseOf(b.page).localeCompare(releaseOf(a.page), "en", { numeric: true }) ||
      a.page.title.localeCompare(b.page.title, "en", { numeric: true }),
  );

  /* Show the newest release of each SoC: one section each if there are several SoCs, otherwise all of its sections. */
  const ofGuides = matches.filter(({ kind }) => kind >= NEWEST);
  const chosen = new Map();
  for (const each of ofGuides) if (!chosen.has(each.page.soc)) chosen.set(each.page.soc, each);
  const isChosen = (each) => {
    const own = chosen.get(each.page.soc);
    return chosen.size > 1 && !isExact(each.page) ? own === each : own.page === each.page;
  };
  const { exactOf, modelOf, textOf } = window.perfguideGrid ?? {};
  const addressOf = ({ page, anchor }) => `${root}${page.address}#${anchor}`;
  const listed = (place) =>
    make("li", {}, make("a", { href: addressOf(place) }, place.section.title), `, in ${place.page.title}`);

  // Many answers have the same question as their title, so name each by its subject.
  const subjectOf = ({ title, soc }) => (soc ? title.replace(" performance guide", "").replace(/:.*$/, "") : title);
  const listedAnswer = (place) =>
    make("li", {}, make("a", { href: addressOf(place) }, `${subjectOf(place.page)}: ${place.section.title}`));
  const folded = (title, items, ...more) => make("details", {}, make("summary", {}, title), make("ul", {}, ...items), ...more);

  const guides = ofGuides.filter(isChosen);
  const answers = matches.filter(({ kind }) => kind === ANSWER);
  const places = [...matches.filter(({ kind }) => kind === BENCHMARK), ...guides];
  const left = [
    ...places.slice(SHOWN),
    ...ofGuides.filter((each) => !isChosen(each)),
    ...matches.filter(({ kind, page }) => kind === ANSWER && page.rank),
  ];
  const answersHeading = make("h2", {}, "Answers");
  const answersList = make("ul", { className: "perf-found-answers" }, ...answers.slice(0, ANSWERS).map(listedAnswer));
  if (answers.length) box.append(answersHeading, answersList);
  if (answers.length > ANSWERS) box.append(folded(`${answers.length - ANSWERS} more`, answers.slice(ANSWERS).map(listedAnswer)));
  const heading = make("h2", {}, isSideBySide ? `${named.map((word) => socOf.get(word)).join(" and ")} side by side` : "Figures");
  if (places.length) box.append(heading, make("ul", {}, ...places.slice(0, SHOWN).map(listed)));
  if (left.length) {
    const cut = left.slice(0, MAX_OTHERS);
    const rest = left.length > cut.length ? [make("p", {}, "Add a SoC, a board or a release to find fewer.")] : [];
    box.append(folded(`More releases: ${left.length} sections`, cut.map(listed), ...rest));
  }
  box.append(...leftOut);
  box.hidden = false;

  // Rows may name block sizes in bytes.
  const bytes = [...typed.matchAll(/\b(\d+)\s*([km])i?b?\b/g)]
    .map(([, number, unit]) => String(number * (unit === "k" ? 1024 : 1024 ** 2)));

  /* From here on, figures are read from the pages themselves. Browsers do not allow that for pages opened from a
     disk; these show the sections only. */
  if (!modelOf || location.protocol === "file:") return;

  /* Return the first sentence of an answer; on pages that list moves, it is the newest move. */
  const sentenceOf = async ({ page, section, anchor }) => {
    const element = (await contentOf(`${root}${page.address}`))?.getElementById(anchor);
    if (!element) return "";
    const plain = (element) => element.textContent.replace(/\s+/g, " ").trim();
    const wordsIn = (text) => new Set(split(text).filter((word) => section.words.includes(word))).size;
    const topicsIn = (element) => asked.filter((word) => !section.words.includes(word) && fit(split(plain(element)), word)).length;
    const mostAsked = (elements) => elements.sort((a, b) => topicsIn(b) - topicsIn(a))[0];
    if (element.matches(".perf-moves-page")) {
      const move = mostAsked([...element.querySelectorAll("li > p")].filter((each) => wordsIn(plain(each))));
      return move ? `${move.closest("section").querySelector("h2").firstChild.textContent}: ${plain(move)}` : "";
    }
    const ofSoc = [...element.querySelectorAll(".perf-lasting tbody tr")].filter(({ cells }) => named.includes(plain(cells[0]).split(" ")[0].toLowerCase()));
    if (ofSoc.length) return `${[...mostAsked(ofSoc).cells].map(plain).join(", ")}.`;
    // A chapter also has other paragraphs, so choose the one with most of the words.
    const [first] = [...element.querySelectorAll(":scope > p")].map(plain).sort((a, b) => wordsIn(b) - wordsIn(a));
    return first && wordsIn(first) ? first.match(/^.*?[.?!](?=\s|$)/)?.[0] ?? first : "";
  };

  // “max” may be short for “Maximum”, but 16 is not short for 1600.
  const fitOfHead = (labels, word) => {
    const value = fit(split(labels.join(" ")), word);
    return value > (isSize(word) ? 1 : 0) ? value : 0;
  };

  // A bare number would look like the figure, and a bare “off” says nothing, so add the head: “core 0”, “interrupt pacing off”.
  const nameOf = (key, head) =>
    /^([\d.,]+|on|off|yes|no)$/i.test(key) ? `${head.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase())} ${key}`.trim() : key;

  /* Return the rankings of a benchmark that fit all words, first those with most of them in their names. Otherwise they
     keep the order of the index, in which headlines come first. */
  function rankingsOf(title, words) {
    const fitOfName = ({ names }, word) => (isSize(word) ? 2 * names.includes(word) : fit(names, word));
    const scoreOf = (each) => words.reduce((sum, word) => sum + fitOfName(each, word), 0)
      + 3 * whole.filter((text) => each.name.toLowerCase().includes(text)).length;
    return rankings
      .filter((each) => each.page.title === title && words.every((word) => fitOfName(each, word) || (!isSize(word) && fit(each.words, word))))
      .map((each) => ({ ...each, score: scoreOf(each) }))
      .sort((a, b) => b.score - a.score);
  }

  /* Read some rankings from their pages, as {title, href, unit, lead, rows} with a row for each SoC. */
  function readRankings(chosen) {
    return Promise.all(chosen.map(async ({ page, name, address }) => {
      const href = `${root}${address}`;
      const table = (await contentOf(href)).querySelector(".perf-ranking");
      const share = table.querySelector("thead th:nth-child(3) small")?.textContent;
      const [lead] = [...table.closest("section").querySelectorAll(":scope > p")].filter((each) => each.textContent.startsWith(`${name}: `));
      const rows = [...table.querySelectorAll("tr[data-board]")].map((row) => ({
        side: row.closest("tbody").querySelector(".perf-side")?.textContent ?? "",
        soc: row.querySelector("th a").textContent,
        where: row.querySelector("th small").textContent,
        href: new URL(row.querySelector("th a").getAttribute("href"), new URL(href, location)).href,
        figure: row.querySelector("td data"),
        engine: row.querySelector(".perf-value small")?.textContent,
        load: row.querySelector("[data-h='CPU load'] span")?.textContent.replace("%", share),
        board: row.dataset.board,
      }));
      const isOfTitle = name.toLowerCase().includes(page.title.toLowerCase());
      const title = isOfTitle ? name : `${page.title}: ${name}`;
      return { title, href, unit: table.querySelector("thead td + th small bdi, thead th + th small bdi").textContent, lead: lead?.textContent.slice(name.length) ?? "", rows };
    }));
  }

  const badness = ({ cells, most, unit }) => Math.max(-Infinity, ...bestCells({ cells, most }).map(({ cell, shown }) =>
    Number(cell.querySelector("data").value) * (/↓/.test([unit, ...shown].join(" ")) ? 1 : -1)));

  const rowsOf = async ({ page, section, anchor }) => {
    const address = `${root}${page.address}`;
    const element = (await contentOf(address))?.getElementById(anchor);
    if (!element) return [];
    const [usual] = rankingsOf(section.title.split(", ")[0], asked.filter((word) => !fit(page.words, word)));
    const [chart] = [...element.querySelectorAll("figure.perf-chart[id]")].map((figure) => {
      const name = (figure.querySelector("[role=tablist]")?.getAttribute("aria-label") ?? figure.querySelector(".caption-text, img")?.textContent ?? "").trim();
      const words = split(`${name} ${figure.id}`);
      return { name, id: figure.id, score: asked.reduce((sum, word) => sum + fit(words, word), 0) };
    }).filter(({ name }) => name).sort((a, b) => b.score - a.score);
    const rows = [...element.querySelectorAll("table.perf-grid")].flatMap((table) => {
      const model = modelOf(table);
      const label = table.getAttribute("aria-label") ?? "";
      // A unit shared by all columns is in the head of the keys.
      const unit = model.columns.slice(0, model.stub).flatMap((each) => each.shown).find((text) => /[↑↓]$/.test(text)) ?? "";
      const heads = model.columns.slice(0, model.stub).map(({ shown }) => shown.find((text) => !/[↑↓]$/.test(text)) ?? "");
      const ofTable = model.rows.filter((row) => row.id).map((row) => {
        const stub = [...row.cells].slice(0, model.stub).map(textOf);
        const keys = stub.filter(Boolean);
        const names = stub.map((key, at) => nameOf(key, heads[at])).filter(Boolean);
        const named = split(`${label} ${keys.join(" ")}`);
        const cells = [...row.cells].slice(model.stub).map((cell, at) => {
          const { labels, shown } = model.columns[model.stub + at];
          const heads = asked.map((word) => fitOfHead(labels, word));
          return { cell, labels, shown, heads, hits: heads.filter(Boolean).length };
        });
        const text = `${label} ${keys.join(" ")}`.toLowerCase();
        const fits = asked.map((word) => fit(named, word));
        // A word counts once, whether in the name of the row or in the head of a column.
        const sumWith = (heads) => fits.reduce((sum, value, at) => sum + Math.max(value, heads[at] ?? 0), 0);
        const score = Math.max(sumWith([]), ...cells.map((each) => sumWith(each.heads)))
          + 3 * whole.filter((word) => text.includes(word)).length
          + 3 * bytes.filter((size) => named.includes(size)).length;
        const most = Math.max(0, ...cells.map((each) => each.hits));
        // Among rows that fit equally well, prefer the one that rankings use: 4 MiB, not the first size of the table.
        const own = new Set([...named, ...cells.filter(({ hits }) => hits === most).flatMap(({ labels }) => split(labels.join(" ")))]);
        const likeness = usual ? usual.names.filter((word) => own.has(word)).length : 0;
        return { page, table, label, keys, names, unit, row, cells, address, fits, score, most, likeness, chart, others: [] };
      });
      if (!heads.some((head) => data.worst.includes(head))) return ofTable;
      // The worst core of a board is its result, and the others are listed after it.
      const [worst] = heads.filter((head) => data.worst.includes(head));
      return ofTable.sort((a, b) => badness(b) - badness(a)).map((each) => ({ ...each, worst }));
    });
    // A word that only the section has, such as “memory” for STREAM, applies to all its rows.
    const isOfFew = (word, at) =>
      rows.some((each) => each.fits[at] || each.cells.some(({ heads }) => heads[at]));
    const ofAll = asked.filter((word, at) => fit(section.words, word) && !isOfFew(word, at));
    return rows.map((each) => ({ ...each, score: each.score + 2 * ofAll.length }));
  };

  const figureOf = (cell) => make("span", {},
    make("data", { value: cell.querySelector("data")?.value ?? "", title: exactOf(cell) }, cell.querySelector("data")?.textContent ?? textOf(cell)),
    ...[...cell.querySelectorAll(".perf-mark")].map((mark) => make("abbr", { className: mark.className, title: mark.title }, mark.textContent)));
  const bestCells = ({ cells, most }) => cells.filter((each) => each.hits === most && each.cell.querySelector("data")).slice(0, CELLS);

  const separated = (parts) => parts.flatMap((part, at) => (at ? ["; ", part] : [part]));

  const shownRow = (match) => {
    const { page, label, names, unit, row, address, isOfChart, chart, others } = match;
    if (isOfChart) return make("li", {}, make("a", { href: `${address}#${chart.id}` }, chart.name), `, chart in ${page.title}`);
    const lines = bestCells(match).map(({ cell, shown }) => make("span", {}, `${shown.join(", ")}: `, figureOf(cell)));
    const rest = others.map((each) => make("span", {}, `${each.names.at(-1)}: `, ...bestCells(each).flatMap(({ cell }, at) => [at ? ", " : "", figureOf(cell)])));
    return make("li", {}, make("a", { href: `${address}#${row.id}` }, [label, ...names].join(", ")), `${unit ? `, ${unit}` : ""}, in ${page.title}`,
      make("br"), ...separated([...lines, ...rest]));
  };

  const shownLead = ({ title, href, lead }) => make("li", {}, make("a", { href }, title), lead);

  /* Return the rows that fit best, in the order of their sections. */
  function best(rows) {
    const top = Math.max(0, ...rows.map((each) => each.score));
    const equal = [];
    for (const each of rows.filter(({ score }) => top && score === top)) {
      const worst = each.worst && equal.find(({ table, keys }) => table === each.table && keys.slice(0, -1).join() === each.keys.slice(0, -1).join());
      if (worst) worst.others.push(each);
      else equal.push({ ...each, others: [] });
    }
    // Give each guide the same room, so that one SoC does not hide another.
    const byGuide = [...new Set(equal.map(({ page }) => page))].map((page) => equal.filter((each) => each.page === page));
    const most = Math.max(1, Math.floor(ROWS / byGuide.length));
    return byGuide.flatMap((own) => {
      // If the words fit all rows of a table equally, its chart says more than its first rows.
      const isOfChart = own.length > ROWS && own.every(({ likeness }) => !likeness) && own[0].chart?.score;
      if (isOfChart) return [{ ...own[0], isOfChart }];
      return own.sort((a, b) => b.likeness - a.likeness).slice(0, most);
    });
  }

  /* Hide everything below until the content is there, so that nothing shifts. */
  const fill = async (tag, className, content) => {
    const room = make(tag, { className });
    heading.after(make("p", { className: "perf-found-waits" }, "Reading the figures…"));
    const parts = await content().catch(() => []);
    room.append(...(parts.length ? parts : ["The figures could not be read; the sections below have them."]));
    heading.nextElementSibling.replaceWith(room);
  };
  const read = (places) => Promise.all(places.map((each) => rowsOf(each).catch(() => [])));

  /* Return for each SoC a section of its newest guide with a figure that no ranking has. */
  function sectionsOf(title) {
    return named.slice(0, MAX_SIDES).map((word) => {
      const own = data.places.map(([page, section, anchor]) => ({ page: pages[page], number: section, section: sections[section], anchor }))
        .filter(({ page, section, number }) => page.soc === socOf.get(word) && !section.isAnswer
          && (section.title === title || section.title.startsWith(`${title}, `))
          && asked.every((word, at) => bySection[number][at] || isSize(word)))
        .sort((a, b) => byRelease(a.page, b.page) || a.section.words.length - b.section.words.length);
      return own.find(({ page }) => page === own[0].page);
    });
  }

  /* Return the explorer's address, in which a side is the path of its guide and, if known, its board. */
  function explorer(sides, benchmark) {
    const name = benchmark?.address.split("/").filter((part) => part !== "index.html").pop().replace(/\.html$/, "");
    return `${box.dataset.explorer}?${sides.map((side) => `side=${side}`).join("&")}${name ? `&results=${name}` : ""}`;
  }

  const sideOfRow = ({ soc, where, board }) => {
    const page = pages.find(({ title }) => title === `${soc} performance guide, ${where.split(" · ").at(-1)}`);
    return `${sideOf({ page })}:${encodeURIComponent(encodeURIComponent(board))}`;
  };
  function sideOf({ page }) {
    return page.address.replace(/^.*?\bguides\//, "").replace(/(\/|\/index\.html|\.html)$/, "");
  }

  /* Return the guide with the newest release of a SoC among those asked for. */
  function newestGuideOf(word) {
    return pages.filter((page) => page.soc === socOf.get(word) && /\bguides\//.test(page.address) && isOf(page)).sort(byRelease)[0];
  }

  /* Return rows of a benchmark with a cell for each SoC, and the sides for the explorer. A SoC is represented as in
     rankings: by its best board in the release that counts. */
  async function ranked(title) {
    const rankings = await readRankings(rankingsOf(title, asked).filter(({ address }) => address).slice(0, ROWS));
    const lines = rankings.flatMap(({ title: name, href, unit, rows }) => [...new Set(rows.map(({ side }) => side))].map((side) => ({
      name: make("a", { href }, [name, side].filter(Boolean).join(": ")), unit,
      cells: named.slice(0, MAX_SIDES).map((word) => rows.find((row) => row.soc === socOf.get(word) && row.side === side)),
    }))).filter(({ cells }) => cells.filter(Boolean).length > 1);
    return {
      lines: lines.map(({ cells, ...line }) => ({ ...line, cells: cells.map((each) => each && ofRow(each)) })),
      sides: lines.length ? lines[0].cells.filter(Boolean).map(sideOfRow) : [],
    };
  }

  /* Return the same from the rows of guides. */
  async function unranked(title) {
    const places = sectionsOf(title);
    const present = places.filter(Boolean);
    if (present.length < 2) return { lines: [], sides: [] };
    const rows = new Map(); // by table and keys, which all guides share
    (await read(present)).forEach((own, at) => best(own).filter(({ isOfChart }) => !isOfChart).forEach((each) => {
      const key = JSON.stringify([each.label, ...each.keys]);
      rows.set(key, (rows.get(key) ?? places.map(() => null)).with(places.indexOf(present[at]), each));
    }));
    const both = [...rows.values()].filter((cells) => cells.filter(Boolean).length > 1).slice(0, ROWS);
    return {
      lines: both.map((cells) => {
        const { label, names, unit } = cells.find(Boolean);
        return { name: [label, ...names].join(", "), unit, cells: cells.map((each) => each && ofSide(each)) };
      }),
      sides: present.map(sideOf),
    };
  }

  async function sideBySide() {
    const body = make("tbody");
    for (const { page } of matches.filter(({ kind }) => kind === BENCHMARK).slice(0, BENCHMARKS)) {
      const own = await ranked(page.title).catch(() => ({ lines: [] }));
      const { lines, sides } = own.lines.length ? own : await unranked(page.title);
      for (const { name, unit, cells } of lines) {
        body.append(make("tr", {}, make("th", { scope: "row" }, name, " ", make("small", {}, unit)), ...cells.map((each) => make("td", {}, ...(each ?? ["—"])))));
      }
      if (lines.length && box.dataset.explorer) {
        const link = make("a", { href: explorer(sides, page) }, `All of ${page.title} side by side`);
        body.append(make("tr", {}, make("td", { colSpan: named.length + 1 }, link)));
      }
    }
    if (!body.rows.length) return ["The newest guides have no row in common with these words."];
    const heads = ["Figure", ...named.slice(0, MAX_SIDES).map((word) => socOf.get(word))];
    return [make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), body)];
  }

  const ofRow = ({ href, figure, engine, load, where }) => {
    const link = make("a", { href }, make("data", { value: figure.value }, figure.textContent));
    const more = [load && load !== "—" ? `at ${load}` : "", engine, where].filter(Boolean);
    return [link, " ", make("small", {}, more.join(" · "))];
  };

  const ofSide = (match) => [
    ...bestCells(match).flatMap(({ cell, shown }, at) => [
      ...(at ? [", "] : []),
      make("span", {}, make("a", { href: `${match.address}#${match.row.id}` }, figureOf(cell)), " ", make("small", {}, shown.join(", "))),
    ]),
    make("small", {}, ` · ${match.page.title.replace(/^.* performance guide, /, "")}`),
  ];

  /* Return the leaders of rankings, unless the query names a SoC or a release, and rows of guides. */
  async function bestRows() {
    const isOfAll = !named.length && !releases.length;
    const byBenchmark = matches.filter(({ kind }) => isOfAll && kind === BENCHMARK).map(({ page }) => rankingsOf(page.title, asked).filter(({ address }) => address))
      .filter((own) => own.length).slice(0, LEADS);
    const most = Math.max(1, Math.floor(LEADS / byBenchmark.length));
    const chosen = byBenchmark.flatMap((own) => own.filter(({ score }) => score === own[0].score).slice(0, most));
    const leads = await readRankings(chosen).catch(() => []);
    const exact = guides.filter(({ page }) => isExact(page));
    const rows = best((await read((exact.length ? exact : guides).slice(0, READ))).flat()).slice(0, ROWS);
    const items = [...leads.map(shownLead), ...rows.map(shownRow)];
    return items.length ? items : [make("li", {}, "No row has all of these words; the sections below have some.")];
  }

  async function addSentences() {
    const waiting = make("p", { className: "perf-found-waits" }, "Reading the answers…");
    answersHeading.after(waiting);
    const sentences = await Promise.all(answers.slice(0, ANSWERS).map((each) => sentenceOf(each).catch(() => "")));
    sentences.forEach((text, at) => text && answersList.children[at].append(make("br"), text));
    waiting.remove();
  }

  if (answers.length) addSentences();
  if (isSideBySide) fill("div", "perf-found-sides", sideBySide);
  // Benchmark pages only rank boards, while guides have the rows with all figures.
  else if (guides.length) fill("ul", "perf-found-rows", bestRows);
})();
