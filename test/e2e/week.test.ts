/** One week of a dataset, as a team lives it: the schedule fires, the site changes, the job is repaired, the release is published. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_SEED, parcelId } from "../../examples/county/parcels.ts";
import { parseTroubles } from "../../examples/county/troubles.ts";
import { type Truth, truthOf } from "../../examples/county/truth.ts";
import type { Activated, Firing, Job, ReleaseDiff } from "../../src/client.ts";
import { freePort } from "../free-port.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { Service } from "./service-process.ts";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

/** With `SLUICE_WEEK_ITEMS=20000` it is the full size, which takes many minutes on two busy cores. */
const ITEMS = Number(process.env["SLUICE_WEEK_ITEMS"] ?? 1000);
const LIMIT = ITEMS > 1000 ? { timeout: 28 * 60_000 } : {};
/** Parcels that are new in the second week, and those that are gone. */
const REPLACED = Math.ceil(ITEMS / 100);
const PARCELS = ITEMS + REPLACED;
const FIRST_TROUBLES = "placeholder=2";
const WEEK_MS = 7 * 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "sluice-week-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** As fast as it can, and without the search before each page and the file after it: they would be three requests of four. */
const GOOD = patientCounty()
  .replace("perSecond: 400, concurrency: 16", "perSecond: 5000, concurrency: 32")
  .replace(
    /async collect.*?\n {2}\},\n/s,
    `async collect({ input, http, keep }) {
    keep.page("detail", await http.get("/property/detail.aspx?parcel=" + input.parcel));
  },
`,
  );
const FIXED = GOOD.replace('"#market"', '["#market", "#values tr:nth-child(1) .v2-amount"]')
  .replace('"#assessed"', '["#assessed", "#values tr:nth-child(2) .v2-amount"]')
  .replace('"#taxdue"', '["#taxdue", "#taxes .v2-amount"]');
/** Reads the new pages, and no longer the old ones. */
const NARROW = GOOD.replace('"#market"', '"#values tr:nth-child(1) .v2-amount"');

const SCHEDULE = [
  "schedules",
  "create",
  "county-weekly",
  "--scraper",
  "county",
  "--set",
  "parcels",
  "--cron",
  "0 6 * * mon",
  "--zone",
  "America/Chicago",
  "--stages",
  "collect,extract,audit,publish",
  "--dataset",
  "taxes",
];

/** What each parcel's page says, by parcel. */
const truthWith = (troubles: string): Map<string, Truth> =>
  new Map(
    truthOf({ seed: DEFAULT_SEED, parcels: PARCELS, troubles: parseTroubles(troubles) }).map((truth) => [
      truth.parcel,
      truth,
    ]),
  );

const valuesOf = (truth: Truth | undefined): Readonly<Record<string, unknown>> =>
  truth?.state === "done" ? truth.values : {};

const rowsOf = async function* (from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let n = from; n < to; n++)
    yield Buffer.from(`${JSON.stringify({ parcel: parcelId(DEFAULT_SEED, n) })}\n`);
};

