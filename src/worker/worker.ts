import type { Packer } from "../archive/packer.ts";
import { openArchive, type JobArchive } from "../archive/segment-writer.ts";
import { Hand } from "../flow/claim.ts";
import type { LaneOf } from "../flow/plan.ts";
import { Settler } from "../flow/settle.ts";
import type { Failure } from "../model/failure.ts";
import { StopError } from "../model/stop-error.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Collector } from "../ports/collector.ts";
import type { ClaimedItem, Grant, Ledger, PulseReply, SettledItem } from "../ports/ledger.ts";
import type { JobScraper } from "../scrapers/job-scrapers.ts";
import { DEFAULT_LIMITS } from "../scrapers/scraper.ts";
import { Bell } from "./bell.ts";
import type { Log } from "./log.ts";
import { Pulse } from "./pulse.ts";
import { reportLanes } from "./report-lanes.ts";
import { RequestGate } from "./request-gate.ts";
import { RobotsGuard } from "./robots-guard.ts";
import { type ItemEnd, runItem } from "./run-item.ts";
import { SlotDesk } from "./slot-desk.ts";

export interface WorkerOptions {
  readonly name: string;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  readonly packer: Packer;
  readonly collector: Collector;
  readonly laneOf: LaneOf;
  readonly robotName: string;
  /** For the archive: name and version. */
  readonly software: string;
  readonly loadJob: (job: string) => Promise<readonly JobScraper[]>;
  readonly jobs?: readonly string[];
  /** Items in hand at once, over all lanes. */
  readonly capacity?: number;
  /** Runs suspects, one at a time, and ends when there are none. */
  readonly isAlone?: boolean;
  readonly log: Log;
  /** Aborted: take no more, finish and settle what is in hand. */
  readonly signal: AbortSignal;
  readonly onSuspects?: (count: number) => void;
}

const CAPACITY = 200;
const MAX_UNSETTLED = 2000;
/** Items that end within this time are followed by one claim for all of them. */
const GATHER_MS = 2;
const IDLE_MS = 250;
/** How long a stop waits for items whose lane gives them no slot: a site may have asked for an hour. They go back as they were. */
const STOP_MS = 20_000;

const LEFT_IN_DOUBT: Failure = {
  kind: "worker-lost",
  detail: "its acting request had left, and what came of it could not be kept; not tried again by itself",
};

/** One worker: claims, runs and settles items until it is told to stop. Resolves when nothing is left in its hands. */
export const runWorker = async (options: WorkerOptions): Promise<void> => {
  await using worker = new Worker(options);
  await worker.run();
};

