import assert from "node:assert/strict";
import { test } from "node:test";
import { workerInfo, jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import { stepped, NotifyKit } from "../testing/notify-kit.ts";
import { runReaper } from "./reaper.ts";

test("silent workers are reaped and jobs past their deadline end, even without claims", async (t) => {
  const service = await NotifyKit.open(t);
  const { ledger } = service;
  for (const [id, deadlineAt] of [
    ["open", undefined],
    ["due", service.nowMs + 500],
  ] as const) {
    await ledger.createJob(jobSpec(id, deadlineAt === undefined ? {} : { deadlineAt }));
    await ledger.addItems(id, planned(keysOf(2)), []);
    await ledger.sealJob(id);
  }
  await ledger.claim({ worker: "w1", room: 10, inFlight: new Map(), jobs: ["open"] });
  const reaped: number[] = [];
  const task = stepped((wait, signal) =>
    runReaper({ ...service.tools("one"), wait, onReaped: ({ workers }) => reaped.push(workers) }, signal),
  );
  await task.rests();
  assert.equal((await ledger.readJob("due"))?.state, "running");
  service.nowMs += 60_000;
  await task.round();
  assert.deepEqual(reaped, [1]);
  assert.equal((await ledger.readJob("open"))?.counts.states.leased, 0);
  assert.equal((await ledger.readJob("due"))?.state, "cancelled");
  await task.stop();
  assert.deepEqual(service.problems, []);
});

test("a worker whose process has ended is reaped one round later, and no other", async (t) => {
  const service = await NotifyKit.open(t);
  const { ledger } = service;
  await service.job("job", {}, 6);
  for (const worker of ["dead", "alive"])
    await ledger.claim({ worker, room: 3, inFlight: new Map(), running: [] });
  await ledger.registerWorker(workerInfo("never claimed"));
  const reaped: number[] = [];
  const task = stepped((wait, signal) =>
    runReaper(
      {
        ...service.tools("one"),
        wait,
        isGone: ({ name }) => name !== "alive",
        onReaped: ({ workers }) => reaped.push(workers),
      },
      signal,
    ),
  );
  await task.rests();
  const leased = async () => (await ledger.readJob("job"))?.counts.states.leased;
  assert.equal(await leased(), 6);
  await task.round();
  assert.equal(await leased(), 3);
  await task.round();
  await task.stop();
  assert.deepEqual([reaped, service.problems], [[1], []]);
});
