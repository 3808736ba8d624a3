import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { openFiles } from "../backends/files/open-files.ts";
import type { ItemView } from "../domain/item.ts";
import { judge } from "../pipeline/judge.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ExtractionWriter } from "../reextract/extraction-writer.ts";
import { openRecordSet, recordHead } from "./extracted-records.ts";
import { extractionBlob, extractionId, readSets, sweepExtractions } from "./extractions.ts";
import type { OnDamage } from "./stored-bytes.ts";
import { sampleItem } from "./testing/sample-item.ts";

let folder: string;
let blobs: Blobs;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-extracted-"));
  blobs = await openFiles(folder);
});
after(() => rm(folder, { recursive: true }));

const STARTED = 5_000;
const REST = {
  startedAt: STARTED,
  endedAt: STARTED + 1,
  scrapers: [
    { was: "county", name: "county-2", source: "", version: "", fields: [], required: [], emits: false },
  ],
  counts: { items: 0, done: 0, partial: 0, failed: 0, damaged: 0, records: 0 },
  fieldCounts: {},
};

const lineOf = (key: string, n: number, quality = "complete"): string =>
  `${JSON.stringify({ key, job: "1", scraper: "county-2", version: "v", from: "p", quality, fields: { n } })}\n`;

/** The result of an item: in the extraction, N records or a failure; or only in its run. */
type Fate =
  | { readonly records: number; readonly isPartial: boolean }
  | "failed"
  | "put-back"
  | "timed-out"
  | "later"
  | "absent"
  | "other";

const anyFate: fc.Arbitrary<Fate> = fc.oneof(
  fc.record({ records: fc.nat({ max: 3 }), isPartial: fc.boolean() }),
  fc.constantFrom<Fate>("failed", "put-back", "timed-out", "later", "absent", "other"),
);

const itemOf = (fate: Fate, key: string): ItemView => {
  if (fate === "later") return sampleItem(key, { endedAt: STARTED + 10 });
  // Extracted, and then put back: not run again yet, or without success.
  if (fate === "put-back") {
    const { quality: _quality, endedAt: _endedAt, ...rest } = sampleItem(key, { state: "queued" });
    return rest;
  }
  if (fate === "timed-out")
    return sampleItem(key, {
      state: "failed",
      failure: { kind: "timeout", detail: "" },
      endedAt: STARTED + 10,
    });
  if (fate === "absent") return sampleItem(key, { state: "absent" });
  // Of a scraper that was not extracted.
  return fate === "other" ? sampleItem(key, { scraper: "list" }) : sampleItem(key);
};

let count = 0;

test("every extracted item has its new records, and the others keep those of their run", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFate, { maxLength: 40 }), fc.nat({ max: 40 }), async (fates, cut) => {
      const job = `job${count++}`;
      const writer = new ExtractionWriter(blobs, job, extractionId(STARTED));
      const items = fates.map((fate, at) => itemOf(fate, `k"${at}`));
      for (const [at, fate] of fates.entries()) {
        const { key } = items[at]!;
        if (fate === "failed")
          await writer.failures([
            { key, scraper: "county-2", failure: { kind: "scraper-error", detail: "threw" } },
          ]);
        else if (typeof fate === "object")
          for (let n = 0; n < fate.records; n++)
            await writer.records(Buffer.from(lineOf(key, n, fate.isPartial ? "partial" : "complete")));
        // Settled while the extraction ran: it is in there, and does not count.
        else if (fate === "later" || fate === "put-back") await writer.records(Buffer.from(lineOf(key, 0)));
        else if (fate === "timed-out")
          await writer.failures([
            { key, scraper: "county-2", failure: { kind: "scraper-error", detail: "threw" } },
          ]);
      }
      await writer.finish(REST);
      await using set = await openRecordSet(blobs, job);
      const found = [];
      for (const part of [items.slice(0, cut), items.slice(cut)])
        for await (const batch of set.recordsOf(part)) found.push(...batch);
      await set.checkEnd();
      assert.deepEqual(
        found.map(({ item, lines }) => [
          item.key,
          item.state,
          item.quality,
          item.failure?.kind,
          String(lines),
        ]),
        fates.map((fate, at) => {
          const { key, state, quality, failure } = items[at]!;
          if (fate === "failed") return [key, "failed", undefined, "scraper-error", ""];
          if (typeof fate !== "object") return [key, state, quality, failure?.kind, ""];
          const worst = fate.isPartial && fate.records > 0 ? "partial" : "complete";
          const lines = Array.from({ length: fate.records }, (_, n) =>
            lineOf(key, n, fate.isPartial ? "partial" : "complete"),
          );
          return [key, "done", worst, undefined, lines.join("")];
        }),
      );
    }),
    { numRuns: 50 },
  );
});

test("an unfinished extraction is not visible, and is deleted after a day", async () => {
  const id = extractionId(Date.UTC(2026, 10, 15));
  const writer = new ExtractionWriter(blobs, "torn", id);
  await writer.records(Buffer.from(lineOf("k", 1).repeat(100_000)));
  const names = async () => (await Array.fromAsync(blobs.list("jobs/torn/"))).map(({ name }) => name);
  assert.equal((await names()).length, 1);
  assert.deepEqual((await readSets(blobs, "torn")).extractions, []);
  await using set = await openRecordSet(blobs, "torn");
  assert.equal(set.name, "torn@first");
  await sweepExtractions(blobs, "torn", Date.UTC(2026, 10, 15, 23));
  assert.equal((await names()).length, 1);
  await sweepExtractions(blobs, "torn", Date.UTC(2026, 10, 16, 1));
  assert.deepEqual(await names(), []);
});

