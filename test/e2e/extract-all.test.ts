import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openStoredJob, type StoredJob } from "../../src/reextract/testing/stored-job.ts";
import { sluice } from "./sluice-process.ts";

const OWNER = 'extract: { fields: { owner: field.text(".owner") } }';
const page = (owner: string): string => `<p class=owner>${owner}</p>`;

/** Another job of the same scraper, without collected pages, for one of two clients. */
const addEmptyJob = async (stored: StoredJob, id: string, client: string): Promise<void> => {
  const { ledger } = stored;
  const { spec } = await stored.view();
  await ledger.createJob({ ...spec, id, client });
  await ledger.addItems(id, [{ key: "0", input: "{}", lane: "example.org" }], []);
  await ledger.sealJob(id);
};

const lines = (text: string): string[] => text.trimEnd().split("\n");

test("extract --all skips jobs without stored pages and leaves out trials", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann")]);
  await addEmptyJob(stored, "bare-1", "local");
  await addEmptyJob(stored, "bare-2", "local");
  await addEmptyJob(stored, "trial-1", "try");
  const at = ["--data", stored.data];
  const { code, stdout, stderr } = await sluice(["extract", "--all", "county", ...at]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /1 stored item extracted/);
  assert.match(stdout, /1 record; 1 item done/);
  assert.equal(lines(stderr).filter((line) => line.startsWith("skipped: bare-1")).length, 1, stderr);
  assert.match(stderr, /The same for 1 more job\./);
  assert.doesNotMatch(stderr, /trial-1/);
  const listed = async (...more: readonly string[]): Promise<string[]> =>
    lines((await sluice(["jobs", "ls", ...more, ...at])).stdout)
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[0]!);
  assert.deepEqual(await listed(), ["bare-2", "bare-1", stored.job]);
  assert.deepEqual(await listed("--all"), ["trial-1", "bare-2", "bare-1", stored.job]);
  const last = await sluice(["jobs", "show", "last", "--json", ...at]);
  assert.equal((JSON.parse(last.stdout) as { job: string }).job, "bare-2");
  const trial = await sluice(["extract", "trial-1", ...at]);
  assert.equal(trial.code, 2);
});

test("extract --all reports a missing scraper file once for all its jobs", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann")]);
  await addEmptyJob(stored, "second", "local");
  const other = await stored.writeScraper("other", OWNER);
  rmSync(fileURLToPath((await stored.view()).spec.source));
  const at = ["--data", stored.data];
  const { code, stderr } = await sluice(["extract", "--all", "county", ...at]);
  assert.equal(code, 2);
  assert.equal(lines(stderr).filter((line) => line.startsWith("error: ")).length, 1, stderr);
  assert.match(stderr, /--scraper FILE/);
  const mended = await sluice(["extract", "--all", "county", "--scraper", other, ...at]);
  assert.equal(mended.code, 0, mended.stderr);
});

test("an extraction without records does not become current, and --use chooses another one", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), page("Bo")]);
  const broken = await stored.writeScraper("broken", 'extract: () => { throw new Error("oops"); }');
  const at = [stored.job, "--data", stored.data];
  const owners = async (): Promise<unknown[]> =>
    lines((await sluice(["export", ...at])).stdout).map(
      (line) => (JSON.parse(line) as { owner?: unknown }).owner,
    );
  const held = await sluice(["extract", ...at, "--scraper", broken]);
  assert.equal(held.code, 3, held.stderr);
  assert.match(held.stdout, /stored but not current/);
  assert.match(held.stdout, /The records of the original run are current/);
  assert.deepEqual(await owners(), ["Ann", "Bo"]);
  const forced = await sluice(["extract", ...at, "--scraper", broken, "--force"]);
  assert.match(forced.stdout, /The records of extraction .* are current/);
  assert.deepEqual(await owners(), [undefined, undefined]);
  const shown = await sluice(["jobs", "show", ...at]);
  assert.match(
    shown.stdout,
    /^Extraction .* is current; this report shows it:\n  0 records of 2 stored items, 2 items failed$/m,
  );
  const back = await sluice(["extract", ...at, "--use", "first"]);
  assert.equal(back.code, 0, back.stderr);
  assert.deepEqual(await owners(), ["Ann", "Bo"]);
  const again = await sluice(["jobs", "show", ...at]);
  assert.match(again.stdout, /^The records of the original run are current\.$/m);
  assert.equal((await sluice(["extract", ...at, "--use", "nobody"])).code, 2);
});
