/** A broken version on some items of a job: it is taken back by itself, and nothing of it stays. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_SEED, parcelId } from "../../examples/county/parcels.ts";
import { pages, type Item, type SluiceClient } from "../../src/client.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-canary-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const PARCELS = 300;

const itemsOf = async (client: SluiceClient, job: string): Promise<Item[]> =>
  await Array.fromAsync(pages((page) => client.listItems(job, page), 200));

test("a broken canary on the county site rolls back by itself, and all final records come from the good version", async () => {
  await using site = await startSite(["--parcels", `${PARCELS}`]);
  await using service = new Service(join(folder, "county"), { COUNTY_URL: site.url });
  service.configure({ allowTargets: ["127.0.0.1"] });
  const good = patientCounty();
  // Loses a field everywhere, and takes some parcels for absent.
  const bad = good
    .replace("#account .owner", "#account .holder")
    .replace('if (hits.has(".no-results"))', 'if (hits.has(".no-results") || input.parcel.endsWith("3"))');
  service.writeScraper("county", good);
  const client = await service.serve("--workers", "2");
  const command = async (...args: readonly string[]): Promise<string> => {
    const env = { COUNTY_URL: site.url, SLUICE_KEY: service.key };
    const { code, stdout, stderr } = await new SluiceProcess(
      [...args, "--server", service.url, "--json"],
      env,
      service.folder,
    ).ended;
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const deploy = async (): Promise<string> =>
    (JSON.parse(await command("deploy", "county")) as { version: string }).version;
  const first = await deploy();
  await command("versions", "activate", "county");

  service.writeScraper("county", bad);
  const broken = await deploy();
  assert.deepEqual((await client.versions.get("county", broken)).difference?.unjudged, ["collect"]);
  await command("versions", "canary", "county", broken.slice(0, 12), "--share", "20");

  const inputs = Array.from({ length: PARCELS }, (_, n) => ({ parcel: parcelId(DEFAULT_SEED, n) }));
  const { job } = await client.createJob({ scraper: "county", inputs, seal: true });
  assert.equal(job.version, first);
  await service.until(job.id, ({ state }) => state === "done");
  for (;;) {
    const { canary } = await client.versions.get("county", broken);
    const { state } = await client.getJob(job.id);
    const items = await itemsOf(client, job.id);
    const isOver = canary?.state === "rolled-back" && canary.unread.length === 0 && state === "done";
    if (isOver && items.every(({ version }) => version === first)) break;
    await delay(100);
  }

  const { active, canary } = await client.versions.list("county");
  assert.deepEqual([active, canary], [first, undefined]);
  const { states } = (await client.getJob(job.id)).counts;
  assert.deepEqual([states.done, states.absent, states.failed], [PARCELS, 0, 0]);
  const records = (await new Response(await client.results(job.id)).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly owner: string | null; readonly _version?: string });
  assert.equal(records.length, PARCELS);
  assert.ok(records.every(({ owner }) => owner !== null));
  const { owner } = (await client.getJob(job.id)).fields;
  assert.deepEqual([owner?.present, owner?.missing], [PARCELS, 0]);
  const told = (await client.versions.get("county", broken)).canary;
  assert.match(
    told?.reason ?? "",
    /owner was bad in (\d+) of \1 items of the canary, and in 0 of \d+ of the others/,
  );
});
