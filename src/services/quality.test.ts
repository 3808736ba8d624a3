import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiKit, openApiKit } from "../api/testing/api-kit.ts";
import { collectJob } from "../api/testing/collected-job.ts";
import { chooseSet } from "../archive/extractions.ts";
import { extractJob } from "../reextract/extract-job.ts";
import { openStoredJob } from "../reextract/testing/stored-job.ts";
import type { Job } from "../schemas/job.ts";
import { LOCAL_ACTOR } from "./context.ts";
import { acceptFinding, findingText, noteQuality, readDrift, renewPriors, renewQuality } from "./quality.ts";

type RecordOf = (parcel: number) => Readonly<Record<string, unknown>>;

const runJob = async (kit: ApiKit, recordOf: RecordOf): Promise<string> => {
  const inputs = Array.from({ length: 120 }, (_, n) => ({ parcel: String(n) }));
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json: { scraper: "county", inputs } });
  await collectJob(kit, body.job.id, ({ key }) => ({
    body: "<p>page</p>",
    record: recordOf(Number(key)),
  }));
  return body.job.id;
};

const usual: RecordOf = (n) => ({ owner: `Owner ${n}`, tax: 100 + n });

test("a run is counted once, compared by key with the run before, and its findings can be accepted", async () => {
  await using kit = await openApiKit();
  const jobs = [];
  for (let week = 0; week < 5; week++) jobs.push(await runJob(kit, usual));
  for (const job of jobs) await noteQuality(kit, job);
  const broken = await runJob(kit, (n) => ({
    owner: n === 7 ? "Somebody else" : `Owner ${n}`,
    tax: n % 3 === 0 ? null : n % 4 === 1 ? 100 * (100 + n) : 100 + n,
  }));
  const quality = (await noteQuality(kit, broken))!;
  const { owner, tax } = quality.fields;
  assert.equal(quality.before, jobs.at(-1));
  assert.deepEqual([owner!.paired, owner!.changed, owner!.commonest], [120, 1, 1]);
  assert.deepEqual([tax!.missing, tax!.paired, tax!.changed, tax!.wild], [40, 80, 20, 20]);
  assert.deepEqual([tax!.banded, tax!.outside], [80, 20]);

  const { findings, runs } = await readDrift(kit, LOCAL_ACTOR, "county", { limit: 50, isOpen: true });
  assert.equal(runs.length, 6);
  const lost = findings.find(({ measure }) => measure === "no-value")!;
  assert.deepEqual([lost.field, lost.level, lost.share.hits, lost.examples.length], ["tax", "block", 40, 10]);
  assert.match(findingText(lost), /tax: 33\.3 % records without a value; 0\.\d % were expected/);
  const wild = findings.find(({ measure }) => measure === "wild")!;
  assert.ok(wild.examples.length === 10 && wild.examples.every((key) => Number(key) % 4 === 1));
  assert.equal(
    findings.some(({ field }) => field === "owner"),
    false,
  );

  assert.deepEqual(await noteQuality(kit, broken), quality, "counted once");
  const events = await kit.ledger.events.read({ types: ["drift.found"], limit: 10 });
  assert.deepEqual(
    events.map(({ job, facts }) => [job, facts.findings]),
    [[broken, findings.length]],
  );

  const context = { ledger: kit.ledger, now: () => 5 };
  const accepted = await acceptFinding(context, LOCAL_ACTOR, {
    scraper: "county",
    id: lost.id,
    reason: "tax is no longer published for new parcels",
  });
  assert.equal(accepted.accepted?.reason, "tax is no longer published for new parcels");
  const left = await readDrift(kit, LOCAL_ACTOR, "county", { limit: 50, isOpen: true });
  assert.equal(left.findings.length, findings.length - 1);
  await assert.rejects(
    acceptFinding(
      context,
      { client: "other", role: "client" },
      { scraper: "county", id: wild.id, reason: "x" },
    ),
    { code: "not-found" },
  );
});

test("how rough shares are is learned from all scrapers, once a day", async () => {
  await using kit = await openApiKit();
  assert.equal(await renewPriors(kit, Date.now()), false, "nothing to learn from");
  await noteQuality(kit, await runJob(kit, usual));
  assert.equal(await renewPriors(kit, Date.now()), true);
  assert.equal(await renewPriors(kit, Date.now()), false);
  assert.equal(await renewPriors(kit, Date.now() + 86_400_000), true);
});

test("a new extraction of a run that was counted renews its figures, and choosing the first one again does, too", async () => {
  const code = (selector: string): string =>
    `extract: { fields: { owner: field.text("${selector}"), tax: field.text(".tax").optional() } }`;
  const pages = Array.from({ length: 4 }, (_, n) => `<p class=owner>${n}</p><p class=tax>${n}</p>`);
  await using stored = await openStoredJob(code(".owner"), pages);
  const options = { signal: new AbortController().signal, cores: 1, examples: 0, isForced: true };
  const extract = async (selector: string) => {
    const scraper = await stored.writeScraper(`with-${selector.slice(1)}`, code(selector));
    return await extractJob(stored, await stored.view(), { ...options, scraper });
  };
  const ownersOf = async (): Promise<readonly (number | string | undefined)[][]> =>
    (await readDrift(stored, LOCAL_ACTOR, "county", { limit: 9 })).runs.map(({ fields, extraction }) => [
      fields["owner"]?.present,
      fields["owner"]?.missing,
      extraction,
    ]);
  await renewQuality(stored, stored.job);
  assert.deepEqual(await ownersOf(), [], "only of runs that were counted");
  await noteQuality(stored, stored.job);
  assert.deepEqual(await ownersOf(), [[4, 0, undefined]]);
  const { extraction } = await extract(".holder");
  await noteQuality(stored, stored.job);
  assert.deepEqual(await ownersOf(), [[4, 0, undefined]], "nobody has asked");
  await renewQuality(stored, stored.job);
  assert.deepEqual(await ownersOf(), [[0, 4, extraction.id]]);
  await chooseSet(stored.blobs, stored.job, "first", Date.now());
  await renewQuality(stored, stored.job);
  assert.deepEqual(await ownersOf(), [[4, 0, undefined]]);
});
