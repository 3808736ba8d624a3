import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openStorage } from "../../src/compose.ts";
import { storageLocation } from "../../src/config/storage-location.ts";
import { checkHistory } from "../../src/ports/ledger-suite/history/check-history.ts";
import { noPostgres, PostgresServer } from "../kits/postgres.ts";
import { readHistory } from "./chaos/read-history.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { Service } from "./service-process.ts";

const PARCELS = 150;
const RATE = 40;
const folder = mkdtempSync(join(tmpdir(), "sluice-failover-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Servers {
  readonly primary: PostgresServer;
  readonly replica: PostgresServer;
  /** Resolves when so many more items have ended: the job has gone on. */
  readonly progress: (items: number) => Promise<void>;
}

/** A service on a primary and its replica, whose job must end right whatever happens to them. */
const runJob = async (
  t: TestContext,
  name: string,
  isSynchronous: boolean,
  trouble: (servers: Servers) => Promise<void>,
) => {
  const { primary, replica } = await PostgresServer.startPair(isSynchronous);
  t.after(async () => {
    await primary[Symbol.asyncDispose]();
    await replica[Symbol.asyncDispose]();
  });
  const truth = join(folder, `${name}-truth.jsonl`);
  const history = join(folder, `${name}-history`);
  mkdirSync(history);
  await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
  const ledger = `postgres://test@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/postgres`;
  await using service = new Service(join(folder, name), {
    COUNTY_URL: site.url,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, "chaos/record-ledger.ts")}`,
    SLUICE_HISTORY: history,
  });
  service.configure({ ledger });
  service.writeScraper("county", patientCounty());
  const client = await service.serve("--workers", "2");
  const { job } = await client.createJob({ scraper: "county", pace: { perSecond: RATE } });
  const csv = [...parcelsCsv(PARCELS)].join("");
  await client.addInputs(job.id, bytesOf(csv), { format: "csv", seal: true });
  const ended = async (): Promise<number> => (await service.until(job.id, () => true)).progress.ended;
  const progress = async (items: number): Promise<void> => {
    const before = await ended();
    await service.until(job.id, (view) => view.progress.ended >= before + items);
  };
  await trouble({ primary, replica, progress });
  const { state } = await service.until(job.id, (view) => view.state === "done");
  assert.equal(state, "done");
  const manifest = join(service.data, "blobs/jobs", job.id, "manifest.jsonl");
  while (!existsSync(manifest)) await delay(50);
  assertTruth(truth, service.data);
  await using storage = await openStorage(storageLocation({ data: service.data, ledger }));
  const events = await storage.ledger.events.read({
    job: job.id,
    types: ["ledger.stepped-back"],
    limit: 1000,
  });
  return { events, history, service };
};

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const LEASE_MS = 15_000;
/** A slot is given back as late as its pulse waits for the database. */
const SLOTS_BACK_MS = 1000;

test(
  "a job goes on while its database is restarted, killed and replaced by its synchronous replica",
  { skip: noPostgres },
  async (t) => {
    const { events, history } = await runJob(
      t,
      "synchronous",
      true,
      async ({ primary, replica, progress }) => {
        await progress(12);
        await primary.stop("fast");
        await primary.start();
        await progress(12);
        await primary.kill();
        await primary.start();
        await progress(12);
        await primary.kill();
        await replica.promote();
        await progress(12);
      },
    );
    assert.deepEqual(events, [], "nothing was lost");
    const violations = checkHistory(readHistory(history), { leaseMs: LEASE_MS, slackMs: SLOTS_BACK_MS });
    assert.deepEqual(violations, []);
  },
);

test(
  "a replica that lacks the last commits takes over: this is told with the segments that it does not know, and the job ends right",
  { skip: noPostgres },
  async (t) => {
    const { events, service } = await runJob(
      t,
      "asynchronous",
      false,
      async ({ primary, replica, progress }) => {
        await progress(12);
        await replica.detach();
        await progress(25);
        await primary.kill();
        await replica.promote();
        await progress(12);
      },
    );
    assert.ok(events.length > 0, "it was noticed");
    const lost = events.map(
      ({ facts }) => facts as { items: number; segments: string[]; segmentCount: number },
    );
    const items = lost.reduce((sum, each) => sum + each.items, 0);
    assert.ok(items >= 25, `${items} items had ended and run again`);
    for (const { segments, segmentCount } of lost) {
      assert.equal(segments.length, Math.min(segmentCount, 100));
      for (const segment of segments)
        assert.ok(existsSync(join(service.data, "blobs", segment)), `${segment} is stored`);
    }
    assert.ok(lost.some(({ segments }) => segments.length > 0));
  },
);
