import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { type LiveEvent, pages, ProblemError, SluiceClient } from "./client.ts";
import { openApiKit } from "./api/testing/api-kit.ts";
import type { OpenapiDocument } from "./api/testing/openapi-fuzz.ts";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that answers in turn, and remembers what it was asked. */
const open = async (t: TestContext, ...answers: ((response: ServerResponse) => void)[]) => {
  const seen: Seen[] = [];
  const hear = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    seen.push({ method: request.method!, path: request.url!, headers: request.headers, body });
    const answer = answers[Math.min(seen.length, answers.length) - 1]!;
    answer(response);
  };
  const server = createServer((request, response) => void hear(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, url, client: new SluiceClient({ server: url, key: "sluice_k", firstDelayMs: 1 }) };
};

const json = (value: unknown) => (response: ServerResponse) =>
  void response.setHeader("content-type", "application/json").end(JSON.stringify(value));
const problem =
  (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/problem+json", ...headers })
      .end(JSON.stringify({ code, status, detail: `it is ${code}`, instance: "r1", ...more }));
const hangUp = (response: ServerResponse) => void response.destroy();

test("a request carries the key, and nothing of it is in the URL", async (t) => {
  const { client, seen } = await open(t, json({ id: "j 1" }));
  await client.getJob("j 1/..");
  assert.equal(seen[0]?.path, "/v1/jobs/j%201%2F..");
  assert.equal(seen[0]?.headers.authorization, "Bearer sluice_k");
});

test("a creating request is repeated with the same Idempotency-Key, and another one has another key", async (t) => {
  const { client, seen } = await open(t, hangUp, problem(503, "unavailable"), json({ job: { id: "j" } }));
  const { job } = await client.createJob({ scraper: "page" });
  assert.equal(job.id, "j");
  await client.createJob({ scraper: "page" });
  const keys = seen.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(seen.length, 4);
  assert.ok(keys[0] && keys[0] === keys[1] && keys[1] === keys[2]);
  assert.notEqual(keys[3], keys[0]);
});

test("a request whose answer breaks off is repeated", async (t) => {
  const breakOff = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write('{"id":', () => response.destroy());
  };
  const { client, seen } = await open(t, breakOff, json({ id: "j" }), breakOff);
  assert.equal((await client.getJob("j")).id, "j");
  assert.equal(seen.length, 2);
  await assert.rejects(() => client.retryJob("j"), { code: "unreachable", status: 0 });
});

test("a request that is not safe to repeat is not repeated", async (t) => {
  const { client, seen } = await open(t, problem(503, "unavailable"), json({}));
  await assert.rejects(() => client.retryJob("j"), { code: "unavailable", status: 503 });
  assert.equal(seen.length, 1);
});

test("a busy server says when to try again", async (t) => {
  const { client, seen } = await open(
    t,
    problem(429, "too-many-requests", {}, { "retry-after": "0" }),
    json({ id: "j" }),
  );
  await client.getJob("j");
  assert.equal(seen.length, 2);
});

test("a problem has everything that the server said", async (t) => {
  const errors = [{ path: "scraper", message: "missing" }];
  const { client } = await open(t, problem(400, "invalid-request", { errors, offset: 7 }));
  await assert.rejects(
    () => client.createJob({ scraper: "" }),
    (error) => {
      assert.ok(error instanceof ProblemError);
      assert.deepEqual(
        [error.code, error.status, error.detail, error.errors, error.requestId, error.offset],
        ["invalid-request", 400, "it is invalid-request", errors, "r1", 7],
      );
      return true;
    },
  );
});

