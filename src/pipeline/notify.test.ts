import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { Kit } from "../ports/ledger-suite/test-kit.ts";
import { notify } from "./notify.ts";

const JOBS = 150;

/** A log of more than one page. */
const open = async (t: TestContext): Promise<Kit> => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  for (let n = 0; n < JOBS; n++) {
    await kit.job(`j${n}`, ["a"]);
    await kit.ledger.controlJob(`j${n}`, "pause");
  }
  return kit;
};

const ONE = { consumer: "one" };

test("every event is sent once, in order, also to a slow listener", async (t) => {
  const { ledger } = await open(t);
  const ids: number[] = [];
  const jobs = new Set<string>();
  const upTo = await notify(ledger.events, ONE, async (events) => {
    await new Promise(setImmediate);
    for (const { id, type, job } of events) {
      ids.push(id);
      if (type === "job.paused") jobs.add(job);
    }
  });
  assert.equal(upTo, ids.at(-1));
  assert.equal(jobs.size, JOBS);
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
  assert.equal(await notify(ledger.events, ONE, () => assert.fail("told again")), upTo);
});

test("a crash between sending and moving the cursor repeats an event, and never loses one", async (t) => {
  const { ledger } = await open(t);
  const first: number[] = [];
  const crash = { ...ledger.events, move: () => Promise.reject(new Error("killed")) };
  await assert.rejects(() => notify(crash, ONE, (events) => void first.push(...events.map(({ id }) => id))));
  const second: number[] = [];
  await notify(ledger.events, ONE, (events) => void second.push(...events.map(({ id }) => id)));
  assert.deepEqual(second.slice(0, first.length), first);
  assert.ok(second.length > first.length);
});

test("the cursor also passes events that a consumer ignores, so they are not kept for it", async (t) => {
  const { ledger } = await open(t);
  const told: string[] = [];
  const hearing = { ...ONE, job: "j7", types: ["job.paused"] } as const;
  await notify(ledger.events, hearing, (events) => void told.push(...events.map(({ job }) => job)));
  assert.deepEqual(told, ["j7"]);
  assert.deepEqual(await ledger.events.read({ ...ONE, limit: 9 }), []);
});

test("an event whose listener throws is sent again", async (t) => {
  const { ledger } = await open(t);
  await assert.rejects(() => notify(ledger.events, ONE, () => Promise.reject(new Error("no"))));
  const [event] = await ledger.events.read({ limit: 1 });
  const heard: number[] = [];
  await notify(ledger.events, ONE, (events) => void heard.push(...events.map(({ id }) => id)));
  assert.equal(heard[0], event?.id);
});
