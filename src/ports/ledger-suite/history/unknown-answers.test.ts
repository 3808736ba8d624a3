import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkHistory } from "./check-history.ts";
import type { Call, Fact } from "./history.ts";

/** A call from `begin` to `end`; without an end its answer was lost. */
const call = (begin: number, end: number | undefined, fact: Fact): Call => ({
  begin,
  beginMs: begin,
  end: end ?? Infinity,
  endMs: end ?? Infinity,
  answer: end === undefined ? "unknown" : "known",
  ...fact,
});

const claim = (begin: number, end: number | undefined, worker: string, lease?: number, attempt = 1): Call => {
  const item = { item: "1/1", queue: 1, job: "job", lane: "site.test", scraper: 0, attempt };
  const items = lease === undefined ? [] : [{ ...item, lease }];
  return call(begin, end, { verb: "claim", worker, room: 1, items, slots: [], unpaced: ["site.test"] });
};

const settle = (
  begin: number,
  end: number | undefined,
  worker: string,
  lease: number,
  own: { readonly state?: "done" | "failed" | "returned"; readonly isRefused?: boolean } = {},
): Call => {
  const { state = "done", isRefused = false } = own;
  const told = {
    item: "1/1",
    queue: 1,
    lease,
    state,
    isRefused,
    inputs: 0,
    requests: 1,
    bytes: 10,
    hasCaptures: false,
  };
  return call(begin, end, {
    verb: "settle",
    worker,
    items: [{ ...told, countsAttempt: state !== "returned" }],
  });
};

const read = (begin: number, end: number, done: number, leased: number): Call => {
  const states = {
    queued: 1 - done - leased,
    leased,
    waiting: 0,
    done,
    absent: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  };
  const counts = { received: 1, accepted: 1, folded: 0, rejected: 0, capped: 0, states };
  return call(begin, end, { verb: "readJob", job: "job", counts, requests: done, bytes: 10 * done });
};

const added = call(0, 1, { verb: "addItems", job: "job", inputs: 1 });
const lawsOf = (...calls: readonly Call[]): string[] => [
  ...new Set(checkHistory([added, ...calls], { leaseMs: 1000 }).map(({ law }) => law)),
];

describe("lost answers", () => {
  it("may count either way: an item whose settle has no answer is done, or goes to another worker", () => {
    const lost = [claim(2, 3, "a", 1), settle(4, undefined, "a", 1)];
    assert.deepEqual(lawsOf(...lost, read(5, 6, 1, 0)), []);
    assert.deepEqual(lawsOf(...lost, read(5, 6, 0, 1)), []);
    const returned = [claim(2, 3, "a", 1), settle(4, undefined, "a", 1, { state: "returned" })];
    assert.deepEqual(lawsOf(...returned, claim(5, 6, "b", 2)), []);
    assert.deepEqual(lawsOf(claim(2, 3, "a", 1), claim(5, 6, "b", 2)), ["one holder"]);
  });

  it("may hold items: those are leased, and may be settled", () => {
    const lost = claim(2, undefined, "a");
    assert.deepEqual(lawsOf(lost, read(5, 6, 0, 1), settle(7, 8, "a", 1), read(9, 10, 1, 0)), []);
    assert.deepEqual(lawsOf(read(5, 6, 0, 1)), ["conservation"]);
    assert.deepEqual(lawsOf(settle(7, 8, "a", 1)), ["one holder"]);
  });

  it("are requested again: the same outcome is accepted again, another one is not", () => {
    const first = [claim(2, 3, "a", 1), settle(4, undefined, "a", 1)];
    assert.deepEqual(lawsOf(...first, settle(5, 6, "a", 1), read(7, 8, 1, 0)), []);
    assert.deepEqual(lawsOf(...first, settle(5, 6, "a", 1), read(7, 8, 0, 1)), ["conservation"]);
    const heard = [claim(2, 3, "a", 1), settle(4, 5, "a", 1), settle(6, 7, "a", 1, { state: "failed" })];
    assert.deepEqual(lawsOf(...heard), ["one end"]);
    assert.deepEqual(lawsOf(claim(2, 3, "a", 1), settle(4, 5, "a", 1, { isRefused: true })), ["one end"]);
  });
});

describe("calls at the same time", () => {
  it("may have arrived in either order", () => {
    const back = settle(4, 8, "a", 1, { state: "returned" });
    assert.deepEqual(lawsOf(claim(2, 3, "a", 1), back, claim(5, 7, "b", 2)), []);
    assert.deepEqual(
      lawsOf(claim(2, 3, "a", 1), claim(4, 5, "b", 2), settle(6, 8, "a", 1, { state: "returned" })),
      ["one holder"],
    );
    assert.deepEqual(lawsOf(claim(2, 3, "a", 1), settle(4, 8, "a", 1), read(5, 6, 0, 1)), []);
    assert.deepEqual(lawsOf(claim(2, 3, "a", 1), settle(4, 5, "a", 1), read(6, 7, 0, 1)), ["conservation"]);
  });

  it("a silent worker may have been given up once its lease has run out, and not before", () => {
    const [first, second] = [claim(2, 3, "a", 1), claim(1500, 1501, "b", 2)];
    assert.deepEqual(lawsOf(first, second), []);
    const pulse = { wishes: [], slots: [], returned: [], holds: [], unsettled: [] };
    const heard = call(900, 901, { verb: "pulse", worker: "a", isAlive: true, ...pulse });
    assert.deepEqual(lawsOf(first, heard, second), ["one holder"]);
  });
});
