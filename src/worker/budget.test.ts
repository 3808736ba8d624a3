import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Budget } from "../domain/budget.ts";
import { FailureError, StopError } from "../domain/failure.ts";
import type { TierCost } from "../domain/item.ts";
import type { JobView, PauseReason } from "../domain/job.ts";
import type { ClientSpending, Ledger } from "../ports/ledger.ts";
import { BudgetTracker } from "./budget.ts";
import { microCost } from "./proxy-tiers.ts";
import { UnsettledCosts } from "./unsettled-costs.ts";

const item = (seq: number) => ({ queue: 1, seq });
const isBudget = (error: unknown) => error instanceof FailureError && error.failure.kind === "budget";

/** A ledger that returns what the test has settled, and counts its calls. */
class FakeLedger implements Pick<Ledger, "readJob" | "readSpending" | "controlJob"> {
  asked = 0;
  budget: Budget = {};
  readonly settled = { requests: 0, bytes: 0, microCost: 0 };
  perDay: ClientSpending["perDay"] = {};
  readonly paused: PauseReason[] = [];

  async readJob() {
    this.asked++;
    const { microCost: cost, ...settled } = this.settled;
    const costs = { residential: { ...this.settled, microCost: cost } };
    return { ...settled, costs, spec: { budget: this.budget } } as unknown as JobView;
  }

  async readSpending() {
    this.asked++;
    return { spent: { ...this.settled }, perDay: this.perDay };
  }

  async controlJob(_job: string, _to: string, why?: PauseReason) {
    this.paused.push(why!);
  }
}

const open = (budget?: Budget, ledger = new FakeLedger()) => {
  if (budget) ledger.budget = budget;
  const kit = { nowMs: 0 };
  const costs = new UnsettledCosts();
  const book = new BudgetTracker(ledger, costs, () => kit.nowMs);
  const job = { id: "j", ...(budget && { budget }) };
  const end = (seq: number, bytes: number, proxied?: readonly TierCost[]): void => {
    costs.set(item(seq), { requests: 1, bytes, ...(proxied && { proxied }) });
    book.ended(item(seq));
  };
  const settle = (...seqs: readonly number[]): void => {
    book.settled(seqs.map(item));
    costs.settled(seqs.map(item));
  };
  return { kit, ledger, costs, book, job, end, settle, settled: ledger.settled };
};

const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol("pending");
  return (await Promise.race([promise, setImmediate(pending)])) === pending;
};

test("a job without a budget causes no ledger call", async () => {
  const { book, ledger, job } = open();
  for (let n = 0; n < 10; n++) await book.spend(job, item(n));
  assert.equal(ledger.asked, 0);
});

test("concurrent requests do not exceed the budget together", async () => {
  const { book, job } = open({ requests: 3 });
  const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => book.spend(job, item(n))));
  assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 3);
});

test("the spending of an item counts once, before and after it is settled", async () => {
  const { book, job, settled, settle } = open({ requests: 3 });
  await book.spend(job, item(1));
  await book.spend(job, item(2));
  settled.requests = 2;
  settle(1, 2);
  await book.spend(job, item(3));
  await assert.rejects(() => book.spend(job, item(4)), isBudget);
});

test("a returned item has spent nothing", async () => {
  const { book, job, settle } = open({ requests: 1 });
  await book.spend(job, item(1));
  settle(1);
  await book.spend(job, item(1));
});

test("bytes are reserved until they arrive: the next request waits, and is refused once they are spent", async () => {
  const { book, job, end } = open({ bytes: 100 });
  await book.spend(job, item(1));
  const second = book.spend(job, item(2));
  assert.ok(await isPending(second));
  end(1, 60);
  await second;
  const third = book.spend(job, item(3));
  assert.ok(await isPending(third));
  end(2, 40);
  await assert.rejects(third, isBudget);
});

test("the price of a request is reserved by its tier and the average of bytes", async () => {
  const { book, job, end } = open({ cost: 0.01 });
  const price = { perGB: 8, perRequest: 0.001 };
  // 0.0014 each by the least number of bytes.
  for (let n = 0; n < 8; n++) await book.spend(job, item(n), price);
  const next = book.spend(job, item(8), price);
  assert.ok(await isPending(next));
  const large = { tier: "residential", requests: 1, bytes: 1e6, microCost: microCost(price, 1, 1e6) };
  end(0, 1e6, [large]);
  assert.ok(await isPending(next));
  end(1, 1e6, [large]);
  await assert.rejects(next, isBudget);
});

test("requests of items that wait for each other continue until the budget is spent", async () => {
  const { book, job, costs } = open({ bytes: 60_000 });
  await book.spend(job, item(1));
  await book.spend(job, item(2));
  costs.set(item(1), { requests: 1, bytes: 1000 });
  costs.set(item(2), { requests: 1, bytes: 1000 });
  const first = book.spend(job, item(1));
  await first;
  costs.set(item(1), { requests: 2, bytes: 59_000 });
  await assert.rejects(() => book.spend(job, item(2)), isBudget);
});