test("an answer of another program differs from no answer, and redirects are not followed", async (t) => {
  const elsewhere = await open(t, (response) => void response.writeHead(404).end("<h1>nginx</h1>"));
  await assert.rejects(() => elsewhere.client.getJob("j"), { code: "not-sluice", status: 404 });
  const away = await open(
    t,
    (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  );
  await assert.rejects(() => away.client.getJob("j"), { code: "unreachable", status: 0 });
  const silent = await open(t, hangUp);
  await assert.rejects(() => silent.client.getJob("j"), { code: "unreachable", status: 0 });
  assert.equal(silent.seen.length, 5, "a look may be repeated");
});

test("inputs are streamed with their offset, and results as they arrive", async (t) => {
  const { client, seen } = await open(t, json({ offset: 2 }), (response) => void response.end("a\nb\n"));
  async function* rows() {
    yield Buffer.from("n\n1\n");
    yield Buffer.from("2\n");
  }
  const upload = await client.addInputs("j", rows(), { format: "csv", offset: 0, seal: true });
  assert.equal(upload.offset, 2);
  const { path, body, headers } = seen[0]!;
  assert.deepEqual([path, body], ["/v1/jobs/j/inputs?seal=true", "n\n1\n2\n"]);
  assert.deepEqual([headers["content-type"], headers["upload-offset"]], ["text/csv", "0"]);
  const bytes = await Array.fromAsync(await client.results("j", { format: "csv" }));
  assert.equal(Buffer.concat(bytes).toString(), "a\nb\n");
});

test("a list is read to its last page, with its filters", async (t) => {
  const { client, seen } = await open(
    t,
    json({ data: [1, 2], next: "c1" }),
    json({ data: [], next: "c2" }),
    json({ data: [3] }),
  );
  const items = await Array.fromAsync(
    pages((page) => client.listItems("j", { state: ["done", "failed"], ...page }), 2),
  );
  assert.deepEqual(items, [1, 2, 3]);
  assert.deepEqual(
    seen.map(({ path }) => path.split("?")[1]),
    [
      "state=done&state=failed&limit=2",
      "state=done&state=failed&limit=2&cursor=c1",
      "state=done&state=failed&limit=2&cursor=c2",
    ],
  );
});

/** Where the client's word is shorter than the document's. */
const OTHERWISE: Readonly<Record<string, string>> = {
  getMe: "whoAmI",
  getUpload: "readUpload",
  getResults: "results",
  getManifest: "manifest",
  listenToEvents: "events",
  uploadInputSet: "inputSets.upload",
  listInputSets: "inputSets.list",
  getInputSet: "inputSets.get",
  diffInputSet: "inputSets.diff",
  readInputSet: "inputSets.read",
  removeInputSet: "inputSets.remove",
  createSchedule: "schedules.create",
  previewSchedule: "schedules.preview",
  listSchedules: "schedules.list",
  getSchedule: "schedules.get",
  changeSchedule: "schedules.change",
  removeSchedule: "schedules.remove",
  listFirings: "schedules.firings",
  runSchedule: "schedules.run",
  pauseSchedule: "schedules.pause",
  resumeSchedule: "schedules.resume",
  backfillSchedule: "schedules.backfill",
  repeatStage: "schedules.repeat",
  listVersions: "versions.list",
  getVersion: "versions.get",
  gateVersion: "versions.gate",
  activateVersion: "versions.activate",
  startCanary: "versions.startCanary",
  endCanary: "versions.endCanary",
  rollBackVersion: "versions.rollBack",
  rollbackRelease: "datasets.rollback",
  getLatest: "datasets.latest",
  getCurrentFile: "datasets.file",
  getReleaseFile: "datasets.file",
};
/** Asked by machines that need no client. */
const FOR_OTHERS = ["getHealth", "getReadiness", "getMetrics", "getProblem"];

test("the client has a method for every operation of the API", async () => {
  await using kit = await openApiKit();
  const { paths } = (await kit.ask<OpenapiDocument>("GET", "/openapi.json")).body;
  const client = new SluiceClient({ server: kit.url });
  const { schedules, inputSets, versions, datasets } = client;
  const of = (part: object, name: string) =>
    [part, Object.getPrototypeOf(part) as object]
      .flatMap(Object.getOwnPropertyNames)
      .map((own) => name + own);
  const methods = [
    ...of(client, ""),
    ...of(schedules, "schedules."),
    ...of(inputSets, "inputSets."),
    ...of(versions, "versions."),
    ...of(datasets, "datasets."),
  ];
  const missing = Object.values(paths)
    .flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId))
    .filter((id) => !FOR_OTHERS.includes(id))
    .filter((id) => !methods.includes(OTHERWISE[id] ?? id) && !methods.includes(`datasets.${id}`));
  assert.deepEqual(missing, []);
});

test("webhooks, keys, clients, scrapers, batches and captures of a real server match their types", async () => {
  await using kit = await openApiKit();
  const client = new SluiceClient({ server: kit.url, key: await kit.addClient("a", "admin") });
  const hook = await client.createWebhook({ url: "https://x.example/", events: ["job.completed"] });
  const rotated = await client.rotateWebhook(hook.id);
  assert.deepEqual([rotated.id, rotated.secrets, typeof rotated.secret], [hook.id, 2, "string"]);
  assert.deepEqual((await client.listWebhooks()).data, [
    { id: hook.id, url: hook.url, events: hook.events, secrets: 2 },
  ]);
  assert.equal((await client.removeWebhook(hook.id)).id, hook.id);
  const made = await client.createClient({ name: "b", weight: 2 });
  assert.match(made.webhookSecret ?? "", /^whsec_/);
  assert.equal((await client.changeClient("b", { itemsPerDay: 5 })).itemsPerDay, 5);
  assert.deepEqual([(await client.getClient("b")).weight, (await client.listDeliveries()).data], [2, []]);
  const key = await client.createKey("b", "client");
  const next = await client.rotateKey("b", key.id);
  assert.equal(next.role, "client");
  await assert.rejects(new SluiceClient({ server: kit.url, key: key.key! }).whoAmI(), {
    code: "unauthorized",
  });
  assert.deepEqual((await client.getScraper("county")).fields, [
    { name: "owner", isRequired: true },
    { name: "tax", isRequired: false },
  ]);
  const { batch } = await client.createBatch({ urls: ["https://x.example/"] });
  assert.equal((await client.getBatch(batch.id)).accepted, 1);
  const [result] = (await client.listBatchResults(batch.id, { state: ["queued"] })).data;
  assert.equal(result?.url, "https://x.example/");
  assert.deepEqual((await client.listCaptures(batch.id, result.id)).data, []);
  await assert.rejects(client.getCapture(batch.id, result.id, 0), { code: "not-found" });
  assert.equal((await client.getLane("x.example")).backlog, 1);
});

test("events arrive live, and after the last one received", async () => {
  await using kit = await openApiKit({ watchMs: 20 });
  const client = new SluiceClient({ server: kit.url, key: await kit.addClient("a") });
  const stop = new AbortController();
  const heard: AsyncIterator<LiveEvent, undefined> = client.events(
    { type: ["job.started", "job.paused"] },
    { signal: stop.signal },
  );
  const first = heard.next();
  // A job that was there before the first look is no news: one is started until one is heard of.
  do await client.createJob({ scraper: "page" });
  while ((await Promise.race([first, Promise.resolve()])) === undefined);
  const { value: started } = await first;
  assert.ok(started);
  assert.deepEqual([started.type, started.data["client"]], ["job.started", "a"]);
  await client.pauseJob(String(started.data["job"]));
  for await (const { type, id } of client.events({}, { lastEventId: started.id!, signal: stop.signal }))
    if (type === "job.paused") {
      assert.notEqual(id, started.id);
      break;
    }
  stop.abort();
});
