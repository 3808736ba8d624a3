import assert from "node:assert/strict";
import type { FailureKind } from "../../domain/failure.ts";
import type { ItemState, Outcome, StateCounts } from "../../domain/item.ts";
import type { Cap, JobState } from "../../domain/job.ts";
import type { AddReply, ClaimedItem, PlannedItem } from "../ledger.ts";
import { refOf } from "./sim-worker.ts";

/** An item as it should be. */
interface ModelItem {
  readonly key: string;
  readonly job: ModelJob;
  readonly lane: string;
  readonly scraper: number;
  readonly depth: number;
  readonly chain: number;
  readonly parent: string | undefined;
  state: ItemState;
  attempts: number;
  throttles: number;
  dueAt: number;
  kind: FailureKind | undefined;
  /** Who has it, while it is leased. */
  lease: { readonly id: number; readonly worker: ModelWorker } | undefined;
  /** The settle that counted last. */
  settledBy: string | undefined;
  isSuspect: boolean;
  deathsAlone: number;
  hasActed: boolean;
}

export interface ModelJob {
  readonly id: string;
  maxItems: number;
  maxDepth: number;
  maxChain: number;
  /** In the order in which they were first seen. */
  readonly lanes: Set<string>;
  readonly capped: Map<string, ModelCapped>;
  /** By scraper and key. */
  readonly items: Map<string, ModelItem>;
  state: JobState;
  isSealed: boolean;
  folded: number;
  rejected: number;
}

export const MAX_DEPTH = 3;
export const MAX_CHAIN = 2;

export const identityOf = ({
  key,
  scraper = 0,
}: {
  readonly key: string;
  readonly scraper?: number;
}): string => `${scraper}:${key}`;

export interface ModelWorker {
  readonly name: string;
  readonly isAlone: boolean;
  until: number;
  /** Places of the items that its last pulse named. */
  named: ReadonlySet<string>;
  /** Taken since that pulse. */
  readonly sincePulse: Set<ModelItem>;
}

const FINAL: ReadonlySet<ItemState> = new Set(["done", "absent", "failed", "skipped", "cancelled"]);
const isOpen = (item: ModelItem): boolean => !FINAL.has(item.state);

/** The expected content of a ledger, in maps: it checks the answers of a real one, and does not choose which items are claimed. */
export class LedgerModel {
  readonly jobs: ModelJob[] = [];
  readonly workers = new Map<string, ModelWorker>();
  /** By place, once a claim has told it. */
  readonly places = new Map<string, ModelItem>();
  #placed = 0;

  addJob(id: string, maxItems: number): void {
    this.jobs.push({
      id,
      maxItems,
      maxDepth: MAX_DEPTH,
      maxChain: MAX_CHAIN,
      lanes: new Set(),
      capped: new Map(),
      items: new Map(),
      state: "loading",
      isSealed: false,
      folded: 0,
      rejected: 0,
    });
  }

  add(job: ModelJob, planned: readonly PlannedItem[], parent?: ModelItem): AddReply {
    const reply = { accepted: 0, folded: 0, capped: 0 };
    const seen = new Set<string>();
    for (const item of planned) {
      job.lanes.add(item.lane);
      const place = this.#placed++;
      const identity = identityOf(item);
      const origin = originOf(item, parent);
      const kept = job.capped.get(identity);
      if (job.items.has(identity) || seen.has(identity)) reply.folded++;
      else {
        const cap = capOf(job, origin);
        if (cap === undefined) {
          this.#letIn(job, kept?.item ?? item, origin);
          reply.accepted++;
          if (kept) job.folded++;
        } else if (!kept) {
          job.capped.set(identity, { item, ...origin, cap, place });
          reply.capped++;
        } else {
          const isNearer = [origin.depth - kept.depth, origin.chain - kept.chain].find((n) => n !== 0) ?? 0;
          if (isNearer <= 0) job.capped.set(identity, { ...kept, ...origin, cap });
          reply.folded++;
        }
      }
      seen.add(identity);
    }
    job.folded += reply.folded;
    return reply;
  }

