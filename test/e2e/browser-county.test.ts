/** The scripted county, visited with Chromium and nothing of Sluice: its pages show the truth, and its switches do what they say. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parseDocument } from "htmlparser2";
import { type Browser, chromium, type Page } from "playwright-core";
import { REQUEST_KINDS } from "../../examples/county/app/request-kinds.ts";
import { referenceOf } from "../../examples/county/app/reference.ts";
import { DEFAULT_SEED, parcelId } from "../../examples/county/parcels.ts";
import { type County, startCounty } from "../../examples/county/site.ts";
import { TROUBLE_NAMES } from "../../examples/county/troubles.ts";
import { kindOfStatus, readPage, type Visited } from "../../examples/county/visitor.ts";
import { browserOrSkip } from "../browser.ts";

/** Good pages come, however busy the machine is. */
const PATIENT_MS = 180_000;
/** For what never comes. */
const SHORT_MS = 1500;
const LARGE = 1_000_000;
const EVERY_TROUBLE = Object.fromEntries(
  TROUBLE_NAMES.map((name) => [name, 100 / (TROUBLE_NAMES.length + 1)]),
);

const startBrowser = async (t: TestContext): Promise<Browser | undefined> => {
  const found = await browserOrSkip(t);
  if (!found) return undefined;
  const browser = await chromium.launch({ executablePath: found.path, chromiumSandbox: false });
  t.after(() => browser.close());
  return browser;
};

const openPage = async (browser: Browser): Promise<Page> => {
  const page = await browser.newPage();
  page.context().setDefaultTimeout(PATIENT_MS);
  return page;
};

test("every trouble of the scripted variant ends as its truth says for a patient visitor with a browser", async (t) => {
  const browser = await startBrowser(t);
  if (!browser) return;
  await using county = await startCounty({
    parcels: 400,
    scripted: true,
    troubles: EVERY_TROUBLE,
    manners: { dripMs: 50, hugeMegabytes: 2, bombMegabytes: 8 },
  });
  const chosen = new Map([...county.truth()].map((truth) => [truth.trouble, truth]));
  assert.deepEqual(new Set(chosen.keys()), new Set(["none", ...TROUBLE_NAMES]));
  for (const { parcel, trouble, ...expected } of chosen.values()) {
    const page = await openPage(browser);
    const seen = await visitWithBrowser(page, county, parcel, trouble);
    assert.deepEqual(seen, expected, `${trouble} of ${parcel}`);
    await page.context().close();
  }
});

const PASSING: readonly string[] = ["timeout", "reset", "throttle", "unavailable", "error"];

async function visitWithBrowser(
  page: Page,
  county: County,
  parcel: string,
  trouble: string,
): Promise<Visited> {
  await search(page, county.url, parcel);
  if ((await page.locator(".no-results").count()) > 0) return { state: "absent" };
  const address = (await page.locator("a.detail").getAttribute("href")) ?? "";
  const url = new URL(address, county.url).href;
  const first = await readProperty(page, url, trouble);
  return PASSING.includes(trouble) && first.state === "failed" ? readProperty(page, url, "none") : first;
}

async function search(page: Page, site: string, parcel: string): Promise<void> {
  await page.goto(`${site}/app`);
  await page.fill("#parcel", parcel);
  await page.click("#go");
  await page.waitForSelector("#results");
}

const ENDLESS: readonly string[] = ["timeout", "hang", "trickle"];

async function readProperty(page: Page, url: string, trouble: string): Promise<Visited> {
  const failed = (kind: string): Visited => ({ state: "failed", kind });
  const timeout = ENDLESS.includes(trouble) ? SHORT_MS : PATIENT_MS;
  const document = await page.goto(url, { timeout, waitUntil: "domcontentloaded" }).catch(() => undefined);
  if (!document) return failed("timeout");
  if (document.status() !== 200) return failed(kindOfStatus(document.status()));
  // Before anything else: a looping page answers no question, not even for the body of its document.
  if (trouble === "loop") return failed((await answersForEver(page)) ? "timeout" : "browser");
  if ((await document.body()).length > LARGE) return failed("too-large");
  if (trouble === "captcha") return readPage(parseDocument(await page.content()));
  const shown = page.waitForSelector("#app.shown county-property, #app.failed .error", { timeout });
  if (!(await shown.catch(() => undefined))) return failed("timeout");
  if ((await page.locator(".error").count()) > 0) return failed("request");
  const bill = await page.locator("a.bill-pdf").evaluateAll((links) => links.map(String));
  if (trouble === "endless" && bill[0] !== undefined) {
    const ended = fetch(bill[0], { signal: AbortSignal.timeout(SHORT_MS) }).then((answer) => answer.text());
    if (!(await ended.catch(() => undefined))) return failed("timeout");
  }
  return readPage(parseDocument(await page.content()));
}

