import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTimes } from "../domain/schedule.ts";
import { instantOf, openZone, type Zone } from "../domain/zone-time.ts";
import { Problem } from "./problem.ts";
import { timesOf } from "./schedule-times.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const FROM = Date.UTC(2024, 0, 1);
const UP_TO = Date.UTC(2031, 0, 1);
/** Two changes of a zone are further apart (Morocco's Ramadan: about 30 days). */
const STEP = 20 * DAY;

const iso = (at: number): string => new Date(at).toISOString().replace(":00.000Z", "Z");
const timesAfter = async (cron: string, zone: string, after: string, count: number): Promise<string[]> =>
  nextTimes(await timesOf({ cron, zone }), Date.parse(after), count).map(iso);

/** Instants at which the offset changes: independent of the code under test, by bisection to the minute. */
const transitionsOf = ({ offsetAt }: Zone): number[] => {
  const found: number[] = [];
  for (let at = FROM; at < UP_TO; at += STEP) {
    if (offsetAt(at) === offsetAt(at + STEP)) continue;
    let [low, high] = [at / MINUTE, (at + STEP) / MINUTE];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * MINUTE) === offsetAt(at)) low = middle;
      else high = middle;
    }
    found.push(high * MINUTE);
  }
  return found;
};

test("in every zone, at each change of its clocks from 2024 to 2030, a daily time fires once for each local day, and every half hour fires", async () => {
  let transitions = 0;
  for (const name of Intl.supportedValuesOf("timeZone")) {
    const zone = openZone(name)!;
    for (const change of transitionsOf(zone)) {
      transitions++;
      await checkDaily(zone, change);
      await checkHalfHours(zone, change);
    }
  }
  assert.ok(transitions > 1500, `${transitions} changes`);
});

/** Times around and inside the hour that is left out or repeated. */
const checkDaily = async (zone: Zone, change: number): Promise<void> => {
  const [before, after] = [zone.offsetAt(change - 1), zone.offsetAt(change)];
  const [first, last] = [Math.min(before, after) + change, Math.max(before, after) + change];
  for (const local of new Set([first, (first + last) / 2, last])) {
    const timeOfDay = ((local % DAY) + DAY) % DAY;
    const [hour, minute] = [Math.floor(timeOfDay / (60 * MINUTE)), (timeOfDay / MINUTE) % 60];
    const next = await timesOf({ cron: `${minute} ${hour} * * *`, zone: zone.name });
    const midnight = local - timeOfDay;
    const fired = nextTimes(next, change - 3 * DAY, 7);
    for (let day = midnight - DAY; day <= midnight + DAY; day += DAY) {
      const wanted = day + timeOfDay;
      const isSkipped = after > before && wanted >= change + before && wanted < change + after;
      const matches = fired.filter((at) => (isSkipped ? at === change : at + zone.offsetAt(at) === wanted));
      assert.equal(
        matches.length,
        1,
        `${zone.name} ${hour}:${minute} for ${iso(day)}: ${fired.map(iso).join()}`,
      );
    }
    assert.equal(new Set(fired).size, fired.length);
  }
};

const checkHalfHours = async (zone: Zone, change: number): Promise<void> => {
  const next = await timesOf({ cron: "*/30 * * * *", zone: zone.name });
  const from = change - 90 * MINUTE;
  const wanted: string[] = [];
  for (let at = from + MINUTE; wanted.length < 6; at += MINUTE)
    if (((at + zone.offsetAt(at)) / MINUTE) % 30 === 0) wanted.push(iso(at));
  assert.deepEqual(nextTimes(next, from, 6).map(iso), wanted, `${zone.name} at ${iso(change)}`);
};

test("a time that the clocks leave out fires right after the gap", async () => {
  assert.deepEqual(await timesAfter("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2), [
    "2026-03-08T07:00Z", // 03:00, the first minute that there is
    "2026-03-09T06:30Z",
  ]);
  assert.deepEqual(await timesAfter("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 1), [
    "2026-10-03T15:30Z",
  ]);
  // Nuuk goes from 23:00 to 00:00: the time of Saturday fires on the first minute of Sunday.
  assert.deepEqual(await timesAfter("30 23 * * *", "America/Nuuk", "2026-03-28T12:00:00Z", 2), [
    "2026-03-29T01:00Z",
    "2026-03-30T00:30Z",
  ]);
});

test("a time that the clocks repeat fires once, and a pattern of every hour in both hours", async () => {
  assert.deepEqual(await timesAfter("30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", 2), [
    "2026-11-01T05:30Z",
    "2026-11-02T06:30Z",
  ]);
  assert.deepEqual(await timesAfter("30 * * * *", "America/New_York", "2026-11-01T05:00:00Z", 3), [
    "2026-11-01T05:30Z",
    "2026-11-01T06:30Z",
    "2026-11-01T07:30Z",
  ]);
});

test("several times in one gap are one, and rare patterns are found", async () => {
  assert.deepEqual(await timesAfter("0,20,40 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2), [
    "2026-03-29T01:00Z",
    "2026-03-30T00:00Z",
  ]);
  assert.deepEqual(await timesAfter("0 0 29 2 *", "Asia/Tokyo", "2024-03-01T00:00:00Z", 1), [
    "2028-02-28T15:00Z",
  ]);
  assert.deepEqual(await timesAfter("0 * 1 1 *", "Europe/Berlin", "2026-01-02T00:00:00Z", 1), [
    "2026-12-31T23:00Z",
  ]);
});

test("an interval counts from 1970", async () => {
  const next = await timesOf({ everyMs: 6 * 60 * MINUTE });
  assert.deepEqual(nextTimes(next, Date.parse("2026-11-17T06:00:00Z"), 2).map(iso), [
    "2026-11-17T12:00Z",
    "2026-11-17T18:00Z",
  ]);
});

test("a zone must be named, and a pattern must be one that comes", async () => {
  const problem = async (cron: string, zone: string): Promise<string> =>
    await timesOf({ cron, zone }).then(
      () => "none",
      (error: unknown) => (error instanceof Problem ? (error.facts.errors?.[0]?.path ?? "") : String(error)),
    );
  assert.equal(await problem("0 6 * * *", "Europe/Atlantis"), "when/zone");
  assert.equal(await problem("0 6 * * *", "+02:00"), "when/zone");
  assert.equal(await problem("0 6 * * *", ""), "when/zone");
  assert.equal(await problem("0 6 * *", "UTC"), "when/cron");
  assert.equal(await problem("61 6 * * *", "UTC"), "when/cron");
  assert.equal(await problem("0 0 30 2 *", "UTC"), "when/cron");
  assert.equal(await problem("@daily", "UTC"), "when/cron");
});

test("the first of two instants with the same local time", () => {
  const zone = openZone("Europe/Berlin")!;
  assert.equal(iso(instantOf(zone, Date.UTC(2026, 9, 25, 2, 30))), "2026-10-25T00:30Z");
});
