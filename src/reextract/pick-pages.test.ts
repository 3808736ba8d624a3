import assert from "node:assert/strict";
import { test } from "node:test";
import { pickPages } from "./pick-pages.ts";
import { openStoredJob } from "./testing/stored-job.ts";

const LIMITS = { newest: 1, ofMonth: 1, incomplete: 3, read: 100, ofGap: 2, looked: 100 };
const CODE = `extract: { fields: {
  owner: field.text(".owner"), tax: field.text(".tax"), note: field.text(".note").optional(), phone: field.text(".phone").optional(),
} }`;
const page = (...fields: readonly string[]): string =>
  fields.map((name) => `<p class=${name}>${name}</p>`).join("");

test("what many pages lack does not hide what some have lost, wherever they are in the job", async () => {
  const many = Array.from({ length: 40 }, () => page("owner", "tax", "phone"));
  const all = [
    ...many,
    page("owner", "tax", "note"),
    page("owner", "note", "phone"),
    page("owner", "note", "phone"),
  ];
  await using stored = await openStoredJob(CODE, all);
  const keysOf = async (limits = LIMITS): Promise<readonly number[]> =>
    (await pickPages(stored, "county", limits)).items.map(({ key }) => Number(key)).toSorted((a, b) => a - b);
  // Two of those without a note, the one without a phone, and both that lost a required field.
  assert.deepEqual(await keysOf(), [0, 1, 40, 41, 42]);
  // Also where no more records are read: then the first is only the newest.
  assert.deepEqual(await keysOf({ ...LIMITS, read: 0 }), [0, 41, 42]);
});
