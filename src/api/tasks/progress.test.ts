import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ledger } from "../../ports/ledger.ts";
import { NotifyKit } from "../testing/notify-kit.ts";
import { runProgress } from "./progress.ts";

/** Several controllers over the given time, in steps of one second; answers the seconds at which progress was written. */
const runFor = async (service: NotifyKit, seconds: number, holders: readonly string[]) => {
  const start = service.nowMs;
  const written: [second: number, job: string][] = [];
  const ledger: Pick<Ledger, "events" | "listJobs"> = {
    listJobs: (query) => service.ledger.listJobs(query),
    events: {
      ...service.ledger.events,
      write: async (events) => {
        for (const { job, type } of events) {
          assert.equal(type, "job.progress");
          written.push([(service.nowMs - start) / 1000, job]);
        }
        await service.ledger.events.write(events);
      },
    },
  };
  const stop = new AbortController();
  let resting = 0;
  const wait = async (): Promise<void> => {
    // The clock moves when all of them rest.
    if (++resting % holders.length === 0) service.nowMs += 1000;
    if (service.nowMs - start > seconds * 1000) stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await Promise.all(
    holders.map((holder) => runProgress({ ...service.tools(holder), ledger, wait }, stop.signal)),
  );
  return written;
};

test("progress is reported at the job's interval, once over all controllers", async (t) => {
  const service = await NotifyKit.open(t);
  await service.job("every3", { progressMs: 3000 }, 5);
  await service.job("silent", {}, 5);
  const written = await runFor(service, 10, ["one", "two"]);
  assert.deepEqual(written, [
    [3, "every3"],
    [6, "every3"],
    [9, "every3"],
  ]);
  const events = await service.ledger.events.read({ limit: 100 });
  const progress = events.filter(({ type }) => type === "job.progress");
  assert.equal(progress.length, 3);
  const [first] = progress as unknown as { facts: { counts: { accepted: number } } }[];
  assert.equal(first?.facts.counts.accepted, 5);
  assert.deepEqual(service.problems, []);
});

test("a paused or ended job reports no progress", async (t) => {
  const service = await NotifyKit.open(t);
  await service.job("paused", { progressMs: 1000 }, 1);
  await service.ledger.controlJob("paused", "pause");
  await service.job("ended", { progressMs: 1000 });
  await service.ledger.sealJob("ended");
  assert.deepEqual(await runFor(service, 5, ["one"]), []);
});
