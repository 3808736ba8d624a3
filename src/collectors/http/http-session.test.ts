import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, failureOf, openTestSession, openTestSite } from "./testing/test-site.ts";

test("a relative URL is requested from the scraper's site, and the page has its final URL", async () => {
  await using site = await openTestSite((request, response) => answer(response, `<h1>${request.url}</h1>`));
  await using session = openTestSession(`${site.url}/app/`);
  const page = await session.http.get("search?q=1#top");
  assert.equal(page.textOf("h1"), "/app/search?q=1");
  assert.equal(page.url, `${site.url}/app/search?q=1`);
  assert.equal(page.status, 200);
  assert.equal(page.mediaType, "text/html");
  assert.equal(site.seen[0]?.headers["user-agent"], "sluice-test");
});

test("every request passes the gate before it is sent, and every response is archived as received", async () => {
  await using site = await openTestSite((_, response) => answer(response, "body", { "X-Kept": "yes" }));
  const order: string[] = [];
  await using session = openTestSession(site.url, {
    tools: {
      gate: async (url) => void order.push(`gate ${url.pathname} after ${site.seen.length}`),
      archive: async (exchange) =>
        void order.push(`archive ${exchange.status} ${Buffer.from(exchange.body).toString()}`),
    },
  });
  await session.http.get("/a");
  await session.http.get("/b");
  assert.deepEqual(order, ["gate /a after 0", "archive 200 body", "gate /b after 1", "archive 200 body"]);
  assert.equal(session.requests, 2);
  assert.equal(session.bytes, 8);
});

test("an exchange has the request and the response, with headers in order", async () => {
  await using site = await openTestSite((_, response) => answer(response, "ok", { "X-Two": ["a", "b"] }));
  await using session = openTestSession(site.url);
  await session.http.post("/p", { form: { a: "1", b: ["x y", "é"] } }, { headers: { "X-Extra": "1" } });
  const [exchange] = session.archived;
  assert.equal(exchange?.method, "POST");
  assert.equal(exchange?.url, `${site.url}/p`);
  assert.equal(exchange?.statusText, "OK");
  assert.equal(Buffer.from(exchange?.requestBody ?? []).toString(), "a=1&b=x+y&b=%C3%A9");
  assert.equal(site.seen[0]?.body, "a=1&b=x+y&b=%C3%A9");
  const sent = Object.fromEntries(exchange?.requestHeaders ?? []);
  assert.equal(sent["host"], new URL(site.url).host);
  assert.equal(sent["content-type"], "application/x-www-form-urlencoded");
  assert.equal(sent["x-extra"], "1");
  const twos = exchange?.responseHeaders.filter(([name]) => name === "X-Two").map(([, value]) => value);
  assert.deepEqual(twos, ["a", "b"]);
});

test("if the gate refuses, the request is not sent", async () => {
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const refusal = new Error("the lease is lost");
  await using session = openTestSession(site.url, { tools: { gate: () => Promise.reject(refusal) } });
  await assert.rejects(session.http.get("/"), refusal);
  assert.equal(site.seen.length, 0);
  assert.equal(session.requests, 0);
});

test("only a request that says so acts on the site", async () => {
  await using site = await openTestSite((_, response) => answer(response, "x"));
  await using session = openTestSession(site.url);
  await session.http.post("/pay", { json: { n: 1 } }, { acts: true });
  await session.http.post("/search", { bytes: Buffer.from("raw"), mediaType: "text/x-raw" });
  assert.deepEqual(session.gated, [`ACTS ${site.url}/pay`, `${site.url}/search`]);
  assert.equal(site.seen[0]?.headers["content-type"], "application/json");
  assert.equal(site.seen[0]?.body, '{"n":1}');
  assert.equal(site.seen[1]?.headers["content-type"], "text/x-raw");
});

test("other schemes are a forbidden target, an invalid URL is a navigation failure", async () => {
  await using session = openTestSession("http://127.0.0.1:9");
  for (const url of ["ftp://127.0.0.1/x", "file:///etc/passwd", "javascript:void(0)"]) {
    assert.equal((await failureOf(() => session.http.get(url))).kind, "forbidden-target", url);
  }
  const failure = await failureOf(() => session.http.get("http://user:pa55@[bad"));
  assert.equal(failure.kind, "navigation");
  assert.ok(!failure.detail.includes("pa55"));
  assert.deepEqual(session.gated, []);
});

