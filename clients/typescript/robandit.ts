/**
 * A client of robandit's decision service, for browsers, Node and other runtimes with `fetch`.
 *
 *     const offers = new Client("http://127.0.0.1:8470").experiment("offers");
 *     const decision = await offers.decide({ unit: "visitor 17" });
 *     await offers.reward(decision.id, 1, { source: "visitor 17" });
 *
 * What fails on the way is tried again for `retryFor` milliseconds. A decision carries a key, so that a retry gets the
 * same one; a reward counts once however often it is sent.
 */
import type { DecisionReply, DecisionRequest, Done, ExperimentReply, Reward } from "./schema.js";

export type { DecisionReply, DecisionRequest, ExperimentReply, Reward } from "./schema.js";

const AGAIN = new Set([429, 502, 503, 504]);
const MOVES = 3; // from one process of several to another

/** The service refused; `status` and `message` say why. */
export class ServiceError extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.name = "ServiceError";
    this.status = status;
  }
}

export interface ClientOptions {
  /** Sent as `Authorization: Bearer`. */
  token?: string;
  /** Milliseconds in which a request is tried again; 20,000 unless said. */
  retryFor?: number;
  /** Milliseconds after which one try is given up; 10,000 unless said. */
  timeout?: number;
}

/** The service at an address. */
export class Client {
  readonly #url: string;
  readonly #options: Required<Omit<ClientOptions, "token">>;
  readonly #headers: Record<string, string>;

  constructor(url: string, options: ClientOptions = {}) {
    this.#url = url.replace(/\/+$/, "");
    this.#options = { retryFor: options.retryFor ?? 20_000, timeout: options.timeout ?? 10_000 };
    this.#headers = { "content-type": "application/json" };
    if (options.token !== undefined) this.#headers["authorization"] = `Bearer ${options.token}`;
  }

  /** An experiment that exists, by id or name. */
  experiment(id: string | number): Experiment {
    return new Experiment(this, String(id));
  }

  /** Send a request, again if need be; throws ServiceError for a refusal. */
  async send<Reply>(method: string, path: string, body?: unknown, key?: string): Promise<Reply> {
    const headers = key === undefined ? this.#headers : { ...this.#headers, "idempotency-key": key };
    const init: RequestInit = { method, headers, redirect: "manual" };
    if (body !== undefined) init.body = JSON.stringify(body);
    const ends = Date.now() + this.#options.retryFor;
    for (let wait = 100; ; wait = Math.min(2 * wait, 2000)) {
      const response = await this.#once(path, init).catch((error: unknown) => {
        if (Date.now() + wait > ends) throw error;
        return undefined;
      });
      if (response !== undefined && !(AGAIN.has(response.status) && Date.now() + wait <= ends)) {
        return read<Reply>(response);
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Send once, also to where another process serves: with the token, which redirects of `fetch` leave out. */
  async #once(path: string, init: RequestInit): Promise<Response> {
    let url = this.#url + path;
    for (let move = 0; ; move++) {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(this.#options.timeout) });
      if (response.type === "opaqueredirect") return fetch(url, { ...init, redirect: "follow" }); // a browser hides where to
      const location = response.headers.get("location");
      if (response.status !== 307 || location === null || move === MOVES) return response;
      url = new URL(location, url).href;
    }
  }
}

/** One experiment of a service. */
export class Experiment {
  readonly #client: Client;
  readonly #base: string;

  constructor(client: Client, id: string) {
    this.#client = client;
    this.#base = `/v1/experiments/${encodeURIComponent(id)}`;
  }

  /** Choose an arm; `key` makes two calls one decision, also after this program has died. */
  decide(request: Omit<DecisionRequest, "count"> = {}, key: string = newKey()): Promise<DecisionReply> {
    return this.#client.send("POST", `${this.#base}/decisions`, request, key);
  }

  /** Report what a decision earned; false if that was reported before. */
  async reward(id: string, reward: number, more: Omit<Reward, "reward"> = {}): Promise<boolean> {
    return (await this.#client.send<Done>("PUT", `${this.#base}/decisions/${id}/reward`, { reward, ...more })).new !== false;
  }

  /** Report that a decision was shown; false if that was reported before. */
  async activate(id: string): Promise<boolean> {
    return (await this.#client.send<Done>("POST", `${this.#base}/decisions/${id}/activation`)).new !== false;
  }

  /** The experiment as it stands. */
  about(): Promise<ExperimentReply> {
    return this.#client.send("GET", this.#base);
  }
}

async function read<Reply>(response: Response): Promise<Reply> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Reply;
  let detail = text.slice(0, 200);
  try {
    detail = String((JSON.parse(text) as { detail?: string }).detail ?? detail);
  } catch {
    // a proxy's own words
  }
  throw new ServiceError(response.status, detail);
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
