// The lab in a browser: seeds, memory, and a play of some runs by a kernel. It runs in a worker.
"use strict";

const FIRST = 1 << 20; // where arguments begin; the kernel's data lie at 0, its stack grows down from here
const SIZES = { bool: 1, int64: 8, float64: 8, uint64: 8, pointer: 8 };
const VIEWS = { int64: BigInt64Array, float64: Float64Array, uint64: BigUint64Array };

// --- random streams, as NumPy's SeedSequence starts them --------------------------------------------------------

function words32(number) {
  const words = [];
  for (let rest = BigInt(number); rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
  return words.length ? words : [0];
}

function seedWords(seed, keys, count) {
  const entropy = words32(seed);
  while (entropy.length < 4) entropy.push(0);
  for (const key of keys) entropy.push(...words32(key));
  let factor = 0x43b0d7e5;
  const hash = value => {
    value = (value ^ factor) >>> 0;
    factor = Math.imul(factor, 0x931e8875) >>> 0;
    value = Math.imul(value, factor) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mix = (x, y) => {
    const sum = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0;
    return (sum ^ (sum >>> 16)) >>> 0;
  };
  const pool = entropy.slice(0, 4).map(hash);
  for (let source = 0; source < 4; source++)
    for (let target = 0; target < 4; target++)
      if (source !== target) pool[target] = mix(pool[target], hash(pool[source]));
  for (const word of entropy.slice(4))
    for (let target = 0; target < 4; target++) pool[target] = mix(pool[target], hash(word));
  factor = 0x8b51f9dd;
  const words = new Uint32Array(2 * count);
  for (let place = 0; place < words.length; place++) {
    let value = (pool[place % 4] ^ factor) >>> 0;
    factor = Math.imul(factor, 0x58f38ded) >>> 0;
    value = Math.imul(value, factor) >>> 0;
    words[place] = (value ^ (value >>> 16)) >>> 0;
  }
  return new BigUint64Array(words.buffer);
}

// --- memory ---------------------------------------------------------------------------------------------------

let memory = null, ending = FIRST; // one memory for all plays of a worker: what a play leaves there, the next one overwrites

function allocate(bytes) {
  const begin = ending;
  ending += Math.ceil(bytes / 16) * 16;
  const missing = ending - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  new Uint8Array(memory.buffer, begin, ending - begin).fill(0);
  return begin;
}

// An array for a kernel; `data` is what it holds, or the number that fills it.
function array(shape, data = 0) {
  return { shape, data, size: shape.reduce((product, side) => product * side, 1), at: 0 };
}

function placeArray(value, kind) {
  const scalar = kind.slice(0, kind.indexOf("["));
  value.at = allocate(8 * value.size);
  const view = new VIEWS[scalar](memory.buffer, value.at, value.size);
  const convert = scalar === "float64" ? Number : BigInt;
  if (typeof value.data === "number") view.fill(convert(value.data));
  else for (let place = 0; place < value.size; place++) view[place] = convert(value.data[place]);
}

// Write an object or the arguments by their layout; returns where they lie. Every field must have a value.
function place(layout, values) {
  const begin = allocate(layout.size + 8);
  for (const [path, kind, offset] of layout.fields) {
    const value = values[path];
    if (value === undefined) throw new Error(`no value for ${path}`);
    if (kind.endsWith("]") && !value.at) placeArray(value, kind);
    const memoryView = new DataView(memory.buffer), at = begin + offset;
    if (kind.endsWith("]")) {
      const strides = value.shape.map((_, side) => 8 * value.shape.slice(side + 1).reduce((a, b) => a * b, 1));
      [0, 0, value.size, 8, value.at, ...value.shape, ...strides].forEach((word, index) =>
        memoryView.setBigInt64(at + 8 * index, BigInt(word), true));
    } else if (kind === "float64") memoryView.setFloat64(at, value, true);
    else if (kind === "bool") memoryView.setUint8(at, value ? 1 : 0);
    else memoryView.setBigInt64(at, BigInt(value), true);
  }
  return begin;
}

function read(value, kind = "float64") {
  return Float64Array.from(new VIEWS[kind](memory.buffer, value.at, value.size), Number);
}

// --- how parts begin --------------------------------------------------------------------------------------------

const STARTS = {
  zeros: arms => array([arms], 0),
  ones: arms => array([arms], 1),
  even: arms => array([arms], 1 / arms),
  first: arms => array([arms], Array.from({ length: arms }, (_, arm) => (arm ? 0 : 1))),
  0: () => 0,
  1: () => 1,
  root: arms => Math.sqrt(arms),
};

function startState(policy, arms) {
  return Object.fromEntries(Object.entries(policy.start).map(([path, word]) => [path, STARTS[word](arms)]));
}

function largest(values) {
  return values.indexOf(Math.max(...values));
}

function runnerUp(means) {
  const best = largest(means);
  return largest(means.map((mean, arm) => (arm === best ? -1 : mean)));
}

const TARGETS = { // threat model A: what the means become
  flip: means => means.map(mean => 1 - mean),
  sink: means => means.map((mean, arm) => (arm === largest(means) ? 0 : mean)),
  invert: means => means.map((_, arm) => (arm === largest(means) ? 0 : 1)),
  "lift-others": means => means.map((mean, arm) => (arm === largest(means) ? mean : 1)),
  decoy: means => means.map((mean, arm) => (arm === largest(means) ? 0 : arm === runnerUp(means) ? 1 : mean)),
};
const SCHEDULES = { // first round, step
  start: () => [0, 1],
  even: () => [0, 2],
  middle: horizon => [Math.floor(horizon / 4), 1],
};

function pushed(means, { lowered, raised, worst }) {
  const order = means.map((_, arm) => arm).sort((a, b) => means[b] - means[a] || a - b);
  const others = order.slice(lowered), way = means.map(() => 0);
  for (const arm of order.slice(0, lowered)) way[arm] = -1;
  for (const arm of worst ? others.slice(others.length - raised) : others.slice(0, raised)) way[arm] = 1;
  return way;
}

// The adversary of a setting: which kernel it needs, the values of its part and of its memory.
function startAttack({ attack, means, horizon }) {
  if (!attack || attack.budget === 0) return { kind: "none", part: {}, memory: {} };
  const arms = means.length, budget = attack.budget;
  if (attack.name === "by-hand") {
    const forged = array([horizon], Array.from({ length: horizon }, (_, round) => (attack.rounds.includes(round) ? 1 : 0)));
    return { kind: "by-hand", part: { budget }, memory: { forged } };
  }
  if (attack.name in TARGETS) {
    const [first, step] = SCHEDULES[attack.schedule](horizon);
    const slots = Math.max(0, Math.ceil((horizon - first) / step));
    const when = { "when.first": first, "when.stop": horizon, "when.step": step };
    const target = array([arms], TARGETS[attack.name](means));
    return { kind: "means", part: { budget }, memory: { target, ...when, "when.slots": slots, "when.chosen": slots } };
  }
  const part = { budget }, inner = {};
  if (attack.name === "push-shown") {
    const { lowered, raised, worst } = attack.parameters, way = pushed(means, attack.parameters);
    const down = way.map(one => (one < 0 ? 1 : 0));
    const watched = lowered ? down : means.map((_, arm) => (arm === largest(means) ? 1 : 0));
    Object.assign(part, { "inner.lowered": lowered, "inner.raised": raised, "inner.worst": worst });
    Object.assign(inner, { "inner.way": array([arms], way), "inner.watched": array([arms], watched),
      "inner.share": watched.reduce((a, b) => a + b, 0) / arms });
  } else inner["inner.arm"] = attack.name === "promote" ? runnerUp(means) : largest(means);
  const limits = { reached: array([arms], 1), used: array([1], 0), adds: attack.can !== "erase",
    erases: attack.can !== "add", share: attack.share, stop: horizon };
  return { kind: attack.name, part, memory: { ...inner, ...limits } };
}

function startTables({ environment, concentration, means }) {
  if (environment === "bernoulli") return { none: 0 };
  const a = means.map(mean => concentration * mean), b = means.map(mean => concentration * (1 - mean));
  const logs = means.map((mean, arm) =>
    mean > 0 && mean < 1 ? logGamma(a[arm]) + logGamma(b[arm]) - logGamma(a[arm] + b[arm]) : 0);
  const shape = [means.length, 2 * 16 * 64 + 1], one = values => array([means.length], values);
  return { means: one(means), a: one(a), b: one(b), log_beta: one(logs), values: array(shape, NaN), slopes: array(shape, NaN) };
}

// ln Gamma(x) for x > 0: Stirling's series, after steps up to where it is exact to rounding.
function logGamma(x) {
  let product = 1, before = 0;
  while (x < 15) {
    product *= x;
    if (product > 1e200) [before, product] = [before + Math.log(product), 1];
    x += 1;
  }
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188 - y * (691 / 360360 - y / 156)))))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.9189385332046727 + series - Math.log(product) - before;
}

