import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobView } from "../domain/job.ts";
import { currentView, viewOf } from "./current-view.ts";
import { extractJob } from "./extract-job.ts";
import { openStoredJob } from "./testing/stored-job.ts";

const extractCode = (selector: string): string => `extract: { fields: { owner: field.text("${selector}") } }`;

const shown = ({ counts: { states }, partial, failures, fieldCounts, spec }: JobView) => ({
  done: states.done,
  failed: states.failed,
  partial,
  failures: failures.map(({ kind, count }) => [kind, count]),
  fields: [spec.fields, fieldCounts],
});

test("after an extraction a job's states, failures and fields are those of the current records", async () => {
  const pages = ["<p class=owner>A</p>", "<p class=holder>B</p>", "<p class=holder>C</p>"];
  await using stored = await openStoredJob(extractCode(".owner"), pages);
  const scraper = await stored.writeScraper("fixed", extractCode(".holder"));
  const options = { cores: 1, examples: 3, signal: new AbortController().signal };
  const run = await stored.view();
  assert.deepEqual([run.counts.states.done, run.counts.states.failed], [1, 2]);
  const { extraction } = await extractJob(stored, run, { ...options, scraper });
  const expected = {
    done: 2,
    failed: 1,
    partial: 0,
    failures: [["structure-changed", 1]],
    fields: [["owner"], [2, 0, 0, 0]],
  };
  assert.deepEqual(shown(await currentView(stored, run, extraction)), expected);

  // An item that is put back is as its run leaves it: then counts alone do not tell.
  await stored.ledger.retryItems(stored.job, { keys: ["2"] });
  const again = await stored.view();
  assert.equal(viewOf(again, extraction), undefined);
  const { done, failed, failures } = shown(await currentView(stored, again, extraction));
  assert.deepEqual([done, failed, failures], [1, 1, [["structure-changed", 1]]]);
});

test("without an extraction a job is as its run left it", async () => {
  await using stored = await openStoredJob(extractCode(".owner"), ["<p class=owner>A</p>"]);
  const run = await stored.view();
  assert.equal(await currentView(stored, run, undefined), run);
});
