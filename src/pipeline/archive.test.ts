import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { startPacker } from "../archive/packer.ts";
import { readCapture } from "../archive/read-capture.ts";
import { openArchive } from "../archive/segment-writer.ts";
import { openFiles } from "../backends/files/open-files.ts";
import { openTestSession, openTestSite, answer } from "../collectors/http/testing/test-site.ts";
import { sha256 } from "../archive/stored-bytes.ts";
import type { CollectSession } from "../ports/collector.ts";
import { openItemArchive } from "./archive.ts";

const PDF = { "content-type": "application/pdf" };

/** An item that has asked for a search page and a detail page, and kept the second one and a file. */
const collectInto = async (t: TestContext, keepsPages: boolean) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-archive-"));
  const packer = startPacker();
  const site = await openTestSite(({ url }, response) =>
    url === "/bill" ? answer(response, "%PDF-1.7", PDF) : answer(response, `<p>${url}`),
  );
  t.after(async () => {
    await site[Symbol.asyncDispose]();
    await packer[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  const blobs = await openFiles(folder);
  const archive = openArchive({ blobs, packer, job: "j1", software: "test" });
  const item = openItemArchive(archive, keepsPages);
  await using session = openTestSession(site.url, { tools: item.tools });
  await session.http.get("/search");
  session.keep.page("detail", await session.http.get("/detail"));
  await session.keep.file("bill", "/bill");
  const kept = item.commit(session, ['{"owner":"ANN"}']);
  await archive.seal();
  const { captures, records } = await kept;
  const bodies = [];
  for (const capture of captures)
    bodies.push(Buffer.from((await readCapture(blobs, capture)).body).toString());
  const segments: string[] = [];
  for await (const { name } of blobs.list("jobs/j1/captures/")) segments.push(name);
  return {
    names: captures.map(({ name }) => name),
    bodies,
    records: Buffer.from(await blobs.get(records!.blob, records!)).toString(),
    segments,
  };
};

test("kept pages have their names, are read back byte for byte, and the records are stored beside them", async (t) => {
  const { names, bodies, records } = await collectInto(t, true);
  assert.deepEqual(names, ["detail", "bill"]);
  assert.deepEqual(bodies, ["<p>/detail", "%PDF-1.7"]);
  assert.equal(records.trim(), '{"owner":"ANN"}');
});

test("a scraper that stores no pages still stores its files and records", async (t) => {
  const { names, bodies, records } = await collectInto(t, false);
  assert.deepEqual([names, bodies], [["bill"], ["%PDF-1.7"]]);
  assert.equal(records.trim(), '{"owner":"ANN"}');
});

test("a body can be referred to once it is durable, not before", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-archive-"));
  await using packer = startPacker();
  t.after(() => rm(folder, { recursive: true }));
  const archive = openArchive({ blobs: await openFiles(folder), packer, job: "j1", software: "test" });
  const item = openItemArchive(archive, true);
  const body = Buffer.from("script");
  const head = { method: "GET", url: "http://site.test/", startedAt: 5, status: 200, statusText: "OK" };
  await item.tools.archive({ ...head, requestHeaders: [], responseHeaders: [], body }, "key");
  const committed = item.commit({ kept: { pages: [], files: [] } } as unknown as CollectSession, []);
  assert.equal(openItemArchive(archive, true).tools.storedBody?.("key"), undefined);
  await archive.seal();
  await committed;
  assert.deepEqual(openItemArchive(archive, true).tools.storedBody?.("key"), {
    at: 5,
    length: body.length,
    digest: sha256(body),
  });
});
