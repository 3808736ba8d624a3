import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openStorage } from "../../src/compose.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { sigkill } from "./chaos/killer.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const PARCELS = 300;
const KILLS = 6;
/** Items that end between two kills. The kills together must leave items over, including those settled in the same batch. */
const STEP = 10;
const folder = mkdtempSync(join(tmpdir(), "sluice-truth-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scraper = join(folder, "county.scraper.ts");
writeFileSync(scraper, patientCounty());

const prepare = (name: string) => {
  const input = join(folder, `${name}.csv`);
  writeFileSync(input, [...parcelsCsv(PARCELS)].join(""));
  return { input, truth: join(folder, `${name}-truth.jsonl`), data: join(folder, name) };
};

test("with all troubles on, every item has the correct result", async () => {
  const { input, truth, data } = prepare("calm");
  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
  const env = { COUNTY_URL: site.url };
  const { code, stderr } = await sluice(
    ["run", scraper, "--input", input, "--data", data, "--processes", "2"],
    env,
  );
  assert.equal(code, 3, stderr);
  assertTruth(truth, data);
});

/** How many items of the only job have ended; 0 before there is a job. */
const endedIn = async ({ ledger }: Storage): Promise<number> => {
  const [job] = await ledger.listJobs();
  const { done, absent, failed } = job?.counts.states ?? { done: 0, absent: 0, failed: 0 };
  return done + absent + failed;
};

test("the same while random processes are killed one after another", async () => {
  const { input, truth, data } = prepare("killed");
  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
  const env = { COUNTY_URL: site.url };
  // Slow enough that no kill comes after the last item.
  const common = ["--data", data, "--processes", "2", "--rate", "60"];
  await using storage = await openStorage(data);
  let current = new SluiceProcess(["run", scraper, "--input", input, ...common], env);
  for (let kills = 0; kills < KILLS; kills++) {
    // The killed process has settled items since the last kill: a run that only starts proves nothing.
    const before = await endedIn(storage);
    while ((await endedIn(storage)) < before + STEP) {
      assert.ok(current.family().length > 0, `the run ended after ${kills} kills: ${current.stderr}`);
      await delay(50);
    }
    const victim = someOf(current.family());
    if (victim !== undefined) sigkill(victim);
    if (victim !== current.child.pid) continue;
    await current.ended;
    current = new SluiceProcess(
      ["resume", "last", "--input", input, "--data", data, "--processes", "2"],
      env,
    );
  }
  const { code, stderr } = await current.ended;
  assert.equal(code, 3, stderr);
  assertTruth(truth, data);
});

const someOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
