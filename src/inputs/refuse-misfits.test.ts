import assert from "node:assert/strict";
import { test } from "node:test";
import type { InputRow } from "../pipeline/plan.ts";
import { page } from "../scrapers/page.ts";
import { InputError } from "./input-format.ts";
import { refuseMisfits } from "./open-inputs.ts";

const good = (line: number): InputRow => ({ line, value: { url: `https://a.example/${line}` } });
const bad = (line: number): InputRow => ({ line, value: { address: "Elm St", owner: "ANN" } });

/** Passes batches of such rows through, and counts the rows that were read from the source. */
const pass = async (batches: readonly (readonly InputRow[])[]) => {
  let taken = 0;
  let isClosed = false;
  const source = (async function* () {
    try {
      for (const batch of batches) {
        taken += batch.length;
        yield batch;
      }
    } finally {
      isClosed = true;
    }
  })();
  const passed: number[] = [];
  const outcome = (async () => {
    for await (const rows of refuseMisfits(source, page, "parcels.csv", ({ host }) => host))
      passed.push(...rows.map(({ line }) => line));
  })();
  const error = await outcome.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(isClosed);
  return { passed, taken, error };
};

const lines = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

test("rows are passed on in order, bad ones among them", async () => {
  const { passed, error } = await pass([[bad(1), bad(2)], [bad(3), good(4), bad(5)], [bad(6)], [good(7)]]);
  assert.deepEqual([passed, error], [[1, 2, 3, 4, 5, 6, 7], undefined]);
});

test("a file without any valid row is one error that names the columns and what to do", async () => {
  const { passed, error } = await pass([[bad(2), bad(3)], [bad(4)]]);
  assert.deepEqual(passed, []);
  assert.ok(error instanceof InputError);
  assert.equal(error.code, "bad-header");
  for (const part of [/parcels\.csv/, /address, owner/, /3 checked/, /page/])
    assert.match(error.message, part);
});

test("a file whose rows cannot even be read is refused without naming columns", async () => {
  const { error } = await pass([[{ line: 2, problem: "a quote is not closed" }]]);
  assert.ok(error instanceof InputError);
  assert.match(error.message, /a quote is not closed/);
  assert.doesNotMatch(error.message, /columns are/);
});

test("a large file without valid rows is refused long before its end", async () => {
  const batches = Array.from({ length: 100 }, (_, n) => lines(n * 100, n * 100 + 100).map(bad));
  const { taken, passed, error } = await pass(batches);
  assert.ok(error instanceof InputError);
  assert.deepEqual([taken, passed.length], [500, 0]);
});

test("one valid row among the first is enough", async () => {
  const { passed, error } = await pass([lines(0, 499).map(bad), [good(499)], lines(500, 2000).map(bad)]);
  assert.deepEqual([passed.length, error], [2000, undefined]);
});

test("an empty file is not refused here", async () => {
  assert.deepEqual(await pass([[]]), { passed: [], taken: 0, error: undefined });
});
