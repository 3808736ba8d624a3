import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { laneOf, openRegistry, openStorage } from "../../src/compose.ts";
import { storageLocation } from "../../src/config/storage-location.ts";
import { LOCAL_ACTOR } from "../../src/services/context.ts";
import { findDataset, findFile, mustBeCurrent } from "../../src/services/datasets.ts";
import { diffSet } from "../../src/services/input-sets.ts";
import { loadInputs } from "../../src/services/load-inputs.ts";
import { noteQuality, readDrift } from "../../src/services/quality.ts";
import {
  auditRelease,
  diffOfReleases,
  publishRelease,
  rollbackRelease,
  writeRelease,
} from "../../src/services/releases.ts";
import { listFirings, showSchedule } from "../../src/services/schedules.ts";
import { openCatalog } from "../../src/services/scraper-catalog.ts";
import { listVersions, rollBackVersion } from "../../src/services/versions.ts";

/**
 * A data folder of 2ae132e, made with its commands: an input set with three versions, two versions of a scraper, two runs with their quality, a dataset with two
 * releases, a schedule that has just fired and one that follows it.
 */
const stored = (name: string): string => readFileSync(join(import.meta.dirname, "week", name), "utf8");

const writeFolder = (): string => {
  const data = mkdtempSync(join(tmpdir(), "sluice-week-before-"));
  using db = new DatabaseSync(join(data, "sluice.db"));
  db.exec(`BEGIN; ${stored("2ae132e.sql")} COMMIT`);
  for (const [name, bytes] of Object.entries(
    JSON.parse(stored("2ae132e.blobs.json")) as Record<string, string>,
  )) {
    const file = join(data, "blobs", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(bytes, "base64"));
  }
  return data;
};

test("a data folder of the previous version goes on: versions, schedules, input sets, quality and releases", async (t) => {
  const data = writeFolder();
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const location = storageLocation({ data });
  await using storage = await openStorage(location);
  const { ledger, blobs } = storage;
  const registry = await openRegistry(location);
  t.after(() => registry.close());
  const scrapers = openCatalog(undefined, { blobs, documents: ledger.documents });
  const context = { ledger, blobs, registry, scrapers, laneOf, location, now: Date.now };

  const { active, previous, data: versions } = await listVersions(context, "town");
  assert.deepEqual(
    versions.map(({ version, gate, pointers }) => [version, gate?.isRefused, pointers]),
    [
      [active, false, ["active"]],
      [previous, false, ["previous"]],
    ],
  );
  const rolled = await rollBackVersion(context, { scraper: "town", by: "test" });
  assert.equal(rolled.version.version, previous);

  const { added, removed, unchanged } = await diffSet(context, LOCAL_ACTOR, "towns", { from: 1, to: 3 });
  assert.deepEqual([added, removed, unchanged], [1, 1, 5]);
  const schedule = await showSchedule(context, LOCAL_ACTOR, "towns-weekly");
  assert.deepEqual([schedule.dataset, schedule.counts.fired, schedule.next.length], ["towns", 1, 5]);
  assert.deepEqual((await showSchedule(context, LOCAL_ACTOR, "follower")).when, { after: "towns-weekly" });
  const { firings } = await listFirings(context, LOCAL_ACTOR, "towns-weekly", { limit: 9 });
  const fired = (await ledger.readJob(firings[0]!.job!))!;
  await loadInputs(context, fired, new AbortController().signal);
  const loaded = (await ledger.readJob(fired.spec.id))!;
  assert.deepEqual([loaded.isSealed, loaded.counts.accepted], [true, 6]);

  const { runs } = await readDrift(context, LOCAL_ACTOR, "town", { limit: 9 });
  assert.deepEqual(
    runs.map(({ records, before }) => [records, before]),
    [
      [6, runs[1]!.job],
      [6, undefined],
    ],
  );
  assert.deepEqual(await noteQuality(context, runs[0]!.job, { renews: true }), runs[0]);

  const currentOf = async (): Promise<number> => {
    const release = await mustBeCurrent(context, (await findDataset(context, LOCAL_ACTOR, "towns")).body);
    for (const name of ["data.parquet", "data.jsonl", "manifest.json"]) {
      const { blob, digest } = findFile(release, name);
      const hash = createHash("sha256").update(await blobs.get(blob));
      assert.equal(`sha256:${hash.digest("hex")}`, digest);
    }
    return release.number;
  };
  assert.equal(await currentOf(), 2);
  const diff = await diffOfReleases(context, LOCAL_ACTOR, "towns", {});
  assert.deepEqual([diff.before, diff.after, diff.fields["people"]?.changed], [1, 2, 6]);
  await rollbackRelease(context, LOCAL_ACTOR, "towns");
  assert.equal(await currentOf(), 1);
  const { number } = await writeRelease(context, LOCAL_ACTOR, "towns");
  assert.equal((await auditRelease(context, LOCAL_ACTOR, "towns", number)).state, "audited");
  await publishRelease(context, LOCAL_ACTOR, "towns", number);
  assert.equal(await currentOf(), 3);
});
