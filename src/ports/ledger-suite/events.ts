import assert from "node:assert/strict";
import { failed } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, type World } from "./world.ts";

const told = async ({ ledger }: World) =>
  (await ledger.readEvents(100)).map(({ type, job }) => `${type} ${job}`);

export const events = (test: LedgerTest): void => {
  test("the outbox tells what happened to jobs, oldest first", async (world) => {
    const worker = world.worker();
    await world.job("a", ["x"]);
    await world.job("b", ["x"]);
    await world.ledger.steerJob("a", "pause");
    await world.ledger.steerJob("a", "pause");
    await world.ledger.steerJob("a", "resume");
    await world.ledger.steerJob("b", "cancel");
    await world.ledger.sealJob("a");
    await worker.settle(await worker.take());
    assert.deepEqual(await told(world), [
      "job.started a",
      "job.started b",
      "job.paused a",
      "job.resumed a",
      "job.cancelled b",
      "job.completed a",
    ]);
    const read = await world.ledger.readEvents(100);
    assert.deepEqual(
      read.map(({ id }) => id),
      read.map(({ id }) => id).toSorted((a, b) => a - b),
    );
    assert.ok(read.every(({ at }) => at === world.nowMs));
  });

  test("events are given again until they are acknowledged, and never after", async (world) => {
    for (const id of ["a", "b", "c"]) await world.job(id, []);
    const first = await world.ledger.readEvents(2);
    assert.deepEqual(first, await world.ledger.readEvents(2));
    await world.ledger.ackEvents(first[1]!.id);
    const other = await world.another();
    assert.deepEqual(
      (await other.readEvents(9)).map(({ job }) => job),
      ["c"],
    );
    await world.ledger.ackEvents(first[0]!.id);
    assert.equal((await other.readEvents(9)).length, 1);
    const last = (await other.readEvents(9))[0]!;
    await other.ackEvents(last.id);
    assert.deepEqual(await world.ledger.readEvents(9), []);
    await world.job("d", []);
    const [next] = await world.ledger.readEvents(9);
    assert.ok(next && next.id > last.id, "an id is never used again");
  });

  test("what was refused is not told", async (world) => {
    await world.job("a", []);
    await assert.rejects(() => world.ledger.createJob(jobSpec("a")), code("job-exists"));
    await assert.rejects(() => world.ledger.steerJob("none", "pause"), code("no-such-job"));
    assert.deepEqual(await told(world), ["job.started a"]);
  });

  test("a job that is reopened by a retry is completed once more", async (world) => {
    const worker = world.worker();
    await world.job("a", keysOf(1));
    await world.ledger.sealJob("a");
    await worker.settle(await worker.take(), failed("timeout"));
    await world.ledger.retryItems("a", {});
    await worker.settle(await worker.take());
    assert.deepEqual(await told(world), ["job.started a", "job.completed a", "job.completed a"]);
    await assert.rejects(() => world.ledger.addItems("a", planned(["z"]), []), code("job-ended"));
  });
};
