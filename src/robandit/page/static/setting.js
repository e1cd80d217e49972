// What is played, as the address has it: read and checked, written, and as a command and as Python.
"use strict";

const LIMITS = { horizon: [100, 1000000], runs: [2, 200], seed: [0, 4294967295], budget: [0, 1000000] };
const ARMS = [2, 12];
const SHOWN = ["sink-shown", "promote", "push-shown"]; // threat model B: sees the draw
const CAN = ["add", "erase", "both"];
const STORY = { means: [0.02, 0.03, 0.05], horizon: 20000, runs: 50, seed: 1, environment: "bernoulli", concentration: 10,
  policies: ["thompson", "bonus-thompson:withstand=20"], attack: { name: "sink-shown", parameters: {}, can: "erase", share: 1, budget: 20 } };

function readNumber(name, text, [least, most], whole = true) {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most) || (whole && value % 1))
    throw new Error(`${name} must be a ${whole ? "whole " : ""}number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
  return value;
}

function readMeans(text) {
  const means = text.split(",").map(piece => readNumber("Each mean", piece.trim(), [0, 1], false));
  if (means.length < ARMS[0] || means.length > ARMS[1]) throw new Error(`The page plays ${ARMS[0]} to ${ARMS[1]} arms, not ${means.length}.`);
  if (Math.max(...means) - Math.min(...means) <= 1e-12) throw new Error("Arms of equal mean leave nothing to learn: give means that differ.");
  return means;
}

function readParameters(text) {
  return Object.fromEntries(text.split(",").filter(Boolean).map(piece => piece.split("=")));
}

// A policy's name and numbers from text such as `bonus-thompson:withstand=20`.
function readPolicy(text, data) {
  const [name, ...rest] = text.split(":"), policy = Object.hasOwn(data.policies, name) ? data.policies[name] : null;
  if (!policy) throw new Error(`This page has no policy ${JSON.stringify(name)}; it has ${Object.keys(data.policies).join(", ")}.`);
  const parameters = {};
  for (const [alias, value] of Object.entries(readParameters(rest.join(":")))) {
    const parameter = policy.aliases[alias] || alias, limits = policy.parameters[parameter], number = Number(value);
    if (!limits) throw new Error(`${name} has no number ${JSON.stringify(alias)}; it has ${Object.keys(policy.parameters).join(", ") || "none"}.`);
    const { above = -Infinity, below = Infinity, least = -Infinity, most = Infinity } = limits;
    if (!value || !Number.isFinite(number) || number <= above || number >= below || number < least || number > most)
      throw new Error(`${name}: ${alias} cannot be ${JSON.stringify(value)}.`);
    parameters[parameter] = number;
  }
  return { name, parameters };
}

function readAttack(params, arms) {
  const [name, ...rest] = params.get("attack").split(":"), shown = SHOWN.includes(name);
  if (!shown && !Object.hasOwn(TARGETS, name))
    throw new Error(`This page has no attack ${JSON.stringify(name)}; it has ${[...SHOWN, ...Object.keys(TARGETS)].join(", ")}.`);
  const attack = { name, parameters: {}, budget: readNumber("budget", params.get("budget") ?? "20", LIMITS.budget, false) };
  const given = readParameters(rest.join(":"));
  if (name === "push-shown") {
    const parameters = { lowered: 1, raised: 0, worst: false };
    for (const [key, value] of Object.entries(given)) {
      if (key === "worst" && ["true", "false"].includes(value)) parameters.worst = value === "true";
      else if (key === "lowered" || key === "raised") parameters[key] = readNumber(key, value, [0, arms]);
      else throw new Error(`push-shown has lowered, raised and worst on this page, not ${JSON.stringify(key)}.`);
    }
    const total = parameters.lowered + parameters.raised;
    if (total < 1 || total > arms) throw new Error(`push-shown: lowered and raised must be 1 to ${arms} arms together, not ${total}.`);
    attack.parameters = parameters;
  } else if (Object.keys(given).length) throw new Error(`${name} has no parameters on this page.`);
  if (shown) {
    attack.can = params.get("can") ?? "both";
    if (!CAN.includes(attack.can)) throw new Error(`can must be one of ${CAN.join(", ")}, not ${JSON.stringify(attack.can)}.`);
    attack.share = readNumber("share", params.get("share") ?? "1", [0.0001, 1], false);
  } else {
    attack.schedule = params.get("schedule") ?? "start";
    if (!Object.hasOwn(SCHEDULES, attack.schedule))
      throw new Error(`schedule must be one of ${Object.keys(SCHEDULES).join(", ")}, not ${JSON.stringify(attack.schedule)}.`);
  }
  return attack;
}

// The game of an address; raises an Error whose message is one sentence. What is left out is as in the story.
function readGame(params, data, known = []) {
  const names = ["means", "horizon", "runs", "seed", "environment", "policy", "attack", "can", "share", "schedule", "budget", ...known];
  for (const name of params.keys()) if (!names.includes(name)) throw new Error(`The address has ${JSON.stringify(name)}, which this page does not know.`);
  const game = { ...STORY, attack: null };
  if (params.has("means")) game.means = readMeans(params.get("means"));
  for (const name of ["horizon", "runs", "seed"]) if (params.has(name)) game[name] = readNumber(name, params.get(name), LIMITS[name]);
  if (params.has("environment")) {
    const [place, rest] = params.get("environment").split(":");
    if (!Object.hasOwn(data.environments, place))
      throw new Error(`environment must be one of ${Object.keys(data.environments).join(", ")}, not ${JSON.stringify(place)}.`);
    game.environment = place;
    if (rest) game.concentration = readNumber("concentration", readParameters(rest).concentration ?? "", [0.1, 10000], false);
  }
  if (params.has("policy")) game.policies = [...new Set(params.getAll("policy"))];
  game.policies.forEach(text => readPolicy(text, data));
  if (params.get("attack")) game.attack = readAttack(params, game.means.length);
  return game;
}

function attackText({ name, parameters }) {
  const usual = { lowered: 1, raised: 0, worst: false };
  const changed = Object.entries(parameters || {}).filter(([key, value]) => value !== usual[key]).map(([key, value]) => `${key}=${value}`);
  return name + (changed.length ? `:${changed.join(",")}` : "");
}

function environmentText(game) {
  return game.environment === "bernoulli" ? "bernoulli" : `beta:concentration=${game.concentration}`;
}

function writeGame(game) {
  const params = new URLSearchParams({ means: game.means.join(","), horizon: game.horizon, runs: game.runs, seed: game.seed });
  if (game.environment !== "bernoulli") params.set("environment", environmentText(game));
  for (const policy of game.policies) params.append("policy", policy);
  if (game.attack) {
    params.set("attack", attackText(game.attack));
    for (const name of ["can", "share", "schedule", "budget"])
      if (game.attack[name] !== undefined && !(name === "share" && game.attack.share === 1)) params.set(name, game.attack[name]);
  }
  return params.toString().replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%3D/g, "=");
}

// One setting of the lab for each policy of a game.
function settingsOf(game, data, checkpoints = 200) {
  return game.policies.map(text => ({ ...game, policy: readPolicy(text, data), label: text, checkpoints }));
}

function hasAttack(game) { return game.attack && game.attack.budget > 0; }

function flagsOf(game) {
  const flags = [`--means ${game.means.join(",")}`, `--horizon ${game.horizon}`];
  if (game.environment !== "bernoulli") flags.push(`--environment ${environmentText(game)}`);
  return flags;
}

function attackFlags(attack) {
  const flags = [`--attack ${attackText(attack)}`];
  if (attack.can && attack.can !== "both") flags.push(`--can ${attack.can}`);
  if (attack.share < 1) flags.push(`--share ${attack.share}`);
  if (attack.schedule) flags.push(`--schedule ${attack.schedule}`);
  return flags;
}

function commandOf(game) {
  const attack = hasAttack(game) ? [...attackFlags(game.attack), `--budget ${game.attack.budget}`] : [];
  const policies = game.policies.map(policy => `--policy ${policy}`);
  return ["robandit play", ...policies, ...flagsOf(game), `--runs ${game.runs}`, `--seed ${game.seed}`, ...attack, "--json"].join(" ");
}

function pythonOf(game) {
  const lines = ["import robandit as rb", ""], { attack } = game, place = game.environment === "bernoulli" ? "rb.Bernoulli" : "rb.Beta";
  const more = game.environment === "bernoulli" ? "" : `, concentration=${game.concentration}`;
  lines.push(`arms = ${place}([${game.means.join(", ")}]${more})`);
  if (hasAttack(game)) {
    const terms = attack.schedule ? `schedule="${attack.schedule}"` : `capability="${attack.can}${attack.share < 1 ? `:share=${attack.share}` : ""}"`;
    lines.push(`attacker = rb.attack("${attackText(attack)}", budget=${attack.budget}, ${terms})`);
  } else lines.push("attacker = None");
  lines.push(`for policy in (${game.policies.map(policy => `"${policy}"`).join(", ")}${game.policies.length === 1 ? "," : ""}):`);
  lines.push(`    trace = rb.simulate(policy, arms, attacker, horizon=${game.horizon}, runs=${game.runs}, seed=${game.seed})`);
  lines.push('    print(policy, trace.summary()["mean"], trace.best_arm_share, trace.corruption_paid[:, -1].mean())');
  return lines.join("\n");
}
