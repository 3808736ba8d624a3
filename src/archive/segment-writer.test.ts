import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it, type TestContext } from "node:test";
import * as fc from "fast-check";
import { openFiles } from "../backends/files/open-files.ts";
import type { CaptureRef, Exchange } from "../domain/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Kept } from "./item-bundle.ts";
import { readLines, settledPrefix } from "./journal.ts";
import { startPacker } from "./packer.ts";
import { readCapture } from "./read-capture.ts";
import { type ArchiveOptions, openArchive } from "./segment-writer.ts";

const packer = startPacker();
after(() => packer[Symbol.asyncDispose]());

const NEVER = 2 ** 30;

const exchange = (url: string, body: Uint8Array, change: Partial<Exchange> = {}): Exchange => ({
  method: "GET",
  url,
  startedAt: 1_700_000_000_000,
  requestHeaders: [["host", "example.com"]],
  status: 200,
  statusText: "OK",
  responseHeaders: [["content-type", "text/html; charset=utf-8"]],
  body,
  ...change,
});
const page = (i: number): Exchange => exchange(`http://example.com/${i}`, Buffer.from(`<p>page ${i}</p>`));

async function* pdf(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 50; i++) yield Buffer.alloc(10_000, i);
}

const folderOf = async (t?: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-archive-"));
  t?.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const kit = async (t: TestContext, options: Partial<ArchiveOptions> = {}) => {
  const blobs = await openFiles(await folderOf(t));
  const fixed = { blobs, packer, job: "7", software: "sluice-test" };
  return { blobs, archive: openArchive({ ...fixed, maxAgeMs: NEVER, ...options }) };
};

const namesOf = async (blobs: Blobs): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of blobs.list("")) names.push(name);
  return names;
};

const bodyAt = async (blobs: Blobs, ref: CaptureRef | undefined): Promise<string> => {
  assert.ok(ref !== undefined);
  return Buffer.from((await readCapture(blobs, ref)).body).toString();
};

it("resolves an item's captures and records together, each found by its range", async (t) => {
  const { blobs, archive } = await kit(t);
  const one = archive.item();
  const two = archive.item();
  await one.exchange(page(1));
  one.keep("detail", await one.exchange(page(2)));
  two.keep("detail", await two.exchange(page(3)));
  const committed = Promise.all([one.commit(['{"a":"ä"}', '{"a":2}']), two.commit(['{"b":1}'])]);
  assert.deepEqual(await namesOf(blobs), []);
  await archive.seal();
  const [first, second] = await committed;
  assert.deepEqual(
    first.captures.map(({ name, url, mediaType }) => ({ name, url, mediaType })),
    [{ name: "detail", url: "http://example.com/2", mediaType: "text/html" }],
  );
  assert.equal(await bodyAt(blobs, first.captures[0]), "<p>page 2</p>");
  assert.equal(await bodyAt(blobs, second.captures[0]), "<p>page 3</p>");
  assert.ok(first.records !== null && second.records !== null);
  assert.equal(
    Buffer.from(await blobs.get(first.records.blob, first.records)).toString(),
    '{"a":"ä"}\n{"a":2}\n',
  );
  assert.equal(Buffer.from(await blobs.get(second.records.blob, second.records)).toString(), '{"b":1}\n');
  const names = await namesOf(blobs);
  const shape =
    /^jobs\/7\/(captures\/[0-9a-f]{24}-000000\.warc\.gz(\.cdxj)?|records\/[0-9a-f]{24}-000000\.jsonl)$/;
  assert.equal(names.length, 3);
  for (const name of names) assert.match(name, shape);
});

it("stores no empty segment: an item without records or responses needs none", async (t) => {
  const { blobs, archive } = await kit(t);
  assert.deepEqual(await archive.item().commit([]), { captures: [], records: null });
  const onlyRecords = archive.item().commit(["{}"]);
  await archive.seal();
  await onlyRecords;
  assert.equal((await namesOf(blobs)).length, 1);
});

it("seals a segment by age", async (t) => {
  const { blobs, archive } = await kit(t, { maxAgeMs: 1 });
  const item = archive.item();
  item.keep("page", await item.exchange(page(1)));
  const { captures } = await item.commit([]);
  assert.equal(await bodyAt(blobs, captures[0]), "<p>page 1</p>");
});

