import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registry } from "../ports/registry.ts";
import type { Actor } from "../services/context.ts";
import type { ControllerLog } from "./controller-context.ts";
import { Problem } from "../services/problem.ts";

/** Open streams per client. An export holds a few megabytes in memory, the others little. Workers send and read objects. */
export const MOST_STREAMS = { export: 8, download: 32, upload: 32, object: 256, listener: 20 } as const;
type StreamKind = keyof typeof MOST_STREAMS;

export interface StreamTimes {
  /** A reader that takes nothing for this long, while data is waiting, is cut. */
  readonly stalledMs: number;
  /** A sender that sends nothing for this long is cut. */
  readonly silentMs: number;
}

/** Over all clients: this many fit into the memory of the thread that writes them. */
const MOST_EXPORTS = 16;
const TIMES: StreamTimes = { stalledMs: 60_000, silentMs: 300_000 };
/** Half of the time within which revoking a key must take effect. */
const LOOK_MS = 250;

interface OpenStream {
  readonly actor: Actor;
  readonly kind: StreamKind;
  readonly request: FastifyRequest["raw"];
  readonly response: FastifyReply["raw"];
  readonly end: () => void;
  /** Bytes transferred when it last moved. */
  bytes: number;
  movedAt: number;
}

/** Calls back when a response has ended or its client has left, which may have been while the request waited for its turn. */
export const whenClosed = (response: FastifyReply["raw"], onClosed: () => void): void => {
  if (response.closed) onClosed();
  else response.once("close", onClosed);
};

/**
 * All long-lived answers and bodies: exports, downloads, uploads, live events. Their number per client is limited. A stream ends when its key is revoked, or
 * when its client stalls.
 */
export class OpenStreams implements Disposable {
  readonly #registry: Registry;
  readonly #now: () => number;
  readonly #log: ControllerLog;
  readonly #times: StreamTimes;
  readonly #open = new Set<OpenStream>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(registry: Registry, now: () => number, log: ControllerLog, times: StreamTimes = TIMES) {
    this.#registry = registry;
    this.#now = now;
    this.#log = log;
    this.#times = times;
  }

  /** Until the answer ends. `end` closes it cleanly if possible; otherwise the connection is cut. */
  open(
    kind: StreamKind,
    { actor, raw: request }: FastifyRequest,
    reply: FastifyReply,
    end?: () => void,
  ): void {
    const most = MOST_STREAMS[kind];
    let count = 0;
    for (const stream of this.#open)
      if (stream.kind === kind && stream.actor.client === actor.client) count++;
    if (count >= most)
      throw new Problem(
        "too-many-streams",
        `${actor.client || "This client"} has ${count} open ${kind}s; the limit is ${most}. Wait until one has ended.`,
        { retryAfterSeconds: 1 },
      );
    const exports = kind === "export" ? [...this.#open].filter((each) => each.kind === kind).length : 0;
    if (exports >= MOST_EXPORTS)
      throw new Problem("unavailable", `${exports} exports are in progress. Try again.`, {
        retryAfterSeconds: 5,
      });
    const { raw: response } = reply;
    const stream: OpenStream = {
      actor,
      kind,
      request,
      response,
      end: end ?? (() => request.socket.destroy()),
      bytes: 0,
      movedAt: performance.now(),
    };
    this.#open.add(stream);
    whenClosed(response, () => this.#open.delete(stream));
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const stream of this.#open)
        if (this.#stands(stream)) {
          this.#cut(stream, "nothing moves");
          // A clean end would wait for the reader.
          stream.request.socket.destroy();
        }
      await this.#endRevoked();
    } catch (error) {
      this.#log.warn("streams.unchecked", { error: String(error) });
    } finally {
      this.#isLooking = false;
    }
  }

  async #endRevoked(): Promise<void> {
    for (const client of new Set([...this.#open].map(({ actor }) => actor.client))) {
      const streams = [...this.#open].filter(
        ({ actor }) => actor.client === client && actor.key !== undefined,
      );
      if (streams.length === 0) continue;
      const cards = await this.#registry.listKeys(client);
      const valid = new Set(
        cards.filter(({ revokedAt }) => (revokedAt ?? Infinity) > this.#now()).map(({ id }) => id),
      );
      for (const stream of streams)
        if (!valid.has(stream.actor.key!)) this.#cut(stream, "its key was revoked");
    }
  }

  #stands(stream: OpenStream): boolean {
    const { kind, request, response } = stream;
    const isSending = kind === "upload" || (kind === "object" && request.method === "PUT");
    const bytes = isSending ? request.socket.bytesRead : request.socket.bytesWritten;
    // Only a stall of the client counts: the service itself may be slow.
    const isUpToClient = isSending
      ? request.readableLength === 0 && !request.complete
      : response.writableNeedDrain;
    if (bytes !== stream.bytes || !isUpToClient) {
      stream.bytes = bytes;
      stream.movedAt = performance.now();
    }
    const { stalledMs, silentMs } = this.#times;
    return performance.now() - stream.movedAt > (isSending ? silentMs : stalledMs);
  }

  #cut(stream: OpenStream, reason: string): void {
    const { actor, kind } = stream;
    this.#open.delete(stream);
    this.#log.info("stream.cut", { client: actor.client, key: actor.key, kind, reason });
    stream.end();
  }
}
