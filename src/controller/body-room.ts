import type { FastifyRequest } from "fastify";
import { Problem } from "./problem.ts";

const MIB = 1024 * 1024;
/** Bytes of bodies that are read as a whole, at a time: of each client one of the largest, or many small ones. What is made of them takes several times as much. */
const MOST_OF_CLIENT = 33 * MIB;
const MOST_IN_ALL = 4 * MOST_OF_CLIENT;

/** Keeps the bodies that are in memory at a time within bounds: each is counted with the length that it announces, until its answer is over. */
export class BodyRoom {
  readonly #byClient = new Map<string, number>();
  #inAll = 0;

  take({ who, headers, routeOptions }: FastifyRequest, onOver: (over: () => void) => void): void {
    const { client } = who;
    const isChunked = headers["transfer-encoding"] !== undefined;
    const announced = isChunked ? Infinity : Number(headers["content-length"] ?? 0);
    // What is longer is refused before it is read.
    const bytes = Math.min(announced, routeOptions.bodyLimit);
    if (bytes === 0) return;
    const before = this.#byClient.get(client) ?? 0;
    if (before > 0 && before + bytes > MOST_OF_CLIENT)
      throw new Problem(
        "too-many-requests",
        `Request bodies of ${client || "this client"} with ${before} bytes are being read; they may have ${MOST_OF_CLIENT} bytes at a time. Send the next when one was answered.`,
        { retryAfterSeconds: 1 },
      );
    if (this.#inAll > 0 && this.#inAll + bytes > MOST_IN_ALL)
      throw new Problem("unavailable", "Too many large requests are being read. Ask again.", {
        retryAfterSeconds: 5,
      });
    this.#add(client, bytes);
    onOver(() => this.#add(client, -bytes));
  }

  #add(client: string, bytes: number): void {
    this.#inAll += bytes;
    const left = (this.#byClient.get(client) ?? 0) + bytes;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}
