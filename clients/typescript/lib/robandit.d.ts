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
import type { DecisionReply, DecisionRequest, ExperimentReply, Reward } from "./schema.js";
export type { DecisionReply, DecisionRequest, ExperimentReply, Reward } from "./schema.js";
/** The service refused; `status` and `message` say why. */
export declare class ServiceError extends Error {
    readonly status: number;
    constructor(status: number, detail: string);
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
export declare class Client {
    #private;
    constructor(url: string, options?: ClientOptions);
    /** An experiment that exists, by id or name. */
    experiment(id: string | number): Experiment;
    /** Send a request, again if need be; throws ServiceError for a refusal. */
    send<Reply>(method: string, path: string, body?: unknown, key?: string): Promise<Reply>;
}
/** One experiment of a service. */
export declare class Experiment {
    #private;
    constructor(client: Client, id: string);
    /** Choose an arm; `key` makes two calls one decision, also after this program has died. */
    decide(request?: Omit<DecisionRequest, "count">, key?: string): Promise<DecisionReply>;
    /** Report what a decision earned; false if that was reported before. */
    reward(id: string, reward: number, more?: Omit<Reward, "reward">): Promise<boolean>;
    /** Report that a decision was shown; false if that was reported before. */
    activate(id: string): Promise<boolean>;
    /** The experiment as it stands. */
    about(): Promise<ExperimentReply>;
}
