/** Kind `auto` with a real browser: it is used for the pages that need it, and for no others. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { startCounty } from "../../examples/county/site.ts";
import { openAutoCollector } from "../../src/collectors/auto/auto-collector.ts";
import { openBrowserCollector } from "../../src/collectors/browser/browser-collector.ts";
import { answer, type Handler } from "../../src/collectors/http/testing/test-site.ts";
import type { ItemView } from "../../src/domain/item.ts";
import { field } from "../../src/extraction/field.ts";
import type { Collectors } from "../../src/ports/collector.ts";
import { absent, type AnyScraper, defineScraper } from "../../src/scrapers/scraper.ts";
import { page as pageScraper } from "../../src/scrapers/page.ts";
import { browserOrSkip } from "../browser.ts";
import { WorkerKit } from "../worker-kit.ts";

/** How often a browser was asked for, and the collectors of a worker that has one. */
const browserOf = async (t: TestContext) => {
  const collector = await openBrowserCollector({
    userAgent: "sluice/test",
    allowTargets: [],
    domainOf: () => null,
    tabs: 4,
  });
  t.after(() => collector.close());
  const used = { count: 0 };
  const browser: Collectors["browser"] = async () => {
    used.count++;
    return collector;
  };
  const collectors = (http: Collectors["http"]): Partial<Collectors> => ({
    browser,
    auto: async () => openAutoCollector({ http, browser }),
  });
  return { used, collectors };
};

/** The page that was kept is one that a browser has built. */
const isOfBrowser = ({ captures }: ItemView): boolean =>
  captures.some(({ url }) => url.startsWith("urn:dom:"));

const SHELL = `<!doctype html><title>Parcel</title><div id=root></div><script>
  fetch("/api" + location.pathname).then((r) => r.json()).then(({ owner }) => {
    document.getElementById("root").innerHTML = "<p class=owner></p>";
    document.querySelector(".owner").textContent = owner;
  });</script>`;

const plainPage = (owner: string): string =>
  `<!doctype html><title>Parcel</title><p class=owner>${owner}</p>${"<p>The certified roll governs.</p>".repeat(50)}<script></script>`;

const numberOf = (path: string): number => Number(/\d+$/.exec(path)?.[0] ?? 0);

/** Whether a page of the mix needs a browser: by its folder, or page by page in the folder of both. */
const needsBrowser = (path: string): boolean =>
  path.startsWith("/scripted/") || (path.startsWith("/both/") && (numberOf(path) * 7919) % 5 < 2);

const mix: Handler = ({ url }, response) => {
  const owner = `Owner ${numberOf(url)}`;
  if (url.startsWith("/api/"))
    return answer(response, JSON.stringify({ owner }), { "content-type": "application/json" });
  answer(response, needsBrowser(url) ? SHELL : plainPage(owner), { "content-type": "text/html" });
};

const owners: Partial<AnyScraper> = {
  kind: "auto",
  limits: { requestMs: 60_000 },
  async collect({ input, page }) {
    await page.goto((input as { url: string }).url);
    await page.ready(".owner");
    await page.keep("page");
  },
  extract: { from: "page", fields: { owner: field.text(".owner") } },
};

test("on a mix of plain and scripted pages, at least 99 % use the right collector after the first fifty", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { collectors } = await browserOf(t);
  await using kit = await WorkerKit.open(mix);
  const paths = Array.from({ length: 300 }, (_, n) => `/${["plain", "scripted", "both"][n % 3]}/${n + 1}`);
  await kit.submit(paths, { ...owners, pace: { perSecond: Infinity, concurrency: 4 } });
  const { counts } = await kit.run({ collectors });
  assert.deepEqual([counts.states.done, counts.states.failed], [300, 0]);
  const items = await kit.items();
  const later = items.filter(({ key }) => numberOf(key) > 50);
  const right = later.filter((item) => isOfBrowser(item) === needsBrowser(item.key));
  assert.ok(right.length / later.length >= 0.99, `${right.length} of ${later.length}`);
  // However it was read, every record is whole.
  assert.ok(items.every((item) => item.quality === "complete"));
  // No plain page was ever opened twice, and in the end scripted ones are not fetched in vain.
  const fetched = Map.groupBy(kit.site.seen, ({ url }) => url);
  assert.ok(paths.filter((path) => !needsBrowser(path)).every((path) => fetched.get(path)?.length === 1));
  const last = paths.slice(-60).filter((path) => path.startsWith("/scripted/"));
  assert.ok(last.filter((path) => fetched.get(path)?.length === 1).length >= last.length - 6);
});

