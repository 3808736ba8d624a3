import assert from "node:assert/strict";
import { appendFileSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sigkill } from "./chaos/killer.ts";
import { readLines } from "./county-process.ts";
import { childrenOf, type Ended, sluice, SluiceProcess } from "./sluice-process.ts";
import { PAGES, prepareTowns, TOWNS, TownSite } from "./town-site.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-emit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ok = ({ code, stdout, stderr }: Ended): string => {
  assert.equal(code, 0, stderr);
  return stdout;
};

interface Row {
  readonly key: string;
  readonly name: string;
  readonly region: string;
  readonly mayor: string | null;
  readonly _state: string;
  readonly _scraper: string;
  readonly _version: string;
}

const exported = async (data: string, ...flags: readonly string[]): Promise<Row[]> =>
  ok(await sluice(["export", "last", "--data", data, ...flags]))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

test("every town of the listings is fetched once although workers are killed", async () => {
  await using site = await TownSite.open();
  const { data, run } = prepareTowns(folder, site, "killed");
  const started = new SluiceProcess([...run, "--processes", "2"]);
  for (const count of [40, 250, 500]) {
    await site.arrivals(count);
    const victim = childrenOf(started.child.pid!)[0];
    if (victim !== undefined) sigkill(victim);
  }
  ok(await started.ended);

  const [file] = globSync(join(data, "blobs/jobs/*/manifest.jsonl"));
  const items = readLines<{ key: string; scraper: string; parent?: string; state: string }>(file!);
  assert.deepEqual(
    Object.fromEntries(
      Map.groupBy(items, ({ scraper, state }) => `${scraper} ${state}`)
        .entries()
        .map(([name, some]) => [name, some.length]),
    ),
    { "listing done": PAGES, "town done": TOWNS },
  );
  assert.equal(new Set(items.map(({ key }) => key)).size, PAGES + TOWNS);
  const orphans = items.filter(({ parent }) => parent === undefined);
  assert.deepEqual(
    orphans.map(({ key }) => key),
    [`${site.url}/list/0`],
  );

  const rows = await exported(data);
  assert.deepEqual(
    rows
      .map(({ key, name, region, mayor, _scraper }) => [key, name, region, mayor, _scraper].join("|"))
      .toSorted(),
    Array.from(
      { length: TOWNS },
      (_, n) => `${site.url}/town/${n}|Town ${n}|North|Mayor of ${n}|town`,
    ).toSorted(),
  );
  const shown = JSON.parse(ok(await sluice(["jobs", "show", "last", "--json", "--data", data]))) as {
    counts: { received: number; accepted: number; folded: number };
    fields: Record<string, unknown>;
  };
  const { received, accepted, folded } = shown.counts;
  assert.deepEqual([accepted, received - folded], [PAGES + TOWNS, PAGES + TOWNS]);
  assert.deepEqual(shown.fields, { "town.mayor": { present: TOWNS, empty: 0, missing: 0, malformed: 0 } });
});

test("the report says that a job only collects, and that it was capped", async () => {
  await using site = await TownSite.open();
  const { data, run } = prepareTowns(folder, site, "collect");
  assert.equal((await sluice([...run, "--no-extract", "--max-items", "30"])).code, 3);
  assert.equal(site.arrived.length, 30);
  const report = ok(await sluice(["jobs", "show", "last", "--data", data]));
  assert.match(report, /fetched only: run `sluice extract \S+ --data/);
  assert.match(report, /over the limit of 30 items/);
  const list = ok(
    await sluice(["items", "ls", "last", "--scraper", "town", "--limit", "1", "--json", "--data", data]),
  );
  const { scraper, parent, depth, records, captures } = JSON.parse(list) as Record<string, unknown>;
  assert.deepEqual([scraper, parent, depth, records], ["town", `${site.url}/list/0`, 1, null]);
  assert.equal((captures as unknown[]).length, 1);
  assert.equal((await sluice(["items", "ls", "last", "--scraper", "nobody", "--data", data])).code, 2);
});

test("a job continues as it began after its detail scraper changed and was deleted", async () => {
  await using site = await TownSite.open();
  const { data, run, town } = prepareTowns(folder, site, "changed");
  const started = new SluiceProcess([...run, "--rate", "200"]);
  await site.arrivals(10);
  started.child.kill("SIGINT");
  assert.equal((await started.ended).code, 5);
  appendFileSync(town, "\n// another\n");
  const resumed = new SluiceProcess(["resume", "last", "--data", data]);
  await resumed.says(/listing: its files have changed.*--new-version/s);
  await site.arrivals(site.arrived.length + 10);
  resumed.child.kill("SIGINT");
  assert.equal((await resumed.ended).code, 5);
  rmSync(town);
  ok(await sluice(["resume", "last", "--data", data]));
  const records = await exported(data);
  assert.equal(records.length, TOWNS);
  assert.equal(new Set(records.map(({ _version }) => _version)).size, 1);
});
