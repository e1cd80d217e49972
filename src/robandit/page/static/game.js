// A game of the visitor's own: arms, policies, attacker; regret and the best arm's share over time.
"use strict";

const ATTACKERS = [ // text, attack, what it can do or when it acts
  ["nobody", ""],
  ["hides rewards of the best arm", "sink-shown", "erase"],
  ["adds rewards to the runner-up", "promote", "add"],
  ["adds rewards to every other arm", "push-shown:lowered=0,raised=ALL", "add"],
  ["hides the best arm's, adds the runner-up's", "push-shown:raised=1", "both"],
  ["flips all means before the draw, from round 0", "flip", "start"],
  ["flips all means before the draw, from T/4 on", "flip", "middle"],
  ["sinks the best mean before the draw, from round 0", "sink", "start"],
];

class Game {
  constructor(app, place) {
    Object.assign(this, { app, place, game: { ...STORY } });
    this.form = place.querySelector("form");
    this.regret = new LineChart(place.querySelector("#game-regret"), { title: "Cumulative regret" });
    this.share = new LineChart(place.querySelector("#game-share"), { title: "Rounds on the best arm so far", percent: true, most: 1 });
    this.same = new Same(place.querySelector("#game-same"));
    this.numbers = place.querySelector("#game-numbers");
    this.form.addEventListener("submit", event => event.preventDefault());
    this.form.addEventListener("input", event => this.changed(event));
    place.querySelector("#add-arm").addEventListener("click", () => this.set({ means: [...this.game.means, 0.5] }));
    this.writePolicies();
  }

  read(params) { this.game = readGame(params, this.app.data); }

  write() { return writeGame(this.game); }

  set(change) {
    this.game = { ...this.game, ...change };
    this.writeForm();
    this.app.moved();
  }

  writePolicies() {
    const { data } = this.app;
    this.form.querySelector("#policies").append(...Object.entries(data.policies).map(([name, policy]) => {
      const box = make("input", { type: "checkbox", name: "policy", value: name, id: `policy-${name}` });
      const text = make("input", { type: "text", name: `with-${name}`, "aria-label": `numbers of ${name}`, spellcheck: "false", autocomplete: "off",
        placeholder: Object.keys(policy.parameters).map(key => `${key}=${policy.values[key]}`).join(",") });
      const row = make("div", { class: "policy" }, make("label", { title: policy.summary }, box, ` ${name}`));
      if (Object.keys(policy.parameters).length) row.append(text);
      return row;
    }));
  }

  writeForm() {
    const { game, form } = this, arms = form.querySelector("#arms");
    while (arms.children.length > game.means.length) arms.lastChild.remove();
    while (arms.children.length < game.means.length) arms.append(this.armRow(arms.children.length));
    game.means.forEach((mean, arm) => {
      for (const input of arms.children[arm].querySelectorAll("input")) if (input !== document.activeElement || Number(input.value) !== mean) input.value = mean;
    });
    for (const name of ["horizon", "runs", "seed"]) this.put(name, game[name]);
    this.put("environment", game.environment);
    const texts = Object.fromEntries(game.policies.map(text => [text.split(":")[0], text.split(":").slice(1).join(":")]));
    for (const box of form.querySelectorAll("[name=policy]")) {
      box.checked = box.value in texts;
      const text = form.elements[`with-${box.value}`];
      if (text && text !== document.activeElement) text.value = texts[box.value] ?? "";
    }
    this.writeAttacker();
  }

  armRow(arm) {
    const terms = { min: 0, max: 1, step: 0.01, "data-arm": arm };
    const remove = make("button", { type: "button", "aria-label": `remove arm ${arm + 1}` }, "×");
    remove.addEventListener("click", () => {
      if (this.game.means.length > ARMS[0]) this.set({ means: this.game.means.filter((_, place) => place !== arm) });
    });
    return make("div", { class: "arm" }, make("span", {}, `arm ${arm + 1}`),
      make("input", { type: "range", "aria-label": `mean of arm ${arm + 1}, slider`, ...terms }),
      make("input", { type: "number", "aria-label": `mean of arm ${arm + 1}`, ...terms, step: "any" }), remove);
  }

