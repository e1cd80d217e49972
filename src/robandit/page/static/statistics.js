// Means and intervals to the last bit as the Python package works them out.
"use strict";
let student = []; // 97.5 % quantiles of Student's t, from one degree of freedom on

function sum(values, begin = 0, count = values.length) { // in pairs, as NumPy adds
  if (count < 8) {
    let total = 0;
    for (let place = begin; place < begin + count; place++) total += values[place];
    return total;
  }
  if (count > 128) {
    const half = Math.floor(count / 2) - (Math.floor(count / 2) % 8);
    return sum(values, begin, half) + sum(values, begin + half, count - half);
  }
  const r = Array.from({ length: 8 }, (_, place) => values[begin + place]);
  let place = 8;
  for (; place < count - (count % 8); place += 8) for (let lane = 0; lane < 8; lane++) r[lane] += values[begin + place + lane];
  let total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; place < count; place++) total += values[begin + place];
  return total;
}

function mean(values) { return sum(values) / values.length; }

function quantile(sorted, q) {
  const at = q * (sorted.length - 1), floor = Math.floor(at), t = at - floor;
  const low = sorted[floor], high = sorted[Math.min(floor + 1, sorted.length - 1)], rise = high - low;
  return t >= 0.5 ? high - rise * (1 - t) : low + rise * t;
}

function summarise(values) {
  const count = values.length, centre = mean(values), sorted = Float64Array.from(values).sort();
  const [p05, median, p95] = [0.05, 0.5, 0.95].map(q => quantile(sorted, q));
  if (count < 2) return { mean: centre, sd: null, se: null, half_width_95: null, median, p05, p95 };
  const sd = Math.sqrt(sum(values.map(value => (value - centre) * (value - centre))) / (count - 1)), se = sd / Math.sqrt(count);
  return { mean: centre, sd, se, half_width_95: student[count - 2] * se, median, p05, p95 };
}

// Mean, 5 % and 95 % quantile of every column.
function bands(rows) {
  const columns = { mean: [], low: [], high: [] };
  for (let mark = 0; mark < rows[0].length; mark++) {
    const column = Float64Array.from(rows, row => row[mark]);
    columns.mean.push(mean(column));
    column.sort();
    columns.low.push(quantile(column, 0.05));
    columns.high.push(quantile(column, 0.95));
  }
  return columns;
}
