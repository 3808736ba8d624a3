import { setTimeout as delay } from "node:timers/promises";
import { STORAGE } from "../domain/cost.ts";
import { ownTrouble, type OwnTroubleError, StopError } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import { kindsOf } from "../domain/job-version.ts";
import { scaleKindOf } from "../domain/scale.ts";
import { InFlightItems } from "../pipeline/claim.ts";
import { Settler } from "../pipeline/settle.ts";
import type { Collector } from "../ports/collector.ts";
import type {
  ClaimedItem,
  Grant,
  PulseReply,
  PulseReport,
  SettledItem,
  WorkerInfo,
} from "../ports/ledger.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { DEFAULT_LIMITS } from "../scrapers/scraper.ts";
import { AutoWays } from "./auto-ways.ts";
import { RecordChecks } from "./record-checks.ts";
import { NO_TIERS, ProxyTiers } from "./proxy-tiers.ts";
import { BudgetTracker } from "./budget.ts";
import { UnsettledCosts } from "./unsettled-costs.ts";
import { CLAIM_EVERY_MS, ClaimCadence, GATHER_MS, WakeSignal } from "./claim-cadence.ts";
import { ItemLog } from "./item-log.ts";
import { JobArchives } from "./job-archives.ts";
import { type Log, logWith } from "./log.ts";
import { Pulse } from "./pulse.ts";
import { Registration, WorkTally } from "./registration.ts";
import { RequestGate } from "./request-gate.ts";
import { RobotsGuard } from "./robots-guard.ts";
import { freshnessOf, givenBack, type ItemEnd, loadOrHold, reportLanes, runItem } from "./run-item.ts";
import { SlotScheduler } from "./slot-scheduler.ts";
import type { WorkerOptions } from "./worker-options.ts";

const CAPACITY = 200;
const MAX_UNSETTLED = 2000;
/** After this many ended items, segments are sealed regardless of their age: otherwise no more items could be claimed. */
const SEAL_AFTER = MAX_UNSETTLED / 2;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
/** How long a stop waits for items whose lane gives no slot (a site may have asked for an hour). Then they go back unchanged. */
const STOP_MS = 20_000;
const NO_JOBS: ReadonlySet<string> = new Set();

/** One worker: claims, runs and settles items until the signal. Resolves when nothing is in flight. */
export const runWorker = async (options: WorkerOptions): Promise<void> => {
  await using worker = new Worker(options);
  await worker.run();
};

class Worker {
  readonly #options: WorkerOptions;
  readonly #inFlight: InFlightItems;
  readonly #scheduler: SlotScheduler;
  readonly #pulse: Pulse;
  readonly #settler: Settler;
  readonly #gate: RequestGate;
  readonly #archives: JobArchives;
  readonly #budgets: BudgetTracker;
  readonly #capacity: number;
  readonly #cadence: ClaimCadence;
  readonly #log: Log;
  readonly #itemLog: ItemLog;
  readonly #tally = new WorkTally();
  readonly #costs = new UnsettledCosts();
  readonly #autoWays: AutoWays;
  readonly #tiers: ProxyTiers;
  readonly #recordChecks: RecordChecks;
  #saidNoCheck = false;
  readonly #registration: Registration | undefined;
  readonly #controllers = new Map<ClaimedItem, AbortController>();
  readonly #running = new Set<Promise<void>>();
  readonly #wakeSignal = new WakeSignal();
  #failure: { readonly error: unknown } | undefined;
  /** No items are claimed until then. */
  #restUntil = 0;
  /** In a row, without a successful request. */
  #rests = 0;
  #isListening = false;
  #hasClaimed = false;
  /** Items that ended since segments were last sealed by count. */
  #ended = 0;

