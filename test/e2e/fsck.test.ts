import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { lookAtLedger, openBlobs, openStorage, openLedger, repairCounters } from "../../src/compose.ts";
import { LEDGER_FILE } from "../../src/config/storage-location.ts";
import { exportJob } from "../../src/export/export-records.ts";
import { Fsck } from "../../src/integrity/fsck.ts";
import { seededRandom } from "../../src/domain/testing/seeded-random.ts";
import type { Damage } from "../../src/ports/ledger-check.ts";
import { openTownSite, TownProject } from "./kept-town.ts";

/** Number of damages of each kind. The long form is `SLUICE_DAMAGES=200`. */
const DAMAGES = Number(process.env["SLUICE_DAMAGES"] ?? 12);
const SEED = Number(process.env["SLUICE_SEED"] ?? 9);
/** In memory if the system can: the ledger is opened hundreds of times, and each would wait for the disk. */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sluice-fsck-test-"));
const project = new TownProject(folder);
const { data } = project;
const ledger = join(data, LEDGER_FILE);
let job: string;
let rows: ReadonlySet<string>;
after(() => rmSync(folder, { recursive: true, force: true }));

const fsck = async (): Promise<Damage[]> => {
  const look = await lookAtLedger(ledger);
  const stores = { look, blobs: await openBlobs(data), openLedger: () => openLedger(ledger) };
  return await Array.fromAsync(new Fsck(stores).run());
};

/** The lines that an export writes, and whether it reported damage. */
const exported = async (): Promise<{ readonly lines: string[]; readonly isTold: boolean }> => {
  const path = join(folder, "out.jsonl");
  let isTold = false;
  try {
    await using storage = await openStorage(data);
    for (const extraction of ["first", "current"])
      await exportJob(storage, job, path, { extraction, onDamagedItem: () => (isTold = true) });
  } catch {
    return { lines: [], isTold: true };
  }
  return { lines: readFileSync(path, "utf8").split("\n").filter(Boolean), isTold };
};

before(async () => {
  await using site = await openTownSite();
  project.writeScraper(site.url);
  // Two of them are missing, so that there are failures to damage.
  job = await project.collect([
    ...Array.from({ length: 12 }, (_, n) => `t${n}`),
    "../absent/a",
    "../absent/b",
  ]);
  const { stderr } = await project.run("extract", job, "--quiet");
  assert.deepEqual(await fsck(), [], stderr);
  rows = new Set((await exported()).lines);
  assert.equal(rows.size, 14);
});

/** Changes one byte of a file while `look` runs. */
const damaged = async (file: string, at: number, by: number, look: () => Promise<void>): Promise<void> => {
  const bytes = readFileSync(file);
  const changed = Buffer.from(bytes);
  changed[at]! ^= by;
  writeFileSync(file, changed);
  await look().finally(() => writeFileSync(file, bytes));
};

test(`each of ${DAMAGES} changed bytes in segments, indexes, manifests and records is found, and none is exported`, async () => {
  const random = seededRandom(SEED);
  const kinds = ["\\.warc\\.gz$", "\\.cdxj$", "manifest\\.jsonl$", "job\\.json$"]
    .concat(["records", "files", "extractions", "inputs", "settled"].map((name) => `/${name}/`))
    .map((text) => new RegExp(text));
  for (let n = 0; n < DAMAGES; n++) {
    const names = project.objects(`jobs/${job}/`).filter((name) => kinds[n % kinds.length]!.test(name));
    const name = names[Math.floor(random() * names.length)]!;
    const file = join(data, "blobs", name);
    const at = Math.floor(random() * readFileSync(file).length);
    await damaged(file, at, 1 + Math.floor(random() * 255), async () => {
      const found = await fsck();
      assert.ok(found.length > 0, `byte ${at} of ${name} was not found (seed ${SEED}, number ${n})`);
      for (const line of (await exported()).lines) assert.ok(rows.has(line), `exported: ${line}`);
    });
  }
});

/** What a changed byte must not change silently. */
const meaning = (file: string): string => {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    const all = (sql: string): unknown[] => db.prepare(sql).all();
    return JSON.stringify([
      ...["items", "retries", "results"].map((table) => all(`SELECT * FROM ${table} ORDER BY queue, seq`)),
      all("SELECT * FROM jobs"),
    ]);
  } catch (error) {
    return String(error);
  }
};