  put(name, value) {
    const input = this.form.elements[name];
    if (input !== document.activeElement || input.tagName === "SELECT") input.value = value;
  }

  menu() {
    return ATTACKERS.map(([text, attack, how]) => [text, attack.replace("ALL", this.game.means.length - 1), how]);
  }

  writeAttacker() {
    const { attack } = this.game, select = this.form.elements.attacker, menu = this.menu();
    const key = attack ? `${attackText(attack)} ${attack.can ?? attack.schedule}` : " ";
    const options = menu.map(([text, name, how]) => [`${name} ${how ?? ""}`.trim() || " ", text]);
    if (!options.some(([value]) => value === key)) options.push([key, key]);
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    select.value = key;
    this.form.querySelector("#attacker-more").hidden = !attack;
    if (!attack) return;
    this.put("budget", attack.budget);
    this.put("budget-slider", attack.budget);
    this.form.querySelector("#share-row").hidden = attack.share === undefined;
    if (attack.share !== undefined) this.put("share", attack.share);
  }

  // Read the form; what is wrong in it is said, and the last good game stays.
  changed(event) {
    const { form } = this, { target } = event;
    if (target.dataset.arm !== undefined)
      for (const input of target.closest(".arm").querySelectorAll("input")) if (input !== target) input.value = target.value;
    if (target.name === "budget-slider") form.elements.budget.value = target.value;
    const params = new URLSearchParams();
    params.set("means", [...form.querySelectorAll("#arms input[type=number]")].map(input => input.value).join(","));
    for (const name of ["horizon", "runs", "seed", "environment"]) params.set(name, form.elements[name].value);
    for (const box of form.querySelectorAll("[name=policy]:checked")) {
      const numbers = form.elements[`with-${box.value}`]?.value.trim();
      params.append("policy", box.value + (numbers ? `:${numbers}` : ""));
    }
    const [attack, how] = form.elements.attacker.value.split(" ");
    if (attack) {
      params.set("attack", attack);
      params.set(Object.hasOwn(SCHEDULES, how) ? "schedule" : "can", how);
      params.set("budget", form.elements.budget.value || "20");
      if (!Object.hasOwn(SCHEDULES, how)) params.set("share", form.elements.share.value || "1");
    }
    try {
      if (!params.has("policy")) throw new Error("Choose at least one policy.");
      this.game = readGame(params, this.app.data);
    } catch (error) {
      this.app.say(error.message);
      return;
    }
    this.app.moved();
  }

  async show() {
    const { game } = this, { data, pool } = this.app;
    this.writeForm();
    this.same.show(commandOf(game), pythonOf(game), agreement(game, data));
    this.app.busy(true);
    this.plays = await pool.play("game", settingsOf(game, data), game.runs, plays => this.draw(plays)) ?? this.plays;
    this.app.busy(false);
  }

  draw(plays) {
    const lines = (rows, first) => plays.map(play => ({ label: play.setting.label, rounds: play.rounds, first, ...bands(rows(play)) }));
    this.regret.show(lines(play => play.rows("regret", play.rounds.length), 0));
    this.share.show(lines(play => play.rows("best", play.rounds.length).map(row => row.map((count, mark) => count / play.rounds[mark])), 1 / this.game.means.length));
    fillTable(this.numbers, `${plays[0].done} runs; means with 95 % intervals`, ["policy", "regret", "rounds on the best arm", "corruption paid"],
      plays.map(play => {
        const { regret, shares, paid } = play.summary();
        return [play.setting.label, plusMinus(regret, 1), plusMinus(shares, 1, 100, " %"), plusMinus(paid, 1)];
      }));
    this.app.drawn();
  }
}
