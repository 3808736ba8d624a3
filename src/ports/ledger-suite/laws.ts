import assert from "node:assert/strict";
import * as fc from "fast-check";
import { LawRun } from "./law-run.ts";
import { histories } from "./law-steps.ts";
import type { LedgerTest } from "./world.ts";

const given = process.env["SLUICE_LAW_SEED"];
const seed = given === undefined ? {} : { seed: Number(given) };

export const laws = (test: LedgerTest): void => {
  test("any history of several workers, with deaths between any two steps, keeps the laws and comes to an end", async (world) => {
    const handles = [await world.another(), await world.another(), await world.another()];
    let number = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        // Its own jobs, lanes and names; the workers of the history before have long been silent.
        const run = await LawRun.start(world, handles, `${number++}-`);
        for (const step of steps) await run.step(step);
        await run.finish();
        assert.deepEqual(world.violations(), []);
        world.pass(1_000_000);
        await world.ledger.reap({});
      }),
      // Making a history shorter takes minutes, in which a run of all tests would seem to hang.
      { numRuns: Number(process.env["SLUICE_LAW_RUNS"] ?? 25), endOnFailure: true, ...seed },
    );
  });
};
