import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTownSite, TownProject } from "./kept-town.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-retention-"));
after(() => rmSync(root, { recursive: true, force: true }));
let projects = 0;

const openProject = (site: string): TownProject =>
  new TownProject(mkdtempSync(join(root, `p${projects++}-`)), site);

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `town${n}`);

interface Row {
  readonly key: string;
  readonly mayor: string | null;
  readonly _state: string;
}

/** Every item of the job is readable: its record, pages and files. */
const assertReadable = async (project: TownProject, job: string, count: number): Promise<void> => {
  const rows = await project.lines<Row>("export", job);
  assert.equal(rows.length, count);
  for (const { key, mayor } of rows) assert.equal(mayor, `Mayor of ${key}`);
  const objects = new Set(project.objects());
  const pointed = project.query<{ readonly blob: string }>(
    `SELECT c.value ->> 'blob' AS blob FROM results r JOIN queues q ON q.id = r.queue JOIN jobs j ON j.number = q.job,
     json_each(r.captures) c WHERE j.id = ?`,
    job,
  );
  assert.equal(pointed.length, 2 * count);
  for (const { blob } of pointed) assert.ok(objects.has(blob), blob);
};

const TABLES =
  "jobs job_labels queues items item_keys capped results retries fresh fetches borrowed events".split(" ");

const rowCounts = (project: TownProject): Record<string, number> =>
  Object.fromEntries(
    TABLES.map((table) => [table, project.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]!.n]),
  );

test("jobs rm removes a job with all its data, and jobs show still says what it was", async () => {
  await using site = await openTownSite();
  const project = openProject(site.url);
  const job = await project.collect(namesOf(5));
  const [before] = await project.lines<{ readonly counts: { readonly accepted: number } }>(
    "jobs",
    "show",
    job,
    "--json",
  );
  assert.equal(before?.counts.accepted, 5);

  const removed = await project.run("jobs", "rm", job.slice(-4));
  assert.equal(removed.code, 0, removed.stderr);
  assert.match(removed.stdout, /the job was removed on .*: 5 items, 10 captures, /);
  assert.deepEqual(project.objects("jobs/"), []);
  const none = Object.fromEntries(TABLES.map((table) => [table, 0]));
  assert.deepEqual(rowCounts(project), none);

  const show = await project.run("jobs", "show", job);
  assert.equal(show.code, 0);
  assert.match(show.stdout, new RegExp(`${job}: the job was removed on .*5 items, 10 captures`));
  const exported = await project.run("export", job);
  assert.equal(exported.code, 2);
  assert.match(exported.stderr, /the job was removed on/);
  const [again] = await project.lines<{ readonly isComplete: boolean }>("jobs", "rm", job, "--json");
  assert.equal(again?.isComplete, true, "removing it again changes nothing");
  const wrong = await project.run("jobs", "rm", "nosuch");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /nosuch: .*no/);
});

test("jobs rm refuses a job that has not ended, and says what to do", async () => {
  await using site = await openTownSite();
  const project = openProject(site.url);
  const input = join(project.folder, "names.csv");
  writeFileSync(input, "name\na\n");
  const [{ job } = { job: "" }] = (
    await project.lines<{ readonly job: string }>("submit", "./towns.scraper.ts", "--input", input, "--json")
  ).slice(-1);
  const refused = await project.run("jobs", "rm", job);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, new RegExp(`sluice jobs cancel ${job}`));
  const [pruned] = await project.lines<{ readonly total: unknown }>("prune", "--older-than", "0", "--json");
  assert.deepEqual(pruned?.total, {
    jobs: 0,
    pagesOf: 0,
    removed: { items: 0, captures: 0, bytes: 0 },
    kept: { objects: 0, bytes: 0 },
  });
  await project.run("jobs", "cancel", job);
  assert.equal((await project.run("jobs", "rm", job)).code, 0);
});

