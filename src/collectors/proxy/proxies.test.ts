import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeCertificates } from "../../../test/proxies/certificates.ts";
import { freePort } from "../../../test/free-port.ts";
import { REFUSING_ZONES, startSuperProxy } from "../../../test/proxies/super-proxy.ts";
import { startSocksProxy } from "../../../test/proxies/socks-proxy.ts";
import type { ProxyTierConfig } from "../../domain/proxy-tier.ts";
import { redactSecrets } from "../../domain/redact-secrets.ts";
import { answer, failureOf, openTestSession, openTestSite } from "../http/testing/test-site.ts";
import { createTransport } from "../http/transport.ts";
import { createProxies } from "./proxies.ts";

const PASSWORD = "hush-9x-hush";
process.env["TEST_PROXY_PASSWORD"] = PASSWORD;

const zone = (url: string, name: string, more: Partial<ProxyTierConfig> = {}): ProxyTierConfig => ({
  provider: "bright-data",
  url,
  values: { customer: "c1", zone: name },
  passwordEnv: "TEST_PROXY_PASSWORD",
  ...more,
});

const through = (
  site: string,
  tier: ProxyTierConfig,
  { use = "", ...more }: { use?: string } & NonNullable<Parameters<typeof openTestSession>[1]> = {},
) => {
  const proxies = createProxies({ tiers: { t: tier } });
  return openTestSession(site, { proxies, route: { tier: `t${use}`, session: "s1" }, ...more });
};

test("a request uses the provider's proxy with zone, location and session, and its bytes are those that the proxy counts", async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD });
  await using site = await openTestSite((_, response) => answer(response, "x".repeat(20_000)));
  {
    await using session = through(site.url, zone(proxy.url, "res"), { use: ":us-tx" });
    for (const path of ["/a", "/b", "/c"]) assert.equal((await session.http.get(path)).status, 200);
    assert.deepEqual(proxy.connects, [
      { user: "brd-customer-c1-zone-res-country-us-state-tx-session-s1", target: new URL(site.url).host },
    ]);
    assert.equal(session.proxyBytes, proxy.bytes());
  }
  assert.ok(!site.seen.some(({ headers }) => JSON.stringify(headers).includes(PASSWORD)));
});

test("each refusal of the provider is a failure of the proxy, with its reason", async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD });
  await using site = await openTestSite((_, response) => answer(response, "x"));
  for (const [name, { status, headers }] of Object.entries(REFUSING_ZONES)) {
    await using session = through(site.url, zone(proxy.url, name));
    const { kind, detail } = await failureOf(() => session.http.get("/"));
    assert.equal(kind, name === "target" ? "connection" : "proxy", name);
    assert.ok(detail.includes(String(status)), detail);
    const reason = Object.values(headers).at(-1)!;
    assert.ok(detail.includes(/details="(.*)"/.exec(reason)?.[1] ?? reason), detail);
    assert.equal(/Unverified zones/.test(detail), name === "policy");
    assert.equal(session.proxyBytes, proxy.bytes(new RegExp(`-${name}-`)));
  }
  assert.deepEqual(site.seen, []);
});

test("a wrong password is a failure of the proxy, and is not shown", async () => {
  await using proxy = await startSuperProxy({ password: "another" });
  await using session = through("http://127.0.0.1:9/", zone(proxy.url, "res"));
  const { kind, detail } = await failureOf(() => session.http.get("/"));
  assert.equal(kind, "proxy");
  assert.match(detail, /407.*Wrong password/);
  assert.ok(!detail.includes(PASSWORD));
});

test("a missing password is a proxy failure that names its variable", async () => {
  await using session = through(
    "http://127.0.0.1:9/",
    zone("http://127.0.0.1:9", "res", { passwordEnv: "NOT_SET_9X" }),
  );
  const { kind, detail } = await failureOf(() => session.http.get("/"));
  assert.equal(kind, "proxy");
  assert.match(detail, /NOT_SET_9X/);
});

test("a proxy that cannot be reached is a failure of the proxy", async () => {
  await using session = through("http://127.0.0.1:9/", zone(`http://127.0.0.1:${await freePort()}`, "res"));
  const { kind, detail } = await failureOf(() => session.http.get("/"));
  assert.equal(kind, "proxy");
  assert.match(detail, /ECONNREFUSED/);
});

