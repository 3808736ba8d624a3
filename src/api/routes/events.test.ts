import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";
import type { Job } from "../../schemas/job.ts";

interface Told {
  readonly id?: string;
  readonly event: string;
  readonly data: {
    readonly type?: string;
    readonly data?: { readonly job: string; readonly client: string };
  };
}

/** Events as they come, until `isLast` says so. */
const listen = async (
  kit: ApiKit,
  asked: { readonly key?: string; readonly query?: string; readonly after?: string },
  isLast: (told: Told) => boolean,
  onOpen: () => Promise<unknown> = async () => undefined,
): Promise<Told[]> => {
  const stop = new AbortController();
  const response = await kit.raw("GET", `/v1/events${asked.query ?? ""}`, {
    key: asked.key,
    signal: stop.signal,
    ...(asked.after !== undefined && { headers: { "last-event-id": asked.after } }),
  });
  assert.match(response.headers.get("content-type")!, /^text\/event-stream/);
  await onOpen();
  const found: Told[] = [];
  let rest = "";
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const lines = new Map(
        block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]),
      );
      const event = lines.get("event");
      if (event === undefined) continue;
      const id = lines.get("id");
      const told = { event, data: JSON.parse(lines.get("data")!) as Told["data"], ...(id && { id }) };
      found.push(told);
      if (isLast(told)) {
        stop.abort();
        return found;
      }
    }
  }
  return found;
};

const submit = async (kit: ApiKit, key?: string): Promise<string> => {
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county", inputs: [{ parcel: "1" }, { parcel: "2" }] },
  });
  return body.job.id;
};

test("a listener gets the events of a job from start to end, and none of other clients' jobs", async () => {
  await using kit = await openApiKit({ watchMs: 20 });
  const [a, b] = [await kit.addClient("a"), await kit.addClient("b")];
  let job = "";
  const told = await listen(
    kit,
    { key: a },
    ({ event }) => event === "job.completed",
    async () => {
      await collectJob(kit, await submit(kit, b), () => ({ body: "page" }));
      job = await submit(kit, a);
      await kit.ledger.controlJob(job, "pause");
      await kit.ledger.controlJob(job, "resume");
      await collectJob(kit, job, () => ({ body: "page" }));
    },
  );
  assert.ok(told.every(({ data }) => data.data?.client === "a" && data.data.job === job));
  // Progress, which has no id, may come first.
  const kept = told.filter(({ id }) => id !== undefined);
  assert.deepEqual([kept[0]?.event, kept.at(-1)?.event], ["job.started", "job.completed"]);
});

test("a listener that reconnects with its last event id gets what it has missed; with an unknown id, a reset", async () => {
  await using kit = await openApiKit({ watchMs: 20 });
  const first = await listen(
    kit,
    {},
    () => true,
    () => submit(kit),
  );
  await kit.ledger.controlJob(await submit(kit), "cancel");
  const after = first[0]!.id!;
  const missed = await listen(kit, { after, query: "?type=job.cancelled" }, () => true);
  assert.deepEqual(
    missed.map(({ event }) => event),
    ["job.cancelled"],
  );
  const lost = await listen(kit, { after: "other-7" }, () => true);
  assert.deepEqual(
    lost.map(({ event }) => event),
    ["reset"],
  );
});

test("listening ends when the server closes", async () => {
  const kit = await openApiKit();
  const response = await kit.raw("GET", "/v1/events");
  await kit[Symbol.asyncDispose]();
  assert.match(await response.text(), /^: hello/);
});

test("listening ends when its key is revoked", async () => {
  await using kit = await openApiKit({ heartbeatMs: 20 });
  const [key, admin] = [await kit.addClient("a"), await kit.addClient("owner", "admin")];
  const response = await kit.raw("GET", "/v1/events", { key });
  const [info] = await kit.registry.listKeys("a");
  const { status } = await kit.ask("DELETE", `/v1/clients/a/keys/${info!.id}`, { key: admin });
  assert.equal(status, 200);
  assert.match(await response.text(), /^: hello/);
});

test("a listener may begin some events back", async () => {
  await using kit = await openApiKit();
  const job = await submit(kit);
  await kit.ask("POST", `/v1/jobs/${job}/pause?waitMs=0`);
  const told = await listen(kit, { query: "?last=50" }, ({ event }) => event === "job.paused");
  assert.deepEqual(
    told.filter(({ id }) => id !== undefined).map(({ event }) => event),
    ["job.started", "job.paused"],
  );
});
