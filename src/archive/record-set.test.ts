import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { openFiles } from "../backends/files/open-files.ts";
import type { ItemView } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { parseRecords, readRunLines, runRecords } from "./record-set.ts";
import { refuseDamage, sha256 } from "./stored-bytes.ts";
import { sampleItem } from "./testing/sample-item.ts";

let folder: string;
let blobs: Blobs;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-run-records-"));
  blobs = await openFiles(folder);
});
after(() => rm(folder, { recursive: true }));

/** A segment of items with N records each, as the archive writes it. */
const putSegment = async (blob: string, counts: readonly number[], padding = ""): Promise<ItemView[]> => {
  let text = "";
  const items = counts.map((count, item) => {
    const offset = Buffer.byteLength(text);
    const key = `${blob} ${item} é`;
    for (let n = 0; n < count; n++) text += `${JSON.stringify({ key, n, padding, fields: {} })}\n`;
    const length = Buffer.byteLength(text) - offset;
    return sampleItem(key, { records: count === 0 ? null : { blob, offset, length } });
  });
  await blobs.put(blob, Buffer.from(text));
  return items;
};

const read = async (from: Blobs, items: readonly ItemView[]): Promise<[ItemView, unknown[]][]> => {
  const found: [ItemView, unknown[]][] = [];
  for await (const batch of runRecords(from, "1", refuseDamage).recordsOf(items))
    for (const { item, lines, blob } of batch) found.push([item, parseRecords(item.key, { lines, blob })]);
  return found;
};

test("every item gets its own records, in whatever order they are asked for", async () => {
  const items = [...(await putSegment("a.jsonl", [1, 3, 0, 2])), ...(await putSegment("b.jsonl", [2, 1]))];
  const counts = new Map(items.map((item, at) => [item, [1, 3, 0, 2, 2, 1][at]!]));
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(items), async (asked) => {
      const expected = asked.map((item) => [
        item,
        Array.from({ length: counts.get(item)! }, (_, n) => ({ key: item.key, n, padding: "", fields: {} })),
      ]);
      assert.deepEqual(await read(blobs, asked), expected);
    }),
  );
});

test("neighbours are read together, and large gaps are not read", async () => {
  const items = await putSegment("c.jsonl", Array<number>(100).fill(1), "x".repeat(4000));
  const reads: number[] = [];
  const counted: Blobs = {
    ...blobs,
    get: (name, range) => {
      reads.push(range?.length ?? Infinity);
      return blobs.get(name, range);
    },
  };
  await read(counted, items);
  assert.equal(reads.length, 1);
  reads.length = 0;
  await read(counted, [items[0]!, items[1]!, items[99]!]);
  const end = (item: ItemView): number => item.records!.offset + item.records!.length;
  assert.deepEqual(reads, [end(items[1]!), items[99]!.records!.length]);
});

test("a truncated, overwritten or missing segment is reported", async () => {
  const [item] = await putSegment("d.jsonl", [1]);
  const { offset, length } = item!.records!;
  const longer = sampleItem("d", { records: { blob: "d.jsonl", offset, length: length + 1 } });
  await assert.rejects(read(blobs, [longer]), { name: "ArchiveError", code: "damaged", blob: "d.jsonl" });
  await blobs.put("d.jsonl", Buffer.alloc(length, "x\n"));
  await assert.rejects(read(blobs, [item!]), { name: "ArchiveError", code: "damaged", blob: "d.jsonl" });
  await blobs.remove("d.jsonl");
  await assert.rejects(read(blobs, [item!]), { name: "ArchiveError", code: "damaged", blob: "d.jsonl" });
});

test("a changed byte is reported with its item, and the other items are read", async () => {
  const items = (await putSegment("e.jsonl", [1, 1, 1])).map((item) => ({ ...item, records: item.records! }));
  const bytes = Buffer.from(await blobs.get("e.jsonl"));
  const digested = items.map(({ records, ...item }) => {
    const { offset, length } = records;
    return { ...item, records: { ...records, digest: sha256(bytes.subarray(offset, offset + length)) } };
  });
  const { offset } = items[1]!.records;
  bytes[bytes.indexOf('"n":0', offset) + 4]! ^= 1;
  await blobs.put("e.jsonl", bytes);
  await assert.rejects(read(blobs, digested), { code: "damaged", blob: "e.jsonl", item: items[1]!.key });
  const told: string[] = [];
  const found = await readRunLines(blobs, digested, (error) => void told.push(error.message));
  assert.deepEqual(
    found.map(({ lines, isDamaged }) => [lines.length > 0, isDamaged ?? false]),
    [
      [true, false],
      [false, true],
      [true, false],
    ],
  );
  assert.equal(told.length, 1);
});
