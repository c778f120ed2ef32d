/* Runs the page for embedding, which shows the table or chart that its address names. Names in the address are
   text, and lead only to pages of this site. */
"use strict";

(() => {
  const main = document.querySelector("main");
  const top = new URL("../", document.currentScript.src);
  const asked = new URLSearchParams(location.search);
  const [page, part] = ["page", "part"].map((name) => asked.get(name) ?? "");

  const link = (href, text) => Object.assign(document.createElement("a"), { href, textContent: text, target: "_blank" });

  const say = (...content) => {
    const line = document.createElement("p");
    line.setAttribute("role", "status");
    line.append(...content);
    main.replaceChildren(line);
  };

  /* Return a page's address by its name, with each part escaped, or nothing if no page can have that name. */
  const addressOf = (name) => {
    const parts = name.split("/");
    const file = parts.pop();
    const isPage = file.endsWith(".html") || (file === "" && parts.length);
    if (!isPage || name.includes("\\") || parts.some((each) => ["", ".", ".."].includes(each))) return null;
    return new URL([...parts, file].map(encodeURIComponent).join("/"), top);
  };

  /* Put the tabs of a page one after another, each below its name, as frames have no script for tabs. */
  const unfold = (figure) => {
    for (const tab of figure.querySelectorAll("[role=tab]")) {
      const panel = figure.querySelector(`#${CSS.escape(tab.getAttribute("aria-controls"))}`);
      const name = document.createElement("p");
      name.append(Object.assign(document.createElement("strong"), { textContent: tab.textContent }));
      panel.prepend(name);
      for (const each of ["hidden", "role", "tabindex", "aria-labelledby"]) panel.removeAttribute(each);
    }
    figure.querySelectorAll("[role=tablist], .perf-use, .headerlink, script").forEach((each) => each.remove());
    delete figure.dataset.cells; // otherwise style sheets would invite readers to click on figures
  };

  const show = (figure, address, title) => {
    unfold(figure);
    for (const name of ["href", "src"]) {
      for (const each of figure.querySelectorAll(`[${name}]`)) each[name] = new URL(each.getAttribute(name), address).href;
    }
    figure.querySelectorAll("a").forEach((each) => { each.target = "_blank"; });
    const source = document.createElement("p");
    source.append(link(`${address}#${encodeURIComponent(part)}`, title));
    main.replaceChildren(figure, source);
    document.title = figure.querySelector(".caption-text")?.textContent ?? title;
  };

  const start = async () => {
    const address = addressOf(page);
    if (!address) return say(`“${page}” is not the name of a page of this site.`);
    try {
      const response = await fetch(address, { redirect: "error" });
      if (!response.ok) throw new Error(response.statusText);
      const text = await response.text();
      const other = new DOMParser().parseFromString(text, "text/html");
      const figure = part && other.getElementById(part)?.closest("figure.perf-table, figure.perf-chart");
      if (figure) return show(figure, address, other.title);
      return say(link(address, other.title), ` has no table or chart “${part}”.`);
    } catch {
      return say("This table or chart could not be loaded: ", link(address, page), ".");
    }
  };

  start();
})();
