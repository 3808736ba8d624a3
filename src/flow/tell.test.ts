import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { World } from "../ports/ledger-suite/world.ts";
import { tell } from "./tell.ts";

const JOBS = 150;

/** An outbox of more than one page. */
const open = async (t: TestContext): Promise<World> => {
  const world = await World.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  for (let n = 0; n < JOBS; n++) {
    await world.job(`j${n}`, ["a"]);
    await world.ledger.steerJob(`j${n}`, "pause");
  }
  return world;
};

test("every event is told once, in order, also while the listener takes its time", async (t) => {
  const { ledger } = await open(t);
  const ids: number[] = [];
  const jobs = new Set<string>();
  const told = await tell(ledger, async ({ id, type, job }) => {
    await new Promise(setImmediate);
    ids.push(id);
    if (type === "job.paused") jobs.add(job);
  });
  assert.equal(told, ids.length);
  assert.equal(jobs.size, JOBS);
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
  assert.equal(await tell(ledger, () => assert.fail("told again")), 0);
});

test("a crash between telling and acknowledging tells again, never not at all", async (t) => {
  const { ledger } = await open(t);
  const first: number[] = [];
  const crash = { ...ledger, ackEvents: () => Promise.reject(new Error("killed")) };
  await assert.rejects(() => tell(crash, ({ id }) => void first.push(id)));
  const second: number[] = [];
  await tell(ledger, ({ id }) => void second.push(id));
  assert.deepEqual(second.slice(0, first.length), first);
  assert.ok(second.length > first.length);
});

test("an event whose listener throws is not acknowledged", async (t) => {
  const { ledger } = await open(t);
  await assert.rejects(() => tell(ledger, () => Promise.reject(new Error("the webhook is down"))));
  const [event] = await ledger.readEvents(1);
  const heard: number[] = [];
  await tell(ledger, ({ id }) => void heard.push(id));
  assert.equal(heard[0], event?.id);
});
