import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openStorage } from "../../src/compose.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const PARCELS = 120;
const folder = mkdtempSync(join(tmpdir(), "sluice-backup-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

/** Returns whether it was killed at that step, or false if it ended before. */
const copyUntil = async (
  verb: "backup" | "restore",
  from: string,
  to: string,
  step: number,
): Promise<boolean> => {
  const script = join(import.meta.dirname, "killed-copy.ts");
  const child = spawn(process.execPath, [script, verb, from, to, String(step)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  assert.ok(code === 0 || signal === "SIGKILL", stderr);
  return signal === "SIGKILL";
};

/** Kills it at several steps, from the first to the last; each run starts from what the run before left. */
const killAndFinish = async (verb: "backup" | "restore", from: string, to: string): Promise<number> => {
  for (let step = 1, kills = 0; ; step = Math.ceil(step * 2.2), kills++)
    if (!(await copyUntil(verb, from, to, step))) return kills;
};

test("a backup of a running job, made and restored under kills, finishes the job with the right result", async () => {
  const [input, truth, scraper] = [at("parcels.csv"), at("truth.jsonl"), at("county.scraper.ts")];
  writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));
  writeFileSync(scraper, patientCounty());
  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
  const env = { COUNTY_URL: site.url };
  const [data, copy, restored] = [at("data"), at("copy"), at("restored")];
  const run = new SluiceProcess(
    ["run", scraper, "--input", input, "--data", data, "--rate", "25", "--quiet"],
    env,
  );
  const endedIn = async (): Promise<number> => {
    await using storage = await openStorage(data);
    return (await storage.ledger.listJobs())[0]?.counts.states.done ?? 0;
  };
  while ((await endedIn()) < 20) {
    assert.equal(run.child.exitCode, null, run.stderr);
    await delay(50);
  }
  assert.ok((await killAndFinish("backup", data, copy)) >= 3);
  // The same folder again: only new objects are copied.
  const again = await sluice(["backup", copy, "--data", data, "--json"]);
  assert.equal(again.code, 0, again.stderr + again.stdout);
  const { objects, kept } = JSON.parse(again.stdout) as { readonly objects: number; readonly kept: number };
  assert.ok(kept > 0 && kept <= objects, again.stdout);
  run.child.kill("SIGKILL");
  await run.ended;

  assert.ok(await copyUntil("restore", copy, restored, 2));
  const tooEarly = await sluice(["run", scraper, "--input", input, "--data", restored], env);
  assert.equal(tooEarly.code, 6);
  assert.match(tooEarly.stderr, /sluice restore/);
  assert.ok((await killAndFinish("restore", copy, restored)) >= 2);
  const onto = await sluice(["restore", copy, "--data", restored]);
  assert.equal(onto.code, 2);
  assert.match(onto.stderr, /not empty/);

  const { code, stderr } = await sluice(["resume", "last", "--data", restored, "--quiet"], env);
  assert.equal(code, 3, stderr);
  assertTruth(truth, restored);
  const checked = await sluice(["fsck", "--data", restored]);
  assert.equal(checked.code, 0, checked.stdout);
});

test("only a backup is restored, and other folders are never overwritten", async () => {
  const empty = at("empty");
  const nothing = await sluice(["restore", empty, "--data", at("nowhere")]);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /no complete backup/);
  assert.ok(!existsSync(at("nowhere")));
  const other = mkdtempSync(join(folder, "other-"));
  writeFileSync(join(other, "letter.txt"), "dear");
  const onto = await sluice(["backup", other, "--data", at("data")]);
  assert.equal(onto.code, 2);
  assert.match(onto.stderr, /other files/);
  const inside = await sluice(["backup", join(at("data"), "copy"), "--data", at("data")]);
  assert.equal(inside.code, 2);
});
