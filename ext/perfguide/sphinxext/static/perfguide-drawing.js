/* Makes elements, and draws charts of figures over releases and of ratios as SVG. */
"use strict";

window.perfguideDrawing = (() => {
  const FEW = 8; // the number of lines that differ in colour, dash and mark
  const MIN_FLATTENING_RATIO = 8; // of a value to the next smaller one
  const MIN_FLATTENED = 2; // values

  // ---- elements ----------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";

  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const el = (name, attributes = {}, ...children) =>
    fill(document.createElement(name), attributes, children);
  const svg = (name, attributes = {}, ...children) =>
    fill(document.createElementNS(SVG, name), attributes, children);

  // ---- the chart ---------------------------------------------------------------

  const MARKS = [
    "M-4,0A4,4 0 1 0 4,0A4,4 0 1 0 -4,0Z",
    "M-4,-4H4V4H-4Z",
    "M0,-5L5,4H-5Z",
    "M0,-5.5L5.5,0L0,5.5L-5.5,0Z",
    "M0,5L5,-4H-5Z",
    "M-1.5,-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z",
    "M-5,-2H5V2H-5Z",
    "M-2,-5H2V5H-2Z",
  ];

  /* Format a number like number() in units.py. */
  function number(value) {
    const size = Math.abs(value);
    const sign = value < 0 ? "−" : "";
    const ended = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (!size) return "0";
    const power = Number(size.toExponential().split("e")[1]);
    const [digits, rounded] = size.toExponential(3).split("e");
    const decimals = Math.max(0, 3 - power);
    const fixed = power < 15 && Number(rounded) >= -4 ? size.toFixed(Math.min(100, decimals)) : "";
    if (fixed && fixed.split(".")[0].length < 16) {
      const [whole, rest] = fixed.split(".");
      const apart = whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
      return sign + ended(rest ? `${apart}.${rest}` : apart);
    }
    const by = Number(rounded);
    return `${sign}${ended(digits)}e${by < 0 ? "-" : "+"}${String(Math.abs(by)).padStart(2, "0")}`;
  }

  /* Return round steps that enclose two values. */
  function scale(low, high) {
    const span = high - low || 1;
    const raw = span / 5;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= raw * 0.999);
    const first = Math.floor(low / step);
    const last = Math.max(Math.ceil(high / step), first + 1);
    const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
      Number(((first + i) * step).toPrecision(12)),
    );
    return { low: first * step, high: last * step, ticks };
  }

  /* Return the largest size that the scale shows, by the rule of scales.py: up to half of the values may be beyond it,
     if they would flatten the rest. */
  function fullScale(values) {
    const sizes = values.map(Math.abs).sort((a, b) => b - a);
    const cut = sizes.findIndex((size, at) => at > 0 && at <= Math.floor(sizes.length / 2) && size > 0
      && sizes[at - 1] >= MIN_FLATTENING_RATIO * size && sizes.length - at >= MIN_FLATTENED);
    return sizes[Math.max(0, cut)] ?? 0;
  }

  const valuesOf = (points) => points.flatMap((p) => [p.mean, p.low ?? p.mean, p.high ?? p.mean]);

  /* Draw a chart from {title, caption, axis, releases, lines}. A line is {name, points}, with a point
     {mean, text, rest, low, high, why} for each release: null if the release has no figure, and undefined
     if there is no such release. A point with a reason starts the line anew. */
  function chart(content, room) {
    const { lines } = content;
    const figure = el("figure", { class: "perf-explorer-chart" });
    const sound = lines.flatMap((line) => line.points).filter((p) => p && p.mean !== null);
    if (lines.length > FEW || !sound.length) {
      const why = sound.length
        ? `A chart of ${lines.length} lines could not be read. Choose one board or one value of a parameter.`
        : "There is no figure to draw: every measurement of this choice failed or is missing.";
      figure.append(el("p", {}, why));
      return figure;
    }
    figure.append(el("figcaption", {}, content.title), holder((width) => picture(content, sound, width), room), legend(lines));
    const end = fullScale(valuesOf(sound));
    const beyond = sound.filter((p) => valuesOf([p]).some((value) => Math.abs(value) > end)).length;
    if (beyond) figure.append(el("p", {}, `${beyond === 1 ? "One figure goes" : `${beyond} figures go`} beyond the scale, which would flatten the others: ▲ is at its end. The table has ${beyond === 1 ? "it" : "them"}.`));
    return figure;
  }

  /* Return an element that draws a picture for the present width at once, so that nothing shifts, and
     again whenever the width changes. */
  function holder(draw, room) {
    const box = el("div");
    const paint = () => {
      const width = Math.max(260, Math.min(900, box.clientWidth || room || 600));
      if (box.dataset.width === String(width)) return;
      box.dataset.width = width;
      box.replaceChildren(draw(width));
    };
    paint();
    new ResizeObserver(paint).observe(box);
    return box;
  }

  function legend(lines) {
    const failed = lines.some((line) => line.points.some((p) => p && p.mean === null));
    const items = lines.map((line, i) => {
      if (line.isBase) return el("li", {}, `relative to ${line.name}`);
      const sample = svg("svg", { width: 36, height: 14, viewBox: "0 0 36 14", "aria-hidden": "true" });
      sample.append(
        svg("path", { d: "M1,7H35", class: `perf-line perf-series-${i}` }),
        svg("path", { d: MARKS[i], transform: "translate(18,7)", class: `perf-mark perf-series-${i}` }),
      );
      return el("li", {}, sample, ` ${line.name}`);
    });
    if (failed) items.push(el("li", {}, "× failed"));
    return el("ul", { class: "perf-explorer-legend" }, ...items);
  }

  function picture(content, sound, width) {
    const { releases, lines } = content;
    const full = fullScale(valuesOf(sound));
    const all = valuesOf(sound).filter((value) => Math.abs(value) <= full);
    const axis = scale(Math.min(0, ...all), Math.max(0, ...all));
    const ticks = axis.ticks.map(number);
    const longest = Math.max(...releases.map((r) => r.length));
    const box = {
      left: 14 + 7 * Math.max(...ticks.map((t) => t.length)),
      right: width - 12,
      top: 26,
      bottom: 300,
    };
    const room = (box.right - box.left) / releases.length;
    const slanted = longest * 7 + 8 > room;
    const height = box.bottom + (slanted ? 24 + Math.min(90, longest * 5) : 30);
    const x = (i) => box.left + room * (i + 0.5);
    const y = (value) =>
      box.bottom - ((Math.min(axis.high, Math.max(axis.low, value)) - axis.low) / (axis.high - axis.low)) * (box.bottom - box.top);
    const root = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": words(content),
    });
    root.append(svg("text", { x: 4, y: 14, class: "perf-axis" }, content.axis));
    axis.ticks.forEach((value, i) => {
      root.append(
        svg("path", { d: `M${box.left},${y(value)}H${box.right}`, class: "perf-gridline" }),
        svg("text", { x: box.left - 6, y: y(value) + 4, "text-anchor": "end", class: "perf-axis" }, ticks[i]),
      );
    });
    // Show only every second or third label if they would touch.
    const every = Math.max(1, Math.ceil((slanted ? 16 : 0) / room));
    releases.forEach((release, i) => {
      if ((releases.length - 1 - i) % every) return;
      const at = slanted
        ? { transform: `translate(${x(i) + 4},${box.bottom + 14}) rotate(-40)`, "text-anchor": "end" }
        : { x: x(i), y: box.bottom + 18, "text-anchor": "middle" };
      root.append(svg("text", { ...at, class: "perf-axis" }, release));
    });
    lines.forEach((line, i) => {
      // Shift the lines a little, so that their bars do not hide each other.
      const shift = (i - (lines.length - 1) / 2) * Math.min(5, room / (lines.length + 1));
      const px = (j) => (x(j) + shift).toFixed(1);
      let path = "";
      line.points.forEach((point, j) => {
        if (!point || point.mean === null) return;
        const before = line.points.slice(0, j).findLast((each) => each !== undefined);
        path += `${before && before.mean !== null && !point.why ? "L" : "M"}${px(j)},${y(point.mean).toFixed(1)}`;
      });
      const own = svg("g", {});
      own.append(svg("path", { d: path, class: `perf-line perf-series-${i}` }));
      line.points.forEach((point, j) => {
        if (!point) return;
        if (point.why) own.append(svg("path", { d: `M${px(j)},${box.top}V${box.bottom}`, class: "perf-break" }));
        const title = svg("title", {}, `${line.name}, ${releases[j]}: ${whole(point)}${point.why ? ` (${point.why})` : ""}`);
        if (point.mean === null) {
          own.append(svg("text", { x: px(j), y: box.bottom - 3, "text-anchor": "middle", class: "perf-cross" }, "×", title));
          return;
        }
        if (point.low !== null && point.high !== null) {
          const d = `M${px(j)},${y(point.low).toFixed(1)}V${y(point.high).toFixed(1)}`;
          own.append(svg("path", { d, class: `perf-bar perf-series-${i}` }));
        }
        const transform = `translate(${px(j)},${y(point.mean).toFixed(1)})`;
        const isBeyond = Math.abs(point.mean) > full;
        own.append(svg("path", { d: isBeyond ? "M-7,5L0,-7L7,5Z" : MARKS[i], transform, class: `perf-mark perf-series-${i}` }, title));
      });
      root.append(own);
    });
    return root;
  }

  // ---- ratios ------------------------------------------------------------------

  function ratioText(ratio) {
    const size = Number((ratio < 1 ? 1 / ratio : ratio).toPrecision(3));
    return size === 1 ? "same" : `${ratio < 1 ? "÷" : "×"}${number(size)}`;
  }

  /* Draw a chart of ratios from {title, note, names, base, rows}. A row is {label, own, ratios}: the figure of
     the base, and for each name a ratio in the better direction, or nothing. */
  function ratios(given, room) {
    const lines = given.names.map((name, at) => ({ name, points: [], isBase: at === given.base }));
    // Words that all labels share go into the note, so that labels have room for the others.
    const parts = given.rows.map((row) => row.label.split(", "));
    const shared = parts.length > 1 ? parts[0].filter((part) => parts.every((own) => own.includes(part))) : [];
    const labels = parts.map((own) => own.filter((part) => !shared.includes(part)).join(", "));
    const rows = given.rows.map((row, at) => ({ ...row, short: labels[at] || row.label }));
    const content = { ...given, rows, note: `${given.note}${shared.length ? ` All rows: ${shared.join(", ")}.` : ""}` };
    return el("figure", { class: "perf-explorer-chart" }, el("figcaption", {}, content.title, el("small", {}, content.note)),
      legend(lines), holder((width) => ratioPicture(content, width), room));
  }

  /* Split a label into at most two lines. A longer one is cut in the middle, because rows differ in the
     end of their labels as often as in the beginning. */
  function labelLines(text, most) {
    if (text.length <= most) return [text];
    const end = text.lastIndexOf(" ", most);
    const lines = end > 0 ? [text.slice(0, end), text.slice(end + 1)] : [text];
    return lines.map((line) => (line.length > most
      ? `${line.slice(0, Math.ceil(most / 2) - 1)}…${line.slice(-Math.floor(most / 2))}` : line));
  }

  function ratioPicture({ title, names, base, rows: given }, width) {
    const isNarrow = width < 560;
    // Bold letters are about 7.1 pixels wide, and others 6.7.
    const chars = (row) => Math.floor(((isNarrow ? width - 16 : 320) - 6.8 * row.own.length - 8) / 7.2);
    const rows = given.map((row) => ({ ...row, lines: labelLines(row.short, chars(row)) }));
    const step = (isNarrow ? 44 : 26) + (rows.some((row) => row.lines.length > 1) ? 10 : 0);
    const box = { left: isNarrow ? 14 : 330, right: width - 14, top: 26, bottom: 26 + step * rows.length };
    const logs = rows.flatMap((row) => row.ratios.filter((each) => each).map(Math.log2));
    // The ticks are powers of two, of which only as many are labelled as there is room for.
    const low = Math.floor(Math.min(-1, ...logs));
    const high = Math.ceil(Math.max(1, ...logs));
    const x = (log) => box.left + ((log - low) / (high - low)) * (box.right - box.left);
    const every = Math.ceil((high - low) / ((box.right - box.left) / 48));
    const said = rows.map((row) => `${row.label}: ${row.ratios.map((each, at) => each && `${names[at]} ${ratioText(each)}`).filter(Boolean).join(", ")}`);
    const root = svg("svg", {
      viewBox: `0 0 ${width} ${box.bottom + 26}`, width, height: box.bottom + 26, role: "img",
      "aria-label": `${title}. ${said.join("; ")}.`,
    });
    root.append(svg("text", { x: box.left, y: 14, class: "perf-axis" }, `← worse than ${isNarrow ? "it" : names[base]}`),
      svg("text", { x: box.right, y: 14, "text-anchor": "end", class: "perf-axis" }, "better →"));
    for (let log = low; log <= high; log += 1) {
      root.append(svg("path", { d: `M${x(log)},${box.top}V${box.bottom}`, class: log ? "perf-gridline" : "perf-gridline perf-same" }));
      if (log % every) continue;
      root.append(svg("text", { x: x(log), y: box.bottom + 16, "text-anchor": "middle", class: "perf-axis" }, ratioText(2 ** log)));
    }
    rows.forEach((row, i) => {
      const y = box.top + step * i + (isNarrow ? step - 14 : step / 2);
      const first = (isNarrow ? y - 14 : y + 4) - (row.lines.length - 1) * (isNarrow ? 13 : 6);
      const label = svg("text", { x: 2, y: first, class: "perf-axis perf-strong" }, svg("title", {}, row.label),
        ...row.lines.map((line, at) => svg("tspan", { x: 2, y: first + 13 * at }, line)));
      const own = svg("text", { x: isNarrow ? width - 4 : 322, y: isNarrow ? y - 14 : y + 4, "text-anchor": "end", class: "perf-axis perf-halo" }, row.own);
      root.append(label, own, svg("path", { d: `M${box.left},${y}H${box.right}`, class: "perf-gridline" }));
      let before = null;
      for (const [ratio, at] of row.ratios.map((each, n) => [each, n]).filter(([each]) => each).sort(([a], [b]) => a - b)) {
        const px = x(Math.log2(ratio));
        // Stack marks that would cover each other.
        const shift = before && px - before.px < 9 ? before.shift + 5 : 0;
        before = { px, shift };
        root.append(svg("path", { d: MARKS[at], transform: `translate(${px.toFixed(1)},${(y - shift).toFixed(1)})`, class: `perf-mark perf-series-${at}` },
          svg("title", {}, `${names[at]}, ${row.label}: ${ratioText(ratio)}`)));
      }
    });
    return root;
  }

  const whole = (point) => point.text + point.rest;

  /* Describe the chart in words: the first and the last figure of each line. */
  function words({ caption, releases, lines }) {
    const said = lines.map((line) => {
      const measured = line.points.map((p, i) => [p, releases[i]]).filter(([p]) => p);
      const [first, last] = [measured[0], measured[measured.length - 1]];
      const start = `${whole(first[0])} in ${first[1]}`;
      return `${line.name}: ${first === last ? start : `${start}, ${whole(last[0])} in ${last[1]}`}`;
    });
    return `Line chart. ${caption}. ${said.join("; ")}.`;
  }

  // ---- tables ------------------------------------------------------------------

  /* The steps of table widths, as in html_table.py: style sheets stack a table that is too wide for its
     container. A table made here has to be measured first. */
  const STEPS = [12, 14, 16, 18, 20, 22, 24, 26, 29, 32, 36, 40, 44, 48, 53, 59, 62, 65, 70, 76, 88];
  const SMALL = [["--perf-rem", "0.87rem"], ["--perf-side", "0.3rem"]];

  function fit(box) {
    const grid = box.firstElementChild;
    const step = () => {
      const need = grid.offsetWidth / parseFloat(getComputedStyle(document.documentElement).fontSize);
      return STEPS.find((each) => need + 0.5 <= each) ?? 0;
    };
    grid.style.width = "min-content";
    const from = step();
    SMALL.forEach(([name, value]) => box.style.setProperty(name, value));
    box.classList.add(`perf-from-${from}`, `perf-to-${step()}`);
    SMALL.forEach(([name]) => box.style.removeProperty(name));
    grid.style.width = "";
  }

  return { STEPS, chart, el, fit, fullScale, number, ratioText, ratios };
})();
