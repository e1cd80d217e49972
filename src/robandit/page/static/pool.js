// Workers that play, and what they have played: jobs of a figure that nobody waits for any more are dropped.
"use strict";

class Pool {
  constructor(data, bytes, size = Math.max(1, Math.min(4, navigator.hardwareConcurrency || 2))) {
    const text = ["lab", "worker"].map(id => document.getElementById(id).textContent).join("\n");
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    this.workers = Array.from({ length: size }, () => {
      const worker = new Worker(address);
      worker.postMessage({ kernels: { data, bytes } });
      worker.onmessage = event => this.finish(worker, event.data);
      return worker;
    });
    this.idle = [...this.workers];
    this.waiting = [];
    this.running = new Map();
    this.number = 0;
  }

  // Ask for runs of a setting; the promise gives what the lab wrote, or null if the figure was dropped meanwhile.
  ask(figure, setting, first, count) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ id: ++this.number, figure, setting, first, count, resolve, reject });
      this.hand();
    });
  }

  drop(figure) {
    for (const job of this.waiting.filter(job => job.figure === figure)) job.resolve(null);
    this.waiting = this.waiting.filter(job => job.figure !== figure);
    for (const job of this.running.values()) if (job.figure === figure) job.dropped = true;
  }

  hand() {
    while (this.idle.length && this.waiting.length) {
      const job = this.waiting.shift(), worker = this.idle.pop();
      this.running.set(job.id, job);
      worker.postMessage({ job: { id: job.id, setting: job.setting, first: job.first, count: job.count } });
    }
  }

  finish(worker, { id, result, milliseconds, error }) {
    const job = this.running.get(id);
    this.running.delete(id);
    this.idle.push(worker);
    this.hand();
    if (error) job.reject(new Error(error));
    else job.resolve(job.dropped ? null : { ...result, milliseconds });
  }

  // Play every setting `runs` times, some runs at a time, all settings side by side; `show` gets what is there so far.
  // An earlier play of the same figure is dropped. Gives the plays, or null if this one was dropped too.
  async play(figure, settings, runs, show) {
    this.drop(figure);
    const plays = settings.map(setting => new Played(setting, runs));
    const size = Math.max(1, Math.min(10, Math.round(1e5 / settings[0].horizon))), jobs = [];
    let dropped = false;
    for (let first = 0; first < runs; first += size)
      for (const play of plays)
        jobs.push(this.ask(figure, play.setting, first, Math.min(size, runs - first)).then(result => {
          if (!result) { dropped = true; return; }
          play.add(first, result);
          if (!dropped && plays.every(one => one.done > 0)) show(plays);
        }));
    await Promise.all(jobs);
    return dropped ? null : plays;
  }
}

// The runs of one setting that have come back so far; rows are in the order of the runs.
class Played {
  constructor(setting, runs) {
    this.setting = setting;
    this.runs = runs;
    this.parts = new Map();
    this.done = 0;
  }

  add(first, result) {
    this.parts.set(first, result);
    this.rounds = result.rounds;
    this.done += result.changed.length;
  }

  // All rows of a table, one Float64Array each.
  rows(name, width) {
    const rows = [];
    for (const first of [...this.parts.keys()].sort((a, b) => a - b)) {
      const table = this.parts.get(first)[name];
      for (let begin = 0; begin < table.length; begin += width) rows.push(table.subarray(begin, begin + width));
    }
    return rows;
  }

  // The numbers of `robandit play --json`.
  summary() {
    const { means } = this.setting, marks = this.rounds.length, last = rows => rows.map(row => row[row.length - 1]);
    const best = Math.max(...means), pulls = this.rows("pulls", means.length);
    const right = row => row.reduce((sum, count, arm) => sum + (best - means[arm] <= 1e-12 ? count : 0), 0);
    const total = row => row.reduce((sum, count) => sum + count, 0);
    const rights = pulls.map(right), totals = pulls.map(total);
    return {
      runs: this.done,
      regret: summarise(last(this.rows("regret", marks))),
      paid: summarise(last(this.rows("paid", marks))),
      changed: mean(this.rows("changed", 1).map(row => row[0])),
      share: total(rights) / total(totals),
      shares: summarise(rights.map((count, run) => count / totals[run])),
    };
  }
}
