import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { collectJob } from "../api/testing/collected-job.ts";
import { FailureError } from "../domain/failure.ts";
import type { InputsFrom } from "../domain/inputs-from.ts";
import type { Outcome } from "../domain/item.ts";
import { jobId } from "../domain/job.ts";
import { LOCAL_CLIENT } from "../domain/client.ts";
import { prepareJob } from "./submit.ts";
import { loadInputs } from "./load-inputs.ts";
import { openScheduleKit, parcels } from "./testing/schedule-kit.ts";

type Kit = Awaited<ReturnType<typeof openScheduleKit>>;

const { signal } = new AbortController();
let made = 0;

/** A job with inputs from there; answers its keys, or why it was given up. */
const jobFrom = async (
  { services }: Kit,
  inputsFrom: InputsFrom,
  readUrl?: () => AsyncIterable<Uint8Array>,
) => {
  const spec = await prepareJob(services, {
    creation: { name: `${jobId(new Date())}${made++}`, isAgain: false },
    client: LOCAL_CLIENT,
    scraper: await services.scrapers.find("county"),
    options: {},
    guardsTargets: false,
    inputsFrom,
  });
  await services.ledger.createJob(spec);
  const context = { ...services, ...(readUrl && { readUrl }) };
  // Twice, as after a crash.
  const view = (await services.ledger.readJob(spec.id))!;
  await loadInputs(context, view, signal);
  const { items } = await services.ledger.listItems(spec.id, { limit: 100 });
  const { state } = (await services.ledger.readJob(spec.id))!;
  return {
    job: spec.id,
    keys: items
      .map(({ key }) => key)
      .toSorted()
      .join(),
    state,
  };
};

const ENDS: Readonly<Record<string, Outcome>> = {
  "2": { state: "absent", detail: "no such parcel" },
  "3": { state: "failed", failure: { kind: "timeout", detail: "slow" } },
  "4": { state: "failed", failure: { kind: "blocked", detail: "no" } },
};
const DONE: Outcome = { state: "done", quality: "complete" };

test("a job takes the items of earlier jobs that were absent, failed, or not checked for weeks", async () => {
  await using kit = await openScheduleKit(new Date().toISOString());
  const { ledger } = kit.services;
  const first = await jobFrom(kit, { rows: parcels("1", "2", "3", "4") });
  await collectJob(kit.services, first.job, ({ key }) => ({ body: "<p>", outcome: ENDS[key] ?? DONE }));
  assert.equal((await ledger.readJob(first.job))?.state, "done");
  const of = async (itemsOf: Extract<InputsFrom, { itemsOf: unknown }>["itemsOf"]) => {
    const { keys, job } = await jobFrom(kit, { itemsOf: { job: first.job, ...itemsOf } });
    await ledger.controlJob(job, "cancel");
    return keys;
  };
  assert.equal(await of({ which: "absent" }), "2");
  assert.equal(await of({ which: "failed" }), "3,4");
  assert.equal(await of({ which: "failed", kinds: ["blocked"] }), "4");
  assert.equal(await of({ which: "unchecked", weeks: 1 }), "3,4");
  // Without a named job: the newest that has ended is one of the cancelled jobs above, without such items.
  const second = await jobFrom(kit, { rows: parcels("5") });
  await collectJob(kit.services, second.job, () => ({ body: "<p>", outcome: ENDS["2"]! }));
  assert.equal((await jobFrom(kit, { itemsOf: { which: "absent" } })).keys, "5");
  const changed = await jobFrom(kit, { itemsOf: { which: "changed", job: second.job } });
  assert.deepEqual([changed.keys, changed.state], ["", "cancelled"]);
  const foreign = await jobFrom(kit, { itemsOf: { which: "absent", job: "20260101-000000-none" } });
  assert.equal(foreign.state, "cancelled");
});

test("a file or a URL is read once, when the job starts; what clients may not reach ends the job", async () => {
  await using kit = await openScheduleKit(new Date().toISOString());
  const file = join(kit.folder, "parcels.csv");
  await writeFile(file, "parcel\n7\n8\n");
  assert.equal((await jobFrom(kit, { file })).keys, "7,8");
  let reads = 0;
  const readUrl = async function* () {
    reads++;
    yield Buffer.from('{"parcel":"9"}\n');
  };
  assert.equal((await jobFrom(kit, { url: "https://example.org/p.ndjson" }, readUrl)).keys, "9");
  assert.equal(reads, 1);
  // eslint-disable-next-line require-yield
  const refused = async function* (): AsyncGenerator<Uint8Array> {
    throw new Error("fetch failed", {
      cause: new FailureError({ kind: "forbidden-target", detail: "127.0.0.1 is loopback" }),
    });
  };
  assert.equal((await jobFrom(kit, { url: "http://localhost/" }, refused)).state, "cancelled");
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from("parcel\n1\n");
    throw new Error("connection reset");
  };
  await assert.rejects(jobFrom(kit, { url: "https://example.org/" }, broken), /connection reset/);
});