test("a connection that is cut inside a tunnel is a broken connection", async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD, cutAfter: 5000 });
  await using site = await openTestSite((_, response) => answer(response, "x".repeat(20_000)));
  await using session = through(site.url, zone(proxy.url, "cut"));
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "connection");
  assert.equal(site.seen.length, 1);
});

test("a site that is down is not a proxy failure, also behind a plain proxy", async () => {
  await using proxy = await startSocksProxy();
  await using session = through(`http://127.0.0.1:${await freePort()}/`, { url: proxy.url });
  const { kind, detail } = await failureOf(() => session.http.get("/"));
  assert.equal(kind, "connection");
  assert.match(detail, /connection refused/);
});

test("SOCKS5 with a user name and password; names are resolved at the proxy", async () => {
  await using proxy = await startSocksProxy({
    user: "me",
    password: PASSWORD,
    names: { "county.example": "127.0.0.1" },
  });
  await using site = await openTestSite((_, response) => answer(response, "x".repeat(5000)));
  const url = site.url.replace("127.0.0.1", "county.example");
  const tier = { url: proxy.url, user: "me", passwordEnv: "TEST_PROXY_PASSWORD" };
  await using session = through(url, tier);
  assert.equal((await session.http.get("/")).status, 200);
  assert.deepEqual(proxy.asked, [new URL(url).host]);
  assert.equal(session.proxyBytes, proxy.bytes());
  await using wrong = through(url, { ...tier, user: "you" });
  assert.equal((await failureOf(() => wrong.http.get("/"))).kind, "proxy");
  await using none = through(url, { url: proxy.url });
  assert.equal((await failureOf(() => none.http.get("/"))).kind, "proxy");
});

test("an unreachable proxy of a list is skipped", async () => {
  await using proxy = await startSocksProxy();
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const dead = `socks5://127.0.0.1:${await freePort()}`;
  const proxies = createProxies({ tiers: { t: { urls: [dead, proxy.url] } } });
  for (const session of ["a", "b", "c", "d"]) {
    await using http = openTestSession(site.url, { proxies, route: { tier: "t", session } });
    assert.equal((await http.http.get("/")).status, 200);
  }
});

test("private targets are refused before a proxy is asked", async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD });
  const lookup = (
    name: string,
    _: object,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) => done(null, [{ address: name === "inside.example" ? "10.0.0.7" : "93.184.216.34", family: 4 }]);
  for (const host of [
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "169.254.169.254",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "10.1.2.3",
    "localhost",
    "localhost.",
    "db.internal",
    "intranet",
    "inside.example",
  ]) {
    const site = `http://${host}/`;
    await using session = through(site, zone(proxy.url, "res"), {
      publicOnly: {},
      guard: { lookup },
    });
    assert.equal((await failureOf(() => session.http.get("/"))).kind, "forbidden-target", host);
  }
  assert.deepEqual(proxy.connects, []);
});

test("a redirect to a private target is not followed through a proxy", async () => {
  await using inside = await openTestSite((_, response) => answer(response, "inside"));
  const { port } = new URL(inside.url);
  await using site = await openTestSite((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end();
  });
  await using proxy = await startSuperProxy({ password: PASSWORD, names: { "site.example": "127.0.0.1" } });
  const lookup = (
    _: string,
    __: object,
    done: (error: null, found: { address: string; family: number }[]) => void,
  ) => done(null, [{ address: "93.184.216.34", family: 4 }]);
  const url = `http://site.example:${new URL(site.url).port}/`;
  await using session = through(url, zone(proxy.url, "res"), { publicOnly: {}, guard: { lookup } });
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "forbidden-target");
  assert.deepEqual(
    proxy.connects.map(({ target }) => target),
    [new URL(url).host],
  );
});