/** A page that loops stops to answer, for good. */
async function answersForEver(page: Page): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = page.evaluate("1").catch(() => undefined);
    if ((await Promise.race([answer, delay(SHORT_MS)])) === undefined) return false;
    await delay(100);
  }
  return true;
}

const first = parcelId(DEFAULT_SEED, 0);

const truthOfFirst = (county: County): Visited => {
  for (const { parcel: _parcel, trouble: _trouble, ...expected } of county.truth()) return expected;
  return assert.fail();
};

for (const [switches, where] of [
  ["signed,one-time", "page"],
  ["popup", "popup"],
  ["iframe", "frame"],
  ["iframe-other", "frame"],
  ["shadow", "shadow"],
] as const) {
  test(`with ${switches}, a visitor who looks into the ${where} sees the truth`, async (t) => {
    const browser = await startBrowser(t);
    if (!browser) return;
    await using county = await startCounty({ switches, hosts: 2 });
    const page = await openPage(browser);
    await search(page, county.url, first);
    const popup = where === "popup" ? page.waitForEvent("popup") : undefined;
    await page.click("a.detail");
    const shown = (await popup) ?? page;
    if (where === "frame") await shown.waitForSelector("#app.shown iframe");
    const frame = where === "frame" ? shown.frames()[1] : shown.mainFrame();
    assert.ok(frame, "the frame is there");
    assert.equal(new URL(frame.url()).hostname, switches === "iframe-other" ? "127.0.0.2" : "127.0.0.1");
    await frame.waitForSelector("#app.shown county-property");
    const html = await frame.evaluate<string>(SERIALIZE);
    const without = readPage(parseDocument(await frame.content()));
    assert.equal(without.state, where === "shadow" ? "failed" : "done", "light DOM only");
    assert.deepEqual(readPage(parseDocument(html)), truthOfFirst(county));
  });
}

/** Shadow roots in place of their templates, for a reader that knows no templates. */
const SERIALIZE = `(() => {
  const roots = [];
  const collect = (root) => root.querySelectorAll("*").forEach((each) => { if (each.shadowRoot) { roots.push(each.shadowRoot); collect(each.shadowRoot); } });
  collect(document);
  return document.documentElement.getHTML({ shadowRoots: roots }).replaceAll(/<\\/?template[^>]*>/g, "");
})()`;

test("an unsigned visitor of a signed site gets no property", async (t) => {
  const browser = await startBrowser(t);
  if (!browser) return;
  await using county = await startCounty({ switches: "signed" });
  const page = await openPage(browser);
  const answer = await page.goto(
    `${county.url}/api/property/${encodeURIComponent(referenceOf(DEFAULT_SEED, 0))}`,
  );
  assert.equal(answer?.status(), 403);
});

test("the list grows at the end of scrolling until it has every property", async (t) => {
  const browser = await startBrowser(t);
  if (!browser) return;
  await using county = await startCounty({ parcels: 130 });
  const page = await openPage(browser);
  await page.goto(`${county.url}/app/list`);
  await page.waitForSelector("#rows a.detail");
  assert.ok((await page.locator("#rows a.detail").count()) < 130);
  while ((await page.locator("#end-of-list").count()) === 0) {
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await delay(20);
  }
  assert.equal(await page.locator("#rows a.detail").count(), 130);
});

test("cacheable files are fetched once by a browser's context", async (t) => {
  const browser = await startBrowser(t);
  if (!browser) return;
  await using county = await startCounty();
  const page = await openPage(browser);
  for (let n = 0; n < 3; n++) {
    await search(page, county.url, parcelId(DEFAULT_SEED, n));
    await page.click("a.detail");
    await page.waitForSelector("county-property");
  }
  const fetched = county.arrivals.map(({ path }) => path).filter((path) => path.startsWith("/assets/"));
  assert.deepEqual(fetched.sort(), [...new Set(fetched)].sort());
  assert.equal(fetched.filter((path) => path.endsWith(".png")).length, 6);
});

test("the page of kinds makes each of the 17 requests", async (t) => {
  const browser = await startBrowser(t);
  if (!browser) return;
  await using county = await startCounty({ hosts: 2 });
  const page = await openPage(browser);
  await page.goto(`${county.url}/kinds/document`);
  const seen = () => new Set(county.arrivals.flatMap(({ path }) => path.split("/kinds/")[1] ?? []));
  assert.equal(REQUEST_KINDS.length, 17);
  const until = Date.now() + PATIENT_MS;
  while (seen().size < REQUEST_KINDS.length && Date.now() < until) await delay(20);
  assert.deepEqual([...seen()].sort(), [...REQUEST_KINDS].sort());
});