// --- a play ---------------------------------------------------------------------------------------------------

function roundHalfEven(x) {
  const floor = Math.floor(x), rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

function checkpointGrid(count, horizon) {
  const grid = [];
  for (let place = 1; place <= count; place++) {
    const round = place === count ? horizon : roundHalfEven(place * (horizon / count));
    if (round > 0 && round !== grid[grid.length - 1]) grid.push(round);
  }
  return grid;
}

class Lab {
  constructor(data, bytes) {
    this.data = data;
    this.bytes = bytes;
    this.modules = new Map();
    memory = new WebAssembly.Memory({ initial: 64 });
  }

  kernel(name) {
    if (!this.modules.has(name)) {
      const { at, size } = this.data.kernels[name];
      this.modules.set(name, new WebAssembly.Module(this.bytes.slice(at, at + size)));
    }
    return this.modules.get(name);
  }

  // Play `count` runs of a setting from run `first` on; every number as `robandit.simulate` has it.
  play(setting, first, count) {
    const { policy: { name, parameters }, means, horizon, environment, seed } = setting;
    const arms = means.length, policy = this.data.policies[name], attack = startAttack(setting), known = this.data.attacks[attack.kind];
    const placeWith = ({ layout, values }, own) => place(layout, { ...values, ...own });
    const grid = checkpointGrid(setting.checkpoints || 200, horizon), marks = grid.length;
    const streams = array([count, 3, 4], new BigUint64Array(12 * count));
    for (let run = 0; run < count; run++) streams.data.set(seedWords(seed, [first + run], 12), 12 * run);
    ending = FIRST;
    const parts = {
      policy: place(policy.part, { ...policy.values, ...parameters }),
      environment: place(this.data.environments[environment].part, { concentration: setting.concentration }),
      tables: place(this.data.environments[environment].tables, startTables(setting)),
      adversary: placeWith(known.part, attack.part),
      memory: placeWith(known.memory, attack.memory),
      state: place(policy.state, startState(policy, arms)),
    };
    const fresh = {
      state: place(policy.state, startState(policy, arms)),
      memory: placeWith(known.memory, startAttack(setting).memory),
    };
    const best = Math.max(...means), table = () => array([count, marks]);
    const record = { regret: table(), paid: table(), best_pulls: table(), pulls: array([count, arms]),
      changed: array([count]), checks: array([count]), sums: array([count, 3]) };
    const faults = array([count, 2]);
    const values = { 2: streams, "3.means": array([arms], means), "3.gaps": array([arms], means.map(mean => best - mean)),
      "3.frequencies": array([arms], 1 / arms), "3.proposal": array([arms], means), "3.features": array([0, 0]),
      "4.first": 0, "4.last": horizon, "4.is_resumed": false, "4.by_rounds": false,
      "4.checkpoints": array([marks], grid), "6.stop": array([1]), "6.progress": array([count]), "6.faults": faults };
    for (const role in parts) values[`0.${role}`] = parts[role];
    for (const role in fresh) values[`1.${role}`] = fresh[role];
    for (const path in record) values[`5.${path}`] = record[path];
    const block = place(this.data.arguments, values);
    const env = { __linear_memory: memory, __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, FIRST) };
    const instance = new WebAssembly.Instance(this.kernel(`${name} ${attack.kind} ${environment}`), { env });
    const failed = instance.exports.robandit_kernel(block);
    if (failed || read(faults, "int64").some(Boolean)) throw new Error(`${name} raised an exception in the middle of a play`);
    const seen = attack.kind === "by-hand" ? this.seen(parts.memory) : null;
    return { seen, rounds: grid, regret: read(record.regret), paid: read(record.paid), best: read(record.best_pulls, "int64"),
      pulls: read(record.pulls, "int64"), changed: read(record.changed, "int64") };
  }

  // The arm and the true reward of the last round, as the visitor's own attack remembers them.
  seen(begin) {
    const view = new DataView(memory.buffer), places = Object.fromEntries(this.data.attacks["by-hand"].memory.layout.fields.map(([path, , offset]) => [path, offset]));
    return { arm: Number(view.getBigInt64(begin + places.arm, true)), reward: view.getFloat64(begin + places.reward, true) };
  }
}