class Worker {
  readonly #options: WorkerOptions;
  readonly #hand: Hand;
  readonly #desk: SlotDesk;
  readonly #pulse: Pulse;
  readonly #settler: Settler;
  readonly #gate: RequestGate;
  readonly #archives = new Map<string, JobArchive>();
  readonly #controllers = new Map<ClaimedItem, AbortController>();
  readonly #running = new Set<Promise<void>>();
  readonly #bell = new Bell();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { ledger, name, collector, laneOf, robotName, isAlone, jobs } = options;
    const capacity = isAlone ? 1 : (options.capacity ?? CAPACITY);
    this.#hand = new Hand({
      ledger,
      worker: name,
      capacity,
      maxUnsettled: isAlone ? 1 : MAX_UNSETTLED,
      ...(jobs && { jobs }),
      ...(isAlone && { isAlone }),
    });
    this.#desk = new SlotDesk(() => this.#pulse.need());
    const onError = (error: unknown) => this.#fail(error);
    this.#pulse = new Pulse({
      ledger,
      worker: name,
      hand: this.#hand,
      desk: this.#desk,
      onReply: (reply) => this.#hear(reply),
      onError,
    });
    this.#settler = new Settler({
      ledger,
      worker: name,
      onError,
      onSettled: (items, refused) => this.#settled(items, refused),
    });
    const robots = new RobotsGuard({
      ledger,
      worker: name,
      collector,
      robotName,
      limits: DEFAULT_LIMITS,
    });
    this.#gate = new RequestGate({ desk: this.#desk, pulse: this.#pulse, robots, laneOf });
  }

  async run(): Promise<void> {
    const { signal, isAlone } = this.#options;
    const stop = () => {
      // Items that have not begun go back at once; those under way are finished.
      this.#desk.stop((seeker) => !this.#gate.hasBegun(seeker), "the worker is stopping");
      this.#bell.ring();
    };
    signal.addEventListener("abort", stop, { once: true });
    while (!signal.aborted && !this.#failure) {
      if (this.#hand.room <= 0) {
        if (this.#hand.size === 0) this.#seal();
        await this.#bell.wait(IDLE_MS);
        continue;
      }
      await this.#pulse.tellBadNews();
      const grant = await this.#claim();
      if (!grant) break;
      const isIdle = grant.items.length === 0 && this.#hand.size === 0;
      if (isAlone && isIdle && grant.againInMs === undefined) break;
      if (isIdle && this.#hand.unsettled > 0) this.#seal();
      await this.#bell.wait(
        grant.items.length > 0 ? GATHER_MS : Math.min(grant.againInMs ?? IDLE_MS, IDLE_MS),
      );
      if (this.#bell.wasRung) await this.#bell.gather(GATHER_MS);
    }
    if (signal.aborted) stop();
    const patience = setInterval(() => this.#desk.stop(() => true, "the worker is stopping"), STOP_MS);
    while (this.#running.size > 0) {
      if (this.#hand.size === 0) this.#seal();
      await Promise.race([Promise.all(this.#running), this.#bell.wait(IDLE_MS)]);
    }
    clearInterval(patience);
    await this.#settler.flush();
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Also pages of items that were given back have been paid for.
    await Promise.all([...this.#archives.values()].map((archive) => archive.seal()));
    await this.#pulse.stop();
    const { ledger, name } = this.#options;
    await ledger.reap({ worker: name }).catch(() => undefined);
  }

  async #claim(): Promise<Grant | undefined> {
    try {
      const grant = await this.#hand.claim();
      this.#options.onSuspects?.(grant.suspects);
      for (const slots of grant.slots) this.#desk.grant(slots);
      for (const lane of grant.unpaced) this.#desk.open(lane);
      for (const item of grant.items) this.#start(item);
      return grant;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #start(item: ClaimedItem): void {
    const controller = new AbortController();
    this.#controllers.set(item, controller);
    const running = this.#runOne(item, controller)
      .then((ended) => {
        this.#controllers.delete(item);
        return this.#settleOnceKept(ended);
      })
      .catch((error: unknown) => this.#giveBack(item, error))
      .finally(() => {
        this.#running.delete(running);
        this.#controllers.delete(item);
        this.#gate.forget(item);
        this.#release(item);
      });
    this.#running.add(running);
  }

  async #runOne(item: ClaimedItem, controller: AbortController): Promise<ItemEnd> {
    const { collector, loadJob, laneOf, log } = this.#options;
    const scrapers = await loadJob(item.job);
    const { ready } = scrapers[item.scraper]!;
    const facts = { job: item.job, item: item.key, attempt: item.attempt };
    return await runItem({
      item,
      scrapers,
      laneOf,
      collector,
      archive: this.#archive(item.job),
      controller,
      hasActed: () => this.#gate.hasActed(item),
      gate: this.#gate.of(item, ready),
      onOutcome: (report, failure) => {
        this.#release(item);
        const { failures } = ready.scraper;
        reportLanes(item, this.#gate.lanesOf(item), failure, failures, this.#pulse, this.#desk);
        this.#pulse.outcome(report);
        if (failure) log.warn("attempt failed", { ...facts, kind: failure.kind, detail: failure.detail });
        else log.debug("attempt ended", { ...facts, result: report.result });
      },
    });
  }

  async #settleOnceKept({ end, kept }: ItemEnd): Promise<void> {
    this.#settler.add({ ...end, ...(await kept) });
  }

  #archive(job: string): JobArchive {
    let archive = this.#archives.get(job);
    if (!archive) {
      const { blobs, packer, name, software } = this.#options;
      this.#archives.set(job, (archive = openArchive({ blobs, packer, job, worker: name, software })));
    }
    return archive;
  }

  /** With nothing in hand, nothing is gained by waiting for more. */
  #seal(): void {
    for (const archive of this.#archives.values()) void archive.seal();
  }

  #release(item: ClaimedItem): void {
    this.#hand.release(item);
    this.#bell.ring();
  }

  #settled(items: readonly SettledItem[], refused: number): void {
    this.#hand.settled(items.length);
    this.#bell.ring();
    if (refused > 0)
      this.#options.log.warn("settle refused", { items: refused, reason: "the lease was lost" });
  }

  /** An item that is let go, or whose bytes could not be kept, is not at fault: it goes back as it was, unless it has acted. */
  #giveBack(item: ClaimedItem, error: unknown): void {
    if (!(error instanceof StopError)) this.#fail(error);
    const attempt = { startedAt: Date.now(), ms: 0, requests: 0, bytes: 0 };
    const { queue, seq, lease } = item;
    this.#settler.add({
      queue,
      seq,
      lease,
      attempt,
      outcome: this.#gate.hasActed(item)
        ? { state: "failed", failure: LEFT_IN_DOUBT }
        : { state: "returned" },
      captures: [],
      records: null,
      fieldCounts: null,
      emitted: [],
    });
  }

  #hear(reply: PulseReply): void {
    if (!reply.isAlive && this.#hand.size > 0) {
      this.#options.log.warn("leases lost", { items: this.#hand.size });
      this.#letGo(() => true, "the worker was given up and its leases have ended");
    }
    this.#gate.stop(reply.stopped);
    if (reply.stopped.length > 0)
      this.#letGo(({ queue }) => reply.stopped.includes(queue), "the job was paused, cancelled or held");
  }

  #letGo(isStopped: (seeker: { readonly queue: number }) => boolean, reason: string): void {
    this.#desk.stop(isStopped, reason);
    for (const [item, controller] of this.#controllers)
      if (isStopped(item) && !this.#gate.hasBegun(item)) controller.abort(new StopError(reason));
  }

  /** Without the ledger or the archive nothing can be finished: what waits for a slot would wait for ever. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    const reason = "the worker cannot go on";
    this.#desk.stop(() => true, reason);
    for (const controller of this.#controllers.values()) controller.abort(new StopError(reason));
    this.#bell.ring();
  }
}
