import assert from "node:assert/strict";
import { test } from "node:test";
import { planned, jobSpec } from "../ports/ledger-suite/test-kit.ts";
import { openApiKit } from "./testing/api-kit.ts";
import { Readiness } from "./readiness.ts";

test("work without workers is noticed after 30 seconds, until a worker reports or the job is paused", async () => {
  await using kit = await openApiKit();
  const { ledger, registry } = kit;
  let now = 1_750_000_000_000;
  const readiness = new Readiness({ ledger, registry, now: () => now });
  const after = async (ms: number) => {
    now += ms;
    return await readiness.look();
  };
  assert.deepEqual(await after(60_000), [], "without work nobody is missed");
  await ledger.createJob(jobSpec("job"));
  await ledger.addItems("job", planned(["a"]), []);
  assert.deepEqual(await after(500), [], "asked again within a second");
  assert.deepEqual(await after(1000), ["no-workers"]);
  await ledger.claim({ worker: "w1", room: 1, inFlight: new Map() });
  assert.deepEqual(await after(1000), []);
  await ledger.reap({ worker: "w1" });
  assert.deepEqual(await after(29_000), []);
  assert.deepEqual(await after(1000), ["no-workers"]);
  await ledger.controlJob("job", "pause");
  assert.deepEqual(await after(1000), []);
});

test("each problem is reported by its code, several at once", async () => {
  await using kit = await openApiKit();
  const fail = (code: string) => Promise.reject(Object.assign(new Error("it broke"), { code }));
  const tools = { ledger: kit.ledger, registry: kit.registry, now: Date.now };
  const codesOf = async (own: Partial<ConstructorParameters<typeof Readiness>[0]>) =>
    await new Readiness({ ...tools, ...own }).look();
  assert.deepEqual(await codesOf({ isDiskFull: async () => true }), ["disk-full"]);
  assert.deepEqual(await codesOf({ registry: { holdTask: () => fail("read-only") } }), ["ledger-unwritable"]);
  assert.deepEqual(await codesOf({ registry: { holdTask: () => fail("no-space") } }), [
    "disk-full",
    "ledger-unwritable",
  ]);
  const ledger = { ...kit.ledger, readJob: () => fail("damaged") };
  assert.deepEqual(await codesOf({ ledger, isDiskFull: async () => true }), [
    "disk-full",
    "ledger-unreadable",
  ]);
});

test("a reason can be excluded, so that an autoscaler finds a service without workers", async () => {
  await using kit = await openApiKit({ isDiskFull: async () => true });
  assert.equal((await kit.ask("GET", "/readyz")).status, 503);
  assert.equal((await kit.ask("GET", "/readyz?exclude=disk-full")).status, 200);
  assert.equal((await kit.ask("GET", "/readyz?exclude=no-workers")).status, 503);
  assert.equal((await kit.ask("GET", "/readyz?exclude=rain")).status, 400);
});
