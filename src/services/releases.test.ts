import assert from "node:assert/strict";
import { test } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { type ApiKit, openApiKit } from "../api/testing/api-kit.ts";
import { collectJob } from "../api/testing/collected-job.ts";
import type { OwnAudit, Release } from "../domain/release.ts";
import { ROWS_FILE } from "../releases/read-release.ts";
import type { Job } from "../schemas/job.ts";
import { LOCAL_ACTOR } from "./context.ts";
import { findDataset, isLate, listReleases, noteLate, type ReleaseContext, saveDataset } from "./datasets.ts";
import {
  auditRelease,
  diffOfReleases,
  pruneReleases,
  publishRelease,
  rollbackRelease,
  writeRelease,
} from "./releases.ts";

type Values = Readonly<Record<string, unknown>> | "absent";

const runJob = async (kit: ApiKit, values: Readonly<Record<string, Values>>): Promise<string> => {
  const inputs = Object.keys(values).map((parcel) => ({ parcel }));
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json: { scraper: "county", inputs } });
  await collectJob(kit, body.job.id, ({ key }) => {
    const own = values[key]!;
    return own === "absent"
      ? { body: "", outcome: { state: "absent", detail: "no such parcel" } }
      : { body: "<p>page</p>", record: own };
  });
  return body.job.id;
};

const openKit = async (): Promise<ApiKit & { readonly context: ReleaseContext }> => {
  const kit = await openApiKit();
  return Object.assign(kit, { context: { ledger: kit.ledger, blobs: kit.blobs, now: Date.now } });
};

const fileOf = async (kit: ApiKit, release: Release, name: string): Promise<Uint8Array> =>
  await kit.blobs.get(release.files.find((file) => file.name === name)!.blob);

const rowsOf = async (kit: ApiKit, release: Release): Promise<Record<string, unknown>[]> =>
  Buffer.from(await fileOf(kit, release, ROWS_FILE))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a release is written, audited and published; the next one differs by key", async () => {
  await using kit = await openKit();
  const { context } = kit;
  const first = await runJob(kit, {
    "10": { owner: "Ann", tax: 10 },
    "9": { owner: "Bob", tax: 20.5 },
    "11": "absent",
    "12": { owner: "Dora", tax: 3 },
  });
  await saveDataset(context, LOCAL_ACTOR, "taxes", { sources: [{ scraper: "county" }] });
  const written = await writeRelease(context, LOCAL_ACTOR, "taxes");
  assert.deepEqual([written.number, written.state, written.rows], [1, "written", 3]);
  assert.deepEqual(
    (await rowsOf(kit, written)).map(({ key, owner, tax }) => [key, owner, tax]),
    [
      ["10", "Ann", 10],
      ["12", "Dora", 3],
      ["9", "Bob", 20.5],
    ],
    "in byte order of keys",
  );
  assert.deepEqual(written.sources[0]!.items, { done: 3, absent: 1, failed: 0, skipped: 0 });
  assert.equal(written.sources[0]!.job, first);
  const parquet = await fileOf(kit, written, "data.parquet");
  const found = await parquetReadObjects({ file: new Uint8Array(parquet).buffer });
  assert.deepEqual([found.length, found[2]!.tax], [3, 20.5]);
  await assert.rejects(publishRelease(context, LOCAL_ACTOR, "taxes", 1), { code: "release-refused" });
  const audited = await auditRelease(context, LOCAL_ACTOR, "taxes", 1);
  assert.equal(audited.state, "audited", JSON.stringify(audited.audit));
  const published = await publishRelease(context, LOCAL_ACTOR, "taxes", 1);
  const manifest = JSON.parse(
    Buffer.from(await kit.blobs.get(published.published!.manifest.blob)).toString(),
  ) as Release;
  assert.deepEqual([manifest.rows, manifest.files[0]!.digest], [3, written.files[0]!.digest]);

  await runJob(kit, {
    "10": { owner: "Ann", tax: 11 },
    "9": { owner: "Bob", tax: 20.5 },
    "13": { owner: "Eve", tax: 4 },
  });
  const second = await writeRelease(context, LOCAL_ACTOR, "taxes");
  await auditRelease(context, LOCAL_ACTOR, "taxes", second.number);
  await publishRelease(context, LOCAL_ACTOR, "taxes", second.number);
  const diff = await diffOfReleases(context, LOCAL_ACTOR, "taxes", {});
  assert.deepEqual([diff.before, diff.after, diff.unchanged], [1, 2, 1]);
  assert.deepEqual([diff.new.keys, diff.gone.keys, diff.changed.keys], [["13"], ["12"], ["10"]]);
  assert.deepEqual(diff.fields, {
    tax: { changed: 1, examples: [{ key: "10", before: 10, after: 11 }] },
  });

  const back = await rollbackRelease(context, LOCAL_ACTOR, "taxes");
  assert.equal(back.number, 1);
  const { body } = await findDataset(context, LOCAL_ACTOR, "taxes");
  assert.equal(body.current?.release, 1);
  assert.deepEqual(
    (await listReleases(context, "taxes", { limit: 9 })).map(({ number, state }) => [number, state]),
    [
      [2, "withdrawn"],
      [1, "published"],
    ],
  );
  const events = await kit.ledger.events.read({ types: ["release.published"], limit: 9 });
  assert.deepEqual(
    events.map(({ facts }) => [facts.release, facts.rollback ?? false]),
    [
      [1, false],
      [2, false],
      [1, true],
    ],
  );
});

