import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { StoredCapture } from "../../domain/capture.ts";
import { answer, openTestSession, openTestSite } from "./testing/test-site.ts";

const STORED: StoredCapture = {
  ref: { name: "page", url: "", mediaType: "text/html", blob: "b", offset: 0, length: 1, digest: "" },
  status: 200,
  headers: [
    ["content-type", "text/html; charset=latin1"],
    ["Content-Encoding", "gzip"],
    ["date", "Thu, 01 Jan 1970 00:00:00 GMT"],
    ["x-shelf", "old"],
    ["x-kept", "old"],
  ],
  body: gzipSync(Buffer.from("<p>caf\xe9</p>", "latin1")),
};

const openKnowing = async () => {
  const site = await openTestSite(({ url, headers }, response) => {
    if (url === "/moved") return answer(response, "", { location: "/new" }, 302);
    if (headers["if-none-match"] === '"v1"')
      return void response.writeHead(304, { "X-Shelf": "new", "content-type": "text/plain" }).end();
    answer(response, "whole");
  });
  const session = (path: string) =>
    openTestSession(site.url, {
      validators: {
        url: new URL(path, site.url).href,
        etag: '"v1"',
        lastModified: "then",
        stored: async () => STORED,
      },
    });
  return { site, session, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
};

test("the first request for a known page asks whether it has changed, and where it has not the stored page is the answer", async () => {
  await using known = await openKnowing();
  await using session = known.session("/page");
  const page = await session.http.get("/page");
  session.keep.page("page", page);
  assert.deepEqual([page.status, page.mediaType, page.text], [200, "text/html", "<p>café</p>"]);
  assert.deepEqual([page.header("x-shelf"), page.header("x-kept")], ["new", "old"]);
  assert.notEqual(page.header("date"), "Thu, 01 Jan 1970 00:00:00 GMT");
  assert.equal(session.kept.pages[0]?.stored, STORED.ref);
  assert.equal(session.requests, 1);
  const [asked] = known.site.seen;
  assert.deepEqual([asked!.headers["if-none-match"], asked!.headers["if-modified-since"]], ['"v1"', "then"]);
  assert.deepEqual(
    session.archived.map(({ status }) => status),
    [304],
  );
  assert.equal((await session.http.get("/page")).text, "whole", "only the first");
});

test("a known page that can no longer be read is asked for once more, as if it were not known", async () => {
  await using known = await openKnowing();
  await using session = openTestSession(known.site.url, {
    validators: { url: `${known.site.url}/page`, etag: '"v1"', stored: async () => undefined },
  });
  const page = await session.http.get("/page");
  session.keep.page("page", page);
  assert.deepEqual([page.text, session.requests, session.kept.pages[0]?.stored], ["whole", 2, undefined]);
});

test("other pages, later requests and other methods are requested as usual", async () => {
  await using known = await openKnowing();
  await using session = known.session("/page");
  assert.equal((await session.http.get("/other")).text, "whole");
  assert.equal((await session.http.get("/page")).text, "whole");
  await using posting = known.session("/page");
  assert.equal((await posting.http.post("/page", { form: {} })).text, "whole");
  assert.ok(known.site.seen.every(({ headers }) => headers["if-none-match"] === undefined));
});

test("the validators of a page are not sent to its redirect target", async () => {
  await using known = await openKnowing();
  await using session = known.session("/moved");
  assert.equal((await session.http.get("/moved")).text, "whole");
  assert.deepEqual(
    known.site.seen.map(({ headers }) => headers["if-none-match"]),
    ['"v1"', undefined],
  );
});

test("conditional headers of the scraper are not changed, nor is the response to them", async () => {
  await using known = await openKnowing();
  await using session = known.session("/page");
  const page = await session.http.get("/page", { headers: { "If-None-Match": '"v1"' }, accept: [304] });
  assert.deepEqual([page.status, known.site.seen[0]!.headers["if-modified-since"]], [304, undefined]);
});

test("a session knows whether cookies or credentials were part of it", async () => {
  await using site = await openTestSite(({ url }, response) =>
    answer(response, "x", url === "/cookie" ? { "set-cookie": "a=b" } : {}),
  );
  await using plain = openTestSession(site.url);
  await plain.http.get("/");
  assert.equal(plain.hasSecrets, false);
  await plain.http.get("/cookie");
  assert.equal(plain.hasSecrets, true);
  await using keyed = openTestSession(site.url, { headers: { authorization: "Bearer x" } });
  await keyed.http.get("/");
  assert.equal(keyed.hasSecrets, true);
  await using named = openTestSession(site.url.replace("//", "//user:secret@"));
  await named.http.get("/");
  assert.equal(named.hasSecrets, true);
});
