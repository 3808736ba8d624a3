import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { z } from "zod";
import { openSqlite } from "../backends/sqlite/open.ts";
import { field } from "../extraction/field.ts";
import { Kit } from "../ports/ledger-suite/test-kit.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { page } from "../scrapers/page.ts";
import { defineScraper } from "../scrapers/scraper.ts";
import type { InputRow } from "./plan.ts";
import { createJob, loadInputs, type Submission, withSilences } from "./submit.ts";

const JOB = "j1";

const open = async (
  t: TestContext,
  inputs: AsyncIterable<readonly InputRow[]>,
  own: Partial<Submission> = {},
) => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  const ready = await compileScraper({ scraper: page, source: "page", version: "v1", targets: new Map() });
  const submission: Submission = {
    job: JOB,
    client: "team",
    ready,
    inputs,
    laneOf: ({ host }) => host,
    ...own,
  };
  await createJob(kit.ledger, submission);
  return { kit, submission };
};

async function* rows(from: number, to: number, size = 100): AsyncGenerator<InputRow[]> {
  for (let at = from; at < to; at += size)
    yield Array.from({ length: Math.min(size, to - at) }, (_, i) => ({
      line: at + i + 1,
      value: { url: `https://a.example/${at + i}` },
    }));
}

test("work can begin after the first few inputs, while the rest is read in large batches", async (t) => {
  t.mock.method(performance, "now", () => 0); // however long it takes
  const received: number[] = [];
  const onProgress = (count: number) => received.push(count);
  const { kit, submission } = await open(t, rows(0, 25_000), { onProgress });
  assert.deepEqual(await loadInputs(kit.ledger, submission), { accepted: 25_000 });
  assert.deepEqual(received, [500, 20_500, 25_000]);
  assert.equal((await kit.counts(JOB)).states.queued, 25_000);
});

test("slowly arriving rows do not wait for a full batch", async (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const received: number[] = [];
  const slow = (async function* () {
    for await (const batch of rows(0, 3, 1)) {
      nowMs += 60_000;
      yield batch;
    }
  })();
  const { kit, submission } = await open(t, slow, { onProgress: (count) => received.push(count) });
  await loadInputs(kit.ledger, submission);
  assert.deepEqual(received, [1, 2, 3]);
});

test("the job runs while it is loaded, and is done with its items only once it is sealed", async (t) => {
  let stateWhileLoading: string | undefined;
  const { kit, submission } = await open(t, rows(0, 0));
  const inputs = (async function* () {
    yield* rows(0, 600);
    stateWhileLoading = (await kit.ledger.readJob(JOB))?.state;
    yield* rows(600, 700);
  })();
  await loadInputs(kit.ledger, { ...submission, inputs });
  assert.equal(stateWhileLoading, "loading");
  const view = await kit.ledger.readJob(JOB);
  assert.deepEqual([view?.state, view?.isSealed, view?.counts.accepted], ["running", true, 700]);
});

/** A pipe that stays open: after its rows nothing comes, and nothing ends. */
const openPipe = (batches: AsyncIterable<InputRow[]>) => {
  const waits = Promise.withResolvers<void>();
  const inputs = (async function* () {
    yield* batches;
    waits.resolve();
    await new Promise(() => {});
  })();
  return { inputs, waits: waits.promise };
};

test("no more rows than the limit are read or waited for", async (t) => {
  const { signal } = new AbortController();
  const { inputs } = openPipe(rows(0, 25, 10));
  const { kit, submission } = await open(t, inputs, { limit: 25, signal });
  assert.deepEqual(await loadInputs(kit.ledger, submission), { accepted: 25 });
  assert.equal((await kit.ledger.readJob(JOB))?.isSealed, true);
});

test("with the limit reached the source is closed", async (t) => {
  const closed = Promise.withResolvers<void>();
  const inputs = (async function* () {
    try {
      yield* rows(0, 1000);
    } finally {
      closed.resolve();
    }
  })();
  const { signal } = new AbortController();
  const { kit, submission } = await open(t, inputs, { limit: 5, signal });
  await loadInputs(kit.ledger, submission);
  await closed.promise;
  assert.equal((await kit.counts(JOB)).received, 5);
});