test("a failed audit holds the release and leaves the last good one; a person may publish it with a reason", async () => {
  await using kit = await openKit();
  const { context } = kit;
  await runJob(kit, { "1": { owner: "Ann", tax: 10 }, "2": { owner: "Bob", tax: 20 } });
  await saveDataset(context, LOCAL_ACTOR, "taxes", {
    sources: [{ scraper: "county" }],
    rules: {
      minRows: 2,
      completeness: { tax: 0.9 },
      ranges: { tax: { min: 0, max: 100 } },
      unique: [["owner"]],
      maxGone: 0.4,
    },
  });
  const good = await writeRelease(context, LOCAL_ACTOR, "taxes");
  assert.equal((await auditRelease(context, LOCAL_ACTOR, "taxes", good.number)).state, "audited");
  await publishRelease(context, LOCAL_ACTOR, "taxes", good.number);
  await runJob(kit, { "1": { owner: "Ann", tax: 1000 }, "3": { owner: "Ann", tax: null } });
  const bad = await writeRelease(context, LOCAL_ACTOR, "taxes");
  const held = await auditRelease(context, LOCAL_ACTOR, "taxes", bad.number);
  assert.equal(held.state, "held");
  assert.deepEqual(
    held.audit!.checks.filter(({ verdict }) => verdict === "fail").map(({ check }) => check),
    ["completeness of tax", "range of tax", "unique owner", "gone"],
  );
  assert.equal((await findDataset(context, LOCAL_ACTOR, "taxes")).body.current?.release, 1);
  const [event] = await kit.ledger.events.read({ types: ["release.held"], limit: 9 });
  assert.match(String((event!.facts["failed"] as string[])[0]), /completeness of tax: 50\.0 %/);
  await assert.rejects(publishRelease(context, LOCAL_ACTOR, "taxes", bad.number), {
    code: "release-refused",
  });
  const forced = await publishRelease(context, LOCAL_ACTOR, "taxes", bad.number, {
    reason: "the county said so",
  });
  assert.equal(forced.published?.reason, "the county said so");
});

test("of two publishers at once, one wins and the other is told", async () => {
  await using kit = await openKit();
  const { context } = kit;
  await runJob(kit, { "1": { owner: "Ann", tax: 10 } });
  await saveDataset(context, LOCAL_ACTOR, "taxes", { sources: [{ scraper: "county" }] });
  for (const number of [1, 2]) {
    await writeRelease(context, LOCAL_ACTOR, "taxes");
    await auditRelease(context, LOCAL_ACTOR, "taxes", number);
  }
  const ends = await Promise.allSettled(
    [1, 2].map((number) => publishRelease(context, LOCAL_ACTOR, "taxes", number)),
  );
  const lost = ends.filter((end) => end.status === "rejected");
  assert.equal(lost.length, 1);
  assert.equal((lost[0]!.reason as { code: string }).code, "release-changed");
  const { current } = (await findDataset(context, LOCAL_ACTOR, "taxes")).body;
  assert.equal(current?.release, ends.findIndex(({ status }) => status === "fulfilled") + 1);
});