test("a site that is down does not change what was learned, and starts no browser", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { used, collectors } = await browserOf(t);
  let isDown = true;
  await using kit = await WorkerKit.open((request, response) => {
    if (isDown) response.writeHead(503).end("<div id=root></div><script></script>");
    else mix(request, response);
  });
  const failures = {
    "server-error": { maxAttempts: 1, breakerWeight: 0 },
    maintenance: { maxAttempts: 1, breakerWeight: 0 },
  };
  await kit.submit(
    Array.from({ length: 20 }, (_, n) => `/plain/${n + 1}`),
    { ...owners, failures },
  );
  const changes: string[] = [];
  const log = {
    debug: () => {},
    warn: () => {},
    error: () => {},
    info: (message: string) => void changes.push(message),
  };
  const { counts } = await kit.run({ collectors, log });
  assert.equal(counts.states.failed, 20);
  isDown = false;
  await kit.storage.ledger.retryItems("j1", {});
  const { counts: after } = await kit.run({ collectors, log });
  assert.equal(after.states.done, 20);
  assert.equal(used.count, 0);
  assert.ok(!changes.includes("auto scraper mode changed"));
});

test("absent over HTTP is confirmed by the browser once; one that the browser finds is not lost", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { used, collectors } = await browserOf(t);
  await using kit = await WorkerKit.open(({ url }, response) => {
    const says = url.startsWith("/gone/") ? "<p class=none>No property found.</p>" : "";
    answer(response, plainPage("Ann").replace("Ann</p>", `Ann</p>${says}`), {
      "content-type": "text/html",
    });
  });
  await kit.submit(
    Array.from({ length: 20 }, (_, n) => `/gone/${n + 1}`),
    {
      ...owners,
      pace: { perSecond: Infinity, concurrency: 1 },
      collect: async ({ input, page }) => {
        await page.goto((input as { url: string }).url);
        if (await page.has(".none")) throw absent();
        await page.keep("page");
      },
    },
  );
  const { counts } = await kit.run({ collectors });
  assert.equal(counts.states.absent, 20);
  assert.equal(used.count, 1);
});

/** The same code for both variants of the county: where it begins and which button it presses is all that differs. */
const countyScraper = (site: string, start: string, button: string) =>
  defineScraper({
    name: "county-auto",
    kind: "auto",
    site,
    input: pageScraper.input,
    limits: { requestMs: 60_000 },
    async collect({ input, page }) {
      await page.goto(start);
      await page.fill("#parcel", new URL((input as { url: string }).url).pathname.slice(1));
      await page.click(button);
      if ((await page.ready(["a.detail", ".no-results"])) === ".no-results") throw absent();
      await page.click("a.detail");
      await page.ready("#taxdue");
      await page.keep("detail");
    },
    extract: {
      from: "detail",
      fields: {
        parcel: field.text("#lblParcel"),
        owner: field.text(".owner"),
        taxDue: field.money("#taxdue"),
      },
    },
  });

test("one scraper for both variants of the county: the same records, the plain one without a browser", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await using county = await startCounty({ parcels: 24, troubles: { absent: 20 } });
  const truth = [...county.truth()];
  const states: Record<string, unknown>[] = [];
  for (const [start, button] of [
    ["/search", "#btnSearch"],
    ["/app", "#go"],
  ] as const) {
    const { used, collectors } = await browserOf(t);
    await using kit = await WorkerKit.open((_request, response) => answer(response, ""));
    await kit.submit(
      truth.map(({ parcel }) => `/${parcel}`),
      {
        ...(countyScraper(county.url, start, button) as unknown as AnyScraper),
        robots: "ignore",
        pace: { perSecond: Infinity, concurrency: 1 },
      },
    );
    await kit.run({ collectors });
    const items = await kit.items();
    states.push(Object.fromEntries(items.map(({ key, state }) => [key.slice(1), state])));
    const scripted = items.filter(isOfBrowser).length;
    if (start === "/search") assert.deepEqual([scripted, used.count], [0, 1], "one absence is confirmed");
    else assert.equal(scripted, truth.filter(({ state }) => state === "done").length);
  }
  assert.deepEqual(states[0], Object.fromEntries(truth.map(({ parcel, state }) => [parcel, state])));
  assert.deepEqual(states[1], states[0]);
});
