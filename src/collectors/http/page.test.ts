import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import type { Exchange } from "../../domain/capture.ts";
import { HttpPage, storedPage } from "./page.ts";
import { answer, failureOf, openTestSession, openTestSite } from "./testing/test-site.ts";

const pageOf = (
  html: string,
  url = "http://site.test/dir/page?q=1",
  type = "text/html; charset=utf-8",
): HttpPage => {
  const head = {
    status: 200,
    statusText: "OK",
    headers: [],
    header: (name: string) => (name === "content-type" ? type : undefined),
  };
  const body = Buffer.from(html);
  const exchange: Exchange = {
    method: "GET",
    url,
    startedAt: 0,
    requestHeaders: [],
    responseHeaders: [],
    body,
    ...head,
  };
  return new HttpPage(url, head, body, exchange);
};

test("text, attributes and presence are asked by selector", () => {
  const page = pageOf('<p class="a" DATA-x="1"> two\n words </p>');
  assert.equal(page.textOf(".a"), "two words");
  assert.equal(page.attr(".a", "Data-X"), "1");
  assert.equal(page.has(".a"), true);
  assert.equal(page.has(".b"), false);
  assert.equal(page.textOf(".b"), undefined);
  assert.equal(page.attr(".a", "none"), undefined);
});

test("links are absolute, and a base is respected", () => {
  const links =
    '<a class="x" href=" ../up ">1</a><a href="?q=2">2</a><a href="//cdn.test/f">3</a><a name="n">4</a><a href="javascript:x()">5</a>';
  assert.deepEqual(pageOf(links).links("a"), [
    "http://site.test/up",
    "http://site.test/dir/page?q=2",
    "http://cdn.test/f",
  ]);
  const based = pageOf(`<base target="_top"><base href="/other/dir/"><base href="/third/">${links}`);
  assert.equal(based.link(".x"), "http://site.test/other/up");
  assert.equal(pageOf(`<base href="javascript:alert(1)">${links}`).link(".x"), "http://site.test/up");
});

test("a link that is not there, has no target or runs a script is a navigation failure that names selector and page", async () => {
  const page = pageOf(
    '<a class="bare">x</a><a class="script" href="javascript:__doPostBack(1)">x</a><a class="bad" href="http://[">x</a>',
  );
  for (const selector of ["a.none", "a.bare", "a.script", "a.bad"]) {
    const failure = await failureOf(() => page.link(selector));
    assert.equal(failure.kind, "navigation");
    assert.equal(failure.url, page.url);
    assert.ok(failure.detail.includes(selector), failure.detail);
  }
  assert.match((await failureOf(() => page.link(".script"))).detail, /script/);
});

test("JSON is parsed, and what is not JSON is bad content", async () => {
  assert.deepEqual(pageOf('{"a":[1]}').json(), { a: [1] });
  assert.equal((await failureOf(() => pageOf("<html>").json())).kind, "bad-content");
});

test("without a selector the first form is returned, and a missing form is a navigation failure", async () => {
  const page = pageOf('<div id="f"></div><form id="one"></form><form id="two" action="/two"></form>');
  assert.equal(page.form().action, page.url);
  assert.equal(page.form("#two").action, "http://site.test/two");
  for (const selector of ["#none", "#f"]) {
    assert.equal((await failureOf(() => page.form(selector))).kind, "navigation", selector);
  }
});

test("in XML a link may be the text of an element, and names keep their case and prefix", () => {
  const rss = pageOf(
    "<rss><atom:link href='/self'/><link>/home?a=1&amp;b=2</link><pubDate>x</pubDate></rss>",
    "http://site.test/feed",
    "application/rss+xml",
  );
  assert.equal(rss.link("link"), "http://site.test/home?a=1&b=2");
  assert.equal(rss.link("atom|link"), "http://site.test/self");
  assert.deepEqual(rss.links("*|link"), ["http://site.test/self", "http://site.test/home?a=1&b=2"]);
  assert.equal(rss.textOf("pubDate"), "x");
  assert.equal(rss.has("pubdate"), false);
});

