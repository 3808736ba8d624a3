import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { WorkerKit } from "../../test/worker-kit.ts";
import { answer, type Handler, type SiteRequest } from "../collectors/http/testing/test-site.ts";
import { field } from "../extraction/field.ts";
import { AbsentError } from "../domain/failure.ts";
import type { ChangeCounts } from "../domain/freshness.ts";
import type { ItemView } from "../domain/item.ts";
import type { Freshness } from "../domain/job.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";

/** Jobs one after the other, over one site. */
const open = async (handler: Handler, scraper: Partial<AnyScraper> = {}) => {
  const kit = await WorkerKit.open(handler);
  let jobs = 0;
  const asked = (): readonly SiteRequest[] => kit.site.seen.filter(({ url }) => url !== "/robots.txt");
  const job = async (
    freshness: Freshness,
    { client = "test", path = "/page", guardsTargets = true } = {},
  ): Promise<{ readonly item: ItemView; readonly asked: number; readonly changes: ChangeCounts }> => {
    const id = `job-${++jobs}`;
    const before = asked().length;
    await kit.submit([path], scraper, {}, { id, client, freshness, guardsTargets });
    const { changes } = await kit.run({ job: id });
    return { item: await kit.item(path, id), asked: asked().length - before, changes: changes! };
  };
  return { job, asked, kit, [Symbol.asyncDispose]: () => kit[Symbol.asyncDispose]() };
};

test("a page fetched within the hour is answered from the archive, without a request", async () => {
  await using kit = await open((_, response) => answer(response, "<p>"));
  const first = await kit.job({});
  const second = await kit.job({});
  assert.deepEqual([first.item.state, first.asked], ["done", 1]);
  assert.deepEqual([second.item.state, second.item.skipped?.reason, second.asked], ["skipped", "fresh", 0]);
  assert.deepEqual(second.item.captures, first.item.captures);
  assert.deepEqual([first.changes.new, second.changes.unchanged], [1, 1]);
  assert.equal((await kit.job({ maxAgeMs: 0 })).asked, 1);
});

test("the response's caching headers apply, and the job's option overrides them", async () => {
  await using kit = await open((_, response) => answer(response, "<p>", { "cache-control": "no-store" }));
  await kit.job({});
  assert.equal((await kit.job({})).asked, 1);
  assert.equal((await kit.job({ maxAgeMs: 60_000 })).asked, 0);
});

test("two clients share what was fetched without cookies or credentials, and nothing else", async () => {
  for (const [headers, scraper, isShared] of [
    [{}, {}, true],
    [{ "cache-control": "private" }, {}, false],
    [{ "set-cookie": "session=1" }, {}, false],
    [{ "cache-control": "public, max-age=60", "set-cookie": "session=1" }, {}, false],
    [{ "cache-control": "max-age=60" }, { headers: { authorization: "Bearer secret" } }, false],
    [{ "cache-control": "max-age=60" }, { headers: { cookie: "a=b" } }, false],
  ] as const) {
    await using kit = await open((_, response) => answer(response, "<p>", headers), scraper);
    await kit.job({}, { client: "one" });
    const other = await kit.job({}, { client: "two" });
    assert.equal(other.asked, isShared ? 0 : 1, JSON.stringify([headers, scraper]));
    assert.equal((await kit.job({}, { client: "one" })).asked, 0);
  }
});

test("pages of a job without a target guard are shared with nobody, not even after a 304", async () => {
  await using kit = await open(({ headers }, response) => {
    const fields = { etag: '"v1"', "cache-control": "max-age=60" };
    if (headers["if-none-match"]) response.writeHead(304, fields).end();
    else answer(response, "<p>", fields);
  });
  const local = { client: "local", guardsTargets: false };
  await kit.job({}, local);
  assert.equal((await kit.job({}, local)).asked, 0, "its own client has it");
  const again = await kit.job({ maxAgeMs: 0, onlyChanged: true }, local);
  assert.equal(again.item.skipped?.reason, "unchanged");
  const other = await kit.job({}, { client: "other" });
  assert.deepEqual([other.item.state, other.asked], ["done", 1]);
});

