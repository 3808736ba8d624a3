import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { it } from "node:test";
import type { Exchange } from "../domain/capture.ts";
import { startPacker } from "./packer.ts";

const segment = { name: "jobs/1/captures/w-1.warc.gz", job: "1", software: "x", openedAt: 0 };

const entry = (text: string): { readonly exchange: Exchange } => ({
  exchange: {
    method: "POST",
    url: `http://example.com/${text}`,
    startedAt: 0,
    requestHeaders: [],
    requestBody: Buffer.from(`asked ${text}`),
    status: 200,
    statusText: "OK",
    responseHeaders: [],
    body: Buffer.from(`answered ${text}`),
  },
});

it("packs several segments at once, each in the order of its calls", async () => {
  await using packer = startPacker();
  const other = { ...segment, name: "jobs/2/captures/w-1.warc.gz" };
  const [a, b, c] = await Promise.all([
    packer.add(segment, [entry("a"), entry("b")]),
    packer.add(other, [entry("c")]),
    packer.add(segment, [entry("d")]),
  ]);
  const text = gunzipSync(Buffer.concat([a.bytes, c.bytes])).toString("latin1");
  const order = ["answered a", "asked a", "answered b", "asked b", "answered d", "asked d"];
  assert.deepEqual(
    order.map((part) => text.indexOf(part)).toSorted((x, y) => x - y),
    order.map((part) => text.indexOf(part)),
  );
  assert.ok(order.every((part) => text.includes(part)));
  assert.equal(c.places[0]?.offset, a.bytes.length);
  assert.ok((b.places[0]?.offset ?? 0) < a.bytes.length);
  const index = Buffer.from(await packer.finish(segment))
    .toString()
    .trimEnd()
    .split("\n");
  assert.deepEqual(
    index.map((line) => line.split(" ")[0]),
    ["!meta", "com,example)/a", "com,example)/b", "com,example)/d"],
  );
});

it("fails the calls that a dead thread did not answer, and serves the next ones", async () => {
  await using packer = startPacker();
  const lost = assert.rejects(packer.add(segment, [entry("a")]));
  await packer[Symbol.asyncDispose]();
  await lost;
  const { places } = await packer.add({ ...segment, name: "jobs/1/captures/w-2.warc.gz" }, [entry("b")]);
  assert.equal(places.length, 1);
});

it("reports an invalid entry and continues", async () => {
  await using packer = startPacker();
  const { exchange } = entry("a");
  const broken = { exchange: { ...exchange, startedAt: 1e20 } };
  await assert.rejects(packer.add(segment, [broken]), RangeError);
  const { places } = await packer.add({ ...segment, name: "jobs/1/captures/w-2.warc.gz" }, [entry("b")]);
  assert.equal(places.length, 1);
});
