// e2e: starts an S3 store
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test, type TestContext } from "node:test";
import { seededRandom } from "../../domain/testing/seeded-random.ts";
import { BlobError, type BlobErrorCode, type Blobs } from "../../ports/blobs.ts";
import { type Faults, FaultyProxy } from "../../../test/faulty-proxy.ts";
import { BUCKET, noRadosgw, Radosgw } from "../../../test/radosgw.ts";
import { openS3, type S3Options } from "./open-s3.ts";

const reason = noRadosgw();
const endpoint = reason === undefined ? await Radosgw.shared({ after }) : "";
const skip = reason ?? false;

const open = (prefix: string, own: Partial<S3Options> = {}): Promise<Blobs> =>
  openS3({ bucket: BUCKET, prefix: `${prefix}/`, endpoint, pathStyle: true, region: "us-east-1", ...own });

const code = (expected: BlobErrorCode) => (error: unknown) =>
  error instanceof BlobError && error.code === expected && !error.message.includes("testsecret");

const namesOf = async (blobs: Blobs): Promise<string[]> =>
  (await Array.fromAsync(blobs.list(""))).map(({ name }) => name);

const MB = 1024 * 1024;
async function* megabytes(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(MB, i);
}

test("of eight conditional puts at once exactly one wins", { skip }, async () => {
  for (let round = 0; round < 5; round++) {
    const stores = await Promise.all(Array.from({ length: 8 }, () => open("once")));
    const won = await Promise.all(
      stores.map((blobs, n) => blobs.putOnce!(`name-${round}`, Buffer.from(`${n}`))),
    );
    assert.equal(won.filter(Boolean).length, 1);
    const stored = Buffer.from(await stores[0]!.get(`name-${round}`)).toString();
    assert.equal(won[Number(stored)], true);
  }
});

test(
  "a link works without credentials, until it expires, and for its own object only",
  { skip },
  async () => {
    const blobs = await open("links");
    await blobs.put("jobs/1/files/a.pdf", Buffer.from("bill"));
    await blobs.put("jobs/1/files/b.pdf", Buffer.from("other"));
    const link = await blobs.link!("jobs/1/files/a.pdf", { expiresInSec: 60 });
    const answer = await fetch(link);
    assert.equal(await answer.text(), "bill");
    assert.equal(answer.headers.get("content-disposition"), "attachment");
    assert.equal((await fetch(link.replace("a.pdf", "b.pdf"))).status, 403);
    const short = await blobs.link!("jobs/1/files/a.pdf", { expiresInSec: 1 });
    let status: number;
    do ({ status } = await fetch(short));
    while (status === 200);
    assert.equal(status, 403);
  },
);

test("a half upload is not visible, and is aborted when it is old enough", { skip }, async () => {
  const blobs = await open("half");
  const never = Promise.withResolvers<never>();
  const sent = Promise.withResolvers<void>();
  const put = blobs.put(
    "half",
    (async function* () {
      yield* megabytes(40);
      sent.resolve();
      await never.promise;
    })(),
  );
  put.catch(() => undefined);
  await sent.promise;
  assert.deepEqual(await namesOf(blobs), []);
  assert.equal(await blobs.abortAbandoned!(60_000), 0);
  assert.equal(await (await open("elsewhere")).abortAbandoned!(-60_000), 0);
  assert.equal(await blobs.abortAbandoned!(-60_000), 1);
  assert.equal(await blobs.abortAbandoned!(-60_000), 0);
  never.reject(new Error("the body broke"));
  await assert.rejects(put, /the body broke/);
});

test("what is wrong is said with the way out", { skip }, async () => {
  const patience = { patienceMs: 300 };
  const missing = await open("x", { bucket: "no-such-bucket", patience });
  await assert.rejects(missing.put("a", Buffer.from("x")), code("unavailable"));
  await assert.rejects(missing.put("a", Buffer.from("x")), /create it/);
  const nobody = await open("x", { endpoint: "http://127.0.0.1:1", patience });
  await assert.rejects(nobody.get("a"), code("unavailable"));
  const id = process.env["AWS_SECRET_ACCESS_KEY"];
  process.env["AWS_SECRET_ACCESS_KEY"] = "wrong";
  try {
    const wrong = await open("x", { patience });
    await assert.rejects(wrong.put("a", Buffer.from("x")), code("read-only"));
  } finally {
    process.env["AWS_SECRET_ACCESS_KEY"] = id;
  }
});

const through = async (t: TestContext, prefix: string, faults: Faults) => {
  const proxy = await FaultyProxy.open(endpoint, faults, seededRandom(7));
  t.after(() => proxy[Symbol.asyncDispose]());
  const patience = { firstPauseMs: 5, longestPauseMs: 50 };
  return { proxy, blobs: await open(prefix, { endpoint: proxy.url, patience }) };
};

test("a store that refuses, cuts, forgets to answer and is slow loses nothing", { skip }, async (t) => {
  const faults = {
    refused: 0.15,
    cutUploads: 0.1,
    lostAnswers: 0.1,
    cutAnswers: 0.1,
    slow: 0.05,
    slowMs: 30,
  };
  const { proxy, blobs } = await through(t, "faulty", faults);
  const bodies = new Map(
    Array.from({ length: 60 }, (_, n) => [`jobs/1/files/${n}`, randomBytes(1 + n * 5000)] as const),
  );
  await Promise.all([...bodies].map(([name, body]) => blobs.put(name, body)));
  assert.deepEqual(await blobs.put("big", megabytes(50)), { size: 50 * MB });
  for (const [name, body] of bodies) {
    assert.ok(body.equals(await blobs.get(name)));
    assert.ok(body.subarray(10, 20).equals(await blobs.get(name, { offset: 10, length: 10 })));
  }
  let at = 0;
  for await (const chunk of blobs.stream("big")) {
    assert.equal(chunk[0], Math.floor(at / MB));
    at += chunk.length;
  }
  assert.equal(at, 50 * MB);
  assert.equal((await namesOf(blobs)).length, 61);
  for (let n = 0; n < 20; n++) {
    assert.equal(await blobs.putOnce!(`once-${n}`, Buffer.from("mine")), true, "its own success");
    assert.equal(await blobs.putOnce!(`once-${n}`, Buffer.from("mine")), false);
  }
  await blobs.removeMany!([...bodies.keys()]);
  const direct = await open("faulty");
  assert.equal((await namesOf(direct)).length, 21);
  assert.equal(await direct.abortAbandoned!(-60_000), 0, "no upload is left");
  for (const [fault, times] of Object.entries(proxy.played)) assert.ok(times > 0, fault);
});

test("a store that is down for longer than the patience says so", { skip }, async (t) => {
  const { proxy } = await through(t, "down", { refused: 1 });
  const blobs = await open("down", { endpoint: proxy.url, patience: { patienceMs: 100 } });
  await assert.rejects(blobs.put("a", Buffer.from("x")), code("unavailable"));
});
