/* Shows the place that an address names, by opening its tab and marking its cell, and makes the signs
   after headings copy their addresses. */
(() => {
  "use strict";
  const { copy, make, modelOf, ready, say } = window.perfguideGrid;

  /* Long tables, and the releases of a SoC, have moved to pages of their own. Old addresses of their rows
     and sections lead on to these. */
  const follow = (id) => {
    const partOf = (own) => {
      const releases = /^over-releases-(.+)/.exec(own);
      return id === own || id.startsWith(`${own}--`) || (releases && id.includes(`-${releases[1]}-`));
    };
    const [moved] = [...document.querySelectorAll(".perf-moved a")]
      .map((link) => ({ link, own: decodeURIComponent(link.hash.slice(1)) }))
      .filter(({ own }) => own && partOf(own))
      .sort((one, other) => other.own.length - one.own.length);
    if (moved) {
      const page = moved.link.href.replace(/#.*/, "");
      location.replace(`${page}${location.search}${location.hash}`);
    }
  };

  const lead = () => {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const element = id && document.getElementById(id);
    if (!element || element.matches(".perf-moved")) return follow(id);
    for (let outer = element.closest("[role=tabpanel][hidden]"); outer;
      outer = outer.parentElement.closest("[role=tabpanel][hidden]")) {
      const tab = document.getElementById(outer.getAttribute("aria-labelledby"));
      if (!tab) break;
      tab.click();
      if (outer.hidden) break;
    }
    for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    const wanted = new URLSearchParams(location.search).get("cell");
    let target = element;
    if (wanted && element.tagName === "TR") {
      const model = modelOf(element.closest("table"));
      const column = ["name", "former"]
        .map((key) => model.columns.findIndex((each) => each[key] === wanted))
        .find((place) => place >= 0);
      target = [...element.cells].find((cell) => model.places.get(cell)?.column === column) || element;
    }
    document.querySelectorAll(".perf-target").forEach((each) => each.classList.remove("perf-target"));
    // A phone shows one group of columns, which the reader chooses.
    const group = /perf-g(\d)/.exec(target.className);
    const choice = group && target.closest(".perf-scroll").previousElementSibling;
    if (choice?.matches(".perf-pick")) choice.children[group[1] - 1].firstElementChild.checked = true;
    if (element.tagName === "TR") {
      target.classList.add("perf-target");
      target.scrollIntoView({ block: "center", inline: "center" });
    } else {
      element.closest("details")?.setAttribute("open", "");
      // Readers come to a section for its figures, so open a table that it starts with.
      const first = element.querySelector("figure.perf-table, details.perf-fold");
      if (first?.querySelector("figure.perf-table") && "open" in first) first.open = true;
      // The name of a fold is behind its heading, which must not be cut off at the edge.
      (element.matches("summary + span") ? element.parentElement : target).scrollIntoView();
    }
  };

  /* Save the picture of a chart as PNG in twice its size. */
  const savePng = async (figure) => {
    const image = [...figure.querySelectorAll("img")].find((each) => each.offsetParent);
    image.loading = "eager";
    try {
      await image.decode();
      const [width, height] = [image.naturalWidth, image.naturalHeight].map((size) => 2 * size);
      const canvas = make("canvas", { width, height });
      const pen = canvas.getContext("2d");
      pen.fillStyle = "#fff"; // its colours are meant for a white ground
      pen.fillRect(0, 0, width, height);
      pen.drawImage(image, 0, 0, width, height);
      const link = make("a", { href: canvas.toDataURL("image/png") });
      link.download = image.currentSrc.split("/").pop().replace(/\.svg.*$/, ".png");
      link.click();
    } catch {
      say("The browser makes no PNG of files; a click on the picture opens the SVG"); // for example if the page was opened from a disk
    }
  };

  const offer = (figures, text, chosen) => {
    for (const use of document.querySelectorAll(`${figures} .perf-use`)) {
      const button = make("button", { type: "button", textContent: text });
      button.addEventListener("click", () => chosen(use.closest("figure")));
      if (!use.querySelector(".perf-tools")) use.append(make("div", { className: "perf-tools" }));
      use.querySelector(".perf-tools").append(button);
    }
  };

  ready(() => {
    offer("figure.perf-chart:has(img)", "PNG", savePng);
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a.headerlink");
      if (link) copy(link.href, "Link copied");
    });
    if (location.hash) lead();
    window.addEventListener("hashchange", lead);
  });
})();