  /** Those that fit are let in, in the order of their places. */
  raise(job: ModelJob): number {
    const lanes = [...job.lanes];
    const order = ({ item, place }: ModelCapped): number => lanes.indexOf(item.lane) * 1e9 + place;
    let count = 0;
    for (const kept of [...job.capped.values()].toSorted((a, b) => order(a) - order(b))) {
      const cap = capOf(job, kept);
      if (cap !== undefined) job.capped.set(identityOf(kept.item), { ...kept, cap });
      else {
        count++;
        this.#letIn(job, kept.item, kept);
      }
    }
    if (count > 0 && job.state === "done") job.state = "running";
    return count;
  }

  #letIn(job: ModelJob, item: PlannedItem, origin: ModelOrigin): void {
    job.items.set(identityOf(item), newItem(job, item, origin));
    job.capped.delete(identityOf(item));
  }

  claimed(claim: ClaimedItem, worker: ModelWorker, now: number): void {
    const job = this.jobs.find(({ id }) => id === claim.job);
    const item = job?.items.get(identityOf(claim));
    assert.ok(job && item, `claimed what was never added: ${claim.key}`);
    assert.ok(job.state === "loading" || job.state === "running", `claimed from a job that is ${job.state}`);
    assert.equal(this.places.get(refOf(claim)) ?? item, item, "a place has one item");
    this.places.set(refOf(claim), item);
    const isDue = item.state === "queued" || (item.state === "waiting" && item.dueAt <= now);
    assert.ok(isDue, `claimed ${claim.key}, which is ${item.state}`);
    assert.equal(item.isSuspect, worker.isAlone, `${claim.key}: suspects run alone, and nothing else does`);
    assert.deepEqual(
      [claim.attempt, claim.throttles, claim.lane],
      [item.attempts + 1, item.throttles, item.lane],
    );
    item.state = "leased";
    item.lease = { id: claim.lease, worker };
    worker.sincePulse.add(item);
  }

  /** Whether the settle counts; if it does not, nothing has changed. */
  settle(
    claim: ClaimedItem,
    worker: string,
    outcome: Outcome,
    emitted: readonly PlannedItem[],
    now: number,
  ): boolean {
    const item = this.places.get(refOf(claim));
    // Sent again, it is answered as before and changes nothing; while the item is as that settle left it.
    const said = `${worker} ${claim.lease} ${outcome.state}`;
    if (!item?.lease || item.lease.id !== claim.lease || item.lease.worker.name !== worker)
      return item !== undefined && item.lease === undefined && item.settledBy === said;
    item.settledBy = outcome.state === "returned" ? undefined : said;
    item.lease = undefined;
    const isCancelled = item.job.state === "cancelled";
    if (outcome.state === "returned") {
      item.state = isCancelled ? "cancelled" : "queued";
      return true;
    }
    item.isSuspect = false;
    item.state = isCancelled && outcome.state === "waiting" ? "cancelled" : outcome.state;
    const counts = outcome.state !== "waiting" || outcome.countsAttempt;
    if (counts) item.attempts++;
    else item.throttles++;
    item.kind = "failure" in outcome ? outcome.failure.kind : undefined;
    if (outcome.state === "waiting") item.dueAt = now + outcome.delayMs;
    this.add(item.job, emitted, item);
    return true;
  }

  /** The items of a dead worker; deaths alone are left to `diedAlone`, because the ledger decides how many are too many. */
  reap(worker: ModelWorker): {
    readonly suspects: number;
    readonly returned: number;
    readonly alone: ModelItem[];
  } {
    const reply = { suspects: 0, returned: 0, alone: [] as ModelItem[] };
    this.workers.delete(worker.name);
    for (const [place, item] of this.places) {
      if (item.lease?.worker !== worker) continue;
      item.lease = undefined;
      item.state = "queued";
      if (item.hasActed) this.#fail(item, "worker-lost");
      else if (item.job.state === "cancelled") item.state = "cancelled";
      else if (worker.isAlone) reply.alone.push(item);
      else if (worker.named.has(place) || worker.sincePulse.has(item)) {
        item.isSuspect = true;
        reply.suspects++;
      } else reply.returned++;
    }
    return reply;
  }

  diedAlone(item: ModelItem, isGivenUp: boolean): void {
    item.deathsAlone++;
    if (isGivenUp) assert.ok(item.deathsAlone >= 2, "one death is no proof");
    else assert.ok(item.deathsAlone < 10, "a poisoned item must come to an end");
    if (isGivenUp) this.#fail(item, "scraper-error");
  }

  #fail(item: ModelItem, kind: FailureKind): void {
    Object.assign(item, { state: "failed", kind, isSuspect: false });
    item.attempts++;
  }

  hasActed(claim: ClaimedItem): boolean {
    return this.places.get(refOf(claim))?.hasActed ?? false;
  }

  retry(job: ModelJob, kinds: readonly FailureKind[] | undefined): number {
    const failed = [...job.items.values()].filter(
      ({ state, kind }) => state === "failed" && (!kinds || kinds.includes(kind!)),
    );
    for (const item of failed)
      Object.assign(item, { state: "queued", attempts: 0, throttles: 0, hasActed: false, deathsAlone: 0 });
    if (failed.length > 0 && job.state === "done") job.state = "running";
    return failed.length;
  }

  /** Leased items end normally. */
  cancel(job: ModelJob): void {
    job.state = "cancelled";
    for (const item of job.items.values())
      if (isOpen(item) && !item.lease) Object.assign(item, { state: "cancelled", isSuspect: false });
  }

  /** A sealed job ends with its last item. */
  endJobs(): void {
    for (const job of this.jobs) {
      const isEnded = job.isSealed && !job.items.values().some(isOpen);
      if (isEnded && job.state !== "cancelled") job.state = "done";
    }
  }

  states(job: ModelJob): StateCounts {
    const counts = {
      queued: 0,
      leased: 0,
      waiting: 0,
      done: 0,
      absent: 0,
      failed: 0,
      skipped: 0,
      cancelled: 0,
    };
    for (const { state } of job.items.values()) counts[state]++;
    return counts;
  }
}

