import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readManifest } from "../archive/manifest.ts";
import { openFiles } from "../backends/files/open-files.ts";
import { openSqlite } from "../backends/sqlite/open.ts";
import type { RemovalScope } from "../domain/removal.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";
import { DONE, SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { jobSpec, planned } from "../ports/ledger-suite/test-kit.ts";
import { finishRemovals } from "./finish-removals.ts";

interface Stores {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
}

type After = Pick<TestContext, "after">;

/** In memory if the system supports it: this does not test the disk. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const openStores = async (t: After): Promise<Stores> => {
  const folder = await mkdtemp(join(ROOT, "sluice-retention-"));
  const ledger = await openSqlite(join(folder, "ledger.db"));
  t.after(async () => {
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  return { ledger, blobs: await openFiles(join(folder, "blobs")) };
};

/** A job whose items have a capture each, in an object of its own, and their records in one. */
const collect = async ({ ledger, blobs }: Stores, job: string, keys: readonly string[]): Promise<void> => {
  await ledger.createJob(jobSpec(job, { freshness: { maxAgeMs: 3_600_000 } }));
  await ledger.addItems(job, planned(keys), []);
  await ledger.sealJob(job);
  const worker = new SimWorker(`worker-of-${job}`, ledger, Date.now);
  const records = { blob: `jobs/${job}/records/one.jsonl`, offset: 0, length: 3 };
  for (const item of await worker.take(100, { jobs: [job] })) {
    const blob = `jobs/${job}/captures/${item.key}.warc.gz`;
    await blobs.put(blob, Buffer.from(item.key));
    await blobs.put(`${blob}.cdxj`, Buffer.from("index"));
    await blobs.put(records.blob, Buffer.from("{}\n"));
    const range = { blob, offset: 0, length: item.key.length };
    const captures = [
      { name: "page", url: "https://site.test/", mediaType: "text/html", digest: "sha256:0", ...range },
    ];
    const fresh = { freshMs: 3_600_000, outcome: "done" } as const;
    await worker.settle([item], DONE, { captures, records, fresh });
  }
};

const namesOf = async ({ blobs }: Stores, prefix = ""): Promise<string[]> =>
  (await Array.fromAsync(blobs.list(prefix))).map(({ name }) => name);

/** Everything that can be found in the ledger can be read. */
const assertReadable = async ({ ledger, blobs }: Stores): Promise<void> => {
  for (const { spec } of await ledger.listJobs()) {
    const { items } = await ledger.listItems(spec.id, { limit: 100 });
    for (const { captures, records } of items)
      for (const { blob } of [...captures, ...(records ? [records] : [])]) await blobs.get(blob);
  }
  const keys = ["a", "b", "c"].map((key) => ({ client: "team", scraper: "county", key }));
  // An item may be answered with these at any moment.
  for (const entry of await ledger.readFresh(keys))
    if (entry) await blobs.get(`jobs/${entry.job}/captures/${entry.key}.warc.gz`);
};

class Crash extends Error {}

/** The removal up to N calls: the next call does not happen. */
const crashingAfter = ({ ledger, blobs }: Stores, calls: number): Stores => {
  let left = calls;
  const counting = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name === "removals") return counting(value as object);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (left-- <= 0) throw new Crash();
          return (value as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { ledger: counting(ledger), blobs: counting(blobs) };
};

/**
 * Removes what `prepare` has marked, again and again from the start, and crashes one step later each time; looks at what is left then, lets another
 * process finish it, and looks at the end.
 */
const withEveryCrash = async (
  t: After,
  prepare: (stores: Stores) => Promise<void>,
  check: (stores: Stores) => Promise<void>,
): Promise<void> => {
  for (let calls = 0; ; calls++) {
    const stores = await openStores(t);
    await prepare(stores);
    const hasCrashed = await finishRemovals(crashingAfter(stores, calls)).then(
      () => false,
      (error: unknown) => {
        if (error instanceof Crash) return true;
        throw error;
      },
    );
    await assertReadable(stores);
    await finishRemovals(stores);
    await check(stores);
    if (!hasCrashed) return assert.ok(calls > 15, `${calls} steps`);
  }
};

const mark = async ({ ledger }: Stores, jobs: readonly string[], what: RemovalScope = "job") => {
  for (const job of jobs) await ledger.removals.mark(job, what);
};

test("a removal that crashes before any of its steps is finished by the next, and is counted once", async (t) => {
  const prepare = async (stores: Stores): Promise<void> => {
    await collect(stores, "one", ["a", "b", "c"]);
    await collect(stores, "two", ["a", "x"]);
    await stores.blobs.put("jobs/one/manifest.jsonl", Buffer.from("{}\n"));
    await mark(stores, ["one"]);
  };
  const kept = ["jobs/one/captures/a.warc.gz", "jobs/one/records/one.jsonl"];
  await withEveryCrash(t, prepare, async (stores) => {
    assert.deepEqual(await namesOf(stores, "jobs/one/"), kept, "what the other job's item points to");
    const removal = await stores.ledger.removals.read("one");
    assert.deepEqual(removal?.removed, { items: 3, captures: 3, bytes: 20 });
    assert.deepEqual(removal.kept, { objects: 2, bytes: 4 });
  });
});

test("the data of a job is removed with it, wherever its removal crashes", async (t) => {
  const prepare = async (stores: Stores): Promise<void> => {
    await collect(stores, "one", ["a", "b", "c"]);
    await collect(stores, "two", ["a", "x"]);
    await mark(stores, ["one"]);
    await finishRemovals(stores);
    await mark(stores, ["two"]);
  };
  await withEveryCrash(t, prepare, async (stores) => {
    assert.deepEqual(await namesOf(stores), []);
    assert.equal((await stores.ledger.removals.read("one"))?.removed.bytes, 3 + 3 * 5 + 3);
    const two = await stores.ledger.removals.read("two");
    assert.deepEqual(two?.removed, { items: 2, captures: 1, bytes: 1 + 5 + 3 });
  });
});

test("pages are removed with a crash before any step; the manifest stays and does not name them", async (t) => {
  const prepare = async (stores: Stores): Promise<void> => {
    await collect(stores, "one", ["a", "b"]);
    await collect(stores, "two", ["a"]);
    await mark(stores, ["one"], "pages");
  };
  const left = ["captures/a.warc.gz", "job.json", "manifest.jsonl", "records/one.jsonl"].map(
    (name) => `jobs/one/${name}`,
  );
  await withEveryCrash(t, prepare, async (stores) => {
    assert.deepEqual(await namesOf(stores, "jobs/one/"), left);
    const entries = await Array.fromAsync(readManifest(stores.blobs, "one"));
    assert.deepEqual(
      entries.map(({ captures, records }) => [captures.length, records?.length]),
      [
        [0, 3],
        [0, 3],
      ],
    );
    await mark(stores, ["two"]);
    await finishRemovals(stores);
    assert.deepEqual(await namesOf(stores), left.slice(1), "the page went with the last who pointed to it");
  });
});

test("jobs that point at each other's captures may be removed at the same time by two processes", async (t) => {
  const stores = await openStores(t);
  await collect(stores, "one", ["a", "b", "c"]);
  await collect(stores, "two", ["a", "b", "x"]);
  await collect(stores, "three", ["b", "x", "y"]);
  await mark(stores, ["one", "two", "three"]);
  await Promise.all([finishRemovals(stores), finishRemovals(stores)]);
  await finishRemovals(stores);
  assert.deepEqual(await namesOf(stores), []);
  const removed = await stores.ledger.removals.list({ limit: 9 });
  assert.deepEqual(
    removed.map(({ job, removed: { items, captures }, kept }) => [job, items, captures, kept.objects]),
    [
      ["three", 3, 1, 0],
      ["two", 3, 1, 0],
      ["one", 3, 3, 0],
    ],
  );
});
