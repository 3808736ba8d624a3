import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ledger } from "../ports/ledger.ts";
import { amendJob } from "./amend-job.ts";
import { openStoredJob, type StoredJob, UNCHANGED } from "./testing/stored-job.ts";
import { takeNewVersion } from "./take-new-version.ts";

const amend = async (stored: StoredJob) => {
  const taken = await takeNewVersion(stored.ledger, await stored.view(), {
    laneOf: () => "example.org",
    waitMs: 0,
  });
  assert.equal(taken, true);
  const options = { cores: 1, signal: new AbortController().signal };
  return await amendJob(stored, await stored.view(), options);
};

const HEAD = 'site: "https://example.org", key: ({ n }) => String(n)';

const itemsOf = async (ledger: Ledger, job: string) => (await ledger.listItems(job, { limit: 10 })).items;

test("a new version also reads the pages of items that the job skipped as unchanged", async () => {
  const pages = ["<h1>one</h1>", `<h1>two</h1>${UNCHANGED}`];
  await using stored = await openStoredJob(`${HEAD}, extract: { fields: { name: field.text("h1") } }`, pages);
  const { ledger, blobs, job } = stored;
  await stored.writeScraper(
    `own-${job}`,
    `${HEAD}, extract: { fields: { name: field.text("h1"), letters: field.text("h1") } }`,
  );
  const { done, skipped, kept } = await amend(stored);
  assert.deepEqual([done, skipped, kept], [1, 1, 0]);
  const { version } = (await stored.view()).spec;
  for (const item of await itemsOf(ledger, job)) {
    assert.equal(item.version, version);
    const { blob, offset, length } = item.records!;
    const text = Buffer.from(await blobs.get(blob, { offset, length })).toString();
    assert.match(text, /"letters"/);
  }
  assert.deepEqual((await stored.view()).counts.states.skipped, 1);
});