test("prune --keep records removes only old pages; prune without options follows the scrapers' settings", async () => {
  await using site = await openTownSite();
  const project = openProject(site.url);
  const old = await project.collect(namesOf(3));
  const young = await project.collect(["x"]);
  project.age(old, 100);

  const dry = await project.run("prune", "--older-than", "90d", "--keep", "records", "--dry-run");
  assert.match(dry.stdout, new RegExp(`${old} .*100d.* pages +3 `));
  assert.ok(!dry.stdout.includes(young));
  assert.equal((await project.lines("export", old)).length, 3, "nothing has gone");

  const pruned = await project.run("prune", "--older-than", "90d", "--keep", "records");
  assert.match(pruned.stdout, /Removed the pages of 1 job: 0 items, 6 captures, /);
  assert.deepEqual(
    project.objects(`jobs/${old}/`).filter((name) => /captures|files/.test(name)),
    [],
  );
  const rows = await project.lines<Row>("export", old);
  assert.deepEqual(
    rows.map(({ mayor }) => mayor),
    namesOf(3).map((name) => `Mayor of ${name}`),
  );
  assert.match((await project.run("jobs", "show", old)).stdout, /pages removed on .*6 captures/);
  const extracted = await project.run("extract", old);
  assert.equal(extracted.code, 2);
  assert.match(extracted.stderr, /its pages were removed on .*nothing to extract/s);
  const again = await project.run("prune", "--older-than", "90d", "--keep", "records");
  assert.match(again.stdout, /No job is that old/);

  assert.match((await project.run("prune")).stdout, /Nothing is due/);
  project.writeScraper(site.url, `retention: { pages: "30d", records: "60d" },`);
  project.age(young, 40);
  const due = await project.lines<{ readonly job: string; readonly what: string }>("prune", "--json");
  assert.deepEqual(
    due.filter(({ job }) => job).map(({ job, what }) => [job, what]),
    [
      [young, "pages"],
      [old, "job"],
    ],
  );
  project.writeScraper(site.url, `retention: { page: "30d" },`);
  const bad = await project.run("run", "./towns.scraper.ts", "--input", join(project.folder, "names.csv"));
  assert.match(bad.stderr, /`retention` has no option `page`\. Did you mean `pages`\?/);
});

test("a killed prune leaves everything readable, and the next one finishes it", async () => {
  await using site = await openTownSite();
  const project = openProject(site.url);
  const old = await project.collect(namesOf(30));
  const older = await project.collect(namesOf(10).map((name) => `old-${name}`));
  const young = await project.collect([...namesOf(4), "new"], { reuse: true });
  assert.equal(
    (await project.lines<Row>("export", young)).filter(({ _state }) => _state === "skipped").length,
    4,
  );
  for (const job of [old, older]) project.age(job, 100);
  const ownObjects = (): number =>
    project.objects(`jobs/${old}/`).length + project.objects(`jobs/${older}/`).length;
  const all = ownObjects();

  let kills = 0;
  const steps = ["fresh", "lend", "bytes", "rows"];
  /** Each round waits for a later state and kills the process there. */
  const states = [
    () => isMarked(),
    () => ownObjects() < all,
    ...[0.8, 0.6, 0.4, 0.3].map((share) => () => ownObjects() <= all * share),
    () => project.query("SELECT 1 FROM removals WHERE step = 'rows'").length > 0,
    () => project.query("SELECT 1 FROM removals WHERE step IS NULL").length > 0,
  ];
  const isMarked = (): boolean =>
    project.query<{ step: string }>("SELECT step FROM removals").some(({ step }) => steps.includes(step));
  for (const isReached of states) {
    const prune = project.start("prune", "--older-than", "90d");
    while (prune.child.exitCode === null && !isReached()) await delay(1);
    prune.child.kill("SIGKILL");
    const { signal } = await prune.ended;
    if (signal === "SIGKILL") kills++;
    await assertReadable(project, young, 5);
  }
  assert.ok(kills > 0, "none was caught at work");
  const last = await project.run("prune", "--older-than", "90d");
  assert.equal(last.code, 0, last.stderr);
  await assertReadable(project, young, 5);
  const shown = await project.lines<{
    readonly removed: object;
    readonly kept: { readonly objects: number };
  }>("jobs", "show", old, "--json");
  assert.deepEqual(shown[0]?.removed, { ...shown[0]?.removed, items: 30, captures: 60 });
  assert.equal(project.objects(`jobs/${older}/`).length, 0);
  assert.equal(project.objects(`jobs/${old}/`).length, shown[0].kept.objects);
  assert.ok(shown[0].kept.objects >= 5, "four files, a segment of pages, records");

  await project.run("jobs", "rm", young);
  assert.deepEqual(project.objects("jobs/"), []);
  assert.deepEqual(rowCounts(project), Object.fromEntries(TABLES.map((table) => [table, 0])));
});
