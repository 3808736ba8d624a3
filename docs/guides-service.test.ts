// e2e: runs the guides' commands
import assert from "node:assert/strict";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { follow, linesOf } from "./follow-guide.ts";

test("drift: a field that loses values is found and accepted, as the guide says", async () => {
  const { folder, output } = await follow("docs/drift.md");
  assert.match(output, /No open findings/);
  assert.match(
    output,
    /marketValue: \d+\.\d % records without a value; \d+\.\d % were expected from 4 earlier runs/,
  );
  assert.match(output, /drift ended with 4/);
  assert.match(output, /accepted by local: the county publishes no values of new parcels/);
  rmSync(folder, { recursive: true, force: true });
});

test("releases: a good one is published, a bad one is held, published with a reason and rolled back, as the guide says", async () => {
  const { folder, output } = await follow("docs/releases.md");
  assert.equal(linesOf(folder, "taxes.csv").length, 61);
  assert.equal(linesOf(folder, "taxes.csv")[0], "key,owner,marketValue,taxDue,exemptions,_gaps");
  assert.match(output, /fail +rows: 6 rows, at least 50 required/);
  assert.match(output, /write ended with 4/);
  assert.match(output, /54 gone rows, such as \d{10}/);
  assert.match(output, /^ +2 +withdrawn/m);
  assert.match(output, /^ +1 +current/m);
  rmSync(folder, { recursive: true, force: true });
});

test("the service: started, logged in to, and used by a client, as the guide says", async () => {
  const { folder, output } = await follow("docs/service.md");
  const service = join(folder, "my-service");
  for (const name of ["bills.csv", "over-http.csv"]) {
    const rows = linesOf(service, name);
    assert.equal(rows.length, 61);
    assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  }
  assert.match(output, /Logged in to .* as default \(admin\)/);
  // The receiver has checked its signature.
  assert.match(output, /^msg_\S+ job\.completed \d{8}-\d{6}-\w+$/m);
  assert.deepEqual(globSync("sluice/servers.json", { cwd: join(folder, "config") }).length, 1);
  rmSync(folder, { recursive: true, force: true });
});

test("many machines: a worker that has only the controller runs the job of the guide", async () => {
  const { folder, output } = await follow("docs/many-machines.md");
  const rows = linesOf(folder, "controller", "bills.csv");
  assert.equal(rows.length, 61);
  assert.deepEqual(globSync("**/blobs", { cwd: join(folder, "machine-2") }), []);
  assert.match(readFileSync(join(folder, "machine-2/worker.txt"), "utf8"), /Working for all jobs of http:/);
  assert.match(output, /-worker +\S+ +0 +200 /);
  rmSync(folder, { recursive: true, force: true });
});

test("schedules: an input set is changed, a schedule runs, another follows, and a stage is repeated", async () => {
  const { folder, output } = await follow("docs/schedules.md");
  assert.match(output, /county-monthly +county +0 6 1 \* \* America\/Chicago/);
  assert.match(output, /parcels, version 1 to 2: 0 added, 10 removed, 0 changed, 30 unchanged/);
  assert.match(output, /2026-\S+Z +done +\S+ +collect done/);
  assert.match(output, /3 times will fire, one after another; 0 had fired/);
  rmSync(folder, { recursive: true, force: true });
});

test("deploying scrapers: the guide's job runs on a worker that never had the scraper's file", async () => {
  const { folder, output } = await follow("docs/deploying-scrapers.md");
  const rows = linesOf(folder, "server", "bills.csv");
  assert.equal(rows.length, 51);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.match(output, /county +[0-9a-f]{16} .* deployed\n/);
  assert.match(output, /county +[0-9a-f]{16} .* already deployed/);
  rmSync(folder, { recursive: true, force: true });
});

test("versions: a version that loses values is refused, and a broken canary is rolled back", async () => {
  const { folder, output } = await follow("docs/versions.md");
  assert.match(output, /owner +\d+ +0 +120 +0 +refused/);
  assert.match(output, /canary rolled-back since .* items of the canary/);
  assert.match(output, /is active again: new jobs use it/);
  rmSync(folder, { recursive: true, force: true });
});
