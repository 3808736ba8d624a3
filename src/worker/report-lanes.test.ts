import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure, PolicyOverrides } from "../domain/failure.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { Pulse } from "./pulse.ts";
import { reportLanes } from "./report-lanes.ts";
import { SlotScheduler } from "./slot-scheduler.ts";

const ITEM = { lane: "a.test" } as ClaimedItem;
const LANES = new Map([
  ["a.test", "a.test"],
  ["files.test", "files.test"],
]);

const told = (failure: Failure | undefined, overrides?: PolicyOverrides): unknown[] => {
  const lines: unknown[] = [];
  const pulse = { lane: (...line: unknown[]) => lines.push(line) } as unknown as Pulse;
  reportLanes(ITEM, LANES, failure, overrides, pulse, new SlotScheduler(() => {}));
  return lines;
};

test("the lane of the host that failed hears of it, the others that they are well", () => {
  const failure: Failure = { kind: "timeout", detail: "", url: "https://files.test/1" };
  assert.deepEqual(told(failure), [
    ["a.test", "ok"],
    ["files.test", "timeout", { retryAfterMs: undefined, slows: true }],
  ]);
});

test("a page's own trouble says nothing against its lane", () => {
  assert.deepEqual(told({ kind: "structure-changed", detail: "" }), [
    ["a.test", "ok"],
    ["files.test", "ok"],
  ]);
});

test("whether a failure slows the lane is the scraper's to say", () => {
  const overrides = { timeout: { slowsLane: false }, connection: { slowsLane: true } };
  const slows = (kind: Failure["kind"], own?: PolicyOverrides) =>
    (told({ kind, detail: "" }, own) as [string, string, { slows: boolean }?][]).at(-1)?.[2]?.slows;
  assert.deepEqual([slows("timeout"), slows("timeout", overrides)], [true, false]);
  assert.deepEqual([slows("connection"), slows("connection", overrides)], [false, true]);
});
