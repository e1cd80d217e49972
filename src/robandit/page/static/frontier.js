// The frontier of a game: clean regret against attack price, by the bisection of `robandit price`.
"use strict";

const PRICE = { runs: 12, blocks: 3, tolerance: 1.02, choosing: 10000, pricing: 20000, least: 0.01, slack: 1.15 };
const PRICED = ["thompson", "bonus-thompson:withstand=20", "samba", "ucb1", "optimistic-ucb", "kl-ucb", "exp3", "tsallis-inf-rv"];

function blockSeed(seed, block) {
  const [first, second] = seedWords(seed, [0x5eed, block], 2);
  return (first << 64n) | second;
}

class Frontier {
  constructor(app, place) {
    Object.assign(this, { app, place, ticket: 0 });
    this.form = place.querySelector("form");
    this.bar = place.querySelector("progress");
    this.words = place.querySelector("#priced-words");
    this.chart = make("div", { class: "chart", role: "img", "aria-label": "Clean regret against attack price; the table below has the numbers" });
    place.querySelector("#frontier-chart").append(this.chart);
    this.numbers = place.querySelector("#frontier-numbers");
    this.same = new Same(place.querySelector("#frontier-same"));
    this.form.addEventListener("submit", event => event.preventDefault());
    this.form.addEventListener("change", () => this.changed());
    charts.add({ draw: () => this.draw() });
  }

  read(params) {
    const game = readGame(params, this.app.data);
    if (!params.has("policy")) game.policies = PRICED.filter(text => text.split(":")[0] in this.app.data.policies);
    game.attack ??= STORY.attack;
    if (game.attack.schedule) throw new Error(`${game.attack.name} acts before the draw, and this page prices attackers who see it: ${SHOWN.join(", ")}.`);
    if (!(game.attack.name in this.app.data.attacks)) throw new Error(`This page was built without ${game.attack.name}.`);
    this.game = game;
  }

  write() { return writeGame({ ...this.game, runs: PRICE.runs, attack: { ...this.game.attack, budget: undefined } }); }

  menu() {
    const all = this.game.means.length - 1;
    return ATTACKERS.filter(([, attack, how]) => CAN.includes(how) && attack.split(":")[0] in this.app.data.attacks)
      .map(([text, attack, how]) => [text, `${attack.replace("ALL", all)} ${how}`]);
  }

  writeForm() {
    const { elements } = this.form, { game } = this, select = elements.attacker, key = `${attackText(game.attack)} ${game.attack.can}`;
    elements.means.value = game.means.join(",");
    elements.horizon.value = game.horizon;
    const options = this.menu();
    if (!options.some(([, value]) => value === key)) options.push([key, key]);
    select.replaceChildren(...options.map(([text, value]) => make("option", { value }, text)));
    select.value = key;
  }

  changed() {
    const { elements } = this.form, [attack, can] = elements.attacker.value.split(" ");
    const params = new URLSearchParams({ means: elements.means.value, horizon: elements.horizon.value, seed: this.game.seed, attack, can });
    for (const policy of this.game.policies) params.append("policy", policy);
    try { this.read(params); } catch (error) { this.app.say(error.message); return; }
    this.app.moved();
  }

  async show() {
    const { game } = this, { data, pool } = this.app, ticket = ++this.ticket;
    this.writeForm();
    const flags = [...game.policies.map(policy => `--policy ${policy}`), ...flagsOf(game), ...attackFlags(game.attack)];
    const can = `${game.attack.can}${game.attack.share < 1 ? `:share=${game.attack.share}` : ""}`;
    this.same.show(`robandit price ${flags.join(" ")} --runs ${PRICE.runs} --seed ${game.seed} --json`,
      ["import robandit as rb", "", `for policy in (${game.policies.map(policy => `"${policy}"`).join(", ")},):`,
        `    price = rb.find_price(policy, [${game.means.join(", ")}], attack="${attackText(game.attack)}", capability="${can}",`,
        `                          horizon=${game.horizon}, runs=${PRICE.runs}, seed=${game.seed})`,
        "    print(policy, price.clean[\"mean\"], price.low, price.estimate, price.high)"].join("\n"), agreement(game, data));
    this.app.busy(true);
    pool.drop("frontier");
    this.prices = [];
    this.played = 0;
    const planned = game.policies.length * PRICE.runs * (12 + 11 * PRICE.blocks);
    const settings = settingsOf(game, data, 1);
    const priced = settings.map(setting => this.price(setting, ticket, () => {
      this.bar.value = Math.min(this.played / planned, 0.99);
      this.words.textContent = `${this.played.toLocaleString("en")} runs played`;
    }).then(price => { if (price && ticket === this.ticket) { this.prices.push({ label: setting.label, ...price }); this.draw(); this.app.drawn(); } }));
    await Promise.all(priced);
    if (ticket === this.ticket) {
      this.bar.value = 1;
      this.words.textContent = `${this.played.toLocaleString("en")} runs played; all policies are priced`;
    }
    this.app.busy(false);
  }

