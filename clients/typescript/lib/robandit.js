const AGAIN = new Set([429, 502, 503, 504]);
const MOVES = 3; // from one process of several to another
/** The service refused; `status` and `message` say why. */
export class ServiceError extends Error {
    status;
    constructor(status, detail) {
        super(detail);
        this.name = "ServiceError";
        this.status = status;
    }
}
/** The service at an address. */
export class Client {
    #url;
    #options;
    #headers;
    constructor(url, options = {}) {
        this.#url = url.replace(/\/+$/, "");
        this.#options = { retryFor: options.retryFor ?? 20_000, timeout: options.timeout ?? 10_000 };
        this.#headers = { "content-type": "application/json" };
        if (options.token !== undefined)
            this.#headers["authorization"] = `Bearer ${options.token}`;
    }
    /** An experiment that exists, by id or name. */
    experiment(id) {
        return new Experiment(this, String(id));
    }
    /** Send a request, again if need be; throws ServiceError for a refusal. */
    async send(method, path, body, key) {
        const headers = key === undefined ? this.#headers : { ...this.#headers, "idempotency-key": key };
        const init = { method, headers, redirect: "manual" };
        if (body !== undefined)
            init.body = JSON.stringify(body);
        const ends = Date.now() + this.#options.retryFor;
        for (let wait = 100;; wait = Math.min(2 * wait, 2000)) {
            const response = await this.#once(path, init).catch((error) => {
                if (Date.now() + wait > ends)
                    throw error;
                return undefined;
            });
            if (response !== undefined && !(AGAIN.has(response.status) && Date.now() + wait <= ends)) {
                return read(response);
            }
            await new Promise((resolve) => setTimeout(resolve, wait));
        }
    }
    /** Send once, also to where another process serves: with the token, which redirects of `fetch` leave out. */
    async #once(path, init) {
        let url = this.#url + path;
        for (let move = 0;; move++) {
            const response = await fetch(url, { ...init, signal: AbortSignal.timeout(this.#options.timeout) });
            if (response.type === "opaqueredirect")
                return fetch(url, { ...init, redirect: "follow" }); // a browser hides where to
            const location = response.headers.get("location");
            if (response.status !== 307 || location === null || move === MOVES)
                return response;
            url = new URL(location, url).href;
        }
    }
}
/** One experiment of a service. */
export class Experiment {
    #client;
    #base;
    constructor(client, id) {
        this.#client = client;
        this.#base = `/v1/experiments/${encodeURIComponent(id)}`;
    }
    /** Choose an arm; `key` makes two calls one decision, also after this program has died. */
    decide(request = {}, key = newKey()) {
        return this.#client.send("POST", `${this.#base}/decisions`, request, key);
    }
    /** Report what a decision earned; false if that was reported before. */
    async reward(id, reward, more = {}) {
        return (await this.#client.send("PUT", `${this.#base}/decisions/${id}/reward`, { reward, ...more })).new !== false;
    }
    /** Report that a decision was shown; false if that was reported before. */
    async activate(id) {
        return (await this.#client.send("POST", `${this.#base}/decisions/${id}/activation`)).new !== false;
    }
    /** The experiment as it stands. */
    about() {
        return this.#client.send("GET", this.#base);
    }
}
async function read(response) {
    const text = await response.text();
    if (response.ok)
        return JSON.parse(text);
    let detail = text.slice(0, 200);
    try {
        detail = String(JSON.parse(text).detail ?? detail);
    }
    catch {
        // a proxy's own words
    }
    throw new ServiceError(response.status, detail);
}
function newKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