test("a provider that reads TLS is trusted by the tier's `ca` only, and its errors are found", async (t) => {
  using certificates = makeCertificates("Bright Data", ["127.0.0.1"]);
  if (!certificates) return t.skip("needs openssl");
  await using proxy = await startSuperProxy({ password: PASSWORD, certificates });
  await using site = await openTestSite((_, response) => answer(response, "the site"));
  const secure = site.url.replace("http:", "https:");
  {
    await using session = through(secure, zone(proxy.url, "tls"));
    const { kind, detail } = await failureOf(() => session.http.get("/"));
    assert.equal(kind, "proxy");
    assert.match(detail, /`ca`/);
  }
  const { ca } = certificates;
  for (const url of [secure, site.url]) {
    await using empty = through(url, zone(proxy.url, "empty", { ca }));
    const { kind, detail } = await failureOf(() => empty.http.get("/"));
    assert.equal(kind, "proxy");
    assert.match(detail, /200 no_peer: the exit has gone/);
    await using nopost = through(url, zone(proxy.url, "nopost", { ca }));
    assert.match(
      (await failureOf(() => nopost.http.post("/", { form: { a: "1" } }))).detail,
      /402 policy_20130.*Unverified zones/,
    );
  }
  await using plain = through(site.url, zone(proxy.url, "tls", { ca }));
  assert.equal((await plain.http.get("/")).text, "the site");
});

test("a proxy over TLS with its own certificate", async (t) => {
  using certificates = makeCertificates("Own", ["127.0.0.1"]);
  if (!certificates) return t.skip("needs openssl");
  await using proxy = await startSuperProxy({ password: PASSWORD, certificates, isSecure: true });
  await using site = await openTestSite((_, response) => answer(response, "x".repeat(9000)));
  await using session = through(site.url, zone(proxy.url, "res", { ca: certificates.ca }));
  assert.equal((await session.http.get("/")).status, 200);
  assert.equal(session.proxyBytes, proxy.bytes());
  await using distrusting = through(site.url, zone(proxy.url, "res"));
  assert.equal((await failureOf(() => distrusting.http.get("/"))).kind, "proxy");
});

test("TLS to the site inside a tunnel: bytes include handshakes as the proxy counts them, and a bad certificate is the site's failure", async (t) => {
  using certificates = makeCertificates("County", ["127.0.0.1"]);
  if (!certificates) return t.skip("needs openssl");
  await using proxy = await startSuperProxy({ password: PASSWORD });
  const { key, cert, ca } = certificates;
  const site = createServer({ key, cert }, (_, response) => void response.end("x".repeat(30_000)));
  await once(site.listen(0, "127.0.0.1"), "listening");
  t.after(() => site.close());
  const url = `https://127.0.0.1:${(site.address() as AddressInfo).port}`;
  {
    await using session = through(url, zone(proxy.url, "res", { ca }));
    await Promise.all(["/a", "/b", "/c", "/d"].map((path) => session.http.get(path)));
    for (const path of ["/e", "/f"]) await session.http.get(path);
    assert.equal(proxy.connects.length, 4);
    assert.ok(Math.abs(session.proxyBytes! - proxy.bytes()) <= 0.005 * proxy.bytes());
  }
  await using distrusting = through(url, zone(proxy.url, "res"));
  assert.equal((await failureOf(() => distrusting.http.get("/"))).kind, "connection");
  site.closeAllConnections();
});

test("sessions keep their own sockets, and those of the longest unused are closed", async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD });
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const proxies = createProxies({ tiers: { t: zone(proxy.url, "res") } });
  const transport = createTransport({ proxies });
  const get = async (session: string): Promise<void> => {
    const request = { method: "GET", url: new URL(site.url), headers: [], route: { tier: "t", session } };
    const signal = new AbortController().signal;
    await transport.send(request, { timeoutMs: 10_000, bodyBytes: 100, signal, meter: { bytes: 0 } });
  };
  for (let index = 0; index <= 500; index++) await get(`s${index}`);
  await get("s500");
  assert.equal(proxy.connects.length, 501);
  await get("s0");
  assert.equal(proxy.connects.length, 502);
  await transport.close();
});

test("a file of proxies may hold passwords, which are redacted", async () => {
  await using proxy = await startSocksProxy({ user: "me", password: "of-the-file-7" });
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const folder = await mkdtemp(join(tmpdir(), "sluice-list-"));
  const file = join(folder, "proxies.txt");
  await writeFile(file, `# ours\n\n${proxy.url.replace("//", "//me:of-the-file-7@")}\n`);
  await using session = through(site.url, { file });
  assert.equal((await session.http.get("/")).status, 200);
  assert.equal(redactSecrets("it said of-the-file-7"), "it said ***");
  await rm(folder, { recursive: true });
});
