import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ledger } from "../../ports/ledger.ts";
import { TellingHouse } from "../telling-house.suite.ts";
import { runProgress } from "./progress.ts";

/** Several controllers over the given time, in steps of one second; answers the seconds at which progress was written. */
const runFor = async (house: TellingHouse, seconds: number, holders: readonly string[]) => {
  const start = house.nowMs;
  const written: [second: number, job: string][] = [];
  const ledger: Pick<Ledger, "events" | "listJobs"> = {
    listJobs: (query) => house.ledger.listJobs(query),
    events: {
      ...house.ledger.events,
      write: async (events) => {
        for (const { job, type } of events) {
          assert.equal(type, "job.progress");
          written.push([(house.nowMs - start) / 1000, job]);
        }
        await house.ledger.events.write(events);
      },
    },
  };
  const stop = new AbortController();
  let resting = 0;
  const wait = async (): Promise<void> => {
    // The clock moves when all of them rest.
    if (++resting % holders.length === 0) house.nowMs += 1000;
    if (house.nowMs - start > seconds * 1000) stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await Promise.all(
    holders.map((holder) => runProgress({ ...house.tools(holder), ledger, wait }, stop.signal)),
  );
  return written;
};

test("a job that asked for it is told at its interval, once over all controllers", async (t) => {
  const house = await TellingHouse.open(t);
  await house.job("every3", { progressMs: 3000 }, 5);
  await house.job("silent", {}, 5);
  const written = await runFor(house, 10, ["one", "two"]);
  assert.deepEqual(written, [
    [3, "every3"],
    [6, "every3"],
    [9, "every3"],
  ]);
  const events = await house.ledger.events.read({ limit: 100 });
  const progress = events.filter(({ type }) => type === "job.progress");
  assert.equal(progress.length, 3);
  const [first] = progress as unknown as { facts: { counts: { accepted: number } } }[];
  assert.equal(first?.facts.counts.accepted, 5);
  assert.deepEqual(house.problems, []);
});

test("a paused or ended job makes no progress", async (t) => {
  const house = await TellingHouse.open(t);
  await house.job("paused", { progressMs: 1000 }, 1);
  await house.ledger.steerJob("paused", "pause");
  await house.job("ended", { progressMs: 1000 });
  await house.ledger.sealJob("ended");
  assert.deepEqual(await runFor(house, 5, ["one"]), []);
});