test("an extraction is found by its id, the beginning or the end of it, and the newest is current", async () => {
  const ids = [extractionId(STARTED), extractionId(STARTED + 86_400_000)];
  for (const [at, id] of ids.entries())
    await new ExtractionWriter(blobs, "two", id).finish({ ...REST, startedAt: STARTED + at });
  const nameOf = async (which?: string) => (await openRecordSet(blobs, "two", which)).name;
  assert.equal(await nameOf(), `two@${ids[1]}`);
  assert.equal(await nameOf("first"), "two@first");
  assert.equal(await nameOf(ids[0]), `two@${ids[0]}`);
  assert.equal(await nameOf(ids[0]!.slice(-4)), `two@${ids[0]}`);
  for (const which of ["1970", "", "nobody"])
    await assert.rejects(nameOf(which), { code: "no-such-extraction" }, which);
});

test("a segment that ends in the middle of a line is reported with its name", async () => {
  const writer = new ExtractionWriter(blobs, "cut", extractionId(STARTED));
  await writer.records(Buffer.from(lineOf("k", 1).slice(0, -5)));
  const { segments } = await writer.finish(REST);
  await using set = await openRecordSet(blobs, "cut");
  await assert.rejects(Array.fromAsync(set.recordsOf([sampleItem("k")])), {
    code: "damaged",
    blob: segments[0],
  });
});

/** A set of the items `a`, `b` and `c`, as versions without digests wrote it, of which the bytes are put through `change`. */
const changedSet = async (job: string, change: (text: string) => string): Promise<string> => {
  const writer = new ExtractionWriter(blobs, job, extractionId(STARTED));
  await writer.records(Buffer.from(["a", "b", "c"].map((key) => lineOf(key, 1)).join("")));
  const { digests: _, ...made } = await writer.finish(REST);
  await blobs.put(extractionBlob(job, made.id), Buffer.from(JSON.stringify(made)));
  const [blob = ""] = made.segments;
  await blobs.put(blob, Buffer.from(change(Buffer.from(await blobs.get(blob)).toString())));
  return blob;
};

const readKeys = async (job: string, onDamage?: OnDamage): Promise<string[]> => {
  await using set = await openRecordSet(blobs, job, "current", onDamage);
  const found: string[] = [];
  for await (const batch of set.recordsOf(["a", "b", "c"].map((key) => sampleItem(key))))
    for (const { item, lines } of batch) if (lines.length > 0) found.push(item.key);
  await set.checkEnd();
  return found;
};

test("an unreadable line is reported with its object, or skipped together with the lines after it", async () => {
  const blob = await changedSet("smeared", (text) => text.replace('{"key":"b"', '{"kex:"b"'));
  await assert.rejects(readKeys("smeared"), { code: "damaged", blob });
  const told: string[] = [];
  assert.deepEqual(await readKeys("smeared", (error) => void told.push(error.blob)), ["a", "c"]);
  assert.deepEqual(told, [blob]);
});

test("a changed digit in a segment, or in the extraction's description, is reported before any record is read", async () => {
  const writer = new ExtractionWriter(blobs, "digit", extractionId(STARTED));
  await writer.records(Buffer.from(["a", "b", "c"].map((key) => lineOf(key, 1)).join("")));
  const { id, segments } = await writer.finish(REST);
  const change = async (blob: string, from: string, to: string): Promise<void> => {
    const text = Buffer.from(await blobs.get(blob)).toString();
    assert.ok(text.includes(from), text);
    await blobs.put(blob, Buffer.from(text.replace(from, to)));
  };
  assert.deepEqual(await readKeys("digit"), ["a", "b", "c"]);
  await change(segments[0]!, '"key":"b"', '"key":"c"');
  await assert.rejects(readKeys("digit"), { code: "damaged", blob: segments[0] });
  await change(segments[0]!, '"key":"c"', '"key":"b"');
  assert.deepEqual(await readKeys("digit"), ["a", "b", "c"]);
  const described = extractionBlob("digit", id);
  await change(described, '"endedAt": ', '"endedAt": 1');
  await assert.rejects(readKeys("digit"), { code: "damaged", blob: described });
});

test("lines that match no item are reported at the end, because some item was shown without them", async () => {
  const blob = await changedSet("strange", (text) => text.replace('"key":"b"', '"key":"x"'));
  await assert.rejects(readKeys("strange"), { code: "damaged", blob });
});

const EXTRACTION = { fieldNames: ["a"], required: ["a"], read: () => [] };

test("the head of every line that judging writes is read as JSON would read it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.boolean(), (key, from, isPartial) => {
      const raw = isPartial ? null : '","quality":"x';
      const fields = { a: { raw, isEmpty: false, value: { key: "other", quality: "partial" } } };
      const origin = { job: "1", key, scraper: 'the "county" \\', version: "v" };
      const [line] = judge([{ from, fields }], EXTRACTION, origin).lines;
      const { key: readKey, scraper, quality } = recordHead(Buffer.from(`${line!}\n`));
      const expected = JSON.parse(line!) as Record<string, unknown>;
      assert.deepEqual(
        [readKey, scraper, quality],
        [expected["key"], expected["scraper"], expected["quality"]],
      );
    }),
  );
});

test("a line in another form is read too", () => {
  const line = '{ "fields": {}, "quality": "partial", "scraper": "s", "key": "k" }\n';
  const { key, scraper, quality } = recordHead(Buffer.from(line));
  assert.deepEqual([key, scraper, quality], ["k", "s", "partial"]);
});
