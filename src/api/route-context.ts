import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { readSets, type StoredExtraction } from "../archive/extractions.ts";
import { ArchiveError } from "../archive/stored-bytes.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobView } from "../domain/job.ts";
import { withSource } from "../export/export-rows.ts";
import { viewOf } from "../reextract/current-view.ts";
import type { Who } from "./api.ts";
import { noteOther } from "./audit.ts";
import { isAtLeast } from "./auth.ts";
import type { EventFeed } from "./event-feed.ts";
import { FairTurns } from "./fair-turns.ts";
import { isoTime } from "./iso-time.ts";
import { itemRef } from "./item-view.ts";
import { jobView } from "./job-view.ts";
import type { KeyCache } from "./key-cache.ts";
import type { OpenStreams } from "./open-streams.ts";
import { Problem } from "./problem.ts";
import type { ProgressWatch } from "./progress-watch.ts";
import type { ReadRequest } from "./reading/read-request.ts";
import { directReads, type Reads } from "./reading/reads.ts";
import type { ApiJob } from "./schemas/job.ts";
import type { ServiceContext } from "./service-context.ts";

/** What the routes share. */
export class RouteContext {
  readonly service: ServiceContext;
  readonly watch: ProgressWatch;
  readonly feed: EventFeed;
  readonly keys: KeyCache;
  readonly streams: OpenStreams;
  readonly now: () => number;
  readonly #reads: { readonly exports: Reads; readonly pages: Reads };
  readonly #turns = new FairTurns();

  constructor(
    service: ServiceContext,
    parts: Pick<RouteContext, "watch" | "feed" | "keys" | "streams">,
    now: () => number,
  ) {
    this.service = service;
    this.watch = parts.watch;
    this.feed = parts.feed;
    this.keys = parts.keys;
    this.streams = parts.streams;
    this.now = now;
    const direct = directReads(service);
    this.#reads = service.reads ?? { exports: direct, pages: direct };
  }

  /** What is wrong before the first byte is still a problem; after it the connection is cut. */
  async openExport(request: ReadRequest, reply: FastifyReply): Promise<Readable> {
    this.streams.open("export", reply.request, reply);
    return watched(await this.#reads.exports.open(request), reply, this.service.log);
  }

  /** A page of a list, when it is the client's turn. */
  async sendPage(reply: FastifyReply, request: ReadRequest): Promise<FastifyReply> {
    const turn = await this.#turns.take(reply.request.who.client);
    reply.raw.once("close", () => turn[Symbol.dispose]());
    if (reply.raw.destroyed) turn[Symbol.dispose]();
    const stream = watched(await this.#reads.pages.open(request), reply, this.service.log);
    return await reply.type("application/json; charset=utf-8").send(stream);
  }

  /** Another client's job is as unknown as one that never was. */
  async findJob(who: Who, id: string): Promise<JobView> {
    const view = await this.service.ledger.readJob(id);
    if (view && this.mayRead(who, view.spec.client)) return view;
    const removal = view ? undefined : await this.service.ledger.removals.read(id);
    if (removal && this.mayRead(who, removal.client))
      throw new Problem(
        "job-removed",
        `${shown(id)}: the job was removed at ${isoTime(removal.removedAt)}. Its \`removal\` says what was.`,
      );
    throw new Problem("not-found", `${shown(id)}: no such job.`);
  }

  mayRead(who: Who, client: string): boolean {
    if (client === who.client) return true;
    const may = isAtLeast(who.role, "operator");
    if (may) noteOther(who, client);
    return may;
  }

  async findItem(who: Who, job: string, id: string): Promise<ItemView> {
    await this.findJob(who, job);
    const ref = itemRef(id);
    const page =
      ref && (await this.service.ledger.listItems(job, { after: { ...ref, seq: ref.seq - 1 }, limit: 1 }));
    const item = page?.items[0];
    if (item && ref && item.ref.queue === ref.queue && item.ref.seq === ref.seq)
      return await this.withSource(item);
    throw new Problem("not-found", `${shown(id)}: the job has no such item.`);
  }

  async withSource(item: ItemView): Promise<ItemView> {
    return await withSource(this.service.ledger, item);
  }

  show(view: JobView): ApiJob {
    return jobView(view, this.watch.rateOf(view), this.now());
  }

  /** As its current set of records has it, where that is known from counts alone. */
  async showCurrent(view: JobView): Promise<ApiJob> {
    const current = await this.#currentOf(view);
    const now = current && viewOf(view, current);
    return now ? { ...this.show(now), extraction: current.id } : this.show(view);
  }

  /** A job is shown also where a description of its records is damaged: asking for the records tells of it. */
  async #currentOf({ spec }: JobView): Promise<StoredExtraction | undefined> {
    try {
      return (await readSets(this.service.blobs, spec.id)).current;
    } catch (error) {
      if (error instanceof ArchiveError) return undefined;
      throw error;
    }
  }

  /** As it is after something was done to it. */
  async showNow(id: string): Promise<ApiJob> {
    const view = await this.service.ledger.readJob(id);
    if (!view) throw new Problem("not-found", `${shown(id)}: no such job.`);
    return this.show(view);
  }
}

/** Gone where its reader is. What breaks it after its beginning is logged. */
const watched = (stream: Readable, reply: FastifyReply, log: ServiceContext["log"]): Readable => {
  reply.raw.once("close", () => stream.destroy());
  return stream.once("error", (error) =>
    log.warn("read.broken", { request: reply.request.id, of: reply.request.params, error: String(error) }),
  );
};

/** Names come from outside and may be anything. */
export const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
