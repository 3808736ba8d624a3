import assert from "node:assert/strict";
import { it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { CDXIndexer, WARCParser, type WARCRecord, WARCSerializer } from "warcio";
import type { Exchange } from "../domain/capture.ts";
import { checkSegment } from "./check-segment.ts";
import { type Entry, packSegment } from "./pack-segment.ts";
import { sha256 } from "./stored-bytes.ts";

const START = Date.parse("2026-11-15T10:20:30.456Z");

const exchange = (change: Partial<Exchange>): Exchange => ({
  method: "GET",
  url: "https://tax.example.gov/",
  startedAt: START,
  requestHeaders: [
    ["Host", "tax.example.gov"],
    ["User-Agent", "sluice"],
  ],
  status: 200,
  statusText: "OK",
  responseHeaders: [["Content-Type", "text/html; charset=utf-8"]],
  body: Buffer.from("<p>hello</p>"),
  ...change,
});

const page = Buffer.from("<tr><td>Größe</td></tr>".repeat(900));
const noise = Buffer.from(Uint8Array.from({ length: 40_000 }, (_, i) => (i * i * 31 + (i >> 3)) % 256));

const varied: readonly Exchange[] = [
  exchange({}),
  exchange({ url: "https://www.tax.example.gov/big?b=2&a=1", body: page }),
  exchange({
    url: "https://tax.example.gov/old",
    status: 302,
    statusText: "Found",
    responseHeaders: [
      ["Location", "/new"],
      ["Content-Length", "0"],
    ],
    body: Buffer.alloc(0),
  }),
  exchange({
    url: "https://tax.example.gov/none",
    status: 204,
    statusText: "No Content",
    responseHeaders: [["Server", "x"]],
    body: Buffer.alloc(0),
  }),
  exchange({
    url: "https://tax.example.gov/bare-204",
    status: 204,
    responseHeaders: [],
    body: Buffer.alloc(0),
  }),
  exchange({
    url: "https://tax.example.gov/bare",
    responseHeaders: [],
    requestHeaders: [],
    body: Buffer.alloc(0),
  }),
  exchange({
    url: "https://tax.example.gov/noise",
    responseHeaders: [["Content-Type", "image/png"]],
    body: noise,
  }),
  exchange({
    url: "https://tax.example.gov/gzip",
    responseHeaders: [
      ["Content-Type", "text/html"],
      ["Content-Encoding", "gzip"],
      ["Transfer-Encoding", "chunked"],
    ],
    body: gzipSync(page),
  }),
  exchange({
    url: "https://tax.example.gov/br",
    responseHeaders: [
      ["Content-Type", "text/html"],
      ["Content-Encoding", "br"],
      ["Content-Length", "17"],
    ],
    body: brotliCompressSync(page),
  }),
  exchange({ url: "https://bücher.example/straße/日本?q=ä b" }),
  exchange({
    url: "https://tax.example.gov/latin1",
    statusText: "",
    responseHeaders: [["X-Town", "M\xfcnchen"]],
  }),
  exchange({
    method: "POST",
    url: "https://tax.example.gov/search",
    requestHeaders: [
      ["Host", "tax.example.gov"],
      ["Content-Type", "application/x-www-form-urlencoded"],
    ],
    requestBody: Buffer.from("parcel=0123456789&__VIEWSTATE=%2FwEP"),
    body: Buffer.from("WARC/1.1\r\n\r\nnot a record\r\n\r\n"),
  }),
];

const stored: Entry = {
  exchange: exchange({
    url: "https://tax.example.gov/bill.pdf",
    responseHeaders: [["Content-Type", "application/pdf"]],
  }),
  stored: { blob: "jobs/7/files/x.pdf", size: 123, digest: `sha256:${"0".repeat(64)}` },
};

const packAll = (exchanges: readonly Exchange[], level = 3) => {
  const segment = {
    name: "jobs/7/captures/w-1.warc.gz",
    job: "7",
    software: "sluice/0.1.0",
    openedAt: START,
  };
  const packing = packSegment(segment, level);
  const half = Math.ceil(exchanges.length / 2);
  const first = packing.add(exchanges.slice(0, half).map((one) => ({ exchange: one })));
  const second = packing.add([...exchanges.slice(half).map((one) => ({ exchange: one })), stored]);
  const index = Buffer.from(packing.index()).toString();
  return {
    bytes: Buffer.concat([first.bytes, second.bytes]),
    places: [...first.places, ...second.places],
    index,
  };
};

/** A normalised index line: warcio omits the algorithm of the digest. */
const facts = (key: string, time: string, json: Record<string, unknown>) => {
  const { url, mime, status, digest, length, offset, filename } = json;
  const values = [
    key,
    time,
    url,
    mime,
    Number(status),
    String(digest).replace("sha256:", ""),
    Number(length),
    Number(offset),
    filename,
  ];
  return JSON.stringify(values);
};

const firstLength = (exchanges: readonly Exchange[], level: number) =>
  packAll(exchanges, level).places[0]?.length ?? 0;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

const readAll = async (bytes: Uint8Array, parseHttp: boolean, see: (record: WARCRecord) => Promise<void>) => {
  for await (const record of new WARCParser(inPieces(bytes), { parseHttp, keepHeadersCase: true }))
    await see(record);
};

it("is read by warcio record by record, and every digest that warcio computes is the one written", async () => {
  const { bytes } = packAll(varied);
  const types: string[] = [];
  // Raw blocks for the block digest; with HTTP heads read, warcio's payload is ours.
  await readAll(bytes, false, async (record) => {
    types.push(record.warcType);
    const written = record.warcBlockDigest;
    assert.ok(written?.startsWith("sha256:"));
    if (record.warcType === "warcinfo") return;
    await new WARCSerializer(record).digestRecord({ recompute: true });
    assert.equal(record.warcBlockDigest, written, record.warcTargetURI ?? "");
  });
  const pairs = varied.flatMap(() => ["response", "request"]);
  assert.deepEqual(types, ["warcinfo", ...pairs, "metadata", "request"]);
  await readAll(bytes, true, async (record) => {
    const written = record.warcPayloadDigest;
    assert.equal(written !== null && written !== undefined, /^(response|request)$/.test(record.warcType));
    if (!written) return;
    await new WARCSerializer(record).digestRecord({ recompute: true });
    assert.equal(record.warcPayloadDigest, written, record.warcTargetURI ?? "");
  });
});

it("warcio reads url, time, status, request and body of every exchange", async () => {
  const { bytes } = packAll(varied);
  const responses: WARCRecord[] = [];
  const requests: WARCRecord[] = [];
  await readAll(bytes, true, async (record) => {
    await record.readFully();
    if (record.warcType === "response") responses.push(record);
    if (record.warcType === "request") requests.push(record);
  });
  for (const [i, sent] of varied.entries()) {
    const response = responses[i];
    const request = requests[i];
    assert.ok(response?.payload && request?.payload);
    assert.equal(response.warcTargetURI, new URL(sent.url).href);
    assert.equal(response.warcDate, "2026-11-15T10:20:30.456Z");
    assert.equal(response.httpHeaders?.statusCode, sent.status);
    assert.deepEqual(Buffer.from(response.payload), Buffer.from(sent.body), sent.url);
    assert.equal(request.httpHeaders?.method, sent.method);
    assert.deepEqual(Buffer.from(request.payload), Buffer.from(sent.requestBody ?? []), sent.url);
    assert.deepEqual(request.warcConcurrentTo, [response.warcHeader("WARC-Record-ID")]);
  }
});

it("lets warcio decode a body that came chunked and gzipped", async () => {
  const { bytes } = packAll(varied);
  let decoded = "";
  await readAll(bytes, true, async (record) => {
    if (record.warcType === "response" && record.warcTargetURI?.endsWith("/gzip"))
      decoded = await record.contentText();
  });
  assert.equal(decoded, page.toString());
});

it("writes the index that warcio would write: same keys, times, places and digests, in order", async () => {
  const { bytes, places, index } = packAll(varied.filter(({ method }) => method === "GET"));
  const lines = index.trimEnd().split("\n");
  assert.deepEqual(lines, lines.toSorted());
  assert.deepEqual(JSON.parse(lines[0]!.slice("!meta ".length)), {
    filename: "w-1.warc.gz",
    length: String(bytes.length),
    digest: sha256(bytes),
  });
  const ours = lines.slice(1).map((line) => {
    const [key = "", time = "", ...json] = line.split(" ");
    return facts(key, time, JSON.parse(json.join(" ")));
  });
  const theirs: string[] = [];
  const files = [{ filename: "w-1.warc.gz", reader: inPieces(bytes) }];
  for await (const result of new CDXIndexer({ format: "cdxj" }).iterIndex(files))
    theirs.push(facts(result["urlkey"], result["timestamp"], result));
  assert.equal(ours.length, places.length - 1);
  assert.deepEqual(
    ours,
    theirs.toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

it("every record is a separate gzip member, so each can be read alone", async () => {
  const { bytes, places } = packAll(varied);
  for (const [i, { offset, length, digest }] of places.entries()) {
    const records: WARCRecord[] = [];
    await readAll(bytes.subarray(offset, offset + length), true, async (record) => {
      await record.readFully();
      records.push(record);
    });
    assert.equal(records.length, 1);
    if (i < varied.length) assert.equal(records[0]?.warcPayloadDigest, digest);
    else assert.equal(records[0]?.warcType, "metadata");
  }
});

it("a check finds every changed byte, in a record or by the segment's digest", () => {
  const { bytes, places, index } = packAll(varied);
  const whole = checkSegment("jobs/1/captures/w-1.warc.gz", bytes);
  assert.equal(whole.problem, undefined);
  assert.equal(Buffer.from(whole.index!).toString(), index);
  for (const { offset, length } of places)
    assert.ok(whole.members.some((member) => member.offset === offset && member.length === length));
  assert.equal(whole.files.length, 1);
  for (let at = 0; at < bytes.length; at += 13) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 << (at % 8);
    const { problem, index: made } = checkSegment("jobs/1/captures/w-1.warc.gz", changed);
    assert.ok(problem !== undefined || Buffer.from(made!).toString() !== index, `byte ${at}`);
  }
});

it("writes a repeated body as a revisit of the response that has it", async () => {
  const first = exchange({ body: page });
  const same = { at: START, length: page.length, digest: sha256(page) };
  const { bytes, index } = packAll([
    first,
    exchange({ startedAt: START + 1000, body: Buffer.alloc(0), same }),
  ]);
  const revisits: WARCRecord[] = [];
  await readAll(bytes, true, async (record) => {
    if (record.warcType === "revisit") revisits.push(record);
  });
  assert.equal(revisits.length, 1);
  const [{ warcPayloadDigest, warcRefersToDate, warcRefersToTargetURI, httpHeaders } = {} as WARCRecord] =
    revisits;
  assert.deepEqual(
    [warcPayloadDigest, warcRefersToDate, warcRefersToTargetURI],
    [sha256(page), new Date(START).toISOString(), first.url],
  );
  assert.equal(httpHeaders?.headers.get("content-length"), String(page.length));
  const whole = checkSegment("jobs/1/captures/w-1.warc.gz", bytes);
  assert.deepEqual([whole.problem, Buffer.from(whole.index!).toString()], [undefined, index]);
  assert.match(index, /"mime":"warc\/revisit"/);
});

it("does not compress bytes that are already compressed", () => {
  const png = [exchange({ responseHeaders: [["Content-Type", "image/png"]], body: page })];
  const html = [exchange({ body: page })];
  assert.ok(firstLength(html, 9) < firstLength(html, 1));
  assert.ok(Math.abs(firstLength(png, 9) - firstLength(png, 1)) < 20);
});
