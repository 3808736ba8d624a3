import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ExtractionWriter } from "../reextract/extraction-writer.ts";
import {
  chooseSet,
  extractionBlob,
  extractionId,
  findSet,
  readSets,
  sweepExtractions,
} from "./extractions.ts";

let folder: string;
let blobs: Blobs;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-sets-"));
  blobs = await openFiles(folder);
});
after(() => rm(folder, { recursive: true }));

const DAY_MS = 86_400_000;
const day = (n: number): number => Date.UTC(2026, 10, n);

/** Stores an extraction begun on that day of the month. */
const store = async (job: string, n: number, notCurrent?: string): Promise<string> => {
  const { id } = await new ExtractionWriter(blobs, job, extractionId(day(n))).finish({
    startedAt: day(n),
    endedAt: day(30) - n * DAY_MS, // the later it began, the sooner it ended
    ...(notCurrent !== undefined && { notCurrent }),
    scrapers: [],
    counts: { items: 0, done: 0, partial: 0, failed: 0, damaged: 0, records: 0 },
    fieldCounts: {},
  });
  return id;
};

const currentOf = async (job: string): Promise<string> => (await readSets(blobs, job)).current?.id ?? "first";

test("current is the extraction that began last and was not held back", async () => {
  assert.equal(await currentOf("job"), "first");
  const newer = await store("job", 2);
  await store("job", 1);
  const held = await store("job", 3, "nothing came of it");
  assert.equal(await currentOf("job"), newer);
  assert.equal((await findSet(blobs, "job", held))?.notCurrent, "nothing came of it");
});

test("a chosen set is current until another extraction begins", async () => {
  const [old, held] = [await store("chosen", 1), await store("chosen", 2, "held")];
  const newest = await store("chosen", 3);
  for (const [which, set] of [
    ["first", "first"],
    [held.slice(-4), held],
    [old, old],
  ] as const) {
    assert.equal(await chooseSet(blobs, "chosen", which, day(4)), set);
    assert.equal(await currentOf("chosen"), set);
  }
  await sweepExtractions(blobs, "chosen", day(20));
  assert.equal(await currentOf("chosen"), old);
  const next = await store("chosen", 5);
  assert.equal(await currentOf("chosen"), next);
  await assert.rejects(chooseSet(blobs, "chosen", "nobody", day(6)), { code: "no-such-extraction" });
  assert.equal(await currentOf("chosen"), next);
  assert.notEqual(newest, next);
});

test("a damaged description is reported by name while it may be the current one, and is superseded by a newer set or a choice", async () => {
  const [old, lost] = [await store("hurt", 1), await store("hurt", 2)];
  const blob = extractionBlob("hurt", lost);
  await blobs.put(blob, Buffer.from("{"));
  await assert.rejects(currentOf("hurt"), { code: "damaged", blob });
  await assert.rejects(findSet(blobs, "hurt", lost), { code: "damaged", blob });
  await chooseSet(blobs, "hurt", old, day(3));
  assert.equal(await currentOf("hurt"), old);
  const next = await store("hurt", 4);
  assert.equal(await currentOf("hurt"), next);
});

test("a damaged choice is reported, and replaced by another one", async () => {
  const id = await store("blind", 1);
  await chooseSet(blobs, "blind", "first", day(2));
  const names = await Array.fromAsync(blobs.list("jobs/blind/"), ({ name }) => name);
  const blob = names.find((name) => name.endsWith("chosen.json"))!;
  await blobs.put(blob, Buffer.from("null"));
  await assert.rejects(currentOf("blind"), { code: "damaged", blob });
  await chooseSet(blobs, "blind", id, day(3));
  assert.equal(await currentOf("blind"), id);
});