test(`of ${DAMAGES} changed bytes in the ledger, each that changes what it says is found, and none is exported`, async (t) => {
  const random = seededRandom(SEED + 1);
  using db = new DatabaseSync(ledger);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  db.close();
  const copy = join(folder, "whole.db");
  cpSync(ledger, copy);
  const bytes = readFileSync(copy);
  const whole = meaning(copy);
  const look = await lookAtLedger(ledger);
  const count = { tried: 0, changed: 0, found: 0 };
  // Most of a small ledger is empty: only bytes that carry data are changed.
  while (count.changed < DAMAGES) {
    const at = Math.floor(random() * bytes.length);
    const by = 1 + Math.floor(random() * 255);
    count.tried++;
    await damaged(ledger, at, by, async () => {
      const isChanged = meaning(ledger) !== whole;
      if (isChanged) count.changed++;
      if (!isChanged && count.tried % 10 > 0) return;
      let problems: unknown[];
      try {
        using check = look();
        problems = [...check.problems()];
      } catch (error) {
        problems = [error];
      }
      if (problems.length > 0) count.found++;
      assert.ok(!isChanged || problems.length > 0, `byte ${at} by ${by} was not found (seed ${SEED})`);
      if (isChanged)
        for (const line of (await exported()).lines) assert.ok(rows.has(line), `exported: ${line}`);
    });
    for (const end of ["-wal", "-shm"]) rmSync(`${ledger}${end}`, { force: true });
    cpSync(copy, ledger);
  }
  t.diagnostic(`${count.tried} bytes changed, ${count.changed} of them with a meaning, ${count.found} found`);
  assert.deepEqual(await fsck(), []);
});

test("indexes, manifests and counters are made again, orphans deleted when asked, and the rest is named", async () => {
  const objects = project.objects(`jobs/${job}/`);
  const index = join(
    data,
    "blobs",
    objects.find((name) => name.endsWith(".cdxj"))!,
  );
  const manifest = join(
    data,
    "blobs",
    objects.find((name) => name.endsWith("manifest.jsonl"))!,
  );
  const records = join(
    data,
    "blobs",
    objects.find((name) => name.includes("/records/"))!,
  );
  const whole = [index, manifest].map((file) => readFileSync(file, "utf8"));
  rmSync(index);
  writeFileSync(manifest, whole[1]!.replace('"attempts":1', '"attempts":2'));
  project.query("UPDATE jobs SET done = done + 1, accepted = accepted - 1 RETURNING id");
  project.sumJob(job);
  mkdirSync(join(data, "blobs/jobs/gone/records"), { recursive: true });
  writeFileSync(join(data, "blobs/jobs/gone/records/a.jsonl"), "{}\n");

  const found = await project.run("fsck");
  assert.equal(found.code, 6);
  for (const text of ["index: ", "manifest: ", "counter done is", "counter accepted is", "--drop-orphans"])
    assert.ok(found.stdout.includes(text), found.stdout);
  assert.equal((await project.run("fsck")).code, 6, "without --repair nothing is changed");
  const repaired = await project.run("fsck", "--repair", "--drop-orphans", "--json");
  assert.equal(repaired.code, 0, repaired.stdout);
  assert.deepEqual(
    [index, manifest].map((file) => readFileSync(file, "utf8")),
    whole,
  );
  const summary = JSON.parse(repaired.stdout.trim().split("\n").at(-1)!) as Record<string, unknown>;
  assert.deepEqual([summary["problems"], summary["repaired"], summary["dropped"]], [4, 4, 1]);
  assert.equal((await project.run("fsck")).code, 0);

  const bytes = readFileSync(records, "utf8");
  writeFileSync(records, bytes.replace("Mayor of t1", "Mayor of t7"));
  const named = await project.run("fsck", "--repair");
  assert.equal(named.code, 6);
  assert.match(named.stdout, /records: jobs\/\S+\.jsonl: job \S+, item t1\d*: its records .* damaged/);
  const exportedRun = await project.run("export", job, "--extraction", "first");
  assert.equal(exportedRun.code, 6);
  assert.match(exportedRun.stderr, /item t1\d*/);
  assert.equal(exportedRun.stdout.trim().split("\n").length, 13);
  assert.equal((await project.run("export", job)).code, 0, "the extraction has its own records");
  writeFileSync(records, bytes);
});

test("fsck does not repair counters from damaged items, nor in a job row with other damage", async () => {
  const counters = () => project.query("SELECT done, failed, accepted, requests FROM jobs");
  const whole = counters();
  /** As damage would: the checksum stays. */
  const change = (jobs: string) => project.query(`UPDATE jobs SET ${jobs} RETURNING id`);
  const endAs = (state: number) =>
    project.query(
      `UPDATE results SET state = ? WHERE (queue, seq) = (SELECT queue, seq FROM items WHERE key = 't3') RETURNING seq`,
      state,
    );
  const repair = async () => await project.run("fsck", "--repair");

  endAs(5);
  const named = await repair();
  assert.equal(named.code, 6);
  assert.match(
    named.stdout,
    /item: .* item t3: its stored data does not match its checksum\. To fix it, restore/,
  );
  assert.match(
    named.stdout,
    /counter done is 12, but its items add up to 11\. To fix it, restore the ledger/,
  );
  assert.deepEqual(counters(), whole);
  await assert.rejects(repairCounters(join(data, "sluice.db"), job), {
    code: "damaged-row",
    message: /item t3: .* Restore the ledger/,
  });
  endAs(3);

  change("done = done + 1, requests = requests + 1");
  const refused = await repair();
  assert.equal(refused.code, 6);
  assert.match(refused.stderr, /counters were not repaired.*other columns.*Restore the ledger from a backup/);
  change("requests = requests - 1");
  assert.equal((await repair()).code, 0, "only the counter was damaged");
  assert.deepEqual(counters(), whole);
  assert.equal((await project.run("fsck")).code, 0);
});