test("a question to XML that is cut off fails as bad content", async () => {
  const failure = await failureOf(async () =>
    pageOf("<rss><item>", "http://site.test/", "text/xml").has("item"),
  );
  assert.equal(failure.kind, "bad-content");
});

test("if no form matches, the forms of the page are named", async () => {
  const page = pageOf(
    '<form id="find"><input name="q"></form><form name="login" action="/in?token=5E55AB"></form><form></form>',
  );
  const { kind, detail } = await failureOf(() => page.form("#search"));
  assert.equal(kind, "navigation");
  assert.equal(
    detail,
    'no form matches #search; the page has form#find, form[name^="login"][action^="/in"], form',
  );
  const many = pageOf("<form></form>".repeat(9));
  assert.match(
    (await failureOf(() => many.form("#search"))).detail,
    /form, form, form, form, form and 4 more$/,
  );
  assert.match((await failureOf(() => pageOf("<p>").form())).detail, /the page has no form$/);
});

const TEXT = "<meta charset=windows-1252><p>Grüße, 5 €</p>";
const LATIN = Buffer.from("<meta charset=windows-1252><p>Gr\xfc\xdfe, 5 \x80</p>", "latin1");

const SENT: Readonly<Record<string, readonly [body: Buffer, headers: Readonly<Record<string, string>>]>> = {
  "as it is": [LATIN, { "content-type": "text/html" }],
  "in UTF-8, by its header": [Buffer.from(TEXT), { "content-type": "text/html; charset=utf-8" }],
  "with a byte order mark": [Buffer.from(`\ufeff${TEXT}`), { "content-type": "text/html" }],
  "in gzip": [zlib.gzipSync(LATIN), { "content-type": "text/html", "Content-Encoding": "gzip" }],
  "in bare deflate": [
    zlib.deflateRawSync(LATIN),
    { "content-type": "text/html", "content-encoding": "deflate" },
  ],
  "in brotli around gzip": [
    zlib.brotliCompressSync(zlib.gzipSync(LATIN)),
    { "content-type": "Text/HTML", "content-encoding": "gzip, br" },
  ],
  "in zstd": [zlib.zstdCompressSync(LATIN), { "content-type": "text/html", "content-encoding": "zstd" }],
  "as a gzip file": [zlib.gzipSync(LATIN), { "content-type": "application/x-gzip" }],
  "without a type, empty": [Buffer.alloc(0), { "content-encoding": "gzip" }],
};

for (const [how, [body, headers]] of Object.entries(SENT)) {
  test(`a page received ${how} is read from the archive unchanged`, async () => {
    await using site = await openTestSite((_, response) => answer(response, body, headers));
    await using session = openTestSession(site.url);
    const page = await session.http.get("/");
    const { url, status, responseHeaders, body: wire } = session.archived[0]!;
    const { mediaType, text } = page;
    const stored = storedPage("detail", { url, status, headers: responseHeaders, body: wire });
    assert.deepEqual(stored, { name: "detail", url: page.url, status: 200, mediaType, text });
    if (body.length > 0) assert.equal(text, TEXT);
  });
}

test("a body that does not match its encoding is reported", () => {
  const stored = { url: "http://example.com/", status: 200, body: Buffer.from("<p>plain</p>") };
  assert.throws(() => storedPage("p", { ...stored, headers: [["Content-Encoding", "gzip"]] }), {
    name: "BodyError",
    kind: "bad-content",
  });
});

test("a page gives a JSON value by its path, and a cookie that the item has, also one of a redirect", async () => {
  await using site = await openTestSite(({ url }, response) =>
    url === "/"
      ? answer(response, "", { location: "/hits", "set-cookie": "XSRF=a%3Db; Path=/" }, 302)
      : answer(response, '{"hits":[{"ref":"R/1"}],"none":null}', { "content-type": "application/json" }),
  );
  await using session = openTestSession(site.url);
  const page = await session.http.get("/");
  assert.equal(page.at("hits[0].ref"), "R/1");
  assert.deepEqual([page.at("none"), page.at("hits[1].ref")], [null, undefined]);
  assert.deepEqual([page.cookie("XSRF"), page.cookie("X")], ["a%3Db", undefined]);
});
