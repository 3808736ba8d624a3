import assert from "node:assert/strict";
import { test } from "node:test";
import { EventFeed } from "./event-feed.ts";
import { NotifyKit, until } from "./testing/notify-kit.ts";

const DAY_MS = 24 * 3_600_000;

test("a listener starts with new events, or after the last one it received", async (t) => {
  const service = await NotifyKit.open(t);
  const feed = new EventFeed(service.ledger);
  assert.deepEqual(await feed.begin(undefined), { at: 0, isLost: false });
  for (const id of ["a", "b", "c"]) await service.job(id);
  const last = await service.ledger.events.last();
  assert.deepEqual(await feed.begin(undefined), { at: last, isLost: false });
  assert.deepEqual(await feed.begin(`${last - 2}`), { at: last - 2, isLost: false });
  for (const unknown of [`${last + 1}`, "m1k2-7", "", "-1", "1e3", "9".repeat(40)])
    assert.deepEqual(await feed.begin(unknown), { at: last, isLost: true }, unknown);
});

test("a listener that asks for the last events gets those that it wants, however many others followed", async (t) => {
  const service = await NotifyKit.open(t);
  const feed = new EventFeed(service.ledger);
  for (const id of ["a", "b"]) await service.job(id, {}, 1);
  await service.ledger.controlJob("a", "pause");
  const pausedAt = await service.ledger.events.last();
  await service.ledger.controlJob("b", "pause");
  const progress = { type: "job.progress", job: "b", facts: {} } as const;
  await service.ledger.events.write(Array.from({ length: 200 }, () => progress));
  const last = await service.ledger.events.last();
  assert.deepEqual(await feed.begin(undefined, 2), { at: pausedAt - 1, isLost: false });
  assert.deepEqual(await feed.begin(undefined, 2, { job: "a", types: ["job.paused"] }), {
    at: pausedAt - 1,
    isLost: false,
  });
  assert.deepEqual(await feed.begin(undefined, 2, { types: ["job.cancelled"] }), { at: last, isLost: false });
});

test("a listener that was away for longer than events are kept has lost some", async (t) => {
  const service = await NotifyKit.open(t);
  const feed = new EventFeed(service.ledger);
  for (const id of ["a", "b"]) await service.job(id);
  const last = await service.ledger.events.last();
  service.nowMs += 8 * DAY_MS;
  await service.job("c");
  await service.ledger.tidy();
  assert.deepEqual(await feed.begin(`${last}`), { at: last, isLost: false });
  assert.deepEqual(await feed.begin(`${last - 1}`), { at: last + 1, isLost: true });
});

test("missed events arrive in order and once, by job and type, with the job's current state", async (t) => {
  const service = await NotifyKit.open(t);
  const feed = new EventFeed(service.ledger);
  await service.job("other", { client: "zebra" });
  await service.job("a", {}, 1);
  for (let n = 0; n < 250; n++) await service.ledger.controlJob("a", n % 2 === 0 ? "pause" : "resume");
  await service.ledger.events.write([{ type: "job.progress", job: "a", facts: {} }]);
  const last = await service.ledger.events.last();
  const heard: number[] = [];
  for (let at = 0; at < last;) {
    const page = await feed.next(at, { job: "a", types: ["job.paused", "job.progress"] });
    assert.ok(page.events.every(({ type, client }) => type === "job.paused" && client === "team"));
    assert.ok(page.events.every(({ data }) => data["state"] === "running" || data["state"] === "loading"));
    heard.push(...page.events.map(({ id }) => id!));
    at = page.at;
  }
  const paused = await service.ledger.events.read({ types: ["job.paused"], limit: 1000 });
  assert.deepEqual(
    heard,
    paused.map(({ id }) => id),
  );
});

test("listeners at the same position share one wait, and all get the events", async (t) => {
  const service = await NotifyKit.open(t);
  let waits = 0;
  const events = {
    ...service.ledger.events,
    await: (after: number, ms: number) => {
      waits++;
      return service.ledger.events.await(after, ms);
    },
  };
  const feed = new EventFeed({ ...service.ledger, events });
  const { at } = await feed.begin(undefined);
  const empty = Array.from({ length: 50 }, () => feed.next(at, {}));
  await until(() => waits > 0);
  await service.job("a");
  assert.ok((await Promise.all(empty)).every((page) => page.at === at));
  const pages = await Promise.all(Array.from({ length: 50 }, () => feed.next(at, {})));
  assert.ok(pages.every((page) => page.events[0]?.type === "job.started"));
  assert.equal(waits, 1);
});
