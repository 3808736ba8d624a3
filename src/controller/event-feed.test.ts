import assert from "node:assert/strict";
import { test } from "node:test";
import { EventFeed } from "./event-feed.ts";
import { TellingHouse, until } from "./telling-house.suite.ts";

const DAY_MS = 24 * 3_600_000;

test("a listener begins with what comes, or after the last event that it has heard", async (t) => {
  const house = await TellingHouse.open(t);
  const feed = new EventFeed(house.ledger);
  assert.deepEqual(await feed.begin(undefined), { at: 0, isLost: false });
  for (const id of ["a", "b", "c"]) await house.job(id);
  const last = await house.ledger.events.last();
  assert.deepEqual(await feed.begin(undefined), { at: last, isLost: false });
  assert.deepEqual(await feed.begin(`${last - 2}`), { at: last - 2, isLost: false });
  for (const unknown of [`${last + 1}`, "m1k2-7", "", "-1", "1e3", "9".repeat(40)])
    assert.deepEqual(await feed.begin(unknown), { at: last, isLost: true }, unknown);
});

test("who was away for longer than events are kept has lost some", async (t) => {
  const house = await TellingHouse.open(t);
  const feed = new EventFeed(house.ledger);
  for (const id of ["a", "b"]) await house.job(id);
  const last = await house.ledger.events.last();
  house.nowMs += 8 * DAY_MS;
  await house.job("c");
  await house.ledger.tidy();
  assert.deepEqual(await feed.begin(`${last}`), { at: last, isLost: false });
  assert.deepEqual(await feed.begin(`${last - 1}`), { at: last + 1, isLost: true });
});

test("what was missed comes in order and once, by job and type, and with the job as it is", async (t) => {
  const house = await TellingHouse.open(t);
  const feed = new EventFeed(house.ledger);
  await house.job("other", { client: "zebra" });
  await house.job("a", {}, 1);
  for (let n = 0; n < 250; n++) await house.ledger.steerJob("a", n % 2 === 0 ? "pause" : "resume");
  await house.ledger.events.write([{ type: "job.progress", job: "a", facts: {} }]);
  const last = await house.ledger.events.last();
  const heard: number[] = [];
  for (let at = 0; at < last;) {
    const page = await feed.next(at, { job: "a", types: ["job.paused", "job.progress"] });
    assert.ok(page.events.every(({ type, client }) => type === "job.paused" && client === "team"));
    assert.ok(page.events.every(({ data }) => data["state"] === "running" || data["state"] === "loading"));
    heard.push(...page.events.map(({ id }) => id!));
    at = page.at;
  }
  const paused = await house.ledger.events.read({ types: ["job.paused"], limit: 1000 });
  assert.deepEqual(
    heard,
    paused.map(({ id }) => id),
  );
});

test("listeners at the same place wait together, and all hear what comes", async (t) => {
  const house = await TellingHouse.open(t);
  let waits = 0;
  const events = {
    ...house.ledger.events,
    await: (after: number, ms: number) => {
      waits++;
      return house.ledger.events.await(after, ms);
    },
  };
  const feed = new EventFeed({ ...house.ledger, events });
  const { at } = await feed.begin(undefined);
  const empty = Array.from({ length: 50 }, () => feed.next(at, {}));
  await until(() => waits > 0);
  await house.job("a");
  assert.ok((await Promise.all(empty)).every((page) => page.at === at));
  const pages = await Promise.all(Array.from({ length: 50 }, () => feed.next(at, {})));
  assert.ok(pages.every((page) => page.events[0]?.type === "job.started"));
  assert.equal(waits, 1);
});
