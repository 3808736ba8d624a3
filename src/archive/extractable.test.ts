import assert from "node:assert/strict";
import { test } from "node:test";
import { extractJob } from "../reextract/extract-job.ts";
import { openStoredJob, UNCHANGED } from "../reextract/testing/stored-job.ts";
import { openRecordSet } from "./extracted-records.ts";
import { itemPages } from "./manifest.ts";
import { parseRecords } from "./record-set.ts";

test("items skipped as unchanged are read again too, and stay skipped", async () => {
  const pages = ["<b>Ann</b>", `${UNCHANGED}<b>Bo</b>`];
  await using stored = await openStoredJob('extract: { fields: { owner: field.text("b") } }', pages);
  const { signal } = new AbortController();
  const upper =
    'extract: { fields: { owner: field.text("b", { transform: (text) => text.toUpperCase() }) } }';
  const scraper = await stored.writeScraper("upper", upper);
  const options = { scraper, cores: 1, examples: 3, signal };
  const { extraction, difference } = await extractJob(stored, await stored.view(), options);
  assert.deepEqual([extraction.counts.items, extraction.counts.done, difference.states.size], [2, 2, 0]);
  await using set = await openRecordSet(stored.blobs, stored.job);
  const found: unknown[] = [];
  for await (const items of itemPages(stored.ledger, stored.job))
    for await (const batch of set.recordsOf(items))
      for (const { item, lines, blob } of batch)
        for (const { fields } of parseRecords(item.key, { lines, blob }))
          found.push([item.state, fields["owner"]?.value]);
  assert.deepEqual(found, [
    ["done", "ANN"],
    ["skipped", "BO"],
  ]);
});