test("an item with more requests than its limit is stopped", async () => {
  await using site = await openTestSite((_, response) => answer(response, "x"));
  await using session = openTestSession(site.url, { limits: { hops: 2 } });
  const made = await Promise.allSettled([1, 2, 3].map((n) => session.http.get(`/${n}`)));
  assert.deepEqual(
    made.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected"],
  );
  assert.equal((await failureOf(() => session.http.get("/4"))).kind, "navigation");
  assert.equal(site.seen.length, 2);
});

test("statuses that the scraper accepts are pages", async () => {
  await using site = await openTestSite((_, response) => answer(response, "<p>no such parcel</p>", {}, 404));
  await using session = openTestSession(site.url);
  const page = await session.http.get("/", { accept: [404] });
  assert.equal(page.status, 404);
  assert.equal(page.textOf("p"), "no such parcel");
});

test("kept pages carry the exchange that was archived and a document parsed once", async () => {
  await using site = await openTestSite((_, response) => answer(response, "<b>bold</b>"));
  await using session = openTestSession(site.url);
  const page = await session.http.get("/");
  session.keep.page("detail", page);
  const [kept] = session.kept.pages;
  assert.equal(kept?.name, "detail");
  assert.equal(kept?.text, "<b>bold</b>");
  assert.equal(kept?.exchange, session.archived[0]);
  const { document } = kept as unknown as { readonly document: unknown };
  assert.equal(document, (page as unknown as { readonly document: unknown }).document);
});

test("cookies come back to their own site within one item, and never reach another item", async () => {
  await using site = await openTestSite((request, response) =>
    answer(response, request.headers.cookie ?? "none", {
      "set-cookie": [
        "session=s3cret; Path=/; HttpOnly",
        "deep=1; Path=/only/here",
        "alien=1; Domain=example.org",
      ],
    }),
  );
  await using session = openTestSession(site.url);
  await using other = openTestSession(site.url);
  assert.equal((await session.http.get("/")).text, "none");
  assert.equal((await session.http.get("/")).text, "session=s3cret");
  assert.equal((await session.http.get("/only/here")).text, "deep=1; session=s3cret");
  assert.equal((await other.http.get("/")).text, "none");
});

test("secrets do not reach the archive", async () => {
  await using site = await openTestSite((_, response) =>
    answer(response, "x", { "set-cookie": "session=s3cret; Path=/; HttpOnly" }),
  );
  const { host } = new URL(site.url);
  await using session = openTestSession(`http://user:pa55@${host}/`, {
    headers: { "Proxy-Authorization": "Basic pr0xy" },
  });
  await session.http.get("/one");
  await session.http.get("/two", { headers: { Cookie: "given=t0ken" } });
  assert.equal(site.seen[0]?.headers.authorization, `Basic ${Buffer.from("user:pa55").toString("base64")}`);
  assert.equal(site.seen[1]?.headers.cookie, "given=t0ken; session=s3cret");
  const archived = JSON.stringify(session.archived);
  for (const secret of ["s3cret", "pa55", "t0ken", "pr0xy", Buffer.from("user:pa55").toString("base64")]) {
    assert.ok(!archived.includes(secret), secret);
  }
});

test("the site's credentials stay with the site", async () => {
  await using home = await openTestSite((_, response) => answer(response, "x"));
  await using away = await openTestSite((_, response) => answer(response, "x"));
  await using session = openTestSession(home.url, {
    headers: { Authorization: "Bearer t", "X-Common": "1" },
  });
  await session.http.get("/");
  await session.http.get(away.url);
  assert.equal(home.seen[0]?.headers.authorization, "Bearer t");
  assert.equal(away.seen[0]?.headers.authorization, undefined);
  assert.equal(away.seen[0]?.headers["x-common"], "1");
});

test("an aborted item ends its running request with the reason", async () => {
  const stop = new AbortController();
  const reason = new Error("job cancelled");
  await using site = await openTestSite(() => stop.abort(reason));
  await using session = openTestSession(site.url, { tools: { signal: stop.signal } });
  await assert.rejects(session.http.get("/"), reason);
  await assert.rejects(session.http.get("/again"), reason);
  assert.equal(site.seen.length, 1);
});
