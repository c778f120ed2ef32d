/* Finds figures and sections of guides by names of metrics, parameters, SoCs, boards and releases.
   A query's words may stand in any order, and each may be the beginning of a name. */
(() => {
  const SHOWN = 15;
  const READ = 3; // sections whose rows are looked through
  const ROWS = 4;
  const ROWS_OF_PAGE = 2; // where several pages have rows that fit equally well
  const CELLS = 4;
  const box = document.getElementById("perf-found");
  const data = window.perfguideWords;
  const query = new URLSearchParams(window.location.search).get("q") ?? "";
  const typed = query.normalize("NFKC").toLowerCase();
  const split = (text) => text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const every = split(typed);
  // Two SoCs are on no guide together; the pages of benchmarks rank all of them.
  const socOf = (page) => /^guides\/([^/]+)\//.exec(page[0])?.[1].toLowerCase() ?? "";
  const socs = new Set((data?.pages ?? []).map(socOf).filter(Boolean));
  const named = [...new Set(every)].filter((word) => socs.has(word));
  const isSideBySide = named.length > 1 && named.length < new Set(every).size;
  const asked = isSideBySide ? every.filter((word) => !named.includes(word)) : every;
  // A size is a word of rows; sections are not named by theirs.
  const isSize = (word) => /^(\d+|[kmg]?i?b|bytes?)$/.test(word);
  // A release is one name: 09.00 begins 09.00.00.03, and is not in 09.01.00.08.
  const releases = typed.split(/\s+/).filter((word) => /^\d+(\.\d+)+$/.test(word));
  const isOf = (page) =>
    releases.every((release) => page.title.split(/\s+/).some((word) => word.startsWith(release)));
  if (!box || !data || !asked.length) return;

  const words = (text) => text.split(" ");
  const pages = data.pages.map(([address, title, text, rank]) => ({
    address, title, rank, words: words(text),
  }));
  const sections = data.sections.map(([title, text]) => ({ title, words: words(text) }));

  // 2 where the word is there, 1 where a word begins with it, 0 where neither.
  const fit = (list, word) =>
    list.includes(word) ? 2 : list.some((known) => known.startsWith(word)) ? 1 : 0;
  const bySection = sections.map((section) => asked.map((word) => fit(section.words, word)));
  const byPage = pages.map((page) => asked.map((word) => fit(page.words, word)));
  const inTitle = sections.map((section) => {
    const title = section.title.toLowerCase();
    return asked.filter((word) => title.includes(word)).length;
  });

  const found = [];
  for (const [page, section, anchor] of data.places) {
    const fits = asked.map((_, at) => Math.max(bySection[section][at], byPage[page][at]));
    // A section is named by its own words; a SoC alone would lead to all of its sections.
    const kind = pages[page].address.startsWith("by-benchmark/") ? 0 : pages[page].rank ? 2 : 1;
    if (!isOf(pages[page]) || (isSideBySide && kind)) continue;
    if (asked.some((word, at) => !fits[at] && !isSize(word))) continue;
    if (!asked.some((word, at) => bySection[section][at] && !/^\d+$/.test(word))) continue;
    const score = fits.reduce((sum, value) => sum + value, 0) + inTitle[section];
    found.push({ page: pages[page], section: sections[section], anchor, score, kind });
  }
  if (!found.length) return;
  found.sort(
    (a, b) =>
      a.kind - b.kind ||
      b.score - a.score ||
      a.page.rank - b.page.rank ||
      a.page.title.localeCompare(b.page.title, "en", { numeric: true }) ||
      a.section.title.localeCompare(b.section.title, "en", { numeric: true }),
  );

  const heading = document.createElement("h2");
  heading.textContent = isSideBySide ? `${named.join(" and ").toUpperCase()} side by side` : "Figures";
  const count = document.createElement("p");
  count.textContent = found.length === 1 ? "1 section." : `${found.length} sections.`;
  if (found.length > SHOWN) {
    count.textContent = `The first ${SHOWN} of ${found.length} sections; add a SoC, a board or a release to find fewer.`;
  }
  const list = document.createElement("ul");
  const root = document.documentElement.dataset.content_root ?? "";
  for (const { page, section, anchor } of found.slice(0, SHOWN)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${root}${page.address}#${anchor}`;
    link.textContent = section.title;
    item.append(link, `, in ${page.title}`);
    list.append(item);
  }
  box.append(heading, count, list);
  box.hidden = false;

  // What belongs together counts as a whole: aes-256-cbc is not any row of 256 bytes.
  const whole = typed.split(/\s+/).filter((word) => /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u.test(word));
  // Rows name blocks by their bytes.
  const bytes = [...typed.matchAll(/\b(\d+)\s*([km])i?b?\b/g)]
    .map(([, number, unit]) => String(number * (unit === "k" ? 1024 : 1024 ** 2)));

  /* The rows of the first sections that fit best, with their figures. A page is asked for as a
     reader would; where that is not possible, as in files of one's own, the sections remain. */
  const { exactOf, modelOf, textOf } = window.perfguideGrid ?? {};
  if (!modelOf || location.protocol === "file:") return;
  // It has its room at once, so that nothing moves when the rows come.
  const first = document.createElement("ul");
  first.className = "perf-found-rows";
  heading.after(first);

  const rowsOf = async ({ page, section, anchor }) => {
    const address = `${root}${page.address}`;
    const answer = await fetch(address);
    if (!answer.ok) return [];
    const content = new DOMParser().parseFromString(await answer.text(), "text/html");
    const place = content.getElementById(anchor);
    if (!place) return [];
    return [...place.querySelectorAll("table.perf-grid")].flatMap((table) => {
      const model = modelOf(table);
      const label = table.getAttribute("aria-label") ?? "";
      return model.rows.filter((row) => row.id).map((row) => {
        const keys = [...row.cells].slice(0, model.stub).map(textOf).filter(Boolean);
        const named = split(`${label} ${keys.join(" ")}`);
        const cells = [...row.cells].slice(model.stub).map((cell, at) => {
          const labels = model.columns[model.stub + at].labels;
          return { cell, labels, hits: asked.filter((word) => split(labels.join(" ")).includes(word)).length };
        });
        const text = `${label} ${keys.join(" ")}`.toLowerCase();
        const hits = asked.reduce((sum, word) => sum + fit(named, word), 0)
          + 3 * whole.filter((word) => text.includes(word)).length
          + 3 * bytes.filter((size) => named.includes(size)).length;
        const most = Math.max(0, ...cells.map((each) => each.hits));
        return { page, section, label, keys, row, cells, address, score: hits + most, most };
      });
    });
  };

  const shownRow = ({ page, label, keys, row, cells, address, most }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${address}#${row.id}`;
    link.textContent = [label, ...keys].join(", ");
    const figures = cells.filter((each) => each.hits === most).slice(0, CELLS);
    const said = figures.map(({ cell, labels }) => {
      const data = document.createElement("data");
      data.value = cell.querySelector("data")?.value ?? "";
      data.textContent = cell.querySelector("data")?.textContent ?? textOf(cell);
      data.title = exactOf(cell);
      const line = document.createElement("span");
      line.append(`${labels.join(", ")}: `, data);
      return line;
    });
    item.append(link, `, in ${page.title}`, document.createElement("br"));
    said.forEach((line, at) => item.append(...(at ? ["; ", line] : [line])));
    return item;
  };

  // Pages of benchmarks rank boards; the rows with all figures are in guides.
  const guides = found.filter((each) => each.kind);
  if (!guides.length) {
    first.remove();
    return;
  }
  Promise.all(guides.slice(0, READ).map((each) => rowsOf(each).catch(() => []))).then((lists) => {
    const rows = lists.flat();
    const top = Math.max(0, ...rows.map((each) => each.score));
    const equal = rows.filter((each) => top && each.score === top);
    // The rows of one SoC must not hide those of another.
    const several = new Set(equal.map((each) => each.page)).size > 1;
    const best = equal
      .filter((each, at) => !several
        || equal.slice(0, at).filter((other) => other.page === each.page).length < ROWS_OF_PAGE)
      .slice(0, ROWS);
    first.append(...best.map(shownRow));
    if (!best.length) first.append("No row has all of these words; the sections below have some.");
  });
})();
