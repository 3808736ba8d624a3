import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openLedger } from "../../src/compose.ts";
import { newDatabase, noPostgres } from "../kits/postgres.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { Service } from "./service-process.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const PARCELS = 120;
const folder = mkdtempSync(join(tmpdir(), "sluice-moved-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const [header = "", ...rows] = [...parcelsCsv(PARCELS)].join("").split(/(?<=\n)/);
const bytesOf = async function* (some: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from([header, ...some].join(""));
};

/** Returns whether it was killed at that step, or false if it ended before. */
const moveUntil = async (args: readonly string[], step: number): Promise<boolean> => {
  const script = join(import.meta.dirname, "killed-migrate.ts");
  const child = spawn(process.execPath, [script, ...args, `${step}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  assert.ok(code === 0 || signal === "SIGKILL", stderr);
  return signal === "SIGKILL";
};

interface Moved {
  readonly ledger: {
    readonly isNew: boolean;
    readonly tables: readonly { readonly name: string; readonly rows: number }[];
  };
  readonly blobs: { readonly objects: number; readonly kept: number; readonly verified: number };
}

test(
  "an installation with jobs in all states moves to PostgreSQL under kills, and the paused job ends right there",
  { skip: noPostgres, timeout: 600_000 },
  async (t) => {
    const truth = join(folder, "truth.jsonl");
    await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
    await using service = new Service(join(folder, "service"), { COUNTY_URL: site.url });
    service.writeScraper("county", patientCounty());
    service.configure({ allowTargets: ["127.0.0.1"] });
    const client = await service.serve("--workers", "1");
    await client.createClient({ name: "team" });
    const teamKey = (await client.createKey("team", "client")).key!;
    await client.createWebhook({ url: "http://127.0.0.1:9/hook", events: ["job.completed"] });
    const submit = async (some: readonly string[], seal = true, more: object = {}): Promise<string> => {
      const { job } = await client.createJob({ scraper: "county", ...more });
      await client.addInputs(job.id, bytesOf(some), { format: "csv", seal });
      return job.id;
    };
    const ended = await submit(rows.slice(0, 8));
    const removed = await submit(rows.slice(8, 12));
    for (const job of [ended, removed]) await service.until(job, ({ state }) => state === "done");
    await client.removeJob(removed);
    const cancelled = await submit(rows.slice(12, 16), false);
    await client.cancelJob(cancelled);
    const main = await submit(rows);
    await service.until(main, ({ counts }) => counts.states.done >= 20);
    await client.pauseJob(main);
    const loading = await submit(rows.slice(0, 10), false);
    const url = await newDatabase(t);
    const [from, blobs] = [`sqlite:${service.data}/sluice.db`, join(folder, "moved/blobs")];
    const places = ["--from", from, "--to", url, "--blobs-from", `file:${service.data}/blobs`];
    const args = ["migrate", ...places, "--blobs-to", `file:${blobs}`, "--data", service.data];
    const tooEarly = await sluice(args);
    assert.equal(tooEarly.code, 2, tooEarly.stderr);
    assert.match(tooEarly.stderr, /in use by (worker|controller)/);
    const running = await submit(rows, true, { pace: { perSecond: 10 } });
    await service.until(running, ({ counts }) => counts.states.done >= 1);
    service.controller.child.kill("SIGTERM");
    await service.controller.ended;

    let kills = 0;
    const killed = [from, url, `${service.data}/blobs`, blobs];
    for (let step = 1; await moveUntil(killed, step); step = Math.ceil(step * 1.7)) kills++;
    assert.ok(kills >= 8, `${kills} kills`);
    const again = await sluice([...args, "--json", "--verify"]);
    assert.equal(again.code, 0, again.stderr);
    const { ledger, blobs: copied } = JSON.parse(again.stdout) as Moved;
    assert.equal(ledger.isNew, false);
    assert.equal(copied.verified, copied.objects);
    const filled = new Set(ledger.tables.filter((table) => table.rows > 0).map(({ name }) => name));
    for (const name of [
      "items",
      "item_keys",
      "results",
      "retries",
      "jobs",
      "removals",
      "events",
      "api_keys",
      "deliveries",
      "audit",
    ])
      assert.ok(filled.has(name), `${name} has rows`);

    service.configure({ allowTargets: ["127.0.0.1"], ledger: url, blobs: `file:${blobs}` });
    await service.serve("--workers", "1");
    const moved = service.client;
    assert.deepEqual(
      (await moved.listJobs()).data.map(({ id, state }) => [id, state]),
      [
        [running, "running"],
        [loading, "loading"],
        [main, "paused"],
        [cancelled, "cancelled"],
        [ended, "done"],
      ],
    );
    await assert.rejects(moved.getJob(removed), { code: "job-removed" });
    assert.equal((await moved.listKeys("team")).data[0]?.id, teamKey.split("_")[1]);
    await moved.resumeJob(main);
    await moved.sealJob(loading);
    for (const job of [main, running, loading]) await service.until(job, ({ state }) => state === "done");
    for (const job of [main, running]) {
      while (!existsSync(join(blobs, `jobs/${job}/manifest.jsonl`))) await delay(50);
      assertTruth(truth, join(blobs, ".."), job);
    }

    const used = await sluice(args);
    assert.equal(used.code, 2, used.stderr);
    assert.match(used.stderr, /in use by|holds other data/);
  },
);

test("wrong options are named, and no password is printed", { skip: noPostgres }, async (t) => {
  const data = join(folder, "none");
  const nothing = await sluice(["migrate", "--data", data]);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /--to URL/);
  const url = await newDatabase(t);
  const missing = await sluice(["migrate", "--from", `sqlite:${data}/sluice.db`, "--to", url]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /there is no such ledger/);
  const wrong = new URL(url);
  [wrong.username, wrong.password, wrong.pathname] = ["someone", "hidden-word", "/nowhere"];
  const demo = new SluiceProcess(["jobs", "ls", "--data", data]);
  await demo.ended;
  const refused = await sluice(["migrate", "--from", wrong.href, "--to", `sqlite:${data}/sluice.db`]);
  assert.equal(refused.code, 6, refused.stderr);
  assert.doesNotMatch(refused.stderr + refused.stdout, /hidden-word/);
  const scheme = await sluice(["migrate", "--from", "dynamodb://x:hidden-word@y", "--to", url]);
  assert.equal(scheme.code, 2);
  assert.doesNotMatch(scheme.stderr, /hidden-word/);
});

test(
  "repeated, it changes nothing, although the audit log has noted the first time",
  { skip: noPostgres },
  async (t) => {
    const [data, url] = [join(folder, "small"), await newDatabase(t)];
    await (await openLedger(join(data, "sluice.db"))).close();
    assert.equal((await sluice(["clients", "add", "team", "--data", data])).code, 0);
    const first = await sluice(["migrate", "--to", url, "--data", data]);
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /client_cards +1 rows.*\n[^]*moved from sqlite:.*Counts and digests are equal/,
    );
    const again = await sluice(["migrate", "--to", url, "--data", data]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /already has all .* Nothing was changed/);
    const { stdout } = await sluice(["audit", "--ledger", url, "--data", data]);
    assert.match(stdout, /createClient[^]*migrate|migrate[^]*createClient/);
    await sluice(["clients", "add", "other", "--ledger", url, "--data", data]);
    const used = await sluice(["migrate", "--to", url, "--data", data]);
    assert.equal(used.code, 2);
    assert.match(used.stderr, /holds other data/);
  },
);
