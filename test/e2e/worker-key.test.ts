import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError, SluiceClient } from "../../src/client.ts";
import { PROTOCOL, PROTOCOL_HEADER, VERSION_HEADER } from "../../src/ports/ledger-wire.ts";
import { Service } from "./service-process.ts";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-worker-key-"));
const service = new Service(join(folder, "service"));
let key = "";

before(async () => {
  const client = await service.serve();
  key = (await client.createKey("default", "worker")).key!;
});
after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const workWith = (given: string): Promise<Ended> => {
  writeFileSync(join(folder, "key"), `${given}\n`);
  return new SluiceProcess(["worker", "--ledger", service.url, "--key-file", "key"], {}, folder).ended;
};

const ask = (path: string, init: RequestInit & { readonly as?: string; readonly protocol?: number } = {}) =>
  fetch(new URL(path, service.url), {
    ...init,
    headers: {
      authorization: `Bearer ${init.as ?? key}`,
      [PROTOCOL_HEADER]: `${init.protocol ?? PROTOCOL}`,
      [VERSION_HEADER]: "sluice/9.9.9",
      "content-type": "application/json",
    },
  });

const forbidden = (error: unknown): boolean => error instanceof ProblemError && error.code === "forbidden";

test("a worker key allows what workers need and nothing else", async () => {
  const worker = new SluiceClient({ server: service.url, key });
  await assert.rejects(() => worker.listJobs(), forbidden);
  await assert.rejects(() => worker.listWorkers(), forbidden);
  await assert.rejects(() => worker.createJob({ scraper: "page" }), forbidden);
  assert.equal((await ask("/v1/ledger")).status, 200);
  assert.equal((await ask("/v1/ledger/listJobs", { method: "POST", body: "[]" })).status, 403);
  assert.equal((await ask("/v1/ledger/controlJob", { method: "POST", body: '["j", "cancel"]' })).status, 403);
  assert.equal((await ask("/v1/blobs?prefix=jobs/")).status, 200);
  assert.equal((await ask("/v1/blobs?prefix=")).status, 403);
  assert.equal((await ask("/v1/blobs/service/registry.json")).status, 403);
  assert.equal((await ask("/v1/blobs/jobs/%2e%2e%2fservice%2fregistry.json")).status, 409);
  assert.equal((await ask("/v1/blobs/jobs/j/a", { method: "DELETE" })).status, 403);
});

test("a client key allows nothing that workers need", async () => {
  const client = (await service.client.createKey("default", "client")).key!;
  assert.equal((await ask("/v1/ledger", { as: client })).status, 403);
  assert.equal((await ask("/v1/blobs?prefix=jobs/", { as: client })).status, 403);
  const { code, stderr } = await workWith(client);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /--role worker/);
});

test("a worker with an unknown or revoked key says so and ends", async () => {
  const { id, key: made } = await service.client.createKey("default", "worker");
  writeFileSync(join(folder, "running-key"), made!);
  const running = new SluiceProcess(
    ["worker", "--ledger", service.url, "--key-file", "running-key"],
    { SLUICE_DATA: join(folder, "running") },
    folder,
  );
  while (!(await service.client.listWorkers()).data.some(({ pid }) => running.family().includes(pid ?? 0)))
    await delay(50);
  await service.client.revokeKey("default", id);
  for (const { code, stderr } of [await running.ended, await workWith(made!)]) {
    assert.equal(code, 2, stderr);
    assert.match(stderr, /it is unknown or was revoked/);
  }
});

test("controller and worker exchange versions, and the older one is to be upgraded", async () => {
  for (const [protocol, side] of [
    [PROTOCOL + 1, "controller"],
    [PROTOCOL - 1, "worker"],
  ] as const) {
    const answer = await ask("/v1/ledger", { protocol });
    assert.equal(answer.status, 426);
    const { code, detail } = (await answer.json()) as { readonly code: string; readonly detail: string };
    assert.equal(code, "other-protocol");
    assert.match(detail, new RegExp(`sluice/9\\.9\\.9.*sluice/0\\.1\\.0.*Upgrade the ${side}\\.$`));
  }
});

test("an invalid address and a file without a key are refused at once", async () => {
  for (const args of [
    ["--ledger", "controller:7070"],
    ["--ledger", service.url, "--key-file", "none"],
  ]) {
    const { code, stderr } = await new SluiceProcess(["worker", ...args], {}, folder).ended;
    assert.equal(code, 2, stderr);
  }
});
