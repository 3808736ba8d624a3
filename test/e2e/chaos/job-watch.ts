import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type Item, type Job, pages, ProblemError, type SluiceClient } from "../../../src/client.ts";
import { assertConserved } from "../service-process.ts";

const LOOK_MS = 200;
/** Polls between two complete lists of items. */
const ROLL_EVERY = 20;
/** Longer than any lease, wait or retry: a job that makes no progress for this long is stuck. */
const STUCK_MS = 180_000;

const FINAL = ["done", "absent", "failed", "skipped", "cancelled"] as const;

/** Polls a job through the API and compares each result with the earlier ones. */
export class JobWatch {
  looks = 0;
  /** Nothing listened, or the answer was cut off. */
  unanswered = 0;
  rollCalls = 0;
  last: Job | undefined;
  /** Longest time in which no item ended although some were open. */
  longestStillMs = 0;
  #movedAt = performance.now();
  /** Final states of items by key; they must not change. */
  readonly #ends = new Map<string, string>();
  readonly #client: SluiceClient;
  readonly #job: string;

  constructor(client: SluiceClient, job: string) {
    this.#client = client;
    this.#job = job;
  }

  get summary(): string {
    const { states = {}, accepted = 0 } = this.last?.counts ?? {};
    const shown = Object.entries<number>(states).flatMap(([state, count]) =>
      count > 0 ? [`${state} ${count}`] : [],
    );
    const asked = this.looks + this.unanswered;
    return `${accepted} items: ${shown.join(", ")}; ${this.looks} of ${asked} looks answered`;
  }

  async keepLooking(signal: AbortSignal): Promise<void> {
    for (let looks = 1; !signal.aborted; looks++) {
      await this.look();
      if (looks % ROLL_EVERY === 0) await this.callRoll();
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Needs `keepLooking` to run at the same time. */
  async untilDone(signal: AbortSignal): Promise<void> {
    while (this.last?.state !== "done") {
      assert.ok(this.#stillMs < STUCK_MS, `it stands still: ${JSON.stringify(this.last)}`);
      await delay(LOOK_MS, undefined, { signal });
    }
  }

  async look(): Promise<void> {
    const job = await this.#ask(() => this.#client.getJob(this.#job));
    if (!job) return;
    this.looks++;
    assertConserved(job);
    if (this.last) assertForward(this.last, job);
    const hasMoved = this.last?.progress.ended !== job.progress.ended;
    this.longestStillMs = Math.max(this.longestStillMs, this.#stillMs);
    if (hasMoved || job.progress.ended === job.counts.accepted) this.#movedAt = performance.now();
    this.last = job;
  }

  /** Every ended item by key, or undefined if the list could not be read to its end. */
  async callRoll(): Promise<ReadonlyMap<string, Item> | undefined> {
    const items = await this.#ask(() =>
      Array.fromAsync(pages((page) => this.#client.listItems(this.#job, { ...page, state: FINAL }), 1000)),
    );
    if (!items) return undefined;
    this.rollCalls++;
    const roll = new Map(items.map((item) => [item.key, item]));
    assert.equal(roll.size, items.length, "an item is listed once");
    for (const [key, end] of this.#ends) assert.equal(endOf(roll.get(key)), end, `${key} stays as it ended`);
    for (const [key, item] of roll) this.#ends.set(key, endOf(item));
    return roll;
  }

  get #stillMs(): number {
    return performance.now() - this.#movedAt;
  }

  async #ask<Answer>(asking: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await asking();
    } catch (error) {
      const isAway = error instanceof ProblemError && (error.status === 0 || error.status === 503);
      if (!isAway) throw error;
      this.unanswered++;
      return undefined;
    }
  }
}

/** Counts never shrink, and ended items stay ended. */
const assertForward = (before: Job, after: Job): void => {
  const countsOf = ({ counts: { states, ...counts }, cost }: Job) => ({
    ...counts,
    ...Object.fromEntries(FINAL.map((state) => [state, states[state]])),
    ...cost,
  });
  const earlier: Readonly<Record<string, number>> = countsOf(before);
  for (const [name, count] of Object.entries<number>(countsOf(after)))
    assert.ok(count >= earlier[name]!, `${name} went back from ${earlier[name]} to ${count}`);
};

const endOf = (item: Item | undefined): string =>
  item === undefined ? "not listed" : [item.state, item.failure?.kind, item.quality, item.endedAt].join(" ");
