import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openHttpSession } from "../collectors/http/http-session.ts";
import { answer, openTestSite } from "../collectors/http/testing/test-site.ts";
import { createTransport } from "../collectors/http/transport.ts";
import type { Exchange } from "../domain/capture.ts";
import { FailureError, StopError } from "../domain/failure.ts";
import { MissingPackageError } from "../domain/missing-package.ts";
import { BlobError } from "../ports/blobs.ts";
import type { CollectorTools } from "../ports/collector.ts";
import { page } from "../scrapers/page.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { absent, type AnyScraper, type CollectContext, DEFAULT_LIMITS } from "../scrapers/scraper.ts";
import { collect } from "./collect.ts";

interface How {
  readonly scraper?: Partial<AnyScraper>;
  readonly tools?: Partial<CollectorTools>;
  readonly controller?: AbortController;
  /** The scraper has no `site`. */
  readonly isHomeless?: boolean;
}

/** Runs `work` as a scraper's `collect`, against a real site that answers everything but `/never`. */
const run = async (t: TestContext, work: (context: CollectContext<unknown>) => unknown, how: How = {}) => {
  const site = await openTestSite(({ url }, response) => {
    if (url !== "/never") answer(response, "<b>hello</b>");
  });
  const transport = createTransport();
  t.after(async () => {
    await transport.close();
    await site[Symbol.asyncDispose]();
  });
  const scraper = {
    ...page,
    ...(!how.isHomeless && { site: site.url }),
    collect: async (context: CollectContext<unknown>) => void (await work(context)),
    ...how.scraper,
  };
  const tools = {
    gate: async () => {},
    archive: async () => {},
    archiveFile: () => Promise.reject(new Error("no file is asked for")),
    ...how.tools,
  };
  const ready = await compileScraper({ scraper, source: "test", version: "v1", targets: new Map() });
  return await collect({
    ready,
    collector: {
      open: async (options) => openHttpSession({ ...options, transport, userAgent: "test" }),
      close: () => transport.close(),
    },
    input: { url: "/" },
    attempt: 2,
    tools,
    controller: how.controller ?? new AbortController(),
    onLate: assert.ifError,
  });
};

const failureKind = (collected: Awaited<ReturnType<typeof run>>): string | undefined =>
  collected.ended === "failure" ? collected.failure.kind : collected.ended;

test("the kept pages are returned, with the attempt number", async (t) => {
  let attempt = 0;
  const { ended, session } = await run(t, async ({ http, keep, ...context }) => {
    attempt = context.attempt;
    keep.page("one", await http.get("/"));
  });
  assert.deepEqual([ended, attempt, session.requests], ["pages", 2, 1]);
  assert.deepEqual(
    session.kept.pages.map(({ name, text }) => [name, text]),
    [["one", "<b>hello</b>"]],
  );
});

test("the requests of a scraper have its configured identity", async (t) => {
  const sent: (readonly [string, string])[][] = [];
  const archive = async ({ requestHeaders }: Exchange) => void sent.push([...requestHeaders]);
  for (const identity of ["own", "browser"] as const)
    try {
      await run(t, ({ http }) => http.get("/"), { scraper: { identity }, tools: { archive } });
    } catch (error) {
      if (!(error instanceof MissingPackageError)) throw error;
      return t.skip(error.message);
    }
  const agents = sent.map((headers) => headers.find(([name]) => name === "user-agent")?.[1]);
  // A browser's is written by impit.
  assert.deepEqual(agents, ["test", undefined]);
});

test("an input's url that is not an address is not used as the site", async (t) => {
  assert.equal(failureKind(await run(t, () => {}, { isHomeless: true })), "pages");
});

test("`absent` from the site is an outcome", async (t) => {
  const collected = await run(t, () => Promise.reject(absent("no such parcel")));
  assert.deepEqual(
    [collected.ended, "detail" in collected && collected.detail],
    ["absent", "no such parcel"],
  );
});

test("a failure keeps its kind and the fetched pages", async (t) => {
  const collected = await run(t, async ({ http, keep }) => {
    const found = await http.get("/");
    keep.page("search", found);
    found.link("a.detail");
  });
  assert.equal(failureKind(collected), "navigation");
  assert.equal(collected.session.kept.pages.length, 1);
});

test("anything else that a scraper throws is a scraper error, also later", async (t) => {
  assert.equal(failureKind(await run(t, () => Promise.reject(new TypeError("no")))), "scraper-error");
  const throwing = {
    collect() {
      throw new RangeError("at once");
    },
  };
  assert.equal(failureKind(await run(t, () => {}, { scraper: throwing })), "scraper-error");
});

test("a scraper that never ends is a scraper error, a request that never ends is a timeout", async (t) => {
  const scraper = { limits: { itemMs: 50 } };
  assert.equal(failureKind(await run(t, () => new Promise(() => {}), { scraper })), "scraper-error");
  assert.equal(failureKind(await run(t, ({ http }) => http.get("/never"), { scraper })), "timeout");
});

test("a request after the item's time limit is not sent", async (t) => {
  const late = Promise.withResolvers<unknown>();
  let passed = 0;
  const work = ({ http, signal }: CollectContext<unknown>) =>
    new Promise(() => signal.addEventListener("abort", () => void http.get("/").catch(late.resolve)));
  const gate = async () => void passed++;
  const collected = await run(t, work, { scraper: { limits: { itemMs: 50 } }, tools: { gate } });
  assert.ok((await late.promise) instanceof Error);
  assert.deepEqual([failureKind(collected), passed], ["scraper-error", 0]);
});

test("waiting for the gate and the archive does not count as the item's time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const wait = () => Promise.resolve().then(() => t.mock.timers.tick(2 * DEFAULT_LIMITS.itemMs));
  const collected = await run(t, ({ http }) => http.get("/"), { tools: { gate: wait, archive: wait } });
  assert.equal(failureKind(collected), "pages");
});

test("concurrent requests that wait for the gate do not count as the item's time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const first = Promise.withResolvers<void>();
  const gate = async ({ pathname }: URL) => {
    if (pathname === "/1") return;
    await first.promise;
    t.mock.timers.tick(2 * DEFAULT_LIMITS.itemMs);
  };
  const archive = async () => first.resolve();
  const both = await run(t, ({ http }) => Promise.all([http.get("/1"), http.get("/2")]), {
    tools: { gate, archive },
  });
  assert.equal(failureKind(both), "pages");
});

test("the clock continues after a refused request", async (t) => {
  const denied = new FailureError({ kind: "robots-denied", detail: "no" });
  const collected = await run(
    t,
    async ({ http }) => {
      await assert.rejects(() => http.get("/"));
      await new Promise(() => {});
    },
    { scraper: { limits: { itemMs: 50 } }, tools: { gate: () => Promise.reject(denied) } },
  );
  assert.equal(failureKind(collected), "scraper-error");
});

test("a stop is thrown even if the scraper catches it", async (t) => {
  const controller = new AbortController();
  const stopped = run(
    t,
    async () => {
      controller.abort(new StopError("paused"));
      throw new Error("hides it");
    },
    { controller },
  );
  await assert.rejects(stopped, StopError);
  const gate = () => Promise.reject(new StopError("paused"));
  await assert.rejects(
    run(t, ({ http }) => http.get("/"), { tools: { gate } }),
    StopError,
  );
});

test("an archive that cannot be written is not the item's fault", async (t) => {
  const full = new BlobError("no-space", "jobs/1", "the disk is full");
  const archive = () => Promise.reject(full);
  await assert.rejects(
    run(t, ({ http }) => http.get("/"), { tools: { archive } }),
    (error) => error === full,
  );
});
