import assert from "node:assert/strict";
import { test } from "node:test";
import { card, jobSpec, keysOf, planned } from "../../ports/ledger-suite/world.ts";
import { stepped, TellingHouse } from "../telling-house.suite.ts";
import { runReaper } from "./reaper.ts";

test("workers that fell silent are given up, and jobs past their deadline end, though nobody claims", async (t) => {
  const house = await TellingHouse.open(t);
  const { ledger } = house;
  for (const [id, deadlineAt] of [
    ["open", undefined],
    ["due", house.nowMs + 500],
  ] as const) {
    await ledger.createJob(jobSpec(id, deadlineAt === undefined ? {} : { deadlineAt }));
    await ledger.addItems(id, planned(keysOf(2)), []);
    await ledger.sealJob(id);
  }
  await ledger.claim({ worker: "w1", room: 10, inHand: new Map(), jobs: ["open"] });
  const reaped: number[] = [];
  const duty = stepped((wait, signal) =>
    runReaper({ ...house.tools("one"), wait, onReaped: ({ workers }) => reaped.push(workers) }, signal),
  );
  await duty.rests();
  assert.equal((await ledger.readJob("due"))?.state, "running");
  house.nowMs += 60_000;
  await duty.round();
  assert.deepEqual(reaped, [1]);
  assert.equal((await ledger.readJob("open"))?.counts.states.leased, 0);
  assert.equal((await ledger.readJob("due"))?.state, "cancelled");
  await duty.stop();
  assert.deepEqual(house.problems, []);
});

test("a worker whose process is gone is given up a round after that was seen, and nobody else is", async (t) => {
  const house = await TellingHouse.open(t);
  const { ledger } = house;
  await house.job("job", {}, 6);
  for (const worker of ["dead", "alive"])
    await ledger.claim({ worker, room: 3, inHand: new Map(), running: [] });
  await ledger.registerWorker(card("never claimed"));
  const reaped: number[] = [];
  const duty = stepped((wait, signal) =>
    runReaper(
      {
        ...house.tools("one"),
        wait,
        isGone: ({ name }) => name !== "alive",
        onReaped: ({ workers }) => reaped.push(workers),
      },
      signal,
    ),
  );
  await duty.rests();
  const leased = async () => (await ledger.readJob("job"))?.counts.states.leased;
  assert.equal(await leased(), 6);
  await duty.round();
  assert.equal(await leased(), 3);
  await duty.round();
  await duty.stop();
  assert.deepEqual([reaped, house.problems], [[1], []]);
});
