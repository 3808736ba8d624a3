import { Problem } from "../services/problem.ts";

/** Requests of one client that begin in the same turn of the event loop. */
const MOST_A_TURN = 8;
const MOST_WAITING = 2000;

interface Line {
  begun: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets requests begin, a few of each client in every turn of the event loop. Hundreds that arrive together would otherwise all be begun before
 * another client's one is even read.
 */
export class RequestTurns {
  readonly #lines = new Map<string, Line>();

  /** Undefined where it may begin at once. */
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
    if (line.waiting.length >= MOST_WAITING)
      throw new Problem(
        "too-many-requests",
        `${MOST_WAITING} requests of this client are waiting. Send the next when some were answered.`,
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
