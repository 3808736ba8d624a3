import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, failureOf, type Handler, openTestSession, openTestSite } from "./testing/test-site.ts";

/** `/301/to` redirects with that status; everything else is a page that says how it was asked. */
const redirecting: Handler = (request, response) => {
  const [, status = "", target = ""] = /^\/(3\d\d)\/(.*)$/.exec(request.url) ?? [];
  if (status === "") answer(response, `${request.method} ${request.url} ${request.body}`);
  else answer(response, "moved", { location: decodeURIComponent(target) }, Number(status));
};

test("a redirect is followed, gated and archived as an exchange of its own", async () => {
  await using site = await openTestSite(redirecting);
  await using session = openTestSession(`${site.url}/`);
  const page = await session.http.get("/302/..%2Fa%2Fb%23part");
  assert.equal(page.url, `${site.url}/a/b`);
  assert.deepEqual(session.gated, [`${site.url}/302/..%2Fa%2Fb%23part`, `${site.url}/a/b`]);
  assert.deepEqual(
    session.archived.map(({ status, url }) => [status, url]),
    [
      [302, `${site.url}/302/..%2Fa%2Fb%23part`],
      [200, `${site.url}/a/b`],
    ],
  );
  assert.equal(session.requests, 2);
});

for (const [status, expected] of [
  [301, "GET /x "],
  [302, "GET /x "],
  [303, "GET /x "],
  [307, "POST /x a=1"],
  [308, "POST /x a=1"],
] as const) {
  test(`a POST answered ${status} goes on as ${expected.trim()}`, async () => {
    await using site = await openTestSite(redirecting);
    await using session = openTestSession(site.url);
    const page = await session.http.post(`/${status}/%2Fx`, { form: { a: "1" } }, { acts: true });
    assert.equal(page.text, expected);
    const [, second] = site.seen;
    assert.equal(second?.headers["content-type"] !== undefined, second?.method === "POST");
    assert.equal(session.gated[1]?.startsWith("ACTS"), second?.method === "POST");
  });
}

test("more redirects than the limit are a navigation failure, exactly the limit is not", async () => {
  await using site = await openTestSite((request, response) => {
    const left = Number(request.url.slice(1));
    if (left === 0) answer(response, "there");
    else answer(response, "", { location: `/${left - 1}` }, 302);
  });
  await using session = openTestSession(site.url, { limits: { redirects: 3 } });
  assert.equal((await session.http.get("/3")).text, "there");
  const failure = await failureOf(() => session.http.get("/4"));
  assert.equal(failure.kind, "navigation");
  assert.equal(site.seen.length, 4 + 4);
});

test("a redirect loop is detected before the limit", async () => {
  await using site = await openTestSite((request, response) =>
    answer(response, "", { location: request.url === "/a" ? "/b" : "/a" }, 302),
  );
  await using session = openTestSession(site.url, { limits: { redirects: 15 } });
  assert.equal((await failureOf(() => session.http.get("/a"))).kind, "navigation");
  assert.equal(site.seen.length, 3);
});

test("a redirect to the same URL that sets a cookie is not a loop", async () => {
  await using site = await openTestSite((request, response) =>
    request.headers.cookie
      ? answer(response, request.headers.cookie)
      : answer(response, "", { location: request.url, "set-cookie": "seen=1" }, 302),
  );
  await using session = openTestSession(site.url);
  assert.equal((await session.http.get("/")).text, "seen=1");
});

test("authorization and given cookies do not follow to another origin", async () => {
  await using away = await openTestSite((_, response) => answer(response, "away"));
  await using home = await openTestSite((_, response) =>
    answer(response, "", { location: `${away.url}/x` }, 307),
  );
  await using session = openTestSession(home.url);
  const headers = { Authorization: "Bearer t", Cookie: "a=1", "X-Other": "1" };
  await session.http.get("/", { headers });
  assert.equal(home.seen[0]?.headers.authorization, "Bearer t");
  assert.equal(away.seen[0]?.headers.authorization, undefined);
  assert.equal(away.seen[0]?.headers.cookie, undefined);
  assert.equal(away.seen[0]?.headers["x-other"], "1");
});

test("a redirect out of http is a forbidden target", async () => {
  await using site = await openTestSite((_, response) =>
    answer(response, "", { location: "file:///etc/passwd" }, 302),
  );
  await using session = openTestSession(site.url);
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "forbidden-target");
});

test("a redirect without a readable target is a navigation failure", async () => {
  for (const headers of [{}, { location: "http://[bad" }]) {
    await using site = await openTestSite((_, response) => answer(response, "", headers, 302));
    await using session = openTestSession(site.url);
    const failure = await failureOf(() => session.http.get("/"));
    assert.equal(failure.kind, "navigation");
    assert.equal(failure.status, 302);
  }
});

test("a target beyond ASCII is read as UTF-8, and credentials in it are dropped", async () => {
  await using site = await openTestSite((request, response) => {
    if (request.url !== "/") return answer(response, request.headers.authorization ?? request.url);
    const target = `http://u:p4ss@${request.headers.host}/caf\u00e9`;
    return answer(response, "", { location: Buffer.from(target).toString("latin1") }, 302);
  });
  await using session = openTestSession(site.url);
  const page = await session.http.get("/");
  assert.equal(page.text, "/caf%C3%A9");
  assert.ok(!JSON.stringify(session.archived).includes("p4ss"));
});

test("an accepted redirect status is the answer itself", async () => {
  await using site = await openTestSite(redirecting);
  await using session = openTestSession(site.url);
  const page = await session.http.get("/302/%2Fx", { accept: [302] });
  assert.equal(page.header("Location"), "/x");
  assert.equal(site.seen.length, 1);
});