test("two clients that want the same page at the same time cause one fetch", async () => {
  await using kit = await open((_, response) => answer(response, "<p>"));
  for (const client of ["one", "two"])
    await kit.kit.submit(["/page"], {}, {}, { id: client, client, freshness: {}, guardsTargets: true });
  await kit.kit.run({ job: "one", others: ["two"] });
  const states = await Promise.all(["one", "two"].map(async (id) => (await kit.kit.item("/page", id)).state));
  assert.deepEqual(states.toSorted(), ["done", "skipped"]);
  assert.equal(kit.asked().length, 1);
});

test("with an ETag, the site is asked whether the page changed, and the stored page is used", async () => {
  let etag = '"v1"';
  await using kit = await open(({ headers }, response) => {
    if (headers["if-none-match"] === etag) response.writeHead(304, { etag }).end();
    else answer(response, `<p>${etag}`, { etag, "cache-control": "no-cache" });
  });
  const first = await kit.job({ onlyChanged: true });
  const second = await kit.job({ onlyChanged: true });
  assert.equal(second.item.skipped?.reason, "unchanged");
  assert.deepEqual([second.asked, second.changes.unchanged], [1, 1]);
  assert.deepEqual(second.item.captures, first.item.captures);
  etag = '"v2"';
  const third = await kit.job({ onlyChanged: true });
  assert.deepEqual([third.item.state, third.item.change, third.changes.changed], ["done", "changed", 1]);
  for (let again = 0; again < 2; again++) {
    const all = await kit.job({ maxAgeMs: 0 });
    assert.deepEqual([all.item.state, all.item.change, all.asked], ["done", "unchanged", 1]);
    assert.deepEqual(all.item.captures, third.item.captures);
    assert.equal(kit.asked().at(-1)?.headers["if-none-match"], etag);
  }
});

test("with Last-Modified, the site is asked by date", async () => {
  const modified = new Date(0).toUTCString();
  await using kit = await open(({ headers }, response) => {
    if (headers["if-modified-since"] === modified) response.writeHead(304).end();
    else answer(response, "<p>", { "last-modified": modified, "cache-control": "max-age=0" });
  });
  await kit.job({});
  assert.equal((await kit.job({ onlyChanged: true })).item.skipped?.reason, "unchanged");
  assert.equal((await kit.job({})).item.change, "unchanged");
});

const town: Partial<AnyScraper> = {
  async collect({ input, http, keep }) {
    keep.page("town", await http.get((input as { url: string }).url));
  },
  extract: { from: "town", fields: { mayor: field.text(".mayor") } },
};

test("without ETags, the values of the records show whether a page changed", async () => {
  let [mayor, visits] = ["Ann", 0];
  await using kit = await open(
    (_, response) => answer(response, `<i>${++visits} visits</i><b class=mayor>${mayor}</b>`),
    town,
  );
  const weekly = { maxAgeMs: 0, onlyChanged: true };
  const first = await kit.job(weekly);
  assert.deepEqual([first.item.state, first.changes.new], ["done", 1]);
  const same = await kit.job(weekly);
  assert.deepEqual(
    [same.item.state, same.item.change, same.item.quality],
    ["skipped", "unchanged", "complete"],
  );
  assert.ok(same.item.records, "a row always has its values");
  const all = await kit.job({ maxAgeMs: 0 });
  assert.deepEqual([all.item.state, all.item.change], ["done", "unchanged"]);
  mayor = "Bea";
  assert.equal((await kit.job(weekly)).item.change, "changed");
});

