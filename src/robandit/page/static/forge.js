// The visitor attacks by hand. What was played is the list of forged rounds; everything shown is played again from it.
"use strict";

const FORGED = { means: [0.3, 0.5, 0.7], horizon: 500, environment: "bernoulli", concentration: 10 };
const VICTIMS = ["thompson", "bonus-thompson:withstand=20", "samba"];
const RECENT = 20; // rounds over which the best arm's share is shown

class Forge {
  constructor(app, place) {
    Object.assign(this, { app, place, victim: VICTIMS[0], seed: 1, round: 0, rounds: [] });
    this.select = place.querySelector("#victim");
    this.select.append(...VICTIMS.filter(text => `${text.split(":")[0]} by-hand bernoulli` in app.data.kernels).map(text => make("option", { value: text }, text)));
    this.seedInput = place.querySelector("#forge-seed");
    this.words = place.querySelector("#round");
    this.bill = place.querySelector("#forge-words");
    this.chart = new LineChart(place.querySelector("#forge-chart"), { title: `Share of arm 3 in the last ${RECENT} rounds`, percent: true, most: 1 });
    this.same = new Same(place.querySelector("#forge-same"));
    this.buttons = Object.fromEntries(["pass", "lie", "skip"].map(name => [name, place.querySelector(`#${name}`)]));
    this.buttons.pass.addEventListener("click", () => this.step(false));
    this.buttons.lie.addEventListener("click", () => this.step(true));
    this.buttons.skip.addEventListener("click", () => this.skip());
    place.querySelector("#again").addEventListener("click", () => this.begin());
    this.select.addEventListener("change", () => this.begin());
    this.seedInput.addEventListener("change", () => this.begin());
    document.addEventListener("keydown", event => {
      if (place.hidden || event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
      if (event.key === "p") this.step(false);
      if (event.key === "f") this.step(true);
    });
  }

  read(params) {
    for (const name of params.keys()) if (!["policy", "seed", "round", "forged"].includes(name)) throw new Error(`The address has ${JSON.stringify(name)}, which this page does not know.`);
    const victim = params.get("policy") ?? VICTIMS[0];
    if (!VICTIMS.includes(victim)) throw new Error(`You can attack ${VICTIMS.join(", ")}, not ${JSON.stringify(victim)}.`);
    const seed = readNumber("seed", params.get("seed") ?? "1", LIMITS.seed), round = readNumber("round", params.get("round") ?? "0", [0, FORGED.horizon]);
    const rounds = (params.get("forged") ?? "").split(".").filter(Boolean).map(text => readNumber("Each forged round", text, [0, round - 1]));
    Object.assign(this, { victim, seed, round, rounds: [...new Set(rounds)].sort((a, b) => a - b), next: null });
  }

  write() { return `policy=${this.victim}&seed=${this.seed}&round=${this.round}${this.rounds.length ? `&forged=${this.rounds.join(".")}` : ""}`; }

  begin() {
    try {
      this.seed = readNumber("seed", this.seedInput.value, LIMITS.seed);
    } catch (error) { this.app.say(error.message); return; }
    Object.assign(this, { victim: this.select.value, round: 0, rounds: [], next: null });
    this.app.moved();
  }

  step(forge) {
    if (!this.next) return; // the round is still being played
    if (forge) this.rounds = [...this.rounds, this.round];
    this.round += 1;
    this.next = null;
    this.app.moved();
  }

  async skip() {
    const best = FORGED.means.length - 1;
    if (!this.next) return;
    do {
      this.round += 1;
      this.next = (await this.play(this.round + 1, this.rounds)).seen;
    } while (this.round < FORGED.horizon - 1 && !(this.next.arm === best && this.next.reward === 1));
    this.app.moved();
  }

  setting(rounds) {
    const attack = { name: "by-hand", budget: Infinity, rounds };
    return { ...FORGED, policy: readPolicy(this.victim, this.app.data), seed: this.seed, attack };
  }

  // The first `horizon` rounds, recorded one by one.
  play(horizon, rounds) {
    return this.app.pool.ask("forge", { ...this.setting(rounds), horizon, checkpoints: horizon }, 0, 1);
  }

  async show() {
    const { round, rounds } = this, over = round >= FORGED.horizon, horizon = Math.min(round + 1, FORGED.horizon);
    this.select.value = this.victim;
    this.seedInput.value = this.seed;
    this.app.busy(true);
    const [mine, clean] = await Promise.all([this.play(horizon, rounds), this.play(horizon, [])]);
    this.app.busy(false);
    if (round !== this.round || rounds !== this.rounds) return; // another round was asked for meanwhile
    this.next = over ? null : mine.seen;
    for (const button of Object.values(this.buttons)) button.disabled = over;
    this.words.textContent = over ? `The game is over after ${FORGED.horizon} rounds.`
      : `Round ${round + 1}: the policy pulled arm ${mine.seen.arm + 1}, and it paid ${mine.seen.reward}. Let it pass, or tell the policy that it paid ${1 - mine.seen.reward}?`;
    this.tell(mine);
    this.drawLines(mine, clean, over ? FORGED.horizon : round);
    this.app.drawn();
  }

  tell(mine) {
    const { round, rounds } = this, from = Math.max(0, round - RECENT), best = round ? mine.best[round - 1] - (from ? mine.best[from - 1] : 0) : 0;
    const lies = `You have forged ${rounds.length} of ${round} rewards.`;
    this.bill.textContent = round < RECENT ? lies
      : `${lies} Arm 3, the best, got ${best} of the last ${RECENT} rounds${2 * best < RECENT ? `: ${this.victim} is fooled for now.` : "."}`;
    const name = this.victim, data = this.app.data;
    const python = `${data.by_hand}\n\nattacker = ByHand(budget=float("inf"), rounds=(${rounds.join(", ")}${rounds.length === 1 ? "," : ""}))\n` +
      `trace = rb.simulate("${name}", [${FORGED.means.join(", ")}], attacker, horizon=${Math.max(round, 1)}, runs=1, seed=${this.seed})\n` +
      "print(trace.pulls, trace.corruption_paid[:, -1])";
    const command = "# by hand there is no command: robandit play names attacks that decide by themselves, such as --attack sink-shown";
    this.same.show(command, python, "The same choices in the same rounds.");
  }

  drawLines(mine, clean, count) {
    if (!count) return;
    const rounds = mine.rounds.slice(0, count);
    const shares = best => rounds.map((_, mark) => (best[mark] - (mark >= RECENT ? best[mark - RECENT] : 0)) / Math.min(mark + 1, RECENT));
    const line = (label, mean) => ({ label, rounds, first: null, mean, low: mean, high: mean });
    this.chart.show([line("with your forgeries", shares(mine.best)), line("had nobody forged", shares(clean.best))]);
  }
}
