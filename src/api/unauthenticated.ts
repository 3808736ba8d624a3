import type { FastifyRequest } from "fastify";
import { Problem } from "../services/problem.ts";
import { RequestLimiter } from "./request-limiter.ts";

/** A minute, from one address: requests for what does not exist. */
const PER_ADDRESS = 12_000;
/** A request with a wrong key, or without one, counts for so many. */
export const WRONG_KEY_COST = 10;
/** Lines a minute that unauthenticated may have in the log, from all addresses together. */
const LOGGED = 600;

/**
 * Limits guesses of keys and paths, by address, before anything is looked up. A key that was used here before is let through: others
 * behind the same proxy go on working while one of them guesses keys.
 */
export class Unauthenticated {
  readonly #limiter = new RequestLimiter();
  readonly #log = new RequestLimiter();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  check(request: FastifyRequest): void {
    const room = this.#limiter.take(addressOf(request), PER_ADDRESS, this.#now(), 0);
    if (!room.isOver) return;
    request.isUnlogged = true;
    throw new Problem(
      "too-many-requests",
      "Too many requests without a valid API key from this address. Wait, and send a key that is valid.",
      { retryAfterSeconds: room.resetSeconds },
    );
  }

  note(request: FastifyRequest, cost: number): void {
    this.#limiter.take(addressOf(request), PER_ADDRESS, this.#now(), cost);
    request.isUnlogged = this.#log.take("", LOGGED, this.#now()).isOver;
  }
}

/** Of IPv6 the network: one machine has as many addresses as it likes. */
const addressOf = ({ socket }: FastifyRequest): string => {
  const address = socket.remoteAddress ?? "";
  return address.includes(".") ? address : address.split(":").slice(0, 4).join(":");
};