test(
  "a layout that breaks in the middle of the week's job is repaired through the gate, and the release of the week is published",
  LIMIT,
  async () => {
    const port = `${await freePort()}`;
    const url = `http://127.0.0.1:${port}`;
    const site = ["--port", port, "--parcels", `${PARCELS}`];
    await using service = new Service(join(folder, "project"), { COUNTY_URL: url });
    service.configure({
      allowTargets: ["127.0.0.1"],
      datasets: {
        taxes: {
          sources: [{ scraper: "county" }],
          rules: {
            minRows: ITEMS,
            completeness: { owner: 1, marketValue: 0.95, assessedValue: 0.95, taxDue: 1 },
            ranges: { taxDue: { min: 0 } },
            unique: [["parcel"]],
            maxGone: 0.05,
          },
        },
      },
    });
    service.writeScraper("county", GOOD);
    const client = await service.serve("--workers", "2");
    const run = async (...args: readonly string[]): Promise<Ended> =>
      await new SluiceProcess(
        [...args, "--server", service.url, "--json"],
        { COUNTY_URL: url, SLUICE_KEY: service.key },
        service.folder,
      ).ended;
    const command = async <T>(...args: readonly string[]): Promise<T> => {
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as T;
    };
    const deploy = async (text: string): Promise<string> => {
      service.writeScraper("county", text);
      return (await command<{ version: string }>("deploy", "county")).version;
    };
    /** Fires the schedule for the Monday of a week, and answers with the firing once its job is there. */
    const fireWeek = async (weeksAgo: number): Promise<Firing> => {
      const to = Date.now() - (weeksAgo - 1) * WEEK_MS;
      const period = [new Date(to - WEEK_MS), new Date(to)].map((at) => at.toISOString());
      const [from = "", until = ""] = period;
      const { queued } = await client.schedules.backfill("county-weekly", { from, to: until });
      assert.equal(queued.length, 1);
      return await firingUntil(queued[0]!, ({ job }) => job !== undefined);
    };
    const firingUntil = async (at: string, isSo: (firing: Firing) => boolean): Promise<Firing> => {
      for (;;) {
        const { data } = await client.schedules.firings("county-weekly");
        const found = data.find((one) => one.at === at);
        assert.notEqual(found?.state, "failed", found?.reason);
        if (found && isSo(found)) return found;
        await delay(100);
      }
    };

    // Last week.
    const first = await deploy(GOOD);
    await client.versions.activate("county", first);
    await client.inputSets.upload("parcels", rowsOf(0, ITEMS), { key: ["parcel"] });
    await command(...SCHEDULE);
    {
      await using _ = await startSite([...site, "--troubles", FIRST_TROUBLES]);
      const fired = await fireWeek(2);
      const { stages } = await firingUntil(fired.at, ({ state }) => state === "done");
      assert.deepEqual(
        stages.map(({ name, state }) => [name, state]),
        ["collect", "extract", "audit", "publish"].map((name) => [name, "done"]),
      );
    }
    assert.equal((await client.datasets.latest("taxes")).release, 1);

    // This week: some parcels are gone and others are new, and the site changes in the middle of the job.
    await client.inputSets.upload("parcels", rowsOf(0, REPLACED), { change: "remove" });
    await client.inputSets.upload("parcels", rowsOf(ITEMS, PARCELS), { change: "add" });
    await using _ = await startSite([...site, "--change-after", `${ITEMS / 2}`, "--change-to", "some"]);
    const fired = await fireWeek(1);
    const job = fired.job!;
    const held = await service.until(job, ({ state }) => state === "paused");
    assert.equal(held.version, first);
    assert.match(JSON.stringify(held.held), /missing/);
    assert.ok(held.counts.states.queued > ITEMS / 10, JSON.stringify(held.counts));
    assert.equal((await client.datasets.latest("taxes")).release, 1, "the last good release stays current");

    // The fix passes the gate: it gains values on the new pages and loses none on the old ones.
    const second = await deploy(FIXED);
    const { gate } = await command<Activated>("versions", "activate", "county");
    const moved = ["marketValue", "assessedValue", "taxDue"];
    assert.deepEqual([gate.isRefused, gate.against], [false, first]);
    for (const { name, gained, lost, changed } of gate.fields)
      assert.deepEqual([gained > 0, lost, changed], [moved.includes(name), 0, 0], name);
    // Another attempt, deployed after it, is refused. Nothing uses it.
    const third = await deploy(NARROW);
    const refused = await run("versions", "activate", "county");
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, /marketValue/);
    assert.equal((await client.versions.list("county")).active, second);

    await command("jobs", "resume", job, "--new-version");
    const ended = await firingUntil(fired.at, ({ state }) => state === "done");
    assert.equal(ended.job, job);
    const view: Job = await client.getJob(job);
    assert.deepEqual([view.version, view.counts.states.done], [second, ITEMS]);
    const latest = await client.datasets.latest("taxes");
    assert.equal(latest.release, 2);

    const rows = (await new Response(await client.datasets.file("taxes", "data.jsonl")).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [before, now] = [truthWith(FIRST_TROUBLES), truthWith("none")];
    assert.equal(rows.length, ITEMS);
    for (const row of rows)
      for (const [name, value] of Object.entries(valuesOf(now.get(String(row["key"])))))
        assert.deepEqual(row[name], value, `${String(row["key"])} ${name}`);
    const { data: items } = await client.listItems(job, { limit: 200 });
    assert.deepEqual([...new Set(items.map(({ version }) => version))], [second], `not ${third}`);

    const diff = await command<ReleaseDiff>("releases", "diff", "taxes");
    const changed: Record<string, number> = {};
    let changedRows = 0;
    for (const { key } of rows) {
      const [was, is] = [before, now].map((truth) => valuesOf(truth.get(String(key))));
      const isNew = [...Array(REPLACED).keys()].some((n) => parcelId(DEFAULT_SEED, ITEMS + n) === key);
      const names = isNew ? [] : Object.keys(is!).filter((name) => was![name] === undefined);
      if (names.length > 0) changedRows++;
      for (const name of names) changed[name] = (changed[name] ?? 0) + 1;
    }
    assert.ok(changedRows > 0);
    assert.deepEqual([diff.before, diff.after], [1, 2]);
    assert.deepEqual(
      [diff.new.count, diff.gone.count, diff.changed.count, diff.unchanged],
      [REPLACED, REPLACED, changedRows, ITEMS - REPLACED - changedRows],
    );
    assert.deepEqual(
      Object.fromEntries(Object.entries(diff.fields).map(([name, field]) => [name, field.changed])),
      changed,
    );
  },
);
