import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { openFiles } from "../backends/files/open-files.ts";
import type { BlobRange } from "../model/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import { readRecords } from "./read-records.ts";

let folder: string;
let blobs: Blobs;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-read-records-"));
  blobs = await openFiles(folder);
});
after(() => rm(folder, { recursive: true }));

/** A segment of items with so many records each, as the archive writes it. */
const putSegment = async (blob: string, counts: readonly number[], padding = ""): Promise<BlobRange[]> => {
  let text = "";
  const ranges = counts.map((count, item) => {
    const offset = Buffer.byteLength(text);
    for (let n = 0; n < count; n++)
      text += `${JSON.stringify({ key: `${blob} ${item} ${n} é${padding}` })}\n`;
    return { blob, offset, length: Buffer.byteLength(text) - offset };
  });
  await blobs.put(blob, Buffer.from(text));
  return ranges;
};

const keysOf = (records: readonly unknown[] | undefined) =>
  (records as { key: string }[]).map(({ key }) => key);

test("every range gets its own records, in whatever order they are asked for", async () => {
  const ranges = [...(await putSegment("a.jsonl", [1, 3, 1, 2])), ...(await putSegment("b.jsonl", [2, 1]))];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(ranges), async (asked) => {
      const found = await readRecords(blobs, asked);
      assert.equal(found.size, asked.length);
      for (const range of asked) {
        const item = ranges.filter(({ blob }) => blob === range.blob).indexOf(range);
        assert.ok(keysOf(found.get(range)).every((key, n) => key === `${range.blob} ${item} ${n} é`));
      }
    }),
  );
});

test("neighbours are read together, and what lies far apart is not read over", async () => {
  const ranges = await putSegment(
    "c.jsonl",
    Array.from({ length: 100 }, () => 1),
    "x".repeat(4000),
  );
  const reads: number[] = [];
  const counted: Blobs = {
    ...blobs,
    get: (name, range) => {
      reads.push(range?.length ?? Infinity);
      return blobs.get(name, range);
    },
  };
  await readRecords(counted, ranges);
  assert.equal(reads.length, 1);
  reads.length = 0;
  await readRecords(counted, [ranges[0]!, ranges[1]!, ranges[99]!]);
  assert.deepEqual(reads, [ranges[1]!.offset + ranges[1]!.length, ranges[99]!.length]);
});

test("a segment that is cut off, overwritten or gone is told with its name", async () => {
  const [range] = await putSegment("d.jsonl", [1]);
  const damaged = { name: "ArchiveError", code: "damaged", blob: "d.jsonl" };
  await assert.rejects(readRecords(blobs, [{ ...range!, length: range!.length + 1 }]), damaged);
  await blobs.put("d.jsonl", Buffer.alloc(range!.length, "x"));
  await assert.rejects(readRecords(blobs, [range!]), damaged);
  await blobs.remove("d.jsonl");
  await assert.rejects(readRecords(blobs, [range!]), { name: "BlobError", code: "not-found" });
});