  // One policy: clean regret, and the price on each block; null if the visitor has moved on.
  async price(setting, ticket, report) {
    const { seed } = setting, gone = Symbol("gone");
    const outcome = async (budget, from, runs = PRICE.runs) => {
      const attack = budget ? { ...setting.attack, budget } : null;
      const result = await this.app.pool.ask("frontier", { ...setting, attack, seed: from }, 0, runs);
      if (!result || ticket !== this.ticket) throw gone;
      this.played += runs;
      report();
      const wrong = result.best.filter(count => count / setting.horizon < 0.5).length;
      return { fooled: wrong / runs >= 0.5, paid: Math.max(...result.paid), regret: result.regret };
    };
    const bisect = async (from, guess) => {
      const fools = async budget => (await outcome(budget, from)).fooled;
      if ((await outcome(0, from)).fooled) return 0;
      const unlimited = await outcome(Infinity, from);
      if (!unlimited.fooled) return null;
      let high = unlimited.paid;
      if (guess && guess * PRICE.slack < high && (await fools(guess * PRICE.slack))) high = guess * PRICE.slack;
      let low = guess && guess / PRICE.slack < high ? guess / PRICE.slack : high / 2;
      while (low > PRICE.least && (await fools(low))) [low, high] = [low / 2, low];
      while (high > PRICE.tolerance * low) {
        const middle = Math.sqrt(low * high);
        if (await fools(middle)) high = middle;
        else low = middle;
      }
      return high;
    };
    try {
      const clean = await outcome(0, seed, PRICE.runs * PRICE.blocks), regret = summarise([...clean.regret]);
      if (clean.fooled) return { regret, blocks: [] };
      const guess = await bisect(blockSeed(seed, PRICE.choosing)), blocks = [];
      for (let block = 0; block < PRICE.blocks; block++) blocks.push(await bisect(blockSeed(seed, PRICE.pricing + block), guess));
      if (2 * blocks.filter(price => price === 0).length >= blocks.length) return { regret, blocks: [] }; // nobody to fool
      const sorted = blocks.map(price => price ?? Infinity).sort((a, b) => a - b);
      return { regret, blocks, low: sorted[0], estimate: sorted[1], high: sorted[2] };
    } catch (error) {
      if (error === gone) return null;
      throw error;
    }
  }

  draw() {
    if (!this.prices) return;
    const rows = [...this.prices].sort((a, b) => (a.estimate ?? 0) - (b.estimate ?? 0));
    const text = price => (price === Infinity ? "not fooled" : price.toFixed(1));
    fillTable(this.numbers, "Clean regret with its 95 % interval; attack price with the range of its blocks", ["policy", "clean regret", "attack price", "range"],
      rows.map(row => [row.label, plusMinus(row.regret, 1), row.blocks.length ? text(row.estimate) : "does not learn here",
        row.blocks.length ? `${text(row.low)} to ${text(row.high)}` : ""]));
    this.chart.replaceChildren(scatter(rows.filter(row => row.estimate > 0 && Number.isFinite(row.estimate)), this.chart.clientWidth || 340));
  }
}

// Dots with labels; the price is on a scale of powers.
function scatter(rows, width) {
  const space = "http://www.w3.org/2000/svg", height = width < 500 ? 320 : 380, [left, right, head, foot] = [52, 16, 30, 44];
  const node = (tag, attributes, text) => {
    const one = document.createElementNS(space, tag);
    for (const name in attributes) one.setAttribute(name, attributes[name]);
    if (text !== undefined) one.textContent = text;
    return one;
  };
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  if (!rows.length) return svg;
  const most = 1.1 * Math.max(...rows.map(row => row.regret.mean));
  const floor = Math.log10(Math.min(...rows.map(row => row.low)) / 1.5), roof = Math.log10(1.5 * Math.max(...rows.map(row => Math.min(row.high, 10 * row.estimate))));
  const x = regret => left + (regret / most) * (width - left - right);
  const y = price => height - foot - ((Math.log10(price) - floor) / (roof - floor)) * (height - head - foot);
  for (let exponent = Math.floor(floor); exponent <= roof; exponent++)
    for (const price of [1, 2, 5].map(factor => factor * 10 ** exponent).filter(price => Math.log10(price) >= floor && Math.log10(price) <= roof))
      svg.append(node("line", { x1: left, x2: width - right, y1: y(price), y2: y(price), class: "grid" }),
        node("text", { x: left - 6, y: y(price) + 4, "text-anchor": "end" }, Number(price.toPrecision(1)).toLocaleString("en")));
  const power = 10 ** Math.floor(Math.log10(most)), step = [0.2, 0.5, 1, 2].map(factor => factor * power).find(one => most / one < 6) || 5 * power;
  for (let tick = 0; tick <= most; tick += step)
    svg.append(node("text", { x: x(tick), y: height - foot + 16, "text-anchor": "middle" }, Number(tick.toPrecision(3)).toLocaleString("en")));
  svg.append(node("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle" }, "regret without an attack"),
    node("text", { x: 4, y: 11 }, "attack price"));
  // where dots and text stand already: left end, right end, height
  const labels = rows.map(row => [x(row.regret.mean) - 6, x(row.regret.mean) + 6, y(row.estimate) + 4]);
  for (const [place, row] of [...rows].sort((a, b) => b.estimate - a.estimate).entries()) {
    const [cx, cy] = [x(row.regret.mean), y(row.estimate)], ink = `var(--c${place % 8})`, name = row.label.split(":")[0];
    const end = cx > 0.6 * width, size = 7.4 * name.length + 12, from = end ? cx - size : cx + 7, to = end ? cx - 7 : cx + size;
    let label = cy + 4;
    while (labels.some(([start, stop, level]) => start < to && stop > from && Math.abs(level - label) < 14)) label += 3;
    labels.push([from, to, label]);
    if (Number.isFinite(row.high)) svg.append(node("line", { x1: cx, x2: cx, y1: y(row.low), y2: y(row.high), stroke: ink, "stroke-width": 2 }));
    svg.append(node("circle", { cx, cy, r: 5, fill: ink }),
      node("text", { x: cx + (end ? -10 : 10), y: label, "text-anchor": end ? "end" : "start", class: "name", style: `fill: ${ink}` }, name));
  }
  return svg;
}
