// A worker: kernels once, then one play after another.
"use strict";
let lab = null;
self.onmessage = event => {
  const { kernels, job } = event.data;
  if (kernels) { lab = new Lab(kernels.data, kernels.bytes); return; }
  try {
    const begun = performance.now(), result = lab.play(job.setting, job.first, job.count);
    const arrays = Object.values(result).filter(value => value instanceof Float64Array).map(value => value.buffer);
    self.postMessage({ id: job.id, result, milliseconds: performance.now() - begun }, arrays);
  } catch (error) {
    self.postMessage({ id: job.id, error: error.message });
  }
};
