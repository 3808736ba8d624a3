// e2e: starts controllers as processes and kills them
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { Webhook } from "standardwebhooks";
import { openRegistry } from "../../backends/sqlite/registry/open.ts";
import { openSqlite } from "../../backends/sqlite/open.ts";
import { webhookSender } from "../../channels/webhook/webhook-sender.ts";
import { openTestSite } from "../../collectors/http/testing/test-site.ts";
import type { Registry } from "../../ports/registry.ts";
import { endpoint, SECRET, NotifyKit, until } from "../testing/notify-kit.ts";
import { runWebhooks } from "./webhooks.ts";

const FILE = "SLUICE_TELLING_FILE";
const DIES = "SLUICE_TELLING_DIES";

const start = (service: NotifyKit, holder: string) => {
  const stop = new AbortController();
  const running = runWebhooks({ ...service.tools(holder), sender: webhookSender(), everyMs: 5 }, stop.signal);
  return async (): Promise<void> => {
    stop.abort();
    await running;
  };
};

/** In a child: a controller that comes no further than a certain step of its first delivery. */
const tellUntilDeath = async (file: string, dies: string): Promise<void> => {
  const hang = async (): Promise<never> => {
    process.stdout.write(`${dies}\n`);
    return await new Promise<never>(() => setInterval(() => undefined, 1000));
  };
  const ledger = await openSqlite(file);
  const real = await openRegistry(file);
  const registry: Registry = {
    ...real,
    ...(dies === "before it is sent" && { readClient: hang }),
    ...(dies === "after it was answered" && { endDelivery: hang }),
  };
  // The client's info is also read when deliveries are made: the parent has made them before.
  const report = (_task: string, error: unknown): void => console.error(error);
  await runWebhooks(
    { ledger, registry, holder: "child", report, sender: webhookSender(), everyMs: 5 },
    new AbortController().signal,
  );
};

const startChild = (t: TestContext, service: NotifyKit, dies: string) => {
  assert.ok(t.filePath !== undefined);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [t.filePath], {
    env: { ...env, [FILE]: service.file, [DIES]: dies },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
};

const main = (): void => {
  it("what happens to a job arrives at its client, signed, in order", async (t) => {
    const service = await NotifyKit.open(t);
    await using site = await openTestSite((_, response) => response.end());
    await service.client([endpoint("e1", site.url)]);
    const stop = start(service, "one");
    await service.job("a");
    await service.ledger.controlJob("a", "pause");
    await service.ledger.controlJob("a", "resume");
    await service.ledger.sealJob("a");
    await until(() => site.seen.length === 4);
    await stop();
    const told = site.seen.map(({ body, headers }) =>
      new Webhook(SECRET).verify(body, headers as Record<string, string>),
    ) as { type: string; data: { job: string } }[];
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.job]),
      ["job.started", "job.paused", "job.resumed", "job.completed"].map((type) => [type, "a"]),
    );
    assert.deepEqual(service.problems, []);
  });

  it("several controllers share the work, and nothing is told twice", async (t) => {
    const service = await NotifyKit.open(t);
    await using site = await openTestSite((_, response) => response.end());
    await service.client(Array.from({ length: 5 }, (_, i) => endpoint(`e${i}`, `${site.url}/${i}`)));
    const stops = ["one", "two", "three"].map((holder) => start(service, holder));
    for (let i = 0; i < 20; i++) await service.job(`job${i}`);
    await until(async () => {
      const all = await service.deliveries();
      return all.length === 100 && all.every(({ state }) => state === "delivered");
    });
    await Promise.all(stops.map((stop) => stop()));
    const ids = site.seen.map(({ headers }) => headers["webhook-id"]);
    assert.equal(ids.length, 100);
    assert.equal(new Set(ids).size, 100);
    assert.equal(await service.registry.holdTask("deliveries", "next", 1000), true, "the duty was dropped");
  });

  for (const dies of ["before it is sent", "after it was answered"])
    it(`a controller killed ${dies} loses nothing: the delivery arrives from another one`, async (t) => {
      const service = await NotifyKit.open(t);
      await using site = await openTestSite((_, response) => response.end());
      await service.client([endpoint("e1", site.url)]);
      await service.registry.addDeliveries([
        {
          id: "msg_1",
          event: 1,
          client: "team",
          endpoint: "e1",
          url: site.url,
          type: "job.completed",
          body: '{"type":"job.completed"}',
        },
      ]);
      const child = startChild(t, service, dies);
      const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
      assert.equal(line, dies);
      child.kill("SIGKILL");
      await once(child, "exit");
      const sent = dies === "before it is sent" ? 0 : 1;
      assert.equal(site.seen.length, sent);
      assert.deepEqual(
        (await service.deliveries()).map(({ state }) => state),
        ["due"],
      );

      service.nowMs = Date.now() + 61_000;
      const stop = start(service, "one");
      await until(async () => (await service.deliveries())[0]?.state === "delivered");
      await stop();
      assert.equal(site.seen.length, sent + 1);
      for (const { body, headers } of site.seen) {
        assert.equal(headers["webhook-id"], "msg_1");
        assert.doesNotThrow(() => new Webhook(SECRET).verify(body, headers as Record<string, string>));
      }
    });
};

const file = process.env[FILE];
if (file === undefined) main();
else await tellUntilDeath(file, process.env[DIES] ?? "");