test("a wait ends with the item", async () => {
  const { book, job, settle } = open({ bytes: 100 });
  await book.spend(job, item(1));
  const waiting = book.spend(job, item(2));
  assert.ok(await isPending(waiting));
  settle(2);
  await assert.rejects(waiting, StopError);
});

test("the spending of other workers is known within a second", async () => {
  const { book, kit, job, settled } = open({ requests: 10 });
  await book.spend(job, item(1));
  settled.requests = 9;
  kit.nowMs = 500;
  await book.spend(job, item(2));
  kit.nowMs = 1600;
  await assert.rejects(() => book.spend(job, item(3)), isBudget);
});

test("with `onSpent: pause` the job is paused, its items are returned, and it continues with a higher budget", async () => {
  const { book, ledger, kit, job } = open({ requests: 1, onSpent: "pause" });
  await book.spend(job, item(1));
  const refused = await Promise.allSettled([book.spend(job, item(2)), book.spend(job, item(3))]);
  assert.ok(refused.every((one) => one.status === "rejected" && one.reason instanceof StopError));
  assert.deepEqual(ledger.paused, [
    { cause: "budget", reason: "the job has spent its budget of 1 requests" },
  ]);
  ledger.budget = { requests: 2, onSpent: "pause" };
  kit.nowMs = 2000;
  await book.spend(job, item(2));
});

test("a client's daily limits apply to all of its jobs, and a later limit is noticed", async () => {
  const { book, ledger, kit, settled } = open();
  const job = { id: "j", client: "tax" };
  await book.spend(job, item(1));
  await book.spend(job, item(2));
  assert.equal(ledger.asked, 1);
  ledger.perDay = { requestsPerDay: 5 };
  settled.requests = 4;
  kit.nowMs = 11_000;
  await book.spend({ ...job, id: "k" }, item(3));
  await assert.rejects(() => book.spend(job, item(4)), /client tax has spent its budget of 5 requests/);
});

test("two workers with 50 items in flight exceed a budget by no more than what was in flight", async () => {
  for (const budget of [{ cost: 0.5 }, { bytes: 20_000_000 }, { requests: 300 }]) {
    const ledger = new FakeLedger();
    ledger.budget = budget;
    const price = { perGB: 8, perRequest: 0.0005 };
    const used = { requests: 0, bytes: 0, microCost: 0 };
    const inFlight = { now: 0, most: 0 };
    let largest = 0;
    const worker = async (first: number): Promise<void> => {
      const { book, costs, settle, kit } = open(budget, ledger);
      const job = { id: "j", budget };
      let next = first;
      const runOne = async (): Promise<void> => {
        const seq = next++;
        const live = { requests: 0, bytes: 0, proxied: [] as TierCost[] };
        costs.set(item(seq), live);
        for (let n = 0; n < 1 + (seq % 3); n++) {
          await book.spend(job, item(seq), price);
          inFlight.most = Math.max(inFlight.most, ++inFlight.now);
          await setImmediate();
          const bytes = 20_000 + ((seq * 7919) % 90_000);
          live.requests++;
          live.bytes += bytes;
          const { requests, bytes: all } = live;
          const cost = microCost(price, requests, all);
          live.proxied = [{ tier: "residential", requests, bytes: all, microCost: cost }];
          largest = Math.max(largest, bytes);
          inFlight.now--;
        }
        book.ended(item(seq));
        await setImmediate();
        const [{ microCost: cost } = { microCost: 0 }] = live.proxied;
        for (const sum of [used, ledger.settled]) {
          sum.requests += live.requests;
          sum.bytes += live.bytes;
          sum.microCost += cost;
        }
        settle(seq);
        kit.nowMs += 50;
      };
      const loop = async (): Promise<void> => {
        for (;;) await runOne();
      };
      const ends = await Promise.allSettled(Array.from({ length: 25 }, loop));
      for (const end of ends)
        if (end.status === "rejected") assert.ok(isBudget(end.reason), String(end.reason));
    };
    await Promise.all([worker(1), worker(100_000)]);
    const over = { cost: used.microCost / 1e6, bytes: used.bytes, requests: used.requests };
    const [[name, limit]] = Object.entries(budget) as [[keyof typeof over, number]];
    const one = { cost: microCost(price, 1, largest) / 1e6, bytes: largest, requests: 1 }[name];
    assert.ok(over[name] >= limit * 0.8, `${name}: only ${over[name]} of ${limit} was used`);
    assert.ok(over[name] <= limit + 50 * one, `${name}: ${over[name]} of ${limit}`);
  }
});
