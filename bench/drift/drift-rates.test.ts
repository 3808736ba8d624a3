import assert from "node:assert/strict";
import { test } from "node:test";
import { driftRates } from "./drift-rates.ts";

// The small form of the bench: the same generator, 600 runs of fields each.
const SMALL = { seed: 7, scrapers: 60, fields: 10, weeks: 8 };

test("drops of ten points are found, and fields without one are not", () => {
  const { innocent, broken, found, falseFindings } = driftRates({
    ...SMALL,
    phi: 400,
    items: 1000,
    broken: 0.05,
  });
  assert.ok(broken >= 20, `${broken} broken fields`);
  assert.ok(found / broken >= 0.75, `${found} of ${broken} found`);
  assert.ok(falseFindings <= 2, `${falseFindings} false findings in ${innocent} runs of fields`);
});

test("rough weeks, and a season that no earlier run had, are not taken for drift", () => {
  for (const scenario of [{ phi: 60 }, { phi: 400, seasonSd: 0.3 }]) {
    const { falseFindings } = driftRates({ ...SMALL, ...scenario });
    assert.ok(falseFindings <= 3, `${falseFindings} false findings with ${JSON.stringify(scenario)}`);
  }
});
