/* Finds answers, figures and sections of guides by names of metrics, parameters, SoCs, boards and releases.
   A query's words may stand in any order, and each may be the beginning of a name. */
(() => {
  const SHOWN = 15;
  const ANSWERS = 5;
  const READ = 4; // sections whose rows are looked through
  const ROWS = 4;
  const CELLS = 4;
  const MAX_SIDES = 5; // as in the explorer
  const BENCHMARKS = 3; // of several SoCs side by side
  const MAX_OTHERS = 100; // sections of other releases
  const box = document.getElementById("perf-found");
  const data = window.perfguideWords;
  const query = new URLSearchParams(window.location.search).get("q") ?? "";
  const typed = query.normalize("NFKC").toLowerCase();
  const split = (text) => text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  // Sphinx keeps the words for whichever page is next; they are marked on one that was found alone.
  let isFound = false;
  document.addEventListener("click", ({ target }) => {
    isFound = Boolean(target.closest?.("#perf-found a, #search-results a"));
  });
  window.addEventListener("pagehide", () => {
    if (!isFound) localStorage.removeItem("sphinx_highlight_terms");
  });
  if (!box || !data) return;

  const pages = data.pages.map(([address, title, text, rank, soc]) => ({
    address, title, rank, soc, words: text.split(" "), sections: [],
  }));
  const sections = data.sections.map(([title, text, about = ""], at) => ({
    title, words: text.split(" "), names: split(title), about: about.split(" "), isAnswer: data.answers.includes(at),
  }));
  for (const [page, section] of data.places) pages[page].sections.push(section);
  const socOf = new Map(pages.filter((page) => page.soc).map(({ soc }) => [soc.toLowerCase(), soc]));

  // 2 where the word is there, 1 where a word begins with it, 0 where neither.
  const fit = (list, word) =>
    list.includes(word) ? 2 : list.some((known) => known.startsWith(word)) ? 1 : 0;
  // A size is a word of rows; sections are not named by theirs.
  const isSize = (word) => /^(\d+|[kmg]?i?b|bytes?)$/.test(word);
  const isKnown = (word) =>
    isSize(word) || [...sections, ...pages].some((each) => fit(each.words, word));
  const every = [...new Set(split(typed))];
  const known = every.filter(isKnown);
  const unknown = every.filter((word) => !isKnown(word));
  // Two SoCs are on no guide together; their newest figures are shown side by side.
  const named = known.filter((word) => socOf.has(word));
  const isSideBySide = named.length > 1 && named.length < known.length;
  const asked = isSideBySide ? known.filter((word) => !named.includes(word)) : known;
  // A release is one name: 09.00 begins 09.00.00.03, and is not in 09.01.00.08.
  const releases = typed.split(/\s+/).filter((word) => /^\d+(\.\d+)+$/.test(word));
  const isOf = (page) =>
    releases.every((release) => page.title.split(/\s+/).some((word) => word.startsWith(release)));
  if (!asked.length) return;
  // AM62X-1 has the word AM62X too, and comes after it.
  const typedWhole = new Set(typed.split(/[\s,;:?!]+/));
  const isExact = ({ soc }) => soc !== "" && typedWhole.has(soc.toLowerCase());

  const bySection = sections.map((section) => asked.map((word) => fit(section.words, word)));
  const byPage = pages.map((page) => asked.map((word) => fit(page.words, word)));
  const ofSoc = new Map();
  for (const page of pages) ofSoc.set(page.soc, [...(ofSoc.get(page.soc) ?? []), ...page.sections]);

  /* Whether an answer fits: a word asks for it, and the others are those of its page or, for a SoC, of its
     guides. The answer for a single SoC is for a reader who names it, or nothing else. */
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

  const releaseOf = ({ title }) => title.match(/\d[\d.]*$/)?.[0] ?? "";

  const ANSWER = 0, BENCHMARK = 1, NEWEST = 2, OLDER = 3;
  const found = [];
  for (const [number, section, anchor] of data.places) {
    const page = pages[number];
    const own = sections[section];
    // An answer about several releases has none in the title of its page.
    const isOfAll = own.isAnswer && !/\d\.\d/.test(page.title);
    if (!(isOfAll || isOf(page)) || (isSideBySide && page.soc)) continue;
    const fits = asked.map((_, at) => Math.max(bySection[section][at], byPage[number][at]));
    const sum = fits.reduce((before, value) => before + value, 0);
    if (own.isAnswer) {
      if (isAsked(number, section)) found.push({ page, section: own, anchor, kind: ANSWER, score: sum, others: 0, benchmark: "", size: 0 });
      continue;
    }
    if (asked.some((word, at) => !fits[at] && !isSize(word))) continue;
    // A section is named by its own words; a SoC alone would lead to all of its sections.
    const naming = page.soc ? bySection[section] : fits;
    if (!asked.some((word, at) => naming[at] && !/^\d+$/.test(word))) continue;
    const inTitle = asked.filter((word) => own.names.includes(word) || own.about.includes(word)).length;
    found.push({
      page, section: own, anchor,
      kind: !page.soc ? BENCHMARK : page.rank ? OLDER : NEWEST,
      score: sum + inTitle,
      others: own.names.length - inTitle,
      benchmark: own.title.split(", ")[0],
      size: own.words.length + (page.soc ? 0 : page.words.length),
    });
  }
  if (!found.length) return;
  // Of equal benchmarks, that which is about little else comes first; their sections keep the order of guides.
  const sizes = new Map();
  for (const { benchmark, size } of found) sizes.set(benchmark, Math.min(size, sizes.get(benchmark) ?? Infinity));
  found.sort(
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

  /* The newest release of each SoC first: of several SoCs a place each, of one all that fit in one guide. */
  const ofGuides = found.filter(({ kind }) => kind >= NEWEST);
  const chosen = new Map();
  for (const each of ofGuides) if (!chosen.has(each.page.soc)) chosen.set(each.page.soc, each);
  const isChosen = (each) => {
    const own = chosen.get(each.page.soc);
    return chosen.size > 1 && !isExact(each.page) ? own === each : own.page === each.page;
  };
  const { exactOf, modelOf, textOf } = window.perfguideGrid ?? {};
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const root = document.documentElement.dataset.content_root ?? "";
  const addressOf = ({ page, anchor }) => `${root}${page.address}#${anchor}`;
  const listed = (place) =>
    make("li", {}, make("a", { href: addressOf(place) }, place.section.title), `, in ${place.page.title}`);

  // The same question has many answers: each is named by what it is about.
  const subjectOf = ({ title, soc }) => (soc ? title.replace(" performance guide", "").replace(/:.*$/, "") : title);
  const listedAnswer = (place) =>
    make("li", {}, make("a", { href: addressOf(place) }, `${subjectOf(place.page)}: ${place.section.title}`));
  const folded = (title, items, ...more) => make("details", {}, make("summary", {}, title), make("ul", {}, ...items), ...more);

  const guides = ofGuides.filter(isChosen);
  const answers = found.filter(({ kind, page }) => kind === ANSWER && !page.rank);
  const places = [...found.filter(({ kind }) => kind === BENCHMARK), ...guides];
  const left = [
    ...places.slice(SHOWN),
    ...ofGuides.filter((each) => !isChosen(each)),
    ...found.filter(({ kind, page }) => kind === ANSWER && page.rank),
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
  if (unknown.length) box.append(make("p", {}, `No page has ${unknown.map((word) => `“${word}”`).join(" or ")}; it was left out of the search.`));
  box.hidden = false;

  // What belongs together counts as a whole: aes-256-cbc is not any row of 256 bytes.
  const whole = typed.split(/\s+/).filter((word) => /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u.test(word));
  // Rows name blocks by their bytes.
  const bytes = [...typed.matchAll(/\b(\d+)\s*([km])i?b?\b/g)]
    .map(([, number, unit]) => String(number * (unit === "k" ? 1024 : 1024 ** 2)));

  /* The rows of the first sections that fit best, with their figures. A page is asked for as a
     reader would; where that is not possible, as in files of one's own, the sections remain. */
  if (!modelOf || location.protocol === "file:") return;

  const contents = new Map();
  const contentOf = (address) => {
    if (!contents.has(address)) {
      contents.set(address, fetch(address).then(async (answer) =>
        (answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null)));
    }
    return contents.get(address);
  };

  /* The first sentence of an answer; of a page of what moved, the newest move. */
  const sentenceOf = async ({ page, section, anchor }) => {
    const place = (await contentOf(`${root}${page.address}`))?.getElementById(anchor);
    if (!place) return "";
    const plain = (element) => element.textContent.replace(/\s+/g, " ").trim();
    const wordsIn = (text) => new Set(split(text).filter((word) => section.words.includes(word))).size;
    if (place.matches(".perf-moves-page")) {
      const move = [...place.querySelectorAll("li > p")].find((each) => wordsIn(plain(each)));
      return move ? `${move.closest("section").querySelector("h2").firstChild.textContent}: ${plain(move)}` : "";
    }
    // A chapter has other paragraphs too.
    const [first] = [...place.querySelectorAll(":scope > p")].map(plain).sort((a, b) => wordsIn(b) - wordsIn(a));
    return first && wordsIn(first) ? first.match(/^.*?[.?!](?=\s|$)/)?.[0] ?? first : "";
  };

  // “max” is the beginning of “Maximum”, but 16 is no beginning of 1600.
  const fitOfHead = (labels, word) => {
    const value = fit(split(labels.join(" ")), word);
    return value > (isSize(word) ? 1 : 0) ? value : 0;
  };

  // A bare number would read as the figure: “core 0”.
  const nameOf = (key, head) =>
    /^[\d.,]+$/.test(key) ? `${head.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase())} ${key}`.trim() : key;

  const badness = ({ cells, most, unit }) => Math.max(-Infinity, ...bestCells({ cells, most }).map(({ cell, shown }) =>
    Number(cell.querySelector("data").value) * (/↓/.test([unit, ...shown].join(" ")) ? 1 : -1)));

  const rowsOf = async ({ page, section, anchor }) => {
    const address = `${root}${page.address}`;
    const place = (await contentOf(address))?.getElementById(anchor);
    if (!place) return [];
    const rows = [...place.querySelectorAll("table.perf-grid")].flatMap((table) => {
      const model = modelOf(table);
      const label = table.getAttribute("aria-label") ?? "";
      // One unit of all columns stands above the keys.
      const unit = model.columns.slice(0, model.stub).flatMap((each) => each.shown).find((text) => /[↑↓]$/.test(text)) ?? "";
      const heads = model.columns.slice(0, model.stub).map(({ shown }) => shown.find((text) => !/[↑↓]$/.test(text)) ?? "");
      const found = model.rows.filter((row) => row.id).map((row) => {
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
        // A word counts once, in the name of the row or in the head of a column.
        const sumWith = (heads) => fits.reduce((sum, value, at) => sum + Math.max(value, heads[at] ?? 0), 0);
        const score = Math.max(sumWith([]), ...cells.map((each) => sumWith(each.heads)))
          + 3 * whole.filter((word) => text.includes(word)).length
          + 3 * bytes.filter((size) => named.includes(size)).length;
        const most = Math.max(0, ...cells.map((each) => each.hits));
        return { page, label, keys, names, unit, row, cells, address, fits, score, most };
      });
      // Of the cores of a board the worst is its result.
      return heads.some((head) => data.worst.includes(head)) ? found.sort((a, b) => badness(b) - badness(a)) : found;
    });
    // A word of the section that none of its rows and columns has, such as “memory” of STREAM, is true of all rows.
    const isOfFew = (word, at) =>
      rows.some((each) => each.fits[at] || each.cells.some(({ heads }) => heads[at]));
    const ofAll = asked.filter((word, at) => fit(section.words, word) && !isOfFew(word, at));
    return rows.map((each) => ({ ...each, score: each.score + 2 * ofAll.length }));
  };

  const figureOf = (cell) =>
    make("data", { value: cell.querySelector("data")?.value ?? "", title: exactOf(cell) }, cell.querySelector("data")?.textContent ?? textOf(cell));
  const bestCells = ({ cells, most }) => cells.filter((each) => each.hits === most && each.cell.querySelector("data")).slice(0, CELLS);

  const shownRow = (found) => {
    const { page, label, names, unit, row, address } = found;
    const lines = bestCells(found).map(({ cell, shown }) => make("span", {}, `${shown.join(", ")}: `, figureOf(cell)));
    return make("li", {}, make("a", { href: `${address}#${row.id}` }, [label, ...names].join(", ")), `${unit ? `, ${unit}` : ""}, in ${page.title}`,
      make("br"), ...lines.flatMap((line, at) => (at ? ["; ", line] : [line])));
  };

  /* The rows that fit best, in the order of their sections. */
  function best(rows) {
    const top = Math.max(0, ...rows.map((each) => each.score));
    const equal = rows.filter((each) => top && each.score === top);
    // The rows of one SoC must not hide those of another.
    const most = Math.max(1, Math.floor(ROWS / new Set(equal.map((each) => each.page)).size));
    const nth = new Map();
    return equal.filter(({ page }) => nth.set(page, (nth.get(page) ?? 0) + 1).get(page) <= most);
  }

  /* What follows is not shown before the rows are there, so that nothing moves when they come. */
  const fill = async (tag, className, content) => {
    const room = make(tag, { className });
    heading.after(make("p", { className: "perf-found-waits" }, "Reading the figures…"));
    const found = await content().catch(() => []);
    room.append(...(found.length ? found : ["The figures could not be read; the sections below have them."]));
    heading.nextElementSibling.replaceWith(room);
  };
  const read = (places) => Promise.all(places.map((each) => rowsOf(each).catch(() => [])));

  /* The sections of the newest guides of the SoCs with the figures of a benchmark. */
  function sidesOf(title) {
    return named.slice(0, MAX_SIDES).map((word) => {
      const own = data.places.map(([page, section, anchor]) => ({ page: pages[page], number: section, section: sections[section], anchor }))
        .filter(({ page, section, number }) => page.soc === socOf.get(word) && !section.isAnswer
          && (section.title === title || section.title.startsWith(`${title}, `))
          && asked.every((word, at) => bySection[number][at] || isSize(word)))
        .sort((a, b) => a.page.rank - b.page.rank || a.section.words.length - b.section.words.length);
      return own.find(({ page }) => page === own[0].page);
    });
  }

  /* The explorer's address, which names a side by the path of its guide. */
  function explorer(sides, benchmark) {
    const name = benchmark.page.address.split("/").filter((part) => part !== "index.html").pop().replace(/\.html$/, "");
    const paths = sides.map(({ page }) => page.address.replace(/^.*?\bguides\//, "").replace(/(\/|\/index\.html|\.html)$/, ""));
    return `${box.dataset.explorer}?${paths.map((path) => `side=${path}`).join("&")}&results=${name}`;
  }

  async function sideBySide() {
    const benchmarks = found.filter(({ kind }) => kind === BENCHMARK).slice(0, BENCHMARKS);
    const body = make("tbody");
    let isEmpty = true;
    for (const benchmark of benchmarks) {
      const sides = sidesOf(benchmark.page.title);
      const present = sides.filter(Boolean);
      if (present.length < 2) continue;
      const lists = await read(present);
      const rows = new Map(); // by table and keys, which are the same in all guides
      lists.forEach((own, at) => best(own).forEach((each) => {
        const key = JSON.stringify([each.label, ...each.keys]);
        rows.set(key, (rows.get(key) ?? sides.map(() => null)).with(sides.indexOf(present[at]), each));
      }));
      const both = [...rows.values()].filter((cells) => cells.filter(Boolean).length > 1).slice(0, ROWS);
      for (const cells of both) {
        const { label, names, unit } = cells.find(Boolean);
        body.append(make("tr", {}, make("th", { scope: "row" }, [label, ...names].join(", "), " ", make("small", {}, unit)), ...cells.map((each) => make("td", {}, ...(each ? ofSide(each) : ["—"])))));
        isEmpty = false;
      }
      if (both.length && box.dataset.explorer) {
        const link = make("a", { href: explorer(present, benchmark) }, `All of ${benchmark.page.title} side by side`);
        body.append(make("tr", {}, make("td", { colSpan: sides.length + 1 }, link)));
      }
    }
    const heads = ["Figure", ...named.slice(0, MAX_SIDES).map((word) => socOf.get(word))];
    if (isEmpty) return ["The newest guides have no row in common with these words."];
    return [make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), body)];
  }

  const ofSide = (found) =>
    bestCells(found).flatMap(({ cell, shown }, at) => [
      ...(at ? [", "] : []),
      make("span", {}, make("a", { href: `${found.address}#${found.row.id}` }, figureOf(cell)), " ", make("small", {}, shown.join(", "))),
    ]);

  async function bestRows() {
    const named = guides.filter(({ page }) => isExact(page));
    const rows = best((await read((named.length ? named : guides).slice(0, READ))).flat()).slice(0, ROWS);
    return rows.length ? rows.map(shownRow) : [make("li", {}, "No row has all of these words; the sections below have some.")];
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
  // Pages of benchmarks rank boards; the rows with all figures are in guides.
  else if (guides.length) fill("ul", "perf-found-rows", bestRows);
})();