test("sources are joined by key; gaps are filled as the fields say, and marked", async () => {
  await using kit = await openKit();
  const { context } = kit;
  const values = await runJob(kit, {
    "1": { owner: "Ann", tax: 10 },
    "2": { owner: "Bob", tax: 20 },
    "3": { owner: null, tax: 30 },
  });
  const others = await runJob(kit, {
    "1": { owner: "A. Smith", tax: 1 },
    "2": "absent",
    "9": { owner: "Nobody", tax: 9 },
  });
  const spec = {
    sources: [
      { scraper: "county", job: values },
      { scraper: "county", job: others, as: "registry" },
    ],
    fields: [
      { name: "owner", gaps: { missing: "default", default: "unknown" } },
      { name: "tax", gaps: { missing: "carry" } },
      { name: "registered", source: "registry", from: "owner", gaps: { missing: "null" } },
    ],
  } as const;
  await saveDataset(context, LOCAL_ACTOR, "joined", spec);
  const first = await writeRelease(context, LOCAL_ACTOR, "joined");
  assert.deepEqual(await rowsOf(kit, first), [
    { key: "1", owner: "Ann", tax: 10, registered: "A. Smith", _gaps: {} },
    { key: "2", owner: "Bob", tax: 20, registered: null, _gaps: {} },
    { key: "3", owner: "unknown", tax: 30, registered: null, _gaps: { owner: "default" } },
  ]);
  const [, registry] = first.sources;
  const { present, absent, "not-collected": never } = registry!.fields["registered"]!;
  assert.deepEqual([present, absent, never], [1, 1, 1]);
  await auditRelease(context, LOCAL_ACTOR, "joined", 1);
  await publishRelease(context, LOCAL_ACTOR, "joined", 1);

  const later = await runJob(kit, {
    "1": { owner: "Ann", tax: null },
    "2": { owner: "Bob", tax: 21 },
    "4": { owner: "Cy", tax: null },
  });
  const second = await writeRelease(context, LOCAL_ACTOR, "joined", { jobs: { county: later } });
  const day = new Date(first.writtenAt).toISOString().slice(0, 10);
  assert.deepEqual(
    (await rowsOf(kit, second)).map(({ key, tax, _gaps }) => [key, tax, _gaps]),
    [
      ["1", 10, { tax: `carried from ${day}` }],
      ["2", 21, {}],
      ["4", null, { tax: "missing" }],
    ],
  );
  assert.deepEqual(second.filled, { tax: { [`carried from ${day}`]: 1, missing: 1 } });
  assert.equal(second.before, 1);
  await assert.rejects(writeRelease(context, LOCAL_ACTOR, "joined", { jobs: { county: "none" } }), {
    code: "bad-dataset",
  });
  await saveDataset(context, LOCAL_ACTOR, "dropped", {
    ...spec,
    fields: [{ name: "owner", gaps: { missing: "drop" } }],
  });
  const dropped = await writeRelease(context, LOCAL_ACTOR, "dropped");
  assert.deepEqual([dropped.rows, dropped.dropped], [2, { owner: 1 }]);
});

test("references, an audit of the configuration and damaged files hold a release", async () => {
  await using kit = await openKit();
  await runJob(kit, { "1": { owner: "Ann", tax: 7 } });
  const noAnn: OwnAudit = async ({ rows }) => {
    for await (const row of rows) if (row["owner"] === "Ann") return "Ann has moved";
    return undefined;
  };
  const context = { ...kit.context, audits: new Map([["owners", noAnn]]) };
  await saveDataset(context, LOCAL_ACTOR, "owners", {
    sources: [{ scraper: "county" }],
    rules: { references: [{ field: "tax", dataset: "rates" }] },
    hasAudit: true,
  });
  const { number, files } = await writeRelease(context, LOCAL_ACTOR, "owners");
  const failed = async () =>
    (await auditRelease(context, LOCAL_ACTOR, "owners", number))
      .audit!.checks.filter(({ verdict }) => verdict === "fail")
      .map(({ check, detail }) => `${check}: ${detail}`);
  assert.deepEqual(await failed(), [
    "tax in rates: rates has no current release",
    "own audit: Ann has moved",
  ]);
  await assert.rejects(auditRelease(kit.context, LOCAL_ACTOR, "owners", number), { code: "release-refused" });
  await kit.blobs.put(
    files.find(({ name }) => name === ROWS_FILE)!.blob,
    Buffer.from('{"key":"1","_gaps":{}}\n'),
  );
  const [damage, ...others] = await failed();
  assert.match(damage!, /^files: .*digest mismatch/);
  assert.deepEqual(others, []);
});

test("retention counts releases; a dataset without a recent one is late", async () => {
  await using kit = await openKit();
  const { context } = kit;
  await runJob(kit, { "1": { owner: "Ann", tax: 10 } });
  const spec = { sources: [{ scraper: "county" }], keep: 2, lateAfterMs: 1000 };
  await saveDataset(context, LOCAL_ACTOR, "taxes", spec);
  for (let number = 1; number <= 4; number++) {
    await writeRelease(context, LOCAL_ACTOR, "taxes");
    await auditRelease(context, LOCAL_ACTOR, "taxes", number);
    if (number !== 2) await publishRelease(context, LOCAL_ACTOR, "taxes", number);
  }
  const dataset = (await findDataset(context, LOCAL_ACTOR, "taxes")).body;
  assert.deepEqual(await pruneReleases(context, dataset), [2, 1]);
  assert.deepEqual(
    (await listReleases(context, "taxes", { limit: 9 })).map(({ number }) => number),
    [4, 3],
  );
  const folders = new Set<string>();
  for await (const { name } of kit.blobs.list("service/datasets/")) folders.add(name.split("/").at(-2)!);
  assert.equal(folders.size, 2);
  assert.deepEqual(
    [isLate(dataset, dataset.current!.at + 1000), isLate(dataset, dataset.current!.at + 1001)],
    [false, true],
  );
  const late = { ledger: kit.ledger, now: () => dataset.current!.at + 1001 };
  assert.deepEqual(
    [await noteLate(late, "taxes"), await noteLate(late, "taxes")],
    [true, false],
    "told once",
  );
  const events = await kit.ledger.events.read({ types: ["release.late"], limit: 9 });
  assert.deepEqual(
    events.map(({ facts }) => [facts.dataset, facts.release]),
    [["taxes", 4]],
  );
});
