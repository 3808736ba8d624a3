import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { COUNTY_SCRAPER, sluice, SluiceProcess } from "./sluice-process.ts";

const PARCELS = 2000;
const KILLS = 30;
const folder = mkdtempSync(join(tmpdir(), "sluice-truth-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const prepare = (name: string) => {
  const input = join(folder, `${name}.csv`);
  writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));
  return { input, truth: join(folder, `${name}-truth.jsonl`), data: join(folder, name) };
};

test("with all troubles on, every item ends as the site's truth says", async () => {
  const { input, truth, data } = prepare("calm");
  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
  const env = { COUNTY_URL: site.url };
  const { code, stderr } = await sluice(
    ["run", COUNTY_SCRAPER, "--input", input, "--data", data, "--processes", "2"],
    env,
  );
  assert.equal(code, 3, stderr);
  assertTruth(truth, data);
});

test("the same while random processes are killed, one a second", async () => {
  const { input, truth, data } = prepare("killed");
  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
  const env = { COUNTY_URL: site.url };
  const common = ["--data", data, "--processes", "2"];
  let current = new SluiceProcess(["run", COUNTY_SCRAPER, "--input", input, ...common], env);
  let kills = 0;
  while (kills < KILLS) {
    // The kills are the experiment; nothing is assumed about what happens between them.
    await delay(1000);
    const family = current.family();
    assert.ok(family.length > 0, `the run ended after ${kills} kills: ${current.stderr}`);
    const victim = family[Math.floor(Math.random() * family.length)]!;
    process.kill(victim, "SIGKILL");
    kills++;
    if (victim !== current.child.pid) continue;
    await current.ended;
    current = new SluiceProcess(["resume", "last", "--input", input, ...common], env);
  }
  const { code, stderr } = await current.ended;
  assert.equal(code, 3, stderr);
  assertTruth(truth, data);
});
