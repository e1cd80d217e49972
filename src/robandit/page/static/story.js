// The story: three offers, an attacker who hides sales, and two policies.
"use strict";

class Story {
  constructor(app, place) {
    Object.assign(this, { app, hidden: 20, reveal: Infinity });
    this.slider = place.querySelector("#hidden");
    this.output = place.querySelector("#hidden-out");
    this.sentence = place.querySelector("#fall");
    this.numbers = place.querySelector("#story-numbers");
    this.chart = new LineChart(place.querySelector("#story-chart"), { title: "Visitors who see the best offer", percent: true, most: 1 });
    this.same = new Same(place.querySelector("#story-same"));
    this.slider.addEventListener("input", () => { this.hidden = Number(this.slider.value); this.app.moved(); });
    place.querySelector("#race").addEventListener("click", () => this.race());
  }

  read(params) {
    for (const name of params.keys()) if (name !== "hidden") throw new Error(`The address has ${JSON.stringify(name)}, which this page does not know.`);
    this.hidden = readNumber("hidden", params.get("hidden") ?? "20", [0, 60]);
  }

  write() { return `hidden=${this.hidden}`; }

  get game() { return { ...STORY, attack: { ...STORY.attack, budget: this.hidden } }; }

  async show() {
    const { game } = this, { data, pool } = this.app;
    this.slider.value = this.hidden;
    this.output.textContent = this.hidden;
    this.slider.setAttribute("aria-valuetext", `${this.hidden} hidden sales`);
    this.same.show(commandOf(game), pythonOf(game), agreement(game, data));
    this.app.busy(true);
    this.plays = await pool.play("story", settingsOf(game, data, 50), game.runs, plays => this.draw(plays)) ?? this.plays;
    this.app.busy(false);
  }

  draw(plays) {
    const shares = plays.map(windowShares);
    this.lines = plays.map((play, place) => ({ label: play.setting.label, rounds: play.rounds, first: 1 / 3, ...bands(shares[place]) }));
    this.chart.show(this.lines, this.reveal);
    fillTable(this.numbers, `${plays[0].done} runs of 20,000 visits; means with 95 % intervals`,
      ["policy", "visits that see the best offer", "sales hidden"],
      plays.map(play => { const { shares, paid } = play.summary(); return [play.setting.label, plusMinus(shares, 1, 100, " %"), plusMinus(paid, 1)]; }));
    this.sentence.textContent = plays.map((play, place) => fallSentence(play.setting.policy.name, play.rounds, shares[place])).join(" ");
    this.app.drawn();
  }

  race() {
    if (!this.lines) return;
    const begun = performance.now(), points = this.lines[0].rounds.length;
    const step = now => {
      this.reveal = matchMedia("(prefers-reduced-motion: reduce)").matches ? Infinity : Math.floor(((now - begun) / 4000) * points);
      if (this.reveal >= points) this.reveal = Infinity;
      this.chart.show(this.lines, this.reveal);
      if (this.reveal !== Infinity) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

// The best arm's share of the rounds between checkpoints, run by run.
function windowShares(play) {
  const { rounds } = play;
  return play.rows("best", rounds.length).map(row =>
    row.map((count, mark) => (count - (mark ? row[mark - 1] : 0)) / (rounds[mark] - (mark ? rounds[mark - 1] : 0))));
}

// In how many runs a policy ends with the best offer shown to fewer than half of the visitors, and when it got there.
function fallSentence(name, rounds, rows) {
  const falls = rows.map(row => {
    let mark = row.length;
    while (mark > 0 && row[mark - 1] < 0.5) mark--;
    return rounds[mark]; // the end of the first stretch of visits after which it never recovers
  }).filter(round => round !== undefined).sort((a, b) => a - b);
  if (!falls.length) return `${name} stands in all ${rows.length} runs.`;
  const half = falls[Math.ceil(falls.length / 2) - 1].toLocaleString("en");
  return `${name} falls in ${falls.length} of ${rows.length} runs${falls.length > 1 ? ", half of them" : ""} before visit ${half}.`;
}
