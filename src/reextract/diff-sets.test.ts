import assert from "node:assert/strict";
import { test } from "node:test";
import { diffSets } from "./diff-sets.ts";
import { extractJob } from "./extract-job.ts";
import { openStoredJob, type StoredJob } from "./testing/stored-job.ts";

const FIELDS =
  'extract: { fields: { owner: field.text(".owner"), value: field.money(".value").optional() } }';
const page = (owner: string, value: string): string =>
  `<p class=owner>${owner}</p><p class=value>${value}</p>`;

const choice = async (stored: StoredJob, which = "current") => ({ spec: (await stored.view()).spec, which });

test("two jobs are joined by key, and what only one of them has is told", async () => {
  await using a = await openStoredJob(FIELDS, [
    page("Ann", "$1"),
    page("Bo", "$2"),
    page("Cy", "n/a"),
    "<p>",
  ]);
  await using b = await openStoredJob(FIELDS, [page("Ann", "$1"), page("Bob", "$2"), page("Cy", "$3")], a);
  const options = { most: 2 };
  const { before, after, difference } = await diffSets(a, await choice(a), await choice(b), options);
  assert.deepEqual([before, after], [`${a.job}@first`, `${b.job}@first`]);
  assert.deepEqual([difference.items, difference.changedItems], [3, 2]);
  assert.deepEqual(difference.onlyBefore, { count: 1, keys: ["3"] });
  assert.deepEqual(difference.onlyAfter, { count: 0, keys: [] });
  assert.equal(difference.fields.get("owner")?.changed, 1);
  assert.equal(difference.fields.get("value")?.gained, 1);
  const back = (await diffSets(a, await choice(b), await choice(a), options)).difference;
  assert.deepEqual(back.onlyAfter, { count: 1, keys: ["3"] });
  assert.equal(back.fields.get("value")?.lost, 1);
});

test("two sets of one job are compared item by item, and only in the fields asked for", async () => {
  await using stored = await openStoredJob(FIELDS, [page("Ann", "$1"), page("Bo", "$2")]);
  const scraper = await stored.writeScraper(
    "swapped",
    'extract: { fields: { owner: field.text(".value"), value: field.money(".owner").optional() } }',
  );
  const signal = new AbortController().signal;
  const { extraction, difference } = await extractJob(stored, await stored.view(), {
    scraper,
    signal,
    cores: 1,
    examples: 2,
  });
  const first = await choice(stored, "first");
  const whole = await diffSets(stored, first, await choice(stored), { most: 2 });
  assert.equal(whole.after, `${stored.job}@${extraction.id}`);
  assert.deepEqual(whole.difference, difference);
  const only = new Set(["value"]);
  const part = await diffSets(stored, first, await choice(stored, extraction.id), { most: 2, only });
  assert.deepEqual([...part.difference.fields.keys()], ["value"]);
  const nothing = await diffSets(stored, first, first, { most: 2 });
  assert.equal(nothing.difference.changedItems, 0);
});
