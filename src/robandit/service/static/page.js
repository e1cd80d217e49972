// The page moves by one event stream: parts rendered by the server take each other's place, and two charts are drawn.
"use strict";
(function () {
  var live = document.getElementById("live"), link = document.getElementById("link"), charts = [], data = null, source = null;
  if (!live) return;

  function put(name, html) {
    var part = document.getElementById("part-" + name);
    if (!part) return;
    var had = part.contains(document.activeElement) ? document.activeElement : null;
    var label = had && (had.getAttribute("aria-label") || had.textContent), kind = had && had.tagName;
    var open = Array.from(part.querySelectorAll("details")).map(function (one) { return one.open; });
    var scrolled = Array.from(part.querySelectorAll(".scroll")).map(function (one) { return [one.scrollLeft, one.scrollTop]; });
    part.innerHTML = html; // escaped by the server
    part.querySelectorAll("details").forEach(function (one, place) { one.open = Boolean(open[place]); });
    part.querySelectorAll(".scroll").forEach(function (one, place) {
      if (scrolled[place]) { one.scrollLeft = scrolled[place][0]; one.scrollTop = scrolled[place][1]; }
    });
    if (!had) return;
    var same = Array.from(part.querySelectorAll(kind)).find(function (one) {
      return (one.getAttribute("aria-label") || one.textContent) === label;
    });
    if (same) same.focus({ preventScroll: true });
  }

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  function draw() {
    if (!data || typeof uPlot === "undefined") return;
    charts.forEach(function (chart) { chart.destroy(); });
    charts = ["believed", "shown"].map(function (kind) {
      var place = document.getElementById("chart-" + kind), rows = data.decisions.length;
      if (rows < 2) { place.textContent = "The line begins after some more decisions."; return { destroy: function () {} }; }
      place.textContent = "";
      var axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
      var series = data.labels.map(function (label, number) {
        return { label: label, stroke: colour("--c" + Math.min(number, 7)), width: 2, points: { show: false },
          dash: number % 2 ? [7, 3] : undefined };
      });
      return new uPlot({
        width: Math.max(place.clientWidth, 240), height: place.clientWidth < 500 ? 200 : 260,
        scales: { x: { time: false }, y: { range: [0, 1] } }, legend: { show: false }, cursor: { show: false },
        axes: [
          Object.assign({ label: "decisions", labelSize: 22 }, axis),
          Object.assign({ size: 52, values: function (u, ticks) { return ticks.map(function (v) { return Math.round(100 * v) + " %"; }); } }, axis)
        ],
        series: [{}].concat(series)
      }, [data.decisions].concat(data[kind]), place);
    });
  }

  function ages() {
    document.querySelectorAll(".age").forEach(function (one) {
      var gone = Math.max(0, Math.round((Date.now() - Date.parse(one.dataset.since)) / 1000));
      var age = gone < 120 ? gone + " s" : gone < 7200 ? Math.round(gone / 60) + " min" : Math.round(gone / 3600) + " h";
      one.textContent = " (" + age + " ago)";
    });
  }

  function follow() {
    if (source) source.close();
    source = new EventSource(live.dataset.events);
    source.onopen = function () { link.textContent = "Live."; };
    source.onmessage = function (event) {
      var parts = JSON.parse(event.data);
      Object.keys(parts).forEach(function (name) {
        if (name === "chart") { data = JSON.parse(parts.chart); draw(); } else put(name, parts[name]);
      });
      ages();
      live.dataset.events_seen = String(Number(live.dataset.events_seen || 0) + 1);
    };
    source.onerror = function () {
      link.textContent = source.readyState === 2 ? "Not live: load this page again." : "Not live: trying to reach the service again.";
    };
  }

  if (live.dataset.chart) { data = JSON.parse(live.dataset.chart); draw(); }
  ages();
  setInterval(ages, 1000);
  var wait = 0, wide = window.innerWidth;
  window.addEventListener("resize", function () {
    if (window.innerWidth === wide) return;
    wide = window.innerWidth; clearTimeout(wait); wait = setTimeout(draw, 200);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) { if (source) source.close(); } else follow();
  });
  follow();
})();
