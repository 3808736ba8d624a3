import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openStorage } from "../../src/compose.ts";
import { patientCounty, readLines, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { type Ended, sluice, SluiceProcess } from "./sluice-process.ts";
import { PAGES, prepareTowns, TOWNS, TownSite } from "./town-site.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-rebuild-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ok = ({ code, stdout, stderr }: Ended): string => {
  assert.equal(code, 0, stderr + stdout);
  return stdout;
};

/** Waits until the running job has this many done items. */
const untilDone = async (data: string, count: number, run: SluiceProcess): Promise<string> => {
  await using storage = await openStorage(data);
  for (;;) {
    const [job] = await storage.ledger.listJobs({ states: ["loading", "running"], limit: 1 });
    if ((job?.counts.states.done ?? 0) >= count) return job!.spec.id;
    assert.equal(run.child.exitCode, null, run.stderr);
    await delay(50);
  }
};

/** Kills all of them at once, as a power cut would. */
const killAll = async (run: SluiceProcess): Promise<void> => {
  for (const pid of run.family()) process.kill(pid, "SIGKILL");
  await run.ended;
};

const loseLedger = (data: string): void => {
  for (const file of globSync(join(data, "sluice.db*"))) rmSync(file);
};

/** Kills it at several steps, from the first to the last; each run starts from what the run before left. Returns the number of kills. */
const killedRebuild = async (data: string): Promise<number> => {
  for (let step = 1, kills = 0; ; step = Math.ceil(step * 1.7), kills++) {
    const script = join(import.meta.dirname, "killed-rebuild.ts");
    const child = spawn(process.execPath, [script, data, String(step)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    assert.ok(code === 0 || signal === "SIGKILL", stderr);
    if (signal === null) return kills;
    assert.ok(!existsSync(join(data, "sluice.db")), "a ledger that is not whole has no name");
  }
};

test("jobs continue after their ledger was rebuilt under kills, and ended jobs are unchanged", async () => {
  const at = (name: string): string => join(folder, name);
  const [input, few, truth, scraper] = [
    at("parcels.csv"),
    at("few.csv"),
    at("truth.jsonl"),
    at("county.scraper.ts"),
  ];
  writeFileSync(input, [...parcelsCsv(120)].join(""));
  writeFileSync(few, [...parcelsCsv(40)].join(""));
  writeFileSync(scraper, patientCounty());
  await using site = await startSite(["--parcels", "120", "--troubles", "all", "--truth", truth]);
  const env = { COUNTY_URL: site.url };
  const data = at("data");
  const flags = ["--data", data];
  const first = await sluice(["run", scraper, "--input", few, ...flags, "--quiet"], env);
  assert.ok(first.code === 0 || first.code === 3, first.stderr);
  ok(await sluice(["extract", "last", ...flags], env));
  const show = async (job: string) => ({
    first: ok(await sluice(["export", job, "--extraction", "first", ...flags])),
    current: ok(await sluice(["export", job, ...flags])),
    job: ok(await sluice(["jobs", "show", job, "--json", ...flags])),
  });
  const [ended] = globSync("*", { cwd: join(data, "blobs/jobs") });
  const before = await show(ended!);

  const run = new SluiceProcess(["run", scraper, "--input", input, ...flags, "--rate", "25", "--quiet"], env);
  const job = await untilDone(data, 25, run);
  const refused = await sluice(["rebuild", ...flags]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /the ledger exists \(sluice\.db.*move it away: mkdir/);
  await killAll(run);
  loseLedger(data);

  assert.ok((await killedRebuild(data)) >= 4);
  assert.deepEqual(await show(ended!), before);
  assert.match(ok(await sluice(["fsck", ...flags])), /no problems/);
  const shown = JSON.parse(ok(await sluice(["jobs", "show", job, "--json", ...flags]))) as {
    readonly state: string;
    readonly counts: { readonly accepted: number; readonly states: Readonly<Record<string, number>> };
  };
  assert.equal(shown.state, "paused");
  assert.equal(shown.counts.accepted, 120);
  assert.ok(shown.counts.states["done"]! >= 25, JSON.stringify(shown));

  const resumed = await sluice(["resume", job, ...flags, "--quiet"], env);
  assert.equal(resumed.code, 3, resumed.stderr);
  assertTruth(truth, data, job);
  assert.match(ok(await sluice(["fsck", ...flags])), /no problems/);

  // Again: work done after the first rebuild is found too.
  const second = await show(job);
  loseLedger(data);
  ok(await sluice(["rebuild", ...flags]));
  assert.deepEqual(await show(job), second);
  assert.deepEqual(await show(ended!), before);
  assert.match(ok(await sluice(["fsck", ...flags])), /no problems/);
});

test("emitted items are rebuilt without the ledger, with their parents", async () => {
  await using site = await TownSite.open();
  const { data, run } = prepareTowns(folder, site, "towns");
  const flags = ["--data", data];
  const started = new SluiceProcess([...run, "--quiet"]);
  await untilDone(data, 200, started);
  await killAll(started);
  loseLedger(data);
  ok(await sluice(["rebuild", ...flags]));
  const asked = site.arrived.length;
  ok(await sluice(["resume", "last", ...flags, "--quiet"]));
  assert.ok(site.arrived.length - asked <= PAGES + TOWNS - 200, "what was done is not fetched again");
  const [manifest] = globSync(join(data, "blobs/jobs/*/manifest.jsonl"));
  const items = readLines<{ key: string; scraper: string; parent?: string; state: string }>(manifest!);
  assert.equal(items.filter(({ scraper, state }) => scraper === "town" && state === "done").length, TOWNS);
  assert.equal(items.length, PAGES + TOWNS);
  assert.deepEqual(
    items.filter(({ parent }) => parent === undefined).map(({ key }) => key),
    [`${site.url}/list/0`],
  );
  // Its manifest names the parents of the rebuilt ledger. A rebuild from the manifest gives the same ones.
  const text = readFileSync(manifest!, "utf8");
  loseLedger(data);
  ok(await sluice(["rebuild", ...flags]));
  ok(await sluice(["fsck", ...flags]));
  assert.equal(readFileSync(manifest!, "utf8"), text);
});

test("rebuild refuses a folder without an archive", async () => {
  const { code, stderr } = await sluice(["rebuild", "--data", join(folder, "nowhere")]);
  assert.equal(code, 2);
  assert.match(stderr, /no archive/);
  assert.ok(!existsSync(join(folder, "nowhere")));
});