test("an unchanged page is judged and read like a fetched one, whatever the scraper accepts", async () => {
  await using kit = await open(
    ({ headers }, response) => {
      if (headers["if-none-match"]) response.writeHead(304).end();
      else answer(response, "<b class=mayor>Ann</b>", { etag: '"v1"' });
    },
    {
      async collect({ input, http, keep }) {
        try {
          keep.page("town", await http.get((input as { url: string }).url));
        } catch {
          throw new AbsentError();
        }
      },
      extract: {
        from: "town",
        fields: { mayor: field.text(".mayor"), party: field.text(".party").optional() },
      },
    },
  );
  const first = await kit.job({ maxAgeMs: 0 });
  for (const wish of [{ maxAgeMs: 0 }, { maxAgeMs: 0, onlyChanged: true }]) {
    const { item, changes } = await kit.job(wish);
    assert.deepEqual([item.change, item.quality, changes.unchanged], ["unchanged", first.item.quality, 1]);
    const [before, now] = await Promise.all(
      [first.item, item].map(async ({ records }) => {
        const { fields } = JSON.parse(
          (await kit.kit.storage.blobs.get(records!.blob, records!)).toString(),
        ) as { fields: unknown };
        return fields;
      }),
    );
    assert.deepEqual(now, before);
  }
  const view = await kit.kit.job("job-2");
  assert.deepEqual(view.fieldCounts, (await kit.kit.job("job-1")).fieldCounts, "and counted");
});

test("a page that is no longer in the archive is fetched completely", async () => {
  await using kit = await open(({ headers }, response) => {
    if (headers["if-none-match"]) response.writeHead(304).end();
    else answer(response, "<b class=mayor>Ann</b>", { etag: '"v1"' });
  }, town);
  const first = await kit.job({ maxAgeMs: 0 });
  await rm(join(kit.kit.storage.data, "blobs", first.item.captures[0]!.blob));
  const second = await kit.job({ maxAgeMs: 0 });
  assert.deepEqual([second.item.state, second.item.change, second.asked], ["done", "unchanged", 2]);
  assert.notDeepEqual(second.item.captures, first.item.captures);
});

test("a scraper that stores no pages sends no conditional requests", async () => {
  await using kit = await open(
    (_, response) => answer(response, "<b class=mayor>Ann</b>", { etag: '"v1"' }),
    {
      ...town,
      archive: "none",
    },
  );
  await kit.job({ maxAgeMs: 0 });
  const { item, asked } = await kit.job({ maxAgeMs: 0 });
  assert.deepEqual(
    [item.change, asked, kit.asked().at(-1)?.headers["if-none-match"]],
    ["unchanged", 1, undefined],
  );
});

test("gone means that the site says so, never that it refused the request", async () => {
  let status = 200;
  await using kit = await open((_, response) => answer(response, "<b class=mayor>Ann</b>", {}, status), {
    ...town,
    failures: { blocked: { maxAttempts: 1 } },
    async collect({ input, http, keep }) {
      const page = await http.get((input as { url: string }).url, { accept: [404] });
      if (page.status === 404) throw new AbsentError();
      keep.page("town", page);
    },
  });
  const weekly = { maxAgeMs: 0 };
  await kit.job(weekly);
  status = 403;
  const blocked = await kit.job(weekly);
  assert.deepEqual([blocked.item.state, blocked.item.change, blocked.changes.gone], ["failed", undefined, 0]);
  status = 404;
  const gone = await kit.job(weekly);
  assert.deepEqual([gone.item.state, gone.item.change, gone.changes.gone], ["absent", "gone", 1]);
});

test("a failure answers the next job for a time that depends on its kind", async () => {
  await using kit = await open((_, response) => answer(response, "", {}, 404), {
    failures: { navigation: { maxAttempts: 1 } },
  });
  assert.equal((await kit.job({})).item.failure?.kind, "navigation");
  const again = await kit.job({});
  assert.deepEqual([again.item.state, again.item.failure?.kind, again.asked], ["skipped", "navigation", 0]);
});

test("an item that acts on the site is never answered from the archive", async () => {
  await using kit = await open((_, response) => answer(response, "<p>"), { once: true });
  await kit.job({});
  assert.equal((await kit.job({})).asked, 1);
});
