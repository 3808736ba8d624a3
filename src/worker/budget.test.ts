import assert from "node:assert/strict";
import { test } from "node:test";
import { FailureError } from "../domain/failure.ts";
import type { JobView } from "../domain/job.ts";
import { BudgetTracker } from "./budget.ts";

const item = (seq: number) => ({ queue: 1, seq });
const isBudget = (error: unknown) => error instanceof FailureError && error.failure.kind === "budget";

/** A book over a ledger that says what the test has settled, and how often it was asked. */
const open = () => {
  const settled = { requests: 0, bytes: 0 };
  const kit = { nowMs: 0, asked: 0, settled };
  const readJob = async () => {
    kit.asked++;
    return { ...settled } as JobView;
  };
  return { kit, book: new BudgetTracker({ readJob }, () => kit.nowMs) };
};

test("a job without a budget costs no look at the ledger", async () => {
  const { book, kit } = open();
  for (let n = 0; n < 10; n++) await book.spend({ id: "j" }, item(n));
  assert.equal(kit.asked, 0);
});

test("requests made side by side do not pass the budget together", async () => {
  const { book } = open();
  const job = { id: "j", budget: { requests: 3 } };
  const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => book.spend(job, item(n))));
  assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 3);
});

test("what an item has spent counts once, before it is settled and after", async () => {
  const { book, kit } = open();
  const job = { id: "j", budget: { requests: 3 } };
  await book.spend(job, item(1));
  await book.spend(job, item(2));
  kit.settled.requests = 2;
  book.settled([item(1), item(2)]);
  await book.spend(job, item(3));
  await assert.rejects(() => book.spend(job, item(4)), isBudget);
});

test("an item that was given back has spent nothing", async () => {
  const { book } = open();
  const job = { id: "j", budget: { requests: 1 } };
  await book.spend(job, item(1));
  book.settled([item(1)]);
  await book.spend(job, item(1));
});

test("bytes count when they have come", async () => {
  const { book } = open();
  const job = { id: "j", budget: { bytes: 100 } };
  await book.spend(job, item(1));
  book.ended("j", item(1), 60);
  await book.spend(job, item(2));
  book.ended("j", item(2), 40);
  await assert.rejects(() => book.spend(job, item(3)), isBudget);
});

test("what other workers have settled is heard of within a second", async () => {
  const { book, kit } = open();
  const job = { id: "j", budget: { requests: 10 } };
  await book.spend(job, item(1));
  kit.settled.requests = 9;
  kit.nowMs = 500;
  await book.spend(job, item(2));
  kit.nowMs = 1600;
  await assert.rejects(() => book.spend(job, item(3)), isBudget);
});
