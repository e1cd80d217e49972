// The page: views by address, one sentence for what is wrong, workers.
"use strict";

const VIEWS_OF = { story: Story, game: Game, frontier: Frontier, forge: Forge };

class App {
  constructor(data, bytes) {
    this.data = data;
    student = data.student;
    this.pool = new Pool(data, bytes);
    this.message = document.getElementById("message");
    this.status = document.getElementById("status");
    this.working = 0;
    this.views = {};
    for (const name in VIEWS_OF) this.views[name] = new VIEWS_OF[name](this, document.getElementById(name));
    window.addEventListener("hashchange", () => { if (location.hash !== this.written) this.open(); });
    this.open();
  }

  // Show what the address says.
  open() {
    const [name, query = ""] = location.hash.slice(1).split("?");
    let said = "", chosen = name || "story";
    try {
      if (!Object.hasOwn(this.views, chosen)) throw new Error(`The address names ${JSON.stringify(chosen)}, and this page has ${Object.keys(this.views).join(", ")}.`);
      if (query || !this.view) this.views[chosen].read(new URLSearchParams(query));
    } catch (error) {
      said = `${error.message} What you see is the usual ${Object.hasOwn(this.views, chosen) ? chosen : "story"}.`;
      chosen = Object.hasOwn(this.views, chosen) ? chosen : "story";
      this.views[chosen].read(new URLSearchParams());
    }
    this.name = chosen;
    this.view = this.views[chosen];
    for (const one in this.views) document.getElementById(one).hidden = one !== chosen;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === chosen) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.say(said);
    if (said) this.written = ""; // the address stays as it was typed
    else this.address();
    this.run();
    redraw();
  }

  // A control was moved: the address follows, and the picture.
  moved() {
    this.say("");
    this.address();
    this.run();
  }

  address() {
    this.written = `#${this.name}?${this.view.write()}`;
    history.replaceState(null, "", this.written);
  }

  run() {
    this.asked = performance.now();
    this.view.show().catch(error => { this.say(`${error.message}.`); this.busy(false); });
  }

  // A picture is there; the first one after a move is timed.
  drawn() {
    if (this.asked) this.waited = performance.now() - this.asked;
    this.asked = 0;
  }

  busy(is) {
    this.working += is ? 1 : -1;
    this.status.textContent = this.working > 0 ? "computing …" : "";
    document.body.dataset.state = this.working > 0 ? "busy" : "ready";
  }

  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
  }
}

async function unpack(text) {
  const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = new DataView(whole.buffer).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + size))), whole.slice(4 + size)];
}

if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
  document.getElementById("message").hidden = false;
  document.getElementById("message").textContent = "This browser is too old for this page: it needs WebAssembly and DecompressionStream, which browsers have had since 2023.";
} else unpack(document.getElementById("kernels").textContent.trim()).then(([data, bytes]) => { window.app = new App(data, bytes); });
