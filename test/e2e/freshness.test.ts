import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Item, SluiceClient } from "../../src/client.ts";
import {
  answer,
  type Handler,
  openTestSite,
  type SiteRequest,
} from "../../src/collectors/http/testing/test-site.ts";
import { Service } from "./service-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-freshness-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const SCRAPER = `
  import { absent, defineScraper, field } from "sluice";
  import { z } from "zod";
  export default defineScraper({
    name: "towns",
    site: process.env["SITE_URL"],
    input: z.object({ path: z.string() }),
    key: ({ path }) => path,
    robots: "ignore",
    pace: { perSecond: 200, concurrency: 8 },
    async collect({ input, http, keep }) {
      const headers = input.path.startsWith("/keyed/") ? { authorization: "Bearer 1" } : {};
      const page = await http.get(input.path, { accept: [404], headers });
      if (page.status === 404) throw absent("no such town");
      keep.page("town", page);
    },
    extract: { from: "town", fields: { mayor: field.text(".mayor") } },
  });`;

interface Team {
  readonly name: string;
  readonly client: SluiceClient;
  /** The API without the typed client. */
  readonly get: (path: string) => Promise<Response>;
}

/** A site, a controller with two workers, and two clients of it. */
const openKit = async (name: string, handler: Handler) => {
  await using opened = new AsyncDisposableStack();
  const site = opened.use(await openTestSite(handler));
  const service = opened.use(new Service(join(folder, name), { SITE_URL: site.url }));
  service.writeScraper("towns", SCRAPER);
  const admin = await service.serve("--workers", "2");
  const team = async (of: string): Promise<Team> => {
    await admin.createClient({ name: of });
    const key = (await admin.createKey(of, "client")).key!;
    return {
      name: of,
      client: new SluiceClient({ server: service.url, key, retries: 20 }),
      get: (path) => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } }),
    };
  };
  const one = await team("one");
  const two = await team("two");
  const kept = opened.move();
  return { service, site, one, two, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};

const submit = async ({ client }: Team, paths: readonly string[], freshness = {}): Promise<string> => {
  const inputs = paths.map((path) => ({ path }));
  const { job } = await client.createJob({ scraper: "towns", inputs, freshness, maxAttempts: 2 });
  return job.id;
};

const itemsOf = async ({ client }: Team, job: string): Promise<Map<string, Item>> => {
  const { data } = await client.listItems(job);
  return new Map(data.map((item) => [item.key, item]));
};

const isOver = ({ state }: { readonly state: string }): boolean => state === "done";

const askedFor = (seen: readonly SiteRequest[], path: string): number =>
  seen.filter(({ url }) => url === path).length;

const untilAsked = async (seen: readonly SiteRequest[], path: string): Promise<void> => {
  while (askedFor(seen, path) === 0) await delay(10);
};

test("two clients that want a page at the same time cause one fetch, and each reads it only through its own item", async () => {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  await using kit = await openKit("shared", (_, response) => {
    void mayAnswer.then(() => answer(response, "<b class=mayor>Ann</b>"));
  });
  const { service, site, one, two } = kit;
  const leader = await submit(one, ["/town"]);
  await untilAsked(site.seen, "/town");
  const follower = await submit(two, ["/town"]);
  await service.until(follower, ({ counts }) => counts.states.waiting === 1);
  letAnswer();
  await service.until(leader, isOver);
  const { counts, cost } = await service.until(follower, isOver);
  assert.deepEqual([counts.states.skipped, cost.requests, askedFor(site.seen, "/town")], [1, 0, 1]);

  const item = (await itemsOf(two, follower)).get("/town")!;
  assert.deepEqual([item.state, item.reason, item.attempts], ["skipped", "fresh", 0]);
  const place = `/v1/jobs/${follower}/items/${item.id}`;
  const capture = await two.get(`${place}/captures/0`);
  assert.equal(await capture.text(), "<b class=mayor>Ann</b>");
  const results = await text(await two.client.results(follower));
  assert.equal((JSON.parse(results) as { readonly mayor: string }).mayor, "Ann");

  const [source] = (await itemsOf(one, leader)).values();
  for (const path of [
    "",
    "/items",
    `/items/${source!.id}`,
    `/items/${source!.id}/captures/0`,
    "/results",
    "/manifest",
  ])
    assert.equal((await two.get(`/v1/jobs/${leader}${path}`)).status, 404, path);
  const told = [`/v1/jobs/${follower}`, `/v1/jobs/${follower}/items`, place, `${place}/captures`];
  told.push(`${place}/captures/0/headers`, `/v1/jobs/${follower}/results`, `/v1/jobs/${follower}/manifest`);
  for (const path of told) {
    const answered = await two.get(path);
    const said = JSON.stringify([...answered.headers]) + (await answered.text());
    assert.ok(!said.includes(leader), `${path} tells the other's job: ${said}`);
    assert.equal(answered.status, 200, path);
  }
});

