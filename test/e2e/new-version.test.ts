import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  assertComplete,
  CHANGES_AFTER,
  FIXED,
  ITEMS,
  NARROW,
  numbers,
  OLD,
  openProject,
  printedCommand,
  rowsOf,
  runUntilHeld,
  versionsIn,
} from "./changing-project.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

test("a job continues with a corrected scraper, and nothing is fetched twice", async () => {
  const project = await openProject("continue");
  const { site, data, write } = project;
  const { job, stderr } = await runUntilHeld(project);
  const command = printedCommand({ stderr }, /--new-version/);
  assert.deepEqual(command, ["resume", job, "--new-version", "--data", data]);

  write(FIXED);
  const resumed = await sluice(command);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(
    numbers.map((n) => site.asked.get(n)),
    numbers.map(() => 1),
    "every page was fetched once",
  );
  const rows = await rowsOf(["export", job, "--data", data]);
  assertComplete(rows);
  const shown = await sluice(["jobs", "show", job, "--json", "--data", data]);
  const view = JSON.parse(shown.stdout) as {
    readonly version: string;
    readonly state: string;
    readonly counts: { readonly states: { readonly done: number; readonly failed: number } };
    readonly partial: number;
    readonly failures: readonly unknown[];
    readonly fields: Readonly<Record<string, unknown>>;
    readonly scrapers: readonly { readonly earlier?: readonly string[] }[];
  };
  assert.deepEqual(versionsIn(rows), [view.version]);
  assert.equal(view.scrapers[0]?.earlier?.length, 1);
  assert.deepEqual(
    [view.state, view.counts.states.done, view.counts.states.failed, view.partial, view.failures],
    ["done", ITEMS, 0, 0, []],
  );
  const all = { present: ITEMS, empty: 0, missing: 0, malformed: 0 };
  assert.deepEqual(view.fields, { name: all, price: all });
  const items = await sluice(["items", "ls", job, "--json", "--limit", "1000", "--data", data]);
  for (const line of items.stdout.trim().split("\n"))
    assert.equal((JSON.parse(line) as { version: string }).version, view.version);
  const manifest = readFileSync(join(data, "blobs/jobs", job, "manifest.jsonl"), "utf8");
  for (const line of manifest.trim().split("\n"))
    assert.equal((JSON.parse(line) as { version: string }).version, view.version);
});

test("records that the new version cannot make stay as the earlier version made them", async () => {
  const project = await openProject("narrow");
  const { site, data, write } = project;
  const { job } = await runUntilHeld(project);
  write(NARROW);
  const resumed = await sluice(["resume", job, "--new-version", "--data", data]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stderr, new RegExp(`${CHANGES_AFTER} items unchanged`));
  const rows = await rowsOf(["export", job, "--data", data]);
  assertComplete(rows);
  assert.equal(versionsIn(rows).length, 2);
  assert.equal(site.count(), ITEMS);
});

test("a version with other keys or another input schema is refused and changes nothing", async () => {
  const project = await openProject("refused");
  const { data, write } = project;
  const { job } = await runUntilHeld(project);
  const resume = () => sluice(["resume", job, "--new-version", "--data", data]);
  write({ ...FIXED, key: '"thing-" + n' });
  const otherKeys = await resume();
  assert.equal(otherKeys.code, 2);
  assert.match(otherKeys.stderr, /another key: thing-/);
  write({ ...FIXED, input: "z.object({ n: z.string().max(1) })" });
  const otherInputs = await resume();
  assert.equal(otherInputs.code, 2);
  assert.match(otherInputs.stderr, /schema rejects the stored input/);
  write(OLD);
  const shown = await sluice(["jobs", "show", job, "--json", "--data", data]);
  assert.equal((JSON.parse(shown.stdout) as { state: string }).state, "paused");
});

test("a killed extraction with a new version continues with the next resume", async () => {
  const project = await openProject("killed");
  const { site, data, write } = project;
  const { job } = await runUntilHeld(project);
  // Extraction hangs on one page, and the process is killed meanwhile.
  write({
    ...FIXED,
    name: '[".title", ".name"], { check: (text) => { while (text === "Thing 20"); return true; } }',
  });
  const reading = new SluiceProcess(["resume", job, "--new-version", "--data", data]);
  await reading.says(/re-reading its stored pages/);
  reading.child.kill("SIGKILL");
  await reading.ended;
  const halfWay = await sluice(["jobs", "show", job, "--json", "--data", data]);
  const { paused } = JSON.parse(halfWay.stdout) as { paused: { cause: string } };
  assert.equal(paused.cause, "new-version");
  write(FIXED);
  const resumed = await sluice(["resume", job, "--new-version", "--data", data]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assertComplete(await rowsOf(["export", job, "--data", data]));
  assert.equal(site.count(), ITEMS);
});
