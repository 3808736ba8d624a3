import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ItemView } from "../../domain/item.ts";
import type { JobCounts, JobSpec } from "../../domain/job.ts";
import type { Pace } from "../../domain/job-version.ts";
import {
  type ItemQuery,
  type Ledger,
  LedgerError,
  type LedgerErrorCode,
  type PlannedItem,
  type WorkerInfo,
} from "../ledger.ts";
import { checkHistory } from "./history/check-history.ts";
import type { Violation } from "./history/history.ts";
import { HistoryRecorder } from "./history/history-recorder.ts";
import { SimWorker } from "./sim-worker.ts";

interface OpenOptions {
  readonly now: () => number;
  /** Passes as time does, and is never set. */
  readonly steady: { readonly nowMs: () => number; readonly boot: string };
  readonly leaseMs?: number;
}

/** Opens the ledger in a folder; opening it again simulates another process. */
export type OpenLedger = (folder: string, options: OpenOptions) => Promise<Ledger>;

/** Not a whole number of ms: a worker is never exactly at its deadline. */
export const LEASE_MS = 10_000.5;
export const SITE = "site.test";

/** In memory if the system supports it: the suite tests what a backend does, not how fast its disk is. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** One test's own ledger, and the clock that it goes by. */
export class Kit {
  nowMs = 1_750_000_000_000;
  #setByMs = 0;
  readonly ledger: Ledger;
  readonly #open: () => Promise<Ledger>;
  /** Of all handles, on a clock that nobody sets. */
  readonly #recorder = new HistoryRecorder({ nowMs: () => this.nowMs - this.#setByMs });

  /** How many random cases to try, of the full number: slow ledgers try a part of them, unless all laws are checked. */
  readonly trials: (full: number) => number;
  /** How many slots of a lane pass between two claims: slow ledgers are claimed from less often. */
  readonly slotsPerTurn: number;

  private constructor(
    ledger: Ledger,
    open: () => Promise<Ledger>,
    readNow: (kit: Kit) => void,
    trialShare: number,
  ) {
    this.trials = (full) => Math.ceil(full * trialShare);
    this.slotsPerTurn = Math.round(1 / trialShare);
    this.ledger = this.#recorder.wrap(ledger);
    this.#open = open;
    readNow(this);
  }

  static async create(t: TestContext, open: OpenLedger, trialShare = 1): Promise<Kit> {
    const folder = await mkdtemp(join(ROOT, "sluice-ledger-"));
    const handles: Ledger[] = [];
    t.after(async () => {
      for (const ledger of handles) await ledger.close();
      await rm(folder, { recursive: true, force: true });
    });
    let kit: Kit | undefined;
    const openOne = async (): Promise<Ledger> => {
      const steady = { nowMs: () => (kit ? kit.nowMs - kit.#setByMs : 0), boot: "one" };
      const ledger = await open(folder, { now: () => kit?.nowMs ?? 0, steady, leaseMs: LEASE_MS });
      handles.push(ledger);
      return ledger;
    };
    return new Kit(await openOne(), openOne, (made) => (kit = made), trialShare);
  }

  /** The same ledger as another process sees it. */
  async another(): Promise<Ledger> {
    return this.#recorder.wrap(await this.#open());
  }

  /** Violations of the ledger's laws in the calls since the last check. */
  violations(): readonly Violation[] {
    return checkHistory(this.#recorder.drain(), { leaseMs: LEASE_MS });
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Somebody sets the clock; no time passes. */
  setClock(byMs: number): void {
    this.nowMs += byMs;
    this.#setByMs += byMs;
  }

  worker(name = "w1", ledger: Ledger = this.ledger): SimWorker {
    return new SimWorker(name, ledger, () => this.nowMs);
  }

  /** A job with items, in one lane by default. */
  async job(
    id: string,
    keys: readonly string[],
    how: Partial<JobSpec> & { readonly lane?: string } = {},
  ): Promise<void> {
    const { lane, ...rest } = how;
    await this.ledger.createJob(jobSpec(id, rest));
    if (keys.length > 0) await this.ledger.addItems(id, planned(keys, lane), []);
  }

  async counts(job: string): Promise<JobCounts> {
    const view = await this.ledger.readJob(job);
    if (!view) throw new Error(`no job ${job}`);
    return view.counts;
  }

  /** All items of a job, page by page. */
  async items(
    job: string,
    query: Omit<ItemQuery, "limit" | "after"> = {},
    limit = 1000,
  ): Promise<ItemView[]> {
    const items: ItemView[] = [];
    let page = await this.ledger.listItems(job, { ...query, limit });
    items.push(...page.items);
    while (page.next) {
      page = await this.ledger.listItems(job, { ...query, limit, after: page.next });
      items.push(...page.items);
    }
    return items;
  }

  async item(job: string, key: string): Promise<ItemView> {
    const item = (await this.items(job)).find((one) => one.key === key);
    if (!item) throw new Error(`no item ${key} in ${job}`);
    return item;
  }
}

/** Items of a client that has far more work than others. */
export const BACKLOG = process.env["SLUICE_LONG_TESTS"] === undefined ? 20_000 : 200_000;

export const UNPACED: Pace = { perSecond: Infinity, burst: 1, concurrency: 100_000 };

export const jobSpec = (id: string, own: Partial<JobSpec> = {}): JobSpec => {
  const { scraper = "county", source = "file:///county.scraper.ts", version = "v1" } = own;
  const { pace = UNPACED, policy = {}, fields = [], required = [] } = own;
  return {
    id,
    client: "team",
    scraper,
    source,
    version,
    pace,
    policy,
    scrapers: [{ name: scraper, source, version, pace, policy, extracts: true, fields, required }],
    extracts: true,
    fields,
    required,
    maxItems: Infinity,
    maxDepth: 10,
    ...own,
  };
};

/** A worker's information about itself. */
export const workerInfo = (name: string, own: Partial<WorkerInfo> = {}): WorkerInfo => ({
  name,
  host: "host-1",
  pid: 42,
  version: "1.2.3",
  concurrency: 200,
  isDraining: false,
  ...own,
});

export const keysOf = (count: number, prefix = "k"): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

export const planned = (keys: readonly string[], lane = SITE): PlannedItem[] =>
  keys.map((key) => ({ key, input: JSON.stringify({ key }), lane }));

export const code = (expected: LedgerErrorCode) => (error: unknown) =>
  error instanceof LedgerError && error.code === expected;

/** Registers one test of the contract: a sentence, with its own kit. */
export type LedgerTest = (sentence: string, run: (kit: Kit) => Promise<void>) => void;
