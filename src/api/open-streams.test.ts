import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import http from "node:http";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type ApiKit, openApiKit } from "./testing/api-kit.ts";
import { collectJob } from "./testing/collected-job.ts";
import { MOST_STREAMS } from "./open-streams.ts";
import type { ProblemBody } from "./answers.ts";

/** More than the buffers of both ends of a connection hold. */
const LARGE = 24 * 1024 * 1024;

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await delay(20);
};

const makeJob = async (kit: ApiKit, key: string, count: number): Promise<string> => {
  const inputs = Array.from({ length: count }, (_, n) => ({ parcel: String(n) }));
  const { body } = await kit.ask<{ job: { id: string } }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county", ...(count > 0 && { inputs }) },
  });
  return body.job.id;
};

/** A capture that is larger than what a reader who does not read can be sent. */
const largeCapture = async (kit: ApiKit, key: string): Promise<string> => {
  const job = await makeJob(kit, key, 1);
  const body = randomBytes(LARGE);
  await collectJob(kit, job, () => ({ body }));
  const { body: page } = await kit.ask<{ data: { id: string }[] }>("GET", `/v1/jobs/${job}/items`, {
    key,
  });
  return `/v1/jobs/${job}/items/${page.data[0]!.id}/captures/0`;
};

/** The answer's head; nobody reads its body. */
const begin = (kit: ApiKit, key: string, path: string, own = {}): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...own };
    http.get(`${kit.url}${path}`, { agent: false, headers }, resolve).once("error", reject);
  });

test("the number of listeners per client is limited, and a place is free again when one has gone", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  const open = await Promise.all(
    Array.from({ length: MOST_STREAMS.listener }, () => begin(kit, key, "/v1/events")),
  );
  assert.ok(open.every(({ statusCode }) => statusCode === 200));
  const { status, headers, body } = await kit.ask<ProblemBody>("GET", "/v1/events", { key });
  assert.deepEqual([status, body.code, headers.get("retry-after")], [429, "too-many-streams", "1"]);
  const other = await begin(kit, await kit.addClient("b"), "/v1/events");
  assert.equal(other.statusCode, 200);
  other.destroy();
  open.pop()!.destroy();
  for (let isIn = false; !isIn; await delay(20)) {
    const again = await begin(kit, key, "/v1/events");
    isIn = again.statusCode === 200;
    again.destroy();
  }
  for (const response of open) response.destroy();
});

test("requests whose clients leave before their turn take no places", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let waiting = 0;
  await using kit = await openApiKit({
    withRegistry: (registry) =>
      new Proxy(registry, {
        get: (target, name) =>
          name === "findKey"
            ? async (hash: string) => {
                waiting++;
                await gate;
                return await target.findKey(hash);
              }
            : Reflect.get(target, name),
      }),
  });
  const key = await kit.addClient("a");
  const headers = { authorization: `Bearer ${key}` };
  const json = { scraper: "county", inputs: [], labels: { filling: "x".repeat(1_500_000) } };
  const large = { ...headers, "content-type": "application/json", "content-length": "4000000" };
  const gone = [
    ...Array.from({ length: MOST_STREAMS.listener }, () => http.get(`${kit.url}/v1/events`, { headers })),
    http.request(`${kit.url}/v1/batches`, { method: "POST", headers: large }),
  ];
  for (const request of gone) request.on("error", () => undefined).flushHeaders();
  await until(() => waiting > 0);
  // All of them have arrived when later requests have been answered.
  for (let n = 0; n < 20; n++) await kit.ask("GET", "/healthz");
  const closed = gone.map((request) => new Promise((end) => request.once("close", end)));
  for (const request of gone) request.destroy();
  await Promise.all(closed);
  for (let n = 0; n < 20; n++) await kit.ask("GET", "/healthz");
  open();
  for (let status = 429; status === 429; await delay(20)) {
    const listener = await begin(kit, key, "/v1/events");
    status = listener.statusCode!;
    listener.destroy();
  }
  for (let status = 429; status === 429;)
    ({ status } = await kit.ask<ProblemBody>("POST", "/v1/jobs", { key, json }));
});

test("a revoked key ends its events, its download and its upload", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  const path = await largeCapture(kit, key);
  const job = await makeJob(kit, key, 0);
  const [events, file] = [await begin(kit, key, "/v1/events"), await begin(kit, key, path)];
  const upload = http.request(`${kit.url}/v1/jobs/${job}/inputs`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" },
  });
  upload.on("error", () => undefined).write(`{"parcel":"1"}\n`);
  for (let taken = 0; taken === 0;)
    taken = (await kit.ask<{ offset: number }>("GET", `/v1/jobs/${job}/inputs`, { key })).body.offset;
  const ended = Promise.all([
    new Promise((end) => events.once("close", end).resume()),
    new Promise((end) => upload.once("close", end)),
  ]);
  const [info] = await kit.registry.listKeys("a");
  await kit.registry.revokeKey(info!.id, Date.now());
  await ended;
  const cut = () =>
    kit.logged.filter(({ event }) => event === "stream.cut").map(({ facts }) => facts["kind"]);
  await until(() => cut().length === 3);
  assert.deepEqual(new Set(cut()), new Set(["download", "listener", "upload"]));
  let size = 0;
  await assert.rejects(async () => {
    for await (const piece of file) size += (piece as Buffer).length;
  });
  assert.ok(size < LARGE);
});

test("a listener that reads nothing is cut, whatever is buffered for it", async () => {
  await using kit = await openApiKit({ streamTimes: { stalledMs: 50, silentMs: 50 } });
  const key = await kit.addClient("a");
  const job = await makeJob(kit, key, 0);
  const facts = { text: "x".repeat(200_000) };
  await kit.ledger.events.write(
    Array.from({ length: 100 }, () => ({ type: "item.failed", job, facts }) as const),
  );
  const response = await begin(kit, key, "/v1/events", { "last-event-id": "0" });
  await until(() => kit.logged.some(({ event }) => event === "stream.cut"));
  await assert.rejects(async () => {
    for await (const piece of response) assert.ok(piece);
  });
});

test("a stalled reader and a stalled sender are cut", async () => {
  await using kit = await openApiKit({ streamTimes: { stalledMs: 50, silentMs: 50 } });
  const key = await kit.addClient("a");
  const file = await begin(kit, key, await largeCapture(kit, key));
  const upload = http.request(`${kit.url}/v1/jobs/${await makeJob(kit, key, 0)}/inputs`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" },
  });
  const isCut = new Promise((end) => upload.once("error", () => undefined).once("close", end));
  upload.flushHeaders();
  await isCut;
  await until(() => kit.logged.filter(({ event }) => event === "stream.cut").length === 2);
  file.destroy();
});
