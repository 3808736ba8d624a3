import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { openHttpSession } from "../collectors/http/http-session.ts";
import { answer, failureOf, openTestSite } from "../collectors/http/testing/test-site.ts";
import { createTransport } from "../collectors/http/transport.ts";
import { StopError } from "../domain/failure.ts";
import { Kit } from "../ports/ledger-suite/test-kit.ts";
import { DEFAULT_LIMITS } from "../scrapers/scraper.ts";
import { RobotsGuard } from "./robots-guard.ts";

interface Answer {
  status: number;
  text: string;
  type?: string;
}

/** A site with a robots.txt that can change, and as many guards as there are worker processes. */
const open = async (t: TestContext, robots: Answer) => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  const site = await openTestSite((_, response) =>
    answer(response, robots.text, { "content-type": robots.type ?? "text/plain" }, robots.status),
  );
  const transport = createTransport();
  t.after(async () => {
    await transport.close();
    await site[Symbol.asyncDispose]();
  });
  const guard = (worker: string) =>
    new RobotsGuard({
      ledger: kit.ledger,
      worker,
      collector: async () => ({
        open: async (options) => openHttpSession({ ...options, transport, userAgent: "sluice" }),
        close: () => transport.close(),
      }),
      robotName: "sluice",
      limits: DEFAULT_LIMITS,
    });
  return { kit, site, guard, at: (path: string) => new URL(path, site.url) };
};

const freely = { takeSlot: async () => {} };

test("requests that robots.txt forbids are denied, with what to do; others are allowed", async (t) => {
  const { guard, at } = await open(t, { status: 200, text: "user-agent: sluice\ndisallow: /private" });
  const one = guard("w1");
  await one.check(at("/public"), freely);
  const failure = await failureOf(() => one.check(at("/private/1"), freely));
  assert.equal(failure.kind, "robots-denied");
  assert.equal(failure.url, at("/private/1").href);
  assert.match(failure.detail, /robots: "ignore"/);
});

test("robots.txt is fetched once, however many items and processes ask", async (t) => {
  const { kit, site, guard, at } = await open(t, { status: 200, text: "user-agent: *\ndisallow: /no" });
  // A fetch counts as under way only while its worker is known to live.
  for (const worker of ["w1", "w2"]) await kit.ledger.claim({ worker, room: 1, inFlight: new Map() });
  const guards = [guard("w1"), guard("w2")];
  const checks = Array.from({ length: 20 }, (_, i) => guards[i % 2]!.check(at(`/${i}`), freely));
  await Promise.all(checks);
  await guard("w3").check(at("/later"), freely);
  assert.deepEqual(
    site.seen.map(({ url }) => url),
    ["/robots.txt"],
  );
});

test("the fetch spends a slot, at the site's own address", async (t) => {
  const { site, guard, at } = await open(t, { status: 200, text: "" });
  const taken: string[] = [];
  await guard("w1").check(at("/deep/page?x=1"), {
    takeSlot: async ({ href }) => {
      assert.equal(site.seen.length, 0);
      taken.push(href);
    },
  });
  assert.deepEqual(taken, [at("/robots.txt").href]);
});

test("a site without robots.txt allows everything", async (t) => {
  for (const status of [404, 403, 410]) {
    const { site, guard, at } = await open(t, { status, text: "user-agent: *\ndisallow: /" });
    const one = guard("w1");
    await one.check(at("/any"), freely);
    await one.check(at("/thing"), freely);
    assert.equal(site.seen.length, 1);
  }
});

test("a block page with a 4xx status counts as no robots.txt, one with 200 as no answer", async (t) => {
  const text = "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>";
  const { guard, at } = await open(t, { status: 403, text });
  await guard("w1").check(at("/any"), freely);
  const { guard: another, at: there } = await open(t, { status: 200, text, type: "text/html" });
  assert.equal((await failureOf(() => another("w1").check(there("/any"), freely))).kind, "blocked");
});

test("while robots.txt cannot be fetched, items fail with that kind, and it is requested again", async (t) => {
  const robots = { status: 500, text: "oops" };
  const { site, guard, at } = await open(t, robots);
  const one = guard("w1");
  assert.equal((await failureOf(() => one.check(at("/x"), freely))).kind, "server-error");
  robots.status = 429;
  assert.equal((await failureOf(() => one.check(at("/x"), freely))).kind, "rate-limited");
  Object.assign(robots, { status: 200, text: "user-agent: *\ndisallow: /x" });
  assert.equal((await failureOf(() => one.check(at("/x"), freely))).kind, "robots-denied");
  assert.equal(site.seen.length, 3);
});

test("an answer is not kept longer than a day", async (t) => {
  const { kit, site, guard, at } = await open(t, { status: 200, text: "" });
  await guard("w1").check(at("/"), freely);
  kit.pass(24 * 3_600_000 - 1);
  await guard("w2").check(at("/"), freely);
  assert.equal(site.seen.length, 1);
  kit.pass(1);
  await guard("w3").check(at("/"), freely);
  assert.equal(site.seen.length, 2);
});

test("Crawl-delay is reported by every process that learns of it, once, and is bounded", async (t) => {
  const robots = { status: 200, text: "user-agent: *\ncrawl-delay: 2" };
  const { kit, guard, at } = await open(t, robots);
  const delays: number[] = [];
  const report = (delayMs: number) => void delays.push(delayMs);
  for (const worker of ["w1", "w2"]) {
    const one = guard(worker);
    await one.check(at("/a"), { ...freely, onCrawlDelay: report });
    await one.check(at("/b"), { ...freely, onCrawlDelay: report });
  }
  kit.pass(24 * 3_600_000);
  robots.text = "user-agent: *\ncrawl-delay: 86400";
  await guard("w3").check(at("/a"), { ...freely, onCrawlDelay: report });
  assert.deepEqual(delays, [2000, 2000, 120_000]);
});

test("an item that is stopped while it fetches robots.txt leaves that to the next one", async (t) => {
  const { site, guard, at } = await open(t, { status: 200, text: "" });
  const one = guard("w1");
  const stopped = () => Promise.reject(new StopError("paused"));
  await assert.rejects(() => one.check(at("/"), { takeSlot: stopped }), StopError);
  await one.check(at("/"), freely);
  assert.equal(site.seen.length, 1);
});

test("robots.txt of a forbidden target is not requested, and others that may reach it still can", async (t) => {
  const { site, guard, at } = await open(t, { status: 200, text: "" });
  const one = guard("w1");
  const [refused] = await Promise.all([
    failureOf(() => one.check(at("/"), { ...freely, publicOnly: {} })),
    one.check(at("/"), freely),
  ]);
  assert.deepEqual([refused.kind, site.seen.length], ["forbidden-target", 1]);
});
