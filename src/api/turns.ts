import { Problem } from "../services/problem.ts";

/** Per client: pages being read or sent, and pages waiting. */
const MOST_AT_ONCE = 4;
const MOST_WAITING = 64;
/** Over all clients. */
const MOST_IN_ALL = 16;

interface Line {
  active: number;
  readonly waiting: (() => void)[];
}

/** Places that clients share in turns, so that many requests of one client do not delay the first of another. */
export class FairTurns {
  readonly #lines = new Map<string, Line>();
  #active = 0;

  /** Resolves when there is a place; disposing of it frees it. */
  async take(client: string): Promise<Disposable> {
    const line = this.#lines.get(client) ?? { active: 0, waiting: [] };
    this.#lines.set(client, line);
    if (line.waiting.length >= MOST_WAITING)
      throw new Problem(
        "too-many-requests",
        `${MOST_WAITING} requests of this client for lists are waiting. Wait for a response before the next request.`,
        { retryAfterSeconds: 1 },
      );
    await new Promise<void>((resolve) => {
      line.waiting.push(resolve);
      this.#handOut();
    });
    let isBack = false;
    return {
      [Symbol.dispose]: () => {
        if (isBack) return;
        isBack = true;
        this.#active--;
        line.active--;
        if (line.active === 0 && line.waiting.length === 0) this.#lines.delete(client);
        this.#handOut();
      },
    };
  }

  #handOut(): void {
    for (let isMore = true; isMore && this.#active < MOST_IN_ALL;) {
      isMore = false;
      for (const [client, line] of this.#lines) {
        if (this.#active >= MOST_IN_ALL) return;
        if (line.active >= MOST_AT_ONCE) continue;
        const next = line.waiting.shift();
        if (!next) continue;
        line.active++;
        this.#active++;
        isMore = true;
        // To the end of the order: it is the others' turn now.
        this.#lines.delete(client);
        this.#lines.set(client, line);
        next();
        break;
      }
    }
  }
}

/** Requests of one client that start in the same turn of the event loop. */
const MOST_A_TURN = 8;
const MOST_REQUESTS_WAITING = 2000;

interface RequestLine {
  begun: number;
  readonly waiting: (() => void)[];
}

/**
 * Starts a few requests of each client in every turn of the event loop. Otherwise hundreds that arrive together would all start before a request of another
 * client is even read.
 */
export class RequestTurns {
  readonly #lines = new Map<string, RequestLine>();

  /** Undefined if it may start at once. */
  take(client: string): Promise<void> | undefined {
    let line = this.#lines.get(client);
    if (!line) {
      if (this.#lines.size === 0) setImmediate(() => this.#next());
      this.#lines.set(client, (line = { begun: 0, waiting: [] }));
    }
    if (line.begun < MOST_A_TURN && line.waiting.length === 0) {
      line.begun++;
      return undefined;
    }
    if (line.waiting.length >= MOST_REQUESTS_WAITING)
      throw new Problem(
        "too-many-requests",
        `${MOST_REQUESTS_WAITING} requests of this client are waiting. Wait for responses before the next request.`,
        { retryAfterSeconds: 1 },
      );
    return new Promise((resolve) => line.waiting.push(resolve));
  }

  #next(): void {
    for (const [client, line] of this.#lines) {
      const next = line.waiting.splice(0, MOST_A_TURN);
      if (next.length === 0) this.#lines.delete(client);
      line.begun = next.length;
      for (const begin of next) begin();
    }
    if (this.#lines.size > 0) setImmediate(() => this.#next());
  }
}
