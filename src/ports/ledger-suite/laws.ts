import assert from "node:assert/strict";
import * as fc from "fast-check";
import { LawRun } from "./law-run.ts";
import { histories } from "./law-steps.ts";
import type { LedgerTest } from "./test-kit.ts";

const given = process.env["SLUICE_LAW_SEED"];
const seed = given === undefined ? {} : { seed: Number(given) };

export const laws = (test: LedgerTest): void => {
  test("any history of several workers, with deaths between any two steps, keeps the laws and ends", async (kit) => {
    const handles = [await kit.another(), await kit.another(), await kit.another()];
    let number = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        // Its own jobs, lanes and names; the workers of the history before have long been silent.
        const run = await LawRun.start(kit, handles, `${number++}-`);
        for (const step of steps) await run.step(step);
        await run.finish();
        assert.deepEqual(kit.violations(), []);
        kit.pass(1_000_000);
        await kit.ledger.reap({});
      }),
      // Making a history shorter takes minutes, in which a run of all tests would seem to hang.
      { numRuns: Number(process.env["SLUICE_LAW_RUNS"] ?? kit.trials(25)), endOnFailure: true, ...seed },
    );
  });
};