it("seals a segment by size, and later items go to the next one", async (t) => {
  const { blobs, archive } = await kit(t, { maxBytes: 200_000 });
  const noise = [randomBytes(300_000), randomBytes(300_000)];
  const refs: CaptureRef[] = [];
  for (const [i, body] of noise.entries()) {
    const item = archive.item();
    item.keep("page", await item.exchange(exchange(`http://example.com/${i}`, body)));
    refs.push(...(await item.commit([])).captures);
  }
  assert.equal(new Set(refs.map(({ blob }) => blob)).size, 2);
  for (const [i, ref] of refs.entries()) assert.deepEqual((await readCapture(blobs, ref)).body, noise[i]);
});

it("waits for every segment of an item that spans several", async (t) => {
  const { blobs, archive } = await kit(t);
  const item = archive.item();
  item.keep("first", await item.exchange(page(1)));
  await archive.seal();
  item.keep("second", await item.exchange(page(2)));
  const committed = item.commit(["{}"]);
  await archive.seal();
  const { captures } = await committed;
  assert.notEqual(captures[0]?.blob, captures[1]?.blob);
  assert.equal(await bodyAt(blobs, captures[0]), "<p>page 1</p>");
  assert.equal(await bodyAt(blobs, captures[1]), "<p>page 2</p>");
});

it("stores outcomes beside pages and records, and an item without those does not wait", async (t) => {
  const { blobs, archive } = await kit(t);
  const end = (kept: Kept): string => JSON.stringify(kept);
  const spanning = archive.item();
  spanning.keep("first", await spanning.exchange(page(1)));
  await archive.seal();
  spanning.keep("second", await spanning.exchange(page(2)));
  const committed = spanning.commit(["{}"], end);
  assert.deepEqual(await archive.item().commit([], end), { captures: [], records: null });
  await archive.seal();
  const kept = await committed;
  const [segment] = (await namesOf(blobs)).filter((name) => name.startsWith(settledPrefix("7")));
  assert.deepEqual(await readLines(blobs, segment!), [kept, { captures: [], records: null }]);
});

it("reports no outcome of an item whose earlier segment could not be stored", async (t) => {
  const files = await openFiles(await folderOf(t));
  let isFull = true;
  const full = new Error("the disk is full");
  const put: Blobs["put"] = (name, body) => (isFull ? Promise.reject(full) : files.put(name, body));
  const { archive } = await kit(t, { blobs: { ...files, put } });
  const item = archive.item();
  item.keep("first", await item.exchange(page(1)));
  await archive.seal();
  isFull = false;
  const committed = assert.rejects(
    item.commit(["{}"], () => "{}"),
    (error) => error === full,
  );
  await archive.seal();
  await committed;
  assert.deepEqual(
    (await namesOf(files)).map((name) => name.split("/")[2]),
    ["records"],
  );
});

it("streams a file to an object of its own and notes its head in the segment", async (t) => {
  const { blobs, archive } = await kit(t);
  const { body: _, ...head } = exchange("http://example.com/bill.aspx?id=1", new Uint8Array(), {
    responseHeaders: [["content-type", "application/pdf"]],
  });
  const item = archive.item();
  const ticket = await item.file(head, pdf());
  assert.equal(ticket.size, 500_000);
  item.keep("bill", ticket.number);
  const committed = item.commit([]);
  await archive.seal();
  const [ref] = (await committed).captures;
  assert.ok(ref !== undefined);
  assert.match(ref.blob, /^jobs\/7\/files\/[0-9a-f-]{36}\.pdf$/);
  assert.deepEqual(
    [ref.name, ref.mediaType, ref.digest, ref.length],
    ["bill", "application/pdf", ticket.digest, 500_000],
  );
  assert.equal((await readCapture(blobs, ref)).body.length, 500_000);
  assert.equal((await namesOf(blobs)).length, 3);
});

it("fails the items of a segment that cannot be stored, and no others", async (t) => {
  const files = await openFiles(await folderOf(t));
  const full = new Error("the disk is full");
  let isFull = true;
  const blobs: Blobs = {
    ...files,
    put: (name, body) => (isFull ? Promise.reject(full) : files.put(name, body)),
  };
  const { archive } = await kit(t, { blobs });
  const lost = archive.item();
  lost.keep("page", await lost.exchange(page(1)));
  const committed = assert.rejects(lost.commit(["{}"]), (error) => error === full);
  await archive.seal();
  await committed;
  isFull = false;
  const next = archive.item();
  next.keep("page", await next.exchange(page(2)));
  const kept = next.commit([]);
  await archive.seal();
  assert.equal(await bodyAt(files, (await kept).captures[0]), "<p>page 2</p>");
});

