/* Finds sections of guides by names of metrics, parameters, SoCs, boards and releases.
   A query's words may stand in any order, and each may be the beginning of a name. */
(() => {
  const SHOWN = 15;
  const box = document.getElementById("perf-found");
  const data = window.perfguideWords;
  const query = new URLSearchParams(window.location.search).get("q") ?? "";
  const typed = query.normalize("NFKC").toLowerCase();
  const asked = typed.match(/[\p{L}\p{N}]+/gu) ?? [];
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
    if (!isOf(pages[page])) continue;
    if (fits.includes(0) || !bySection[section].some(Boolean)) continue;
    const score = fits.reduce((sum, value) => sum + value, 0) + inTitle[section];
    found.push({ page: pages[page], section: sections[section], anchor, score });
  }
  if (!found.length) return;
  found.sort(
    (a, b) =>
      b.score - a.score ||
      a.page.rank - b.page.rank ||
      a.page.title.localeCompare(b.page.title, "en", { numeric: true }) ||
      a.section.title.localeCompare(b.section.title, "en", { numeric: true }),
  );

  const heading = document.createElement("h2");
  heading.textContent = "Figures";
  const count = document.createElement("p");
  const sum = found.length === 1 ? "1 section has" : `${found.length} sections have`;
  count.textContent = `${sum} what you look for.`;
  if (found.length > SHOWN) {
    count.textContent += ` These are the first ${SHOWN}; a SoC, a board or a release finds fewer.`;
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
})();