test("an item that waits for another job's fetch fetches by itself when that fails", async () => {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  let answers = 0;
  await using kit = await openKit("failing", (_, response) => {
    const isFirst = answers++ === 0;
    if (isFirst) void mayAnswer.then(() => answer(response, "broken", {}, 500));
    else answer(response, "<b class=mayor>Ann</b>");
  });
  const { service, site, one, two } = kit;
  const leader = await submit(one, ["/town"]);
  await untilAsked(site.seen, "/town");
  const follower = await submit(two, ["/town"]);
  await service.until(follower, ({ counts }) => counts.states.waiting === 1);
  letAnswer();
  const { counts } = await service.until(follower, isOver);
  assert.equal(counts.states.done, 1);
  await service.until(leader, isOver);
  const [failed] = (await itemsOf(one, leader)).values();
  assert.deepEqual([failed!.history.length, failed!.history[0]?.failure.kind], [1, "server-error"]);
});

test("pages fetched with cookies or credentials are not shared between clients, but reused by the same client", async () => {
  const paths = ["/cookie/1", "/keyed/1", "/plain/1"];
  await using kit = await openKit("private", ({ url }, response) =>
    answer(response, "<b class=mayor>Ann</b>", {
      "cache-control": "public, max-age=600",
      ...(url.startsWith("/cookie/") && { "set-cookie": "session=1" }),
    }),
  );
  const { service, site, one, two } = kit;
  const asked = () => paths.map((path) => askedFor(site.seen, path));
  await service.until(await submit(one, paths), isOver);
  assert.deepEqual(asked(), [1, 1, 1]);
  await service.until(await submit(two, paths), isOver);
  assert.deepEqual(asked(), [2, 2, 1]);
  const again = await service.until(await submit(one, paths), isOver);
  assert.deepEqual([again.counts.states.skipped, asked()], [3, [2, 2, 1]]);
});

test("a weekly job reports new, changed, unchanged and gone pages; a block page counts as none of these", async () => {
  let week = 1;
  await using kit = await openKit("weekly", ({ url, headers }, response) => {
    const mayor = (name: string, fields = {}) => answer(response, `<b class=mayor>${name}</b>`, fields);
    if (url === "/etag" && headers["if-none-match"] === '"v1"') response.writeHead(304).end();
    else if (url === "/etag") mayor("Ann", { etag: '"v1"' });
    else if (url === "/changed") mayor(`Ann ${week}`);
    else if (url === "/gone" && week === 2) answer(response, "no such town", {}, 404);
    else if (url === "/blocked" && week === 2) answer(response, "Access denied", {}, 403);
    else mayor("Ann");
  });
  const { service, site, one } = kit;
  const weekly = { maxAgeMs: 0, onlyChanged: true };
  const paths = ["/etag", "/same", "/changed", "/gone", "/blocked"];
  const first = await service.until(await submit(one, paths, weekly), isOver);
  assert.deepEqual(first.changes, { new: 5, changed: 0, unchanged: 0, gone: 0 });

  week = 2;
  const job = await submit(one, [...paths, "/new"], weekly);
  const { changes, counts, failures } = await service.until(job, isOver);
  assert.deepEqual(changes, { new: 1, changed: 1, unchanged: 2, gone: 1 });
  const { done, skipped, absent, failed } = counts.states;
  assert.deepEqual({ done, skipped, absent, failed }, { done: 2, skipped: 2, absent: 1, failed: 1 });
  assert.deepEqual(
    failures.map(({ kind }) => kind),
    ["blocked"],
  );
  const seen = [...(await itemsOf(one, job))].map(([key, { state, change }]) => [key, [state, change]]);
  assert.deepEqual(Object.fromEntries(seen), {
    "/etag": ["skipped", "unchanged"],
    "/same": ["skipped", "unchanged"],
    "/changed": ["done", "changed"],
    "/gone": ["absent", "gone"],
    "/blocked": ["failed", undefined],
    "/new": ["done", "new"],
  });
  const validators = site.seen
    .filter(({ url }) => url === "/etag")
    .map(({ headers }) => headers["if-none-match"]);
  assert.deepEqual(validators, [undefined, '"v1"']);
  const rows = async (of: string) =>
    Object.fromEntries(
      (await text(await one.client.results(of)))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { key: string; mayor?: string; _state: string })
        .map((row) => [row.key, [row._state, row.mayor]]),
    ) as Record<string, [string, string | undefined]>;
  const { "/etag": asked, "/same": compared, "/changed": changed } = await rows(job);
  assert.deepEqual(
    [asked, compared],
    [
      ["skipped", "Ann"],
      ["skipped", "Ann"],
    ],
    "a row has its values",
  );
  assert.deepEqual(changed, ["done", "Ann 2"]);
  const all = await submit(one, ["/etag", "/same"], { maxAgeMs: 0 });
  await service.until(all, isOver);
  assert.deepEqual(await rows(all), { "/etag": ["done", "Ann"], "/same": ["done", "Ann"] });
  assert.equal(site.seen.findLast(({ url }) => url === "/etag")?.headers["if-none-match"], '"v1"');
  const unchanged = (await itemsOf(one, job)).get("/etag")!;
  const kept = await one.get(`/v1/jobs/${job}/items/${unchanged.id}/captures/0`);
  assert.equal(await kept.text(), "<b class=mayor>Ann</b>");
});
