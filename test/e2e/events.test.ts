import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openTestSite } from "../../src/collectors/http/testing/test-site.ts";
import type { LiveEvent, SluiceClient } from "../../src/client.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-events-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Events in the log after this one, up to one of this type. */
const hear = async (client: SluiceClient, lastEventId: string, until: string): Promise<LiveEvent[]> => {
  const heard: LiveEvent[] = [];
  for await (const event of client.events({}, { lastEventId })) {
    if (event.type !== "job.progress") heard.push(event);
    if (event.type === until) break;
  }
  return heard;
};

const typesOf = (events: readonly LiveEvent[]): string[] => events.map(({ type }) => type);

const open = async (name: string): Promise<Service> => {
  const service = new Service(join(folder, name));
  service.configure({ allowTargets: ["127.0.0.0/8"] });
  await service.serve();
  return service;
};

test("a webhook, a live listener and `sluice run` receive all events of a job", async () => {
  await using receiver = await openTestSite((_, response) => response.end());
  await using service = await open("all");
  const { client } = service;
  await client.createWebhook({ url: receiver.url });
  const hearing = hear(client, "0", "job.completed");
  const { job } = await client.createJob({ scraper: "page", inputs: [{ url: "http://127.0.0.1:9/" }] });
  await client.pauseJob(job.id);
  const run = await new SluiceProcess(["resume", job.id], {}, service.folder).ended;
  assert.equal(run.code, 3, run.stderr);
  const all = ["job.started", "job.paused", "job.resumed", "item.failed", "job.completed"];
  assert.deepEqual(typesOf(await hearing), all);
  while (receiver.seen.length < all.length) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(
    receiver.seen.map(({ body }) => (JSON.parse(body) as LiveEvent).type),
    all,
  );
  const log = readFileSync(join(service.data, "logs", `${job.id}.jsonl`), "utf8");
  const logged = log.split("\n").flatMap((line) => /"event":"(\w+\.\w+)"/.exec(line)?.[1] ?? []);
  const told = logged.filter((type) => all.includes(type));
  assert.deepEqual(told, all.slice(2), "the run tells what has happened since it began");
});

test("a listener that reconnects after the controller was killed misses no event and gets none twice", async () => {
  await using service = await open("again");
  const { job } = await service.client.createJob({ scraper: "page" });
  const [started] = await hear(service.client, "0", "job.started");
  service.controller.child.kill("SIGKILL");
  await service.controller.ended;
  for (const verb of ["pause", "resume", "cancel"]) {
    const { code, stderr } = await new SluiceProcess(["jobs", verb, job.id], {}, service.folder).ended;
    assert.equal(code, 0, stderr);
  }
  const missed = await hear(await service.serve(), started!.id!, "job.cancelled");
  assert.deepEqual(typesOf(missed), ["job.paused", "job.resumed", "job.cancelled"]);
  assert.ok(missed.every(({ data }) => data["job"] === job.id));
  assert.deepEqual(typesOf(await hear(service.client, "999", "reset")), ["reset"], "an id of no event");
});