it("accepts nothing more while too much is in flight, and continues when the disk has caught up", async (t) => {
  const files = await openFiles(await folderOf(t));
  const disk = Promise.withResolvers<void>();
  const blobs: Blobs = { ...files, put: (name, body) => disk.promise.then(() => files.put(name, body)) };
  const { archive } = await kit(t, { blobs, maxInFlightBytes: 100_000 });
  const item = archive.item();
  let taken = 0;
  const adding = Array.from({ length: 40 }, async (_, i) => {
    const body = randomBytes(20_000);
    await item.exchange(exchange(`http://example.com/${i}`, body));
    taken++;
  });
  await new Promise((resolve) => setImmediate(resolve));
  const before = taken;
  assert.ok(before >= 4 && before <= 7, `took ${before}`);
  disk.resolve();
  await Promise.all(adding);
  const committed = item.commit([]);
  await archive.seal();
  await committed;
});

it("never writes over the segments of another run", async (t) => {
  const { blobs, archive } = await kit(t);
  const again = openArchive({
    blobs,
    packer,
    job: "7",
    software: "sluice-test",
    maxAgeMs: NEVER,
  });
  const refs: CaptureRef[] = [];
  for (const [i, one] of [archive, again].entries()) {
    const item = one.item();
    item.keep("page", await item.exchange(page(i)));
    const committed = item.commit([]);
    await one.seal();
    refs.push(...(await committed).captures);
  }
  assert.equal(await bodyAt(blobs, refs[0]), "<p>page 0</p>");
  assert.equal(await bodyAt(blobs, refs[1]), "<p>page 1</p>");
});

it("reads back exactly the bytes of any exchanges in any grouping", async () => {
  const folder = await folderOf();
  const blobs = await openFiles(folder);
  const headers = fc.array(
    fc.tuple(fc.stringMatching(/^x-[a-z]{1,8}$/), fc.stringMatching(/^([!-~]([ -~]{0,20}[!-~])?)?$/)),
    { maxLength: 4 },
  );
  const exchanges = fc.record({
    method: fc.constantFrom("GET", "POST", "HEAD"),
    url: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    startedAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    requestHeaders: headers,
    requestBody: fc.uint8Array({ maxLength: 300 }),
    status: fc.constantFrom(200, 204, 301, 304, 404, 503),
    statusText: fc.constantFrom("", "OK", "Not Quite"),
    responseHeaders: headers,
    body: fc.uint8Array({ maxLength: 5_000 }),
  });
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: exchanges },
      { weight: 1, arbitrary: fc.constant("seal" as const) },
      { weight: 1, arbitrary: fc.constant("next item" as const) },
    ),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const archive = openArchive({
        blobs,
        packer,
        job: "p",
        software: "x",
        maxAgeMs: NEVER,
        maxBytes: 20_000,
      });
      const items = [{ bundle: archive.item(), sent: [] as Exchange[] }];
      for (const step of plan) {
        const item = items.at(-1);
        assert.ok(item !== undefined);
        if (step === "seal") await archive.seal();
        else if (step === "next item") items.push({ bundle: archive.item(), sent: [] });
        else {
          item.bundle.keep(`page-${item.sent.length}`, await item.bundle.exchange(step));
          item.sent.push(step);
        }
      }
      const committed = items.map(({ bundle, sent }) =>
        bundle.commit(sent.map(({ url }) => JSON.stringify(url))),
      );
      await archive.seal();
      for (const [i, { captures, records }] of (await Promise.all(committed)).entries()) {
        const sent = items[i]?.sent ?? [];
        assert.equal(captures.length, sent.length);
        for (const [n, ref] of captures.entries()) {
          const read = await readCapture(blobs, ref);
          const wanted = sent[n];
          assert.ok(wanted !== undefined);
          assert.deepEqual(Buffer.from(read.body), Buffer.from(wanted.body));
          assert.equal(read.status, wanted.status);
          assert.equal(read.url, new URL(wanted.url).href);
          assert.deepEqual(read.headers.slice(0, wanted.responseHeaders.length), wanted.responseHeaders);
        }
        const lines = records === null ? "" : Buffer.from(await blobs.get(records.blob, records)).toString();
        assert.equal(lines, sent.map(({ url }) => `${JSON.stringify(url)}\n`).join(""));
      }
    }),
    { numRuns: 40 },
  );
  await rm(folder, { recursive: true });
});
