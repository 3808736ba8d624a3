import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import * as fc from "fast-check";
import { openSqlite } from "../../../backends/sqlite/open.ts";
import type { Ledger } from "../../ledger.ts";
import { LawRun } from "../law-run.ts";
import { histories, type Step } from "../law-steps.ts";
import { Kit } from "../test-kit.ts";
import type { Violation } from "./history.ts";
import { MUTANTS } from "./mutants.ts";

/** Always the same ones: a mutant that is found today is found tomorrow. */
const HISTORIES = fc.sample(histories, { seed: 20261116, numRuns: 60 });

/** Plays a history on a ledger. Where that breaks a law, the driver's own model disagrees with it as well, and the history goes on. */
const play = async (kit: Kit, steps: readonly Step[], number: number): Promise<readonly Violation[]> => {
  const handles = [await kit.another(), await kit.another(), await kit.another()];
  const run = await LawRun.start(kit, handles, `${number}-`);
  for (const step of steps) await run.step(step).catch(() => undefined);
  return kit.violations();
};

const kitOf = async (t: TestContext, change: (ledger: Ledger) => Partial<Ledger>): Promise<Kit> =>
  await Kit.create(t, async (folder, options) => {
    const ledger = await openSqlite(join(folder, "ledger.db"), options);
    return { ...ledger, ...change(ledger) };
  });

describe("the history checker", () => {
  it("reports nothing if the ledger is right", async (t) => {
    const kit = await kitOf(t, () => ({}));
    for (const [number, steps] of HISTORIES.entries()) assert.deepEqual(await play(kit, steps, number), []);
  });

  for (const [name, { law, plant }] of Object.entries(MUTANTS))
    it(`finds a ledger that ${name}`, async (t) => {
      const found: Violation[] = [];
      for (const [number, steps] of HISTORIES.entries()) {
        const kit = await kitOf(t, plant());
        found.push(...(await play(kit, steps, number)));
        if (found.some((one) => one.law === law)) return;
      }
      assert.fail(`not found in ${HISTORIES.length} histories, but ${JSON.stringify(found)}`);
    });
});
