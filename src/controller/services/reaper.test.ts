import assert from "node:assert/strict";
import { test } from "node:test";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/world.ts";
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
