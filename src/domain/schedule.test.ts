import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Decided,
  decide,
  everyInterval,
  jitterOf,
  MOST_AT_ONCE,
  MOST_TOLD,
  resumed,
  type Timing,
} from "./schedule.ts";

const HOUR = 3_600_000;
const next = everyInterval(HOUR);
const hourly = (overlap: Timing["overlap"], catchUpMs?: number): Timing => ({
  when: { everyMs: HOUR },
  overlap,
  ...(catchUpMs !== undefined && { catchUpMs }),
});
const decided = (hours: number, queue: Decided["queue"] = []): Decided => ({
  decidedAt: hours * HOUR,
  queue,
});
/** What became of each hour: `5 fire`. */
const fates = (timing: Timing, state: Decided, now: number, running = 0): string[] =>
  decide(timing, state, { now: now * HOUR, running, next }).verdicts.map(
    ({ at, ...verdict }) => `${at / HOUR} ${verdict.fate === "fire" ? verdict.fate : verdict.reason}`,
  );

test("a time fires when it has come, and only then", () => {
  assert.deepEqual(fates(hourly("skip"), decided(5), 5.99), []);
  assert.deepEqual(fates(hourly("skip"), decided(5), 6), ["6 fire"]);
  assert.deepEqual(fates(hourly("skip"), decided(6), 6.5), []);
});

test("of several times that were missed only the latest fires", () => {
  assert.deepEqual(fates(hourly("skip"), decided(5), 8.9), ["6 several-due", "7 several-due", "8 fire"]);
});

test("a time does not fire when its catch-up window is over", () => {
  assert.deepEqual(fates(hourly("skip", HOUR / 4), decided(5), 6.25), ["6 fire"]);
  assert.deepEqual(fates(hourly("skip", HOUR / 4), decided(5), 6.3), ["6 too-late"]);
  // A round of the controllers may be some seconds late.
  assert.deepEqual(fates(hourly("skip", 0), decided(5), 6.001), ["6 fire"]);
});

test("while a firing runs, the next time is skipped, queued or fires, by the overlap policy", () => {
  assert.deepEqual(fates(hourly("skip"), decided(5), 6, 1), ["6 still-running"]);
  assert.deepEqual(fates(hourly("allow"), decided(5), 6, 1), ["6 fire"]);
  assert.deepEqual(fates(hourly("allow"), decided(5), 6, MOST_AT_ONCE), ["6 too-many-running"]);
  assert.deepEqual(fates(hourly("queue-one"), decided(5), 6, 1), []);
});

test("a queued time fires when nothing runs any more, unless a later one has come", () => {
  const timing = hourly("queue-one");
  const queued = decide(timing, decided(5), { now: 6 * HOUR, running: 1, next }).next;
  assert.deepEqual(queued, decided(6, [{ at: 6 * HOUR, cause: "time" }]));
  assert.deepEqual(fates(timing, queued, 6.5, 1), []);
  assert.deepEqual(fates(timing, queued, 6.5, 0), ["6 fire"]);
  assert.deepEqual(fates(timing, queued, 7, 0), ["6 replaced", "7 fire"]);
  const again = decide(timing, queued, { now: 7 * HOUR, running: 1, next });
  assert.deepEqual(again.next.queue, [{ at: 7 * HOUR, cause: "time" }]);
  assert.deepEqual(fates(timing, queued, 7, 1), ["6 replaced"]);
});

test("times to backfill fire one after another, and a time that is due goes first", () => {
  const state = decided(9, [
    { at: 2 * HOUR, cause: "backfill" },
    { at: 3 * HOUR, cause: "backfill" },
  ]);
  const first = decide(hourly("skip"), state, { now: 9.5 * HOUR, running: 0, next });
  assert.deepEqual(first.verdicts, [{ at: 2 * HOUR, cause: "backfill", fate: "fire" }]);
  assert.deepEqual(fates(hourly("skip"), first.next, 9.6, 1), []);
  assert.deepEqual(fates(hourly("skip"), first.next, 9.7, 0), ["3 fire"]);
  assert.deepEqual(fates(hourly("skip"), first.next, 10, 0), ["10 fire"]);
});

test("nothing fires during a pause, and after it nothing before the next time, unless asked", () => {
  const paused = { ...decided(5), pausedAt: 5.5 * HOUR };
  assert.deepEqual(fates(hourly("skip"), paused, 8.5), []);
  assert.deepEqual(fates(hourly("skip"), resumed(paused, 8.5 * HOUR, false), 8.6), []);
  assert.deepEqual(fates(hourly("skip"), resumed(paused, 8.5 * HOUR, false), 9), ["9 fire"]);
  assert.deepEqual(fates(hourly("skip"), resumed(paused, 8.5 * HOUR, true), 8.6), [
    "6 several-due",
    "7 several-due",
    "8 fire",
  ]);
});

test("jitter delays all firings of a schedule alike, and spreads schedules", () => {
  const jitterMs = jitterOf("county", HOUR / 2);
  const at = (now: number) =>
    decide(hourly("skip"), decided(5), { now, running: 0, next, jitterMs }).verdicts;
  assert.deepEqual(at(6 * HOUR + jitterMs - 1), []);
  assert.deepEqual(at(6 * HOUR + jitterMs), [{ at: 6 * HOUR, fate: "fire", cause: "time" }]);
  const spread = Array.from({ length: 400 }, (_, n) => Math.floor(jitterOf(`county-${n}`, 1000) / 100));
  for (let tenth = 0; tenth < 10; tenth++)
    assert.ok(spread.filter((one) => one === tenth).length > 10, `${tenth}`);
  assert.equal(jitterOf("county"), 0);
});

test("after a long time without controllers, the latest times are told and the newest fires", () => {
  let asked = 0;
  const counted = (after: number): number | undefined => {
    asked++;
    return everyInterval(60_000)(after);
  };
  const { verdicts } = decide(hourly("skip"), decided(0), {
    now: 20_000 * HOUR + 1,
    running: 0,
    next: counted,
  });
  assert.equal(verdicts.length, MOST_TOLD);
  assert.deepEqual(verdicts.at(-1), { at: 20_000 * HOUR, fate: "fire", cause: "time" });
  assert.ok(asked < 1000, `${asked} times were computed`);
});