const newItem = (
  job: ModelJob,
  { key, lane, scraper = 0 }: PlannedItem,
  { depth, chain, parent }: ModelOrigin,
): ModelItem => ({
  job,
  key,
  lane,
  scraper,
  depth,
  chain,
  parent,
  state: "queued",
  attempts: 0,
  throttles: 0,
  dueAt: 0,
  kind: undefined,
  lease: undefined,
  settledBy: undefined,
  isSuspect: false,
  deathsAlone: 0,
  hasActed: false,
});

/** An input that a limit keeps out. */
interface ModelCapped extends ModelOrigin {
  readonly item: PlannedItem;
  readonly cap: Cap;
  /** In the order in which they were added, whatever their outcome. */
  readonly place: number;
}

interface ModelOrigin {
  readonly depth: number;
  readonly chain: number;
  readonly parent: string | undefined;
}

const originOf = ({ scraper = 0 }: PlannedItem, parent: ModelItem | undefined): ModelOrigin => {
  if (!parent) return { depth: 0, chain: 0, parent: undefined };
  const isOwn = parent.scraper === scraper;
  return {
    depth: parent.depth + (isOwn ? 0 : 1),
    chain: isOwn ? parent.chain + 1 : 0,
    parent: parent.key,
  };
};

const capOf = (job: ModelJob, { depth, chain }: ModelOrigin): Cap | undefined => {
  if (depth > job.maxDepth) return "depth";
  if (chain > job.maxChain) return "chain";
  return job.items.size >= job.maxItems || job.state === "cancelled" ? "items" : undefined;
};