  constructor(options: WorkerOptions) {
    this.#log = logWith(options.log, { worker: options.name });
    this.#itemLog = new ItemLog(this.#log);
    this.#autoWays = new AutoWays({
      onLearned: (report) => this.#pulse.way(report),
      onChange: (of, { way, reason }) => this.#log.info("auto scraper mode changed", { ...of, way, reason }),
    });
    this.#tiers = new ProxyTiers({
      worker: options.name,
      known: options.proxies ?? NO_TIERS,
      onSign: (report) => this.#pulse.tier(report),
    });
    this.#recordChecks = new RecordChecks({
      capacity: options.browserCapacity ?? 1,
      onLearned: (report) => this.#pulse.way(report),
      onTakeOver: ({ lane, key: version }, reason) =>
        this.#log.warn("the browser takes over from plain requests", { lane, version, reason }),
    });
    this.#options = { ...options, log: this.#log };
    const { ledger, name, collectors, laneOf, robotName, isAlone, jobs, lanes, kinds } = options;
    const { blobs, packer, software } = options;
    this.#capacity = isAlone ? 1 : (options.capacity ?? CAPACITY);
    this.#cadence = new ClaimCadence(this.#capacity);
    this.#archives = new JobArchives({ blobs, packer, software });
    this.#budgets = new BudgetTracker(ledger, this.#costs);
    const tally = this.#tally;
    blobs.usage?.watch(({ kind, requests, bytes }) => {
      tally.add(`storage ${kind} requests`, requests);
      tally.add(`storage ${kind} bytes`, bytes);
    });
    this.#inFlight = new InFlightItems({
      ledger: { claim: (request) => tally.timed("claim", () => ledger.claim(request)) },
      worker: name,
      capacity: this.#capacity,
      maxUnsettled: isAlone ? 1 : MAX_UNSETTLED,
      ...(jobs && { jobs }),
      ...(lanes && { lanes }),
      ...(kinds && { kinds }),
      ...(options.browserCapacity !== undefined && { browserCapacity: options.browserCapacity }),
      ...(isAlone && { isAlone }),
    });
    this.#scheduler = new SlotScheduler(() => this.#pulse.needSlots());
    const onError = (error: unknown) => this.#fail(error);
    this.#pulse = new Pulse({
      ledger,
      worker: name,
      inFlight: this.#inFlight,
      scheduler: this.#scheduler,
      costs: this.#costs,
      onReply: (reply, report) => this.#hear(reply, report),
      onError,
    });
    this.#settler = new Settler({
      ledger: { settle: (worker, items) => tally.timed("settle", () => ledger.settle(worker, items)) },
      worker: name,
      onError,
      onSettled: (items, refused) => this.#settled(items, refused),
    });
    const robots = new RobotsGuard({
      ledger,
      worker: name,
      collector: collectors.http,
      robotName,
      limits: DEFAULT_LIMITS,
    });
    this.#gate = new RequestGate({
      scheduler: this.#scheduler,
      pulse: this.#pulse,
      robots,
      laneOf,
      budgets: this.#budgets,
      tally,
    });
    const { info } = options;
    this.#registration =
      info && new Registration({ ledger, tally, onError, info: () => ({ ...info, ...this.#state() }) });
  }

  async run(): Promise<void> {
    const { signal, isAlone, ledger, name } = this.#options;
    const stop = () => {
      // Items that have not started go back, at once or when they ask for their first slot; those in flight are finished.
      this.#gate.drain();
      this.#scheduler.stop((seeker) => !this.#gate.hasBegun(seeker), "the worker is stopping");
      this.#wakeSignal.ring();
    };
    signal.addEventListener("abort", stop, { once: true });
    const giveUp = () => this.#letAllGo("the worker is stopping");
    this.#options.giveUp?.addEventListener("abort", giveUp, { once: true });
    // Process ids repeat, always in restarted containers: the previous worker of this name is gone, and its leases must not pass to this one.
    await ledger.reap({
      worker: name,
      cause: { blame: "unknown", detail: "another worker has taken its name" },
    });
    await this.#registration?.report();
    this.#registration?.start();
    const { name: _name, isDraining: _isDraining, ...takes } = this.#state();
    this.#log.info("worker started", takes);
    while (!signal.aborted && !this.#failure) {
      if (this.#inFlight.room <= 0) {
        if (this.#inFlight.size === 0) this.#archives.seal();
        await this.#wakeSignal.wait(CLAIM_EVERY_MS);
        continue;
      }
      const waitMs = Math.max(this.#cadence.waitMs, this.#restUntil - performance.now());
      if (waitMs > 0) {
        await this.#wakeSignal.wait(Math.min(waitMs, CLAIM_EVERY_MS));
        continue;
      }
      if (this.#hasClaimed) await delay(GATHER_MS);
      this.#hasClaimed = true;
      await this.#pulse.reportFailures();
      if (signal.aborted) break;
      const grant = await this.#claim();
      if (!grant) break;
      void this.#listen();
      const isIdle = grant.items.length === 0 && this.#inFlight.size === 0;
      if (isAlone && isIdle && grant.againInMs === undefined) break;
      if (isIdle && this.#inFlight.unsettled > 0) this.#archives.seal();
      else this.#archives.sealIdle(this.#inFlight.jobs);
    }
    if (signal.aborted) stop();
    this.#log.info("worker draining", { items: this.#inFlight.size });
    this.#archives.seal();
    await this.#registration?.report();
    const patience = setInterval(() => this.#scheduler.stop(() => true, "the worker is stopping"), STOP_MS);
    while (this.#running.size > 0) {
      if (this.#inFlight.size === 0) this.#archives.seal();
      else this.#archives.sealIdle(NO_JOBS);
      await Promise.race([Promise.all(this.#running), this.#wakeSignal.wait(CLAIM_EVERY_MS)]);
    }
    clearInterval(patience);
    await this.#settler.flush();
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Pages of returned items were fetched too, and are stored.
    await this.#archives[Symbol.asyncDispose]();
    await this.#pulse.stop();
    await this.#registration?.stop();
    const { ledger, name } = this.#options;
    await ledger.reap({ worker: name }).catch(() => undefined);
    this.#log.info("worker ended");
  }

  /** What it claims, and whether it is draining. */
  #state(): Omit<WorkerInfo, "host" | "pid" | "space" | "version" | "cores" | "memoryMb"> {
    const { name, lanes, kinds, signal, browserCapacity } = this.#options;
    const isDraining = signal.aborted || this.#failure !== undefined;
    return {
      name,
      concurrency: this.#capacity,
      ...(browserCapacity !== undefined && { browserConcurrency: browserCapacity }),
      isDraining,
      ...(lanes && { lanes }),
      ...(kinds && { kinds }),
    };
  }

  async #claim(): Promise<Grant | undefined> {
    try {
      const { room } = this.#inFlight;
      const grant = await this.#inFlight.claim();
      this.#cadence.asked(grant, room);
      this.#options.onSuspects?.(grant.suspects);
      this.#gate.paceAddresses(grant.pacesAddresses === true);
      for (const shared of grant.tiers ?? []) this.#tiers.hear(shared);
      for (const slots of grant.slots) this.#scheduler.grant(slots);
      for (const lane of grant.unpaced) this.#scheduler.open(lane);
      for (const item of grant.items) this.#start(item);
      if (grant.items.length > 0) this.#pulse.begin();
      return grant;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** While the next claim is far away, the ledger says when there is work. */
  async #listen(): Promise<void> {
    const { waitMs } = this.#cadence;
    if (waitMs <= CLAIM_EVERY_MS || this.#isListening) return;
    this.#isListening = true;
    const { ledger, jobs, lanes, kinds } = this.#options;
    const filter = { ...(jobs && { jobs }), ...(lanes && { lanes }), ...(kinds && { kinds }) };
    // If the ledger fails, the next claim reports it.
    if (await ledger.awaitWork(filter, waitMs).catch(() => true)) this.#cadence.heard();
    this.#isListening = false;
    this.#wakeSignal.ring();
  }

  #start(item: ClaimedItem): void {
    const controller = new AbortController();
    this.#controllers.set(item, controller);
    this.#scheduler.expect(item.lane, item);
    const running = this.#runOne(item, controller)
      .then((ended) => {
        this.#controllers.delete(item);
        this.#costs.set(item, ended.end.attempt);
        this.#budgets.ended(item);
        return this.#settleOnceKept(item, ended);
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
    const { collectors, laneOf, name: worker } = this.#options;
    const { spec, revision, scrapers } = await loadOrHold(this.#options, item);
    const { ready } = scrapers[item.scraper]!;
    const { kind = "http", proxies: ladder } = spec.scrapers[item.scraper] ?? {};
    const collector = await collectors[kind]();
    const exit = ladder && this.#tiers.take(item, ladder, ready.scraper.proxySession !== "item");
    const ended = await runItem({
      item,
      worker,
      spec,
      revision,
      freshness: await freshnessOf(this.#options, item, spec, ready),
      scrapers,
      laneOf,
      collector,
      archive: this.#archives.of(item.job),
      controller,
      ...(exit && { exit }),
      ...(ready.scraper.kind === "auto" && { auto: this.#autoWays }),
      ...(ready.check && {
        checks: { all: this.#recordChecks, collector: () => this.#collectorForCheck(ready.check!.ready) },
      }),
      onSession: (cost) => this.#costs.set(item, cost),
      hasActed: () => this.#gate.hasActed(item),
      gate: this.#gate.of(item, ready, spec, exit?.price),
      onOutcome: ({ report, failure, way, movesTier }) => {
        this.#rests = 0;
        this.#inFlight.grow();
        this.#release(item);
        const { failures } = ready.scraper;
        reportLanes(item, this.#gate.lanesOf(item), failure, failures, this.#pulse, this.#scheduler);
        // Results of a canary say nothing about the site: they are judged separately.
        if (!movesTier && revision === item.revision) this.#pulse.outcome(report);
        this.#itemLog.ended(item, report, failure, way);
      },
      onLate: (error) => this.#itemLog.late(item, error),
    });
    this.#tally.item(scaleKindOf(kindsOf(spec)), ended.end.attempt);
    return ended;
  }

  /** Undefined if there is no browser: then nothing is compared, and the log says so once. */
  async #collectorForCheck({ scraper }: CompiledScraper): Promise<Collector | undefined> {
    const { collectors, browserCapacity } = this.#options;
    if (browserCapacity !== undefined) return await collectors[scraper.kind ?? "http"]();
    if (!this.#saidNoCheck)
      this.#log.warn("records are not compared: this worker has no browser", { scraper: scraper.name });
    this.#saidNoCheck = true;
    return undefined;
  }

  async #settleOnceKept(item: ClaimedItem, { end, kept }: ItemEnd): Promise<void> {
    if (++this.#ended >= SEAL_AFTER) {
      this.#ended = 0;
      this.#archives.seal();
    }
    this.#settle(item, this.#withStorage(item, { ...end, ...(await kept) }));
  }

  /** The requests that stored a group of items are charged to the first settled one. */
  #withStorage({ job }: ClaimedItem, settled: SettledItem): SettledItem {
    const cost = this.#options.blobs.usage?.take(job);
    if (!cost) return settled;
    const { attempt } = settled;
    const proxied = [...(attempt.proxied ?? []), { tier: STORAGE, ...cost }];
    return { ...settled, attempt: { ...attempt, proxied } };
  }

  #settle(item: ClaimedItem, settled: SettledItem): void {
    this.#itemLog.settling(item, settled);
    this.#settler.add(settled);
  }

  #release(item: ClaimedItem): void {
    this.#scheduler.forget(item);
    if (!this.#inFlight.release(item)) return;
    const { room, size } = this.#inFlight;
    if (size === 0) this.#cadence.soon();
    else this.#cadence.freed({ lastSlotAt: this.#scheduler.lastSlotAt(item.lane, item), room });
    this.#wakeSignal.ring();
  }

  #settled(items: readonly SettledItem[], refused: readonly ItemRef[]): void {
    if (this.#inFlight.room <= 0 || items.some(({ emitted }) => emitted.length > 0)) this.#cadence.soon();
    this.#inFlight.settled(items.length);
    this.#budgets.settled(items);
    this.#costs.settled(items);
    this.#wakeSignal.ring();
    this.#tally.add("refused settles", refused.length);
    this.#itemLog.refused(items, refused);
  }

  #giveBack(item: ClaimedItem, error: unknown): void {
    this.#itemLog.givenBack(item, error);
    const own = ownTrouble(error);
    if (own) this.#rest(own);
    else if (!(error instanceof StopError)) this.#fail(error);
    this.#settle(item, givenBack(item, this.#gate.hasActed(item), this.#costs.of(item)));
  }

  /** This machine is out of a resource: claim nothing for a while, longer each time, and then fewer items at once. */
  #rest({ message, code }: OwnTroubleError): void {
    this.#tally.add("own troubles", 1);
    const now = performance.now();
    if (now < this.#restUntil) return;
    this.#inFlight.halve();
    const restMs = Math.min(FIRST_REST_MS * 2 ** this.#rests++, LONGEST_REST_MS);
    this.#restUntil = now + restMs;
    this.#log.warn("local problem", { code, message, restMs });
  }

  #hear(reply: PulseReply, report: PulseReport): void {
    if (!reply.isAlive && !this.#options.signal.aborted) void this.#registration?.report();
    if (!reply.isAlive && this.#inFlight.size > 0) {
      const jobs = [...new Set([...this.#controllers.keys()].map(({ job }) => job))];
      this.#log.warn("leases lost", { items: this.#inFlight.size, jobs });
      this.#letGo(() => true, "the worker was considered lost and its leases have ended");
    }
    this.#tiers.acknowledge(report.tiers ?? []);
    for (const shared of reply.tiers ?? []) this.#tiers.hear(shared);
    for (const shared of reply.ways ?? []) if (!this.#recordChecks.hear(shared)) this.#autoWays.hear(shared);
    this.#gate.paceAddresses(reply.pacesAddresses === true);
    this.#gate.stop(reply.stopped);
    if (reply.stopped.length > 0)
      this.#letGo(({ queue }) => reply.stopped.includes(queue), "the job was paused, cancelled or held");
  }

  #letGo(isStopped: (seeker: { readonly queue: number }) => boolean, reason: string): void {
    this.#scheduler.stop(isStopped, reason);
    for (const [item, controller] of this.#controllers)
      if (isStopped(item) && !this.#gate.hasBegun(item)) controller.abort(new StopError(reason));
  }

  /** Without the ledger or the archive nothing can be finished: items that wait for a slot would wait forever. */
  #fail(error: unknown): void {
    if (!this.#failure) this.#log.error("worker failed", { message: String(error) });
    this.#failure ??= { error };
    this.#letAllGo("the worker cannot continue");
  }

  /** Those that run, too. */
  #letAllGo(reason: string): void {
    this.#scheduler.stop(() => true, reason);
    for (const controller of this.#controllers.values()) controller.abort(new StopError(reason));
    this.#wakeSignal.ring();
  }
}
