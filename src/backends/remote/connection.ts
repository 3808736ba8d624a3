import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { CLOCK_HEADER, PROTOCOL, PROTOCOL_HEADER, VERSION_HEADER } from "../../ports/ledger-wire.ts";
import { LedgerError } from "../../ports/ledger.ts";

export interface RemoteOptions {
  /** URL of the controller. */
  readonly url: string;
  /** Absent if the controller has no keys. */
  readonly key?: string;
  /** How long the first request is repeated; 10 s by default, so that a wrong address is reported soon. */
  readonly firstPatienceMs?: number;
  /** Name and version of this program, for messages. */
  readonly version?: string;
  /** When aborted, calls without a response fail and are not sent again. */
  readonly signal?: AbortSignal;
  /** Called when the controller stops responding, from time to time while that lasts, and when it responds again. */
  readonly log?: Readonly<
    Record<"info" | "warn", (event: string, facts: Readonly<Record<string, unknown>>) => void>
  >;
  /** A monotonic clock in ms; by default that of `performance`. */
  readonly steadyMs?: () => number;
}

/** It is unknown whether the request took effect. */
export class Unanswered extends Error {
  /** The server has asked for a pause of this length. */
  readonly afterMs: number;
  constructor(reason: string, afterMs = 0, options?: ErrorOptions) {
    super(reason, options);
    this.name = "Unanswered";
    this.afterMs = afterMs;
  }
}

/** For responses whose body breaks off. */
export const unanswered = (error: Error): never => {
  throw new Unanswered(reasonOf(error), 0, { cause: error });
};

export interface Sent {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string | Uint8Array | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  /** Timeout until the head of the response, and between two chunks of its body. */
  readonly timeoutMs?: number;
}

export type Response = Dispatcher.ResponseData;

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
/** A call without a response for this time fails. The ledger recognizes a repeated call for somewhat longer. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** Interval of log messages while there is no response. */
const LOG_MS = 30_000;
/** The controller, or a proxy in front of it, is not ready or has failed: every call may be sent again. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Requests to one controller, and what is known about its clock. */
export class Connection {
  readonly url: string;
  readonly offset: SteadyOffset;
  readonly #options: RemoteOptions;
  readonly #origin: string;
  readonly #base: string;
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MS, keepAlive: true },
    keepAliveTimeout: 30_000,
  });

  /** Since when there is no response, and when that was last logged. */
  #cutOff: { readonly at: number; readonly loggedAt: number } | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.url = options.url.replace(/\/+$/, "");
    const { origin, pathname } = new URL(this.url);
    [this.#origin, this.#base] = [origin, pathname.replace(/\/+$/, "")];
    this.offset = new SteadyOffset(options.steadyMs);
  }

  /** One attempt. Throws `Unanswered` if another attempt may get a response, and a `LedgerError` if none will. */
  async send({ method, path, body, type, headers, timeoutMs = ANSWER_MS }: Sent): Promise<Response> {
    const { key, version, signal } = this.#options;
    const response = await this.#agent
      .request({
        origin: this.#origin,
        path: this.#base + path,
        method,
        headers: {
          [PROTOCOL_HEADER]: String(PROTOCOL),
          ...(version !== undefined && { [VERSION_HEADER]: version }),
          ...this.offset.headers(),
          ...headers,
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(type !== undefined && { "content-type": type }),
        },
        ...(body !== undefined && { body }),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(signal && { signal }),
      })
      .catch(unanswered);
    this.offset.note(response.headers[CLOCK_HEADER]);
    const { statusCode } = response;
    if (statusCode < 400 || statusCode === 404 || statusCode === 409)
      if (response.headers[PROTOCOL_HEADER] === String(PROTOCOL)) {
        this.#answered();
        return response;
      }
    throw await this.#refusal(response);
  }

  /** Repeats the request until there is a response, or until the time limit. */
  async repeat<T>(what: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (let tries = 1; ; tries++)
      try {
        return await work();
      } catch (error) {
        if (!(await this.isWorthAnother(error, { what, tries, startedAt }))) throw error;
      }
  }

  /** After a pause, returns whether the failed request may be sent again. Throws after the time limit. */
  async isWorthAnother(
    failed: unknown,
    { what, tries, startedAt }: { readonly what: string; readonly tries: number; readonly startedAt: number },
  ): Promise<boolean> {
    if (!(failed instanceof Unanswered) || this.#agent.destroyed) return false;
    const { signal } = this.#options;
    this.#unanswered(what, failed);
    const passedMs = performance.now() - startedAt;
    if (passedMs > PATIENCE_MS || signal?.aborted)
      throw new LedgerError(
        "unavailable",
        `${this.url}: no answer to ${what} for ${Math.round(passedMs / 1000)} s (${failed.message}). Check that the controller runs (\`sluice serve\`) and that it can be reached from here.`,
        { cause: failed },
      );
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
    await delay(Math.max(failed.afterMs, pauseMs * (0.5 + Math.random() / 2)), undefined, {
      ...(signal && { signal }),
    }).catch(() => undefined);
    return true;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #unanswered(call: string, { message }: Unanswered): void {
    const now = performance.now();
    const { at, loggedAt } = this.#cutOff ?? { at: now, loggedAt: -Infinity };
    const isLogged = now - loggedAt < LOG_MS;
    this.#cutOff = { at, loggedAt: isLogged ? loggedAt : now };
    if (!isLogged)
      this.#options.log?.warn("controller does not answer", {
        url: this.url,
        call,
        reason: message,
        forMs: Math.round(now - at),
      });
  }

  #answered(): void {
    if (!this.#cutOff) return;
    const forMs = Math.round(performance.now() - this.#cutOff.at);
    this.#cutOff = undefined;
    this.#options.log?.info("controller answers again", { url: this.url, forMs });
  }

  async #refusal({ statusCode, headers, body }: Response): Promise<Error> {
    const text = await body.text().catch(() => "");
    const { code = "", detail = "" } = problemIn(text);
    const refused = (as: LedgerError["code"], what: string) => new LedgerError(as, `${this.url}: ${what}`);
    if (code === "other-protocol") return refused("other-version", detail);
    if (statusCode === 401)
      return refused(
        "no-access",
        "the controller does not accept this key; it is unknown or was revoked. Create one with `sluice clients key CLIENT --role worker`, and pass it with --key-file or SLUICE_KEY.",
      );
    if (statusCode === 403)
      return refused("no-access", `${detail} A worker needs a key that was created with --role worker.`);
    if (BUSY.has(statusCode)) {
      const seconds = Number(headers["retry-after"]);
      return new Unanswered(detail || `status ${statusCode}`, Number.isFinite(seconds) ? seconds * 1000 : 0);
    }
    if (code !== "" && code !== "not-found") return refused("unavailable", `${detail} (${code})`);
    return refused(
      "unavailable",
      `this is not a Sluice controller, or one too old for this worker (status ${statusCode}). Give the URL on which \`sluice serve\` listens, or upgrade the controller.`,
    );
  }
}