test("a stop does not wait for a row that may never come, and keeps those that came", async (t) => {
  const stop = new AbortController();
  const { inputs, waits } = openPipe(rows(0, 30));
  const { kit, submission } = await open(t, inputs, { signal: stop.signal });
  const loading = loadInputs(kit.ledger, submission);
  await waits;
  stop.abort();
  assert.deepEqual(await loading, { accepted: 30 });
  assert.equal((await kit.ledger.readJob(JOB))?.isSealed, false);
});

test("bad inputs are kept with their lines and stop nothing else", async (t) => {
  const inputs = (async function* (): AsyncGenerator<InputRow[]> {
    yield [
      { line: 2, value: { url: "https://a.example/" } },
      { line: 3, value: { url: "gopher://a.example/" } },
      { line: 5, problem: "a quote is not closed" },
      { line: 6, value: { url: "https://a.example/2" } },
    ];
  })();
  const { kit, submission } = await open(t, inputs);
  await loadInputs(kit.ledger, submission);
  const view = await kit.ledger.readJob(JOB);
  assert.deepEqual(
    view?.rejects.map(({ line }) => line),
    [3, 5],
  );
  assert.deepEqual([view?.counts.accepted, view?.counts.rejected], [2, 2]);
});

test("an interrupted load continues: inputs that the job has are folded", async (t) => {
  const interrupt = new AbortController();
  const inputs = (async function* () {
    yield* rows(0, 800);
    interrupt.abort();
    yield* rows(800, 1000);
  })();
  const { kit, submission } = await open(t, inputs, { signal: interrupt.signal });
  await loadInputs(kit.ledger, submission);
  assert.equal((await kit.ledger.readJob(JOB))?.isSealed, false);
  const { signal: _, ...again } = submission;
  assert.deepEqual(await loadInputs(kit.ledger, { ...again, inputs: rows(0, 1000) }), { accepted: 200 });
  const { accepted, folded } = await kit.counts(JOB);
  assert.deepEqual([accepted, folded], [1000, 800]);
  assert.equal((await kit.ledger.readJob(JOB))?.isSealed, true);
});

test("a file that cannot be read to its end leaves the job open", async (t) => {
  const inputs = (async function* () {
    yield* rows(0, 10);
    throw new Error("the file ends in the middle");
  })();
  const { kit, submission } = await open(t, inputs);
  await assert.rejects(() => loadInputs(kit.ledger, submission));
  assert.equal((await kit.ledger.readJob(JOB))?.isSealed, false);
});

test("a job knows which of its fields are dates", async (t) => {
  const scraper = defineScraper({
    name: "dated",
    site: "https://a.example",
    input: z.object({ url: z.string() }),
    key: ({ url }) => url,
    collect: async () => undefined,
    extract: {
      fields: { owner: field.text("b"), tax: field.object({ due: field.date("i"), paid: field.date("u") }) },
    },
  });
  const ready = await compileScraper({ scraper, source: "dated", version: "v1", targets: new Map() });
  const { kit } = await open(t, rows(0, 0), { ready });
  const view = await kit.ledger.readJob(JOB);
  assert.deepEqual(view?.spec.scrapers[0]?.dates, ["tax.due", "tax.paid"]);
});

test("batches are passed on in order, and a pause gives an empty batch", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  async function* batches() {
    yield [1, 2];
    await heard;
    yield [3];
  }
  const passed: number[] = [];
  let silences = 0;
  for await (const batch of withSilences(batches(), 10)) {
    passed.push(...batch);
    if (batch.length > 0) continue;
    silences++;
    resolve();
  }
  assert.deepEqual(passed, [1, 2, 3]);
  assert.ok(silences > 0);
});

test("an error of the source is passed on, also after a pause", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  async function* batches() {
    yield [1];
    await heard;
    throw new RangeError("broken");
  }
  await assert.rejects(async () => {
    for await (const batch of withSilences(batches(), 10)) if (batch.length === 0) resolve();
  }, RangeError);
});

test("stopping during a pause does not wait for its end, and closes the source", async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  async function* batches() {
    try {
      yield [1];
      await heard;
      yield [2];
    } finally {
      close();
    }
  }
  for await (const batch of withSilences(batches(), 10)) if (batch.length === 0) break;
  resolve();
  await closed;
});
