import type { FastifyRequest } from "fastify";
import { Problem } from "../services/problem.ts";
import type { Api } from "./api.ts";

const MIB = 1024 * 1024;
/** Bodies of more than this are large: what is made of them takes several times as much memory. */
const LARGE = MIB;
/** Large bodies that are read or answered at a time. */
const LARGE_OF_CLIENT = 1;
const LARGE_IN_ALL = 4;
/** Bytes of the others. */
const SMALL_OF_CLIENT = 16 * MIB;
const SMALL_IN_ALL = 64 * MIB;

/** Keeps the bodies that are in memory at a time within bounds: each counts with the length that it announces, until its answer is over. */
export class BodyRoom {
  readonly #large = new Room(LARGE_OF_CLIENT, LARGE_IN_ALL);
  readonly #small = new Room(SMALL_OF_CLIENT, SMALL_IN_ALL);

  take({ actor, headers, routeOptions }: FastifyRequest, onOver: (over: () => void) => void): void {
    const isChunked = headers["transfer-encoding"] !== undefined;
    const announced = isChunked ? Infinity : Number(headers["content-length"] ?? 0);
    // What is longer is refused before it is read.
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

  /** Answers how it is given back. */
  take(client: string, size: number): () => void {
    if ((this.#taken.get(client) ?? 0) + size > this.#ofClient)
      throw new Problem(
        "too-many-requests",
        "Other requests of this client with large bodies are being answered. Send the next when one was answered.",
        { retryAfterSeconds: 1 },
      );
    if (this.#inAll + size > this.#ofAll)
      throw new Problem("unavailable", "Too many large requests are being read. Ask again.", {
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
/** Members and elements in all: some dozens for each input of the largest job. */
const MOST_VALUES = 500_000;

/** JSON bodies, looked through before they are parsed: a few bytes could else become very many objects, or no stack would reach to their bottom. */
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

/** Throws for JSON that is too deep, or has too many values. Whether it is JSON at all is left to the parser. */
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

/** -1 where there is none. */
const closingQuote = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(QUOTE!, from); at >= 0; at = bytes.indexOf(QUOTE!, at + 1)) {
    let first = at;
    while (first > from && bytes[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
};
