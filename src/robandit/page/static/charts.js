// Lines with bands, and the table beside each chart.
"use strict";

const charts = new Set(); // drawn again when the window or the colours change
const DASHES = [undefined, [8, 4], [2, 3], [12, 3, 2, 3]];

function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function lineColour(place) { return colour(`--c${place % 8}`); }

function legend(labels) {
  return make("ul", { class: "legend" }, ...labels.map((label, place) => {
    const line = make("span", { class: "key", "aria-hidden": "true" });
    line.style.borderTop = `3px ${["solid", "dashed", "dotted"][place % 3]} var(--c${place % 8})`;
    return make("li", {}, line, label);
  }));
}

class LineChart {
  constructor(figure, { title, percent = false, most }) {
    Object.assign(this, { title, percent, most, lines: [], plot: null });
    this.place = make("div", { class: "chart", role: "img", "aria-label": title });
    this.legend = make("div");
    this.table = make("div", { class: "scroll", tabindex: "0" });
    const details = make("details", {}, make("summary", {}, "The picture as a table"), this.table);
    figure.append(make("h3", {}, title), this.legend, this.place, details);
    charts.add(this);
  }

  // `lines` are { label, rounds, mean, low, high }; only the first `reveal` points are drawn.
  show(lines, reveal = Infinity) {
    const data = [[0, ...lines[0].rounds]];
    const blank = (column, first) => [first, ...column].map((value, place) => (place > reveal ? null : value));
    for (const line of lines) data.push(blank(line.mean, line.first), blank(line.high, line.first), blank(line.low, line.first));
    const labels = lines.map(line => line.label), before = this.lines.map(line => line.label);
    this.lines = lines;
    if (!this.plot || labels.join("\n") !== before.join("\n")) this.draw(data);
    else this.plot.setData(data);
    this.data = data;
    if (reveal === Infinity) this.fill();
  }

  draw(data = this.data) {
    if (!data) return;
    if (this.plot) this.plot.destroy();
    const { percent, most } = this, axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
    const series = [{}], filled = [];
    this.lines.forEach((line, place) => {
      const ink = lineColour(place), hidden = { stroke: "transparent", points: { show: false } };
      filled.push({ series: [series.length + 1, series.length + 2], fill: `${ink}30` });
      series.push({ label: line.label, stroke: ink, width: 2.5, dash: DASHES[place % 4], points: { show: false } }, hidden, hidden);
    });
    const width = Math.max(this.place.clientWidth, 240);
    const value = number => (percent ? `${Math.round(100 * number)} %` : number.toLocaleString("en"));
    this.plot = new uPlot({
      width, height: width < 500 ? 220 : 300, legend: { show: false }, cursor: { show: false }, bands: filled, series,
      scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low), most || (high || 1) * 1.05] } },
      axes: [{ ...axis, label: "round", labelSize: 22, values: (_, ticks) => ticks.map(tick => tick.toLocaleString("en")) },
        { ...axis, size: 62, values: (_, ticks) => ticks.map(value) }],
    }, data, this.place);
    this.legend.replaceChildren(legend(this.lines.map(line => line.label)));
  }

  fill() {
    const { rounds } = this.lines[0], rows = 10, digits = this.percent ? 1 : 2, factor = this.percent ? 100 : 1;
    const marks = [...new Set(Array.from({ length: rows }, (_, row) => Math.round(((row + 1) / rows) * rounds.length) - 1))].filter(mark => mark >= 0);
    const cell = (line, mark) => `${(factor * line.mean[mark]).toFixed(digits)} (${(factor * line.low[mark]).toFixed(digits)} to ${(factor * line.high[mark]).toFixed(digits)})`;
    fillTable(this.table, `${this.title}: mean, and the range of nine runs in ten`, ["round", ...this.lines.map(line => line.label)],
      marks.map(mark => [rounds[mark].toLocaleString("en"), ...this.lines.map(line => cell(line, mark))]));
  }
}

function fillTable(place, caption, heads, rows) {
  const head = make("tr", {}, ...heads.map((text, column) => make("th", { scope: "col", class: column ? "n" : undefined }, text)));
  const body = rows.map(row => make("tr", {}, ...row.map((text, column) => make(column ? "td" : "th", column ? { class: "n" } : { scope: "row" }, text))));
  place.replaceChildren(make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body)));
}

let resizing = 0;
function redraw() {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => charts.forEach(chart => chart.draw()));
}
window.addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

function plusMinus({ mean: centre, half_width_95: half }, digits, factor = 1, unit = "") {
  return `${(factor * centre).toFixed(digits)} ± ${(factor * (half ?? 0)).toFixed(digits)}${unit}`;
}

// The same by command and in Python, with how closely the numbers agree.
class Same {
  constructor(place) {
    this.command = make("code");
    this.python = make("code");
    this.words = make("p", { class: "soft" });
    place.append(make("details", { class: "same" }, make("summary", {}, "The same on the command line and in Python"),
      make("pre", { tabindex: "0" }, this.command), make("pre", { tabindex: "0" }, this.python), this.words));
  }

  show(command, python, words) {
    this.command.textContent = command;
    this.python.textContent = python;
    this.words.textContent = words;
  }
}

// How far the page's numbers are those of the command line.
function agreement(game, data) {
  const kind = hasAttack(game) ? (game.attack.name in TARGETS ? "means" : game.attack.name) : "none";
  const names = game.policies.map(text => readPolicy(text, data).name);
  const calls = name => data.kernels[`${name} ${kind} ${game.environment}`].calls.length > 0;
  const unstable = names.filter(name => calls(name) && data.policies[name].amplifies);
  if (unstable.length)
    return `${unstable.join(", ")}: the same law, not the same runs, because the policy amplifies the last digit of exp and log. The others make the same choices.`;
  return names.some(calls)
    ? "The same choices in the same rounds: the page rounds the last digit of exp and log in its own way, which changes a choice only where two numbers agree to fifteen digits."
    : "The same numbers to the last bit.";
}