const problemIn = (text: string): { readonly code?: string; readonly detail?: string } => {
  try {
    return (JSON.parse(text) ?? {}) as { code?: string; detail?: string };
  } catch {
    return {};
  }
};

const reasonOf = (error: Error & { readonly code?: string }): string => error.code ?? error.message;

/** The clocks of two machines drift apart by about 50 ms in a quarter of an hour: older responses are not used. */
const WINDOW_MS = 5 * 60_000;

interface Best {
  readonly ms: number;
  readonly at: number;
}

/**
 * How far this machine's monotonic clock is ahead of the controller's, measured by the fastest response: slots are counted from
 * the time they were booked, not from the time the response arrived. The value is too large by the duration of the fastest
 * response, so a slot is never used too early.
 */
class SteadyOffset {
  readonly #now: () => number;
  #process = "";
  #best: Best | undefined;
  #before: Best | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A response has arrived, with the name of the process and its clock. */
  note(header: string | string[] | undefined): void {
    const [process = "", clock] = String(header ?? "").split(" ");
    if (process === "" || !Number.isFinite(Number(clock))) return;
    const now = this.#now();
    const ms = now - Number(clock);
    if (process !== this.#process)
      [this.#process, this.#best, this.#before] = [process, undefined, undefined];
    if (this.#best && now - this.#best.at > WINDOW_MS) [this.#before, this.#best] = [this.#best, undefined];
    if (!this.#best || ms < this.#best.ms) this.#best = { ms, at: this.#best?.at ?? now };
    if (this.#before && now - this.#before.at > 2 * WINDOW_MS) this.#before = undefined;
  }

  /** How much longer than the fastest response the current one took. */
  lateMs(header: string | string[] | undefined): number {
    const [process, clock] = String(header ?? "").split(" ");
    return process === this.#process && this.#best ? this.#now() - Number(clock) - this.#ms : 0;
  }

  /** What a request says about when it was sent. */
  headers(): Readonly<Record<string, string>> {
    return this.#best ? { [CLOCK_HEADER]: `${this.#process} ${this.#now() - this.#ms}` } : {};
  }

  get #ms(): number {
    return Math.min(this.#best?.ms ?? Infinity, this.#before?.ms ?? Infinity);
  }
}
