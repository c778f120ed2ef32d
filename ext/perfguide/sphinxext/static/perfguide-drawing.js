/* Elements, and a line chart of figures over releases as SVG. */
"use strict";

window.perfguideDrawing = (() => {
  const FEW = 8; // so many lines are told apart by colour, dash and mark

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

  /* A number as pages show it: the rule is that of number() in units.py. */
  function number(value) {
    const size = Math.abs(value);
    const sign = value < 0 ? "−" : "";
    const ended = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (!size) return "0";
    const power = Number(size.toExponential().split("e")[1]);
    const [digits, rounded] = size.toExponential(3).split("e");
    const fixed = power < 15 && Number(rounded) >= -4 ? size.toFixed(Math.max(0, 3 - power)) : "";
    if (fixed && fixed.split(".")[0].length < 16) {
      const [whole, rest] = fixed.split(".");
      const apart = whole.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ",");
      return sign + ended(rest ? `${apart}.${rest}` : apart);
    }
    const by = Number(rounded);
    return `${sign}${ended(digits)}e${by < 0 ? "-" : "+"}${String(Math.abs(by)).padStart(2, "0")}`;
  }

  /* Round steps from zero, or from below it, to beyond the largest value. */
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

  /* A figure from {title, caption, axis, releases, lines}; a line is {name, points},
     with a point {mean, text, rest, low, high} or nothing for each release; drawn at once for
     the width that there is, so that it moves nothing, and again where that changes. */
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
    const holder = el("div");
    figure.append(el("figcaption", {}, content.title), holder, legend(lines));
    const paint = () => {
      const width = Math.max(260, Math.min(900, holder.clientWidth || room || 600));
      if (holder.dataset.width === String(width)) return;
      holder.dataset.width = width;
      holder.replaceChildren(picture(content, sound, width));
    };
    paint();
    new ResizeObserver(paint).observe(holder);
    return figure;
  }

  function legend(lines) {
    const failed = lines.some((line) => line.points.some((p) => p && p.mean === null));
    const items = lines.map((line, i) => {
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
    const all = sound.flatMap((p) => [p.mean, p.low ?? p.mean, p.high ?? p.mean]);
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
      box.bottom - ((value - axis.low) / (axis.high - axis.low)) * (box.bottom - box.top);
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
    // Where labels would touch, only every second or third of them is shown.
    const every = Math.max(1, Math.ceil((slanted ? 16 : 0) / room));
    releases.forEach((release, i) => {
      if ((releases.length - 1 - i) % every) return;
      const at = slanted
        ? { transform: `translate(${x(i) + 4},${box.bottom + 14}) rotate(-40)`, "text-anchor": "end" }
        : { x: x(i), y: box.bottom + 18, "text-anchor": "middle" };
      root.append(svg("text", { ...at, class: "perf-axis" }, release));
    });
    lines.forEach((line, i) => {
      // Lines side by side, so that the bars of one do not hide those of another.
      const shift = (i - (lines.length - 1) / 2) * Math.min(5, room / (lines.length + 1));
      const px = (j) => (x(j) + shift).toFixed(1);
      let path = "";
      line.points.forEach((point, j) => {
        if (!point || point.mean === null) return;
        const before = line.points[j - 1];
        path += `${before && before.mean !== null ? "L" : "M"}${px(j)},${y(point.mean).toFixed(1)}`;
      });
      const own = svg("g", {});
      own.append(svg("path", { d: path, class: `perf-line perf-series-${i}` }));
      line.points.forEach((point, j) => {
        if (!point) return;
        const title = svg("title", {}, `${line.name}, ${releases[j]}: ${whole(point)}`);
        if (point.mean === null) {
          own.append(svg("text", { x: px(j), y: box.bottom - 3, "text-anchor": "middle", class: "perf-cross" }, "×", title));
          return;
        }
        if (point.low !== null && point.high !== null) {
          const d = `M${px(j)},${y(point.low).toFixed(1)}V${y(point.high).toFixed(1)}`;
          own.append(svg("path", { d, class: `perf-bar perf-series-${i}` }));
        }
        const transform = `translate(${px(j)},${y(point.mean).toFixed(1)})`;
        own.append(svg("path", { d: MARKS[i], transform, class: `perf-mark perf-series-${i}` }, title));
      });
      root.append(own);
    });
    return root;
  }

  const whole = (point) => point.text + point.rest;

  /* What the chart shows, in words: the first and the last figure of each line. */
  function words({ caption, releases, lines }) {
    const said = lines.map((line) => {
      const held = line.points.map((p, i) => [p, releases[i]]).filter(([p]) => p);
      const [first, last] = [held[0], held[held.length - 1]];
      const start = `${whole(first[0])} in ${first[1]}`;
      return `${line.name}: ${first === last ? start : `${start}, ${whole(last[0])} in ${last[1]}`}`;
    });
    return `Line chart. ${caption}. ${said.join("; ")}.`;
  }

  return { chart, el, number };
})();
