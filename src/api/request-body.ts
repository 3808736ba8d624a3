import type { FastifyRequest } from "fastify";
import { Problem } from "../services/problem.ts";
import type { Api } from "./api.ts";

const MIB = 1024 * 1024;
/** Bodies above this size are large: parsed, they take several times as much memory. */
const LARGE = MIB;
/** Large bodies that may be in memory at the same time. */
const LARGE_OF_CLIENT = 1;
const LARGE_IN_ALL = 4;
/** Bytes of smaller bodies. */
const SMALL_OF_CLIENT = 16 * MIB;
const SMALL_IN_ALL = 64 * MIB;

/** Limits the bodies in memory: each counts with its announced length until it is answered. */
export class BodyRoom {
  readonly #large = new Room(LARGE_OF_CLIENT, LARGE_IN_ALL);
  readonly #small = new Room(SMALL_OF_CLIENT, SMALL_IN_ALL);

  take({ actor, headers, routeOptions }: FastifyRequest, onOver: (over: () => void) => void): void {
    const isChunked = headers["transfer-encoding"] !== undefined;
    const announced = isChunked ? Infinity : Number(headers["content-length"] ?? 0);
    // Longer bodies are refused before they are read.
    const bytes = Math.min(announced, routeOptions.bodyLimit);
    if (bytes > LARGE) onOver(this.#large.take(actor.client, 1));
    else if (bytes > 0) onOver(this.#small.take(actor.client, bytes));
  }
}

class Room {
  readonly #ofClient: number;
  readonly #ofAll: number;
  readonly #taken = new Map<string, number>();
  #inAll = 0;

  constructor(ofClient: number, ofAll: number) {
    this.#ofClient = ofClient;
    this.#ofAll = ofAll;
  }

  /** Returns how to free it. */
  take(client: string, size: number): () => void {
    if ((this.#taken.get(client) ?? 0) + size > this.#ofClient)
      throw new Problem(
        "too-many-requests",
        "Other requests of this client with large bodies are in progress. Wait for a response before the next one.",
        { retryAfterSeconds: 1 },
      );
    if (this.#inAll + size > this.#ofAll)
      throw new Problem("unavailable", "Too many large requests are in progress. Try again.", {
        retryAfterSeconds: 5,
      });
    this.#add(client, size);
    return () => this.#add(client, -size);
  }

  #add(client: string, size: number): void {
    this.#inAll += size;
    const left = (this.#taken.get(client) ?? 0) + size;
    if (left > 0) this.#taken.set(client, left);
    else this.#taken.delete(client);
  }
}

const MOST_LEVELS = 64;
/** Members and elements in total: a few dozen for each input of the largest job. */
const MOST_VALUES = 500_000;

/** JSON bodies are checked before they are parsed: a small body could otherwise become very many objects, or overflow the stack. */
export const addJsonParser = (app: Api): void => {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      checkJson(body as Buffer);
      void parse(request, (body as Buffer).toString(), done);
    } catch (error) {
      done(error as Error);
    }
  });
};

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** Throws for JSON that is too deep or has too many values. The parser checks whether it is JSON at all. */
export const checkJson = (bytes: Buffer): void => {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = closingQuote(bytes, at + 1);
      if (at < 0) return;
    } else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      values++;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (depth > MOST_LEVELS)
      throw new Problem("invalid-request", `The body's JSON has more than ${MOST_LEVELS} levels.`);
    if (values > MOST_VALUES)
      throw new Problem(
        "too-large",
        `The body's JSON has more than ${MOST_VALUES} values. Stream the inputs into the job instead.`,
      );
  }
};

/** -1 if there is none. */
const closingQuote = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(QUOTE!, from); at >= 0; at = bytes.indexOf(QUOTE!, at + 1)) {
    let first = at;
    while (first > from && bytes[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
};
