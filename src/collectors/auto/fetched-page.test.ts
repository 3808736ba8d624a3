import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { AutoPage } from "../../ports/collector.ts";
import { answer, failureOf, openTestSession, openTestSite } from "../http/testing/test-site.ts";
import { FetchedPage } from "./fetched-page.ts";

interface Opened {
  readonly page: AutoPage;
  readonly fetched: FetchedPage;
  /** `GET /path body`, robots.txt and the first page left out. */
  readonly asked: () => string[];
  readonly kept: readonly { readonly name: string; readonly text: string }[];
}

/** `/` of a site that shows this, and anything else as text. */
const open = async (t: TestContext, html: string): Promise<Opened> => {
  const site = await openTestSite(({ url, method, body }, response) =>
    answer(response, url === "/" ? html : `<p>${method} ${url} ${body}`, {
      "content-type": url.endsWith(".pdf") ? "application/pdf" : "text/html; charset=utf-8",
    }),
  );
  t.after(() => site[Symbol.asyncDispose]());
  const session = openTestSession(site.url);
  t.after(() => session[Symbol.asyncDispose]());
  const fetched = new FetchedPage(session);
  const page = fetched.verbs;
  await page.goto("/");
  return {
    page,
    fetched,
    kept: session.kept.pages,
    asked: () => site.seen.slice(1).map(({ method, url, body }) => `${method} ${url} ${body}`.trim()),
  };
};

const FORM = `<form action=/find method=post><input type=hidden name=token value=abc><input id=parcel name=parcel>
  <select name=year id=year><option value=25>2025</option><option value=24>2024</option></select>
  <label><input type=checkbox name=kind value=land checked> <input type=checkbox name=kind value=house id=house></label>
  <input type=radio name=sort value=up id=up checked><input type=radio name=sort value=down id=down>
  <button name=go value=clear id=clear>Clear</button><button name=go value=search><b class=label>Search</b></button></form>`;

test("a form is filled in and sent by the button that was clicked, as in a browser", async (t) => {
  const { page, asked } = await open(t, FORM);
  await page.fill("#parcel", "0100 1");
  await page.select("#year", "2024");
  await page.click("#house");
  await page.click("#down");
  await page.click(".label");
  const sent = "token=abc&parcel=0100+1&year=24&kind=land&kind=house&sort=down&go=search";
  assert.deepEqual(asked(), [`POST /find ${sent}`]);
  assert.equal(await page.text("p"), `POST /find ${sent}`);
  assert.match(page.url(), /\/find$/);
});

test("a click on a checked box unchecks it, and filled values are forgotten with the page", async (t) => {
  const { page, asked } = await open(t, FORM);
  await page.click("[value=land]");
  await page.click("#clear");
  await page.goto("/");
  await page.click("#clear");
  assert.deepEqual(asked(), [
    "POST /find token=abc&parcel=&year=25&sort=up&go=clear",
    "GET /",
    "POST /find token=abc&parcel=&year=25&kind=land&sort=up&go=clear",
  ]);
});

test("links are followed from anything inside them, relative to the page's base", async (t) => {
  const { page, asked } = await open(t, `<base href=/deep/><a href="page?x=1"><span id=in>Next</span></a>`);
  await page.click("#in");
  assert.deepEqual(asked(), ["GET /deep/page?x=1"]);
});

test("text, attributes and kept pages are those of the page as it was fetched", async (t) => {
  const { page, kept } = await open(t, `<p class=a data-x=1>Ann   Smith</p><p class=b>`);
  assert.equal(await page.text(".a"), "Ann Smith");
  assert.equal(await page.attr(".a", "data-x"), "1");
  assert.deepEqual([await page.has(".b"), await page.has(".c")], [true, false]);
  assert.equal(await page.ready([".c", ".b"]), ".b");
  await page.keep("detail");
  assert.deepEqual(
    kept.map(({ name, text }) => [name, text.includes("Ann")]),
    [["detail", true]],
  );
});

test("a file is downloaded by its link or its URL", async (t) => {
  const { page } = await open(t, `<a id=bill href=/bill.pdf>Bill</a>`);
  assert.match((await page.download("bill", { click: "#bill" })).url, /\/bill\.pdf$/);
  assert.match((await page.download("other", { url: "/other.pdf" })).url, /\/other\.pdf$/);
});

test("a missing element fails as `navigation`, at once", async (t) => {
  const { page } = await open(t, FORM);
  for (const verb of [
    () => page.ready("#result"),
    () => page.click("#no-such"),
    () => page.fill("#no-such", "x"),
    () => page.select("#year", "1999").then(() => page.click("#clear")),
  ])
    assert.equal((await failureOf(verb)).kind, "navigation");
});

test("an action that only a script can do is reported as such", async (t) => {
  for (const html of [
    "<span id=x>Search</span>",
    "<button id=x type=button>Search</button>",
    "<a id=x href='javascript:find()'>Search</a>",
    "<a id=x href='#result'>Search</a>",
    "<button id=x>Search</button>",
    "<form action='javascript:find()'><button id=x>Search</button></form>",
  ]) {
    const { page, fetched, asked } = await open(t, html);
    assert.equal((await failureOf(() => page.click("#x"))).kind, "navigation", html);
    assert.match(fetched.sign ?? "none", /only a script can use|sent by a script/, html);
    assert.deepEqual(asked(), []);
  }
  const { page, fetched } = await open(t, "<input id=x name=parcel>");
  assert.equal((await failureOf(() => page.fill("#x", "1"))).kind, "navigation");
  assert.match(fetched.sign ?? "none", /is not part of a form/);
});
