import type { FastifyReply } from "fastify";
import type { Readable } from "node:stream";
import type { JobView } from "../domain/job.ts";
import { readSets, type StoredExtraction } from "../archive/extractions.ts";
import { ArchiveError } from "../archive/stored-bytes.ts";
import { viewOf } from "../reextract/current-view.ts";
import type { Job } from "../schemas/job.ts";
import type { ServiceContext } from "../services/context.ts";
import { jobView } from "../services/job-view.ts";
import type { ControllerContext } from "./controller-context.ts";
import type { EventFeed } from "./event-feed.ts";
import { FairTurns } from "./turns.ts";
import type { KeyCache } from "./key-cache.ts";
import { type OpenStreams, whenClosed } from "./open-streams.ts";
import type { ProgressWatch } from "./progress-watch.ts";
import type { ReadRequest } from "./reading/answer-read.ts";
import { directReads, type Reads } from "./reading/reads.ts";

/** What the routes share. */
export class RouteContext {
  readonly service: ControllerContext & ServiceContext;
  readonly watch: ProgressWatch;
  readonly feed: EventFeed;
  readonly keys: KeyCache;
  readonly streams: OpenStreams;
  readonly #reads: { readonly exports: Reads; readonly pages: Reads };
  readonly #turns = new FairTurns();

  constructor(
    service: ControllerContext & ServiceContext,
    parts: Pick<RouteContext, "watch" | "feed" | "keys" | "streams">,
  ) {
    this.service = service;
    this.watch = parts.watch;
    this.feed = parts.feed;
    this.keys = parts.keys;
    this.streams = parts.streams;
    const direct = directReads(service);
    this.#reads = service.reads ?? { exports: direct, pages: direct };
  }

  get now(): () => number {
    return this.service.now;
  }

  /** An error before the first byte is answered as a problem; after it, the connection is cut. */
  async openExport(request: ReadRequest, reply: FastifyReply): Promise<Readable> {
    this.streams.open("export", reply.request, reply);
    return watched(await this.#reads.exports.open(request), reply, this.service.log);
  }

  /** A page of a list, when it is the client's turn. */
  async sendPage(reply: FastifyReply, request: ReadRequest): Promise<FastifyReply> {
    const turn = await this.#turns.take(reply.request.actor.client);
    whenClosed(reply.raw, () => turn[Symbol.dispose]());
    const stream = watched(await this.#reads.pages.open(request), reply, this.service.log);
    return await reply.type("application/json; charset=utf-8").send(stream);
  }

  show(view: JobView): Job {
    return jobView(view, this.watch.rateOf(view), this.now());
  }

  /** With the counts of its current record set, if they are known without reading records. */
  async showCurrent(view: JobView): Promise<Job> {
    const current = await this.#currentOf(view);
    const now = current && viewOf(view, current);
    return now ? { ...this.show(now), extraction: current.id } : this.show(view);
  }

  /** A job can be shown even if the description of its records is damaged: reading the records reports the damage. */
  async #currentOf({ spec }: JobView): Promise<StoredExtraction | undefined> {
    try {
      return (await readSets(this.service.blobs, spec.id)).current;
    } catch (error) {
      if (error instanceof ArchiveError) return undefined;
      throw error;
    }
  }
}

/** Ends with its reader. An error after the beginning is logged. */
const watched = (stream: Readable, reply: FastifyReply, log: ControllerContext["log"]): Readable => {
  whenClosed(reply.raw, () => stream.destroy());
  return stream.once("error", (error) =>
    log.warn("read.broken", { request: reply.request.id, of: reply.request.params, error: String(error) }),
  );
};
