import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createProxies } from "../../src/collectors/proxy/proxies.ts";
import type { ProxyConfig } from "../../src/domain/proxy-tier.ts";
import { browserOrSkip } from "../browser.ts";
import { makeCertificates } from "../proxies/certificates.ts";
import { startSocksProxy } from "../proxies/socks-proxy.ts";
import { REFUSING_ZONES, startSuperProxy } from "../proxies/super-proxy.ts";
import { endOf, startBrowserKit, startSite } from "./browser-kit.ts";

const PASSWORD = "hush-9x-hush";
process.env["TEST_PROXY_PASSWORD"] = PASSWORD;

const zones = (url: string, names: readonly string[]): ProxyConfig => ({
  tiers: Object.fromEntries(
    names.map((zone) => [
      zone,
      {
        provider: "bright-data",
        url,
        values: { customer: "c1", zone },
        passwordEnv: "TEST_PROXY_PASSWORD",
      },
    ]),
  ),
});

const SHELL = `<title>shell</title><script src="/app.js"></script>`;
const APP = `fetch("/data").then((r) => r.text()).then((t) => { document.body.innerHTML = "<p>" + t + "</p>"; });`;

test("items in the browser leave by their route, and their bytes are the proxy's", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await using proxy = await startSuperProxy({ password: PASSWORD });
  await using site = await startSite({
    "/": SHELL,
    "/app.js": (_, res) => void res.writeHead(200, { "content-type": "text/javascript" }).end(APP),
    "/data": "x".repeat(30_000),
  });
  await using kit = await startBrowserKit({ proxies: createProxies(zones(proxy.url, ["res"])) });
  const visit = (session: string) =>
    kit.run(
      site.url,
      async (page) => {
        await page.goto("/");
        await page.ready("p");
      },
      { route: { tier: "res", session } },
    );
  const results = [await visit("s1"), await visit("s1"), await visit("s2")];
  assert.deepEqual(results.map(endOf), ["pages", "pages", "pages"]);
  const own = results.reduce((sum, { session }) => sum + (session.proxyBytes ?? 0), 0);
  const theirs = proxy.bytes();
  assert.ok(Math.abs(own - theirs) <= theirs * 0.005, `${own} and ${theirs}`);
  assert.deepEqual(
    [...new Set(proxy.connects.map(({ user }) => user))],
    ["brd-customer-c1-zone-res-session-s1", "brd-customer-c1-zone-res-session-s2"],
  );
});

test("each refusal of the provider is a failure of the proxy, in the browser too", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await using proxy = await startSuperProxy({ password: PASSWORD });
  await using site = await startSite({ "/": SHELL });
  const names = [...Object.keys(REFUSING_ZONES), "empty"];
  await using kit = await startBrowserKit({ proxies: createProxies(zones(proxy.url, names)) });
  for (const tier of names) {
    const result = await kit.run(site.url, async (page) => await page.goto("/"), {
      route: { tier, session: "s1" },
    });
    assert.equal(endOf(result), tier === "target" ? "connection" : "proxy", tier);
    if (result.ended === "failure") assert.match(result.failure.detail, /proxy .*: \d{3} \w/);
  }
  assert.deepEqual(site.asked, []);
});

test("a browser uses SOCKS5 with a password, which it never sees", async (t) => {
  if (!(await browserOrSkip(t))) return;
  await using proxy = await startSocksProxy({ user: "me", password: PASSWORD });
  await using site = await startSite({ "/": "<p>here</p>" });
  const tiers = { own: { url: proxy.url, user: "me", passwordEnv: "TEST_PROXY_PASSWORD" } };
  await using kit = await startBrowserKit({ proxies: createProxies({ tiers }) });
  const result = await kit.run(site.url, async (page) => await page.goto("/"), {
    route: { tier: "own", session: "s1" },
  });
  assert.equal(endOf(result), "pages");
  assert.equal(result.session.proxyBytes, proxy.bytes());
});

test("a provider that reads TLS: the tier's `ca` is what the browser trusts, in that tier only", async (t) => {
  if (!(await browserOrSkip(t))) return;
  using certificates = makeCertificates("Bright Data", ["127.0.0.1"]);
  if (!certificates) return t.skip("needs openssl");
  const site = createServer(certificates, (request, response) => {
    const isData = request.url === "/data";
    response.setHeader("content-type", request.url === "/app.js" ? "text/javascript" : "text/html");
    response.end(isData ? "x".repeat(30_000) : request.url === "/app.js" ? APP : SHELL);
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  t.after(() => (site.closeAllConnections(), site.close()));
  const url = `https://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await using proxy = await startSuperProxy({ password: PASSWORD, certificates });
  const [tls, empty] = ["tls", "empty"].map((zone) => ({
    ...zones(proxy.url, [zone]).tiers[zone]!,
    ca: certificates.ca,
  }));
  const tiers = { ...zones(proxy.url, ["tls"]).tiers, trusted: tls!, empty: empty! };
  await using kit = await startBrowserKit({ proxies: createProxies({ tiers }) });
  const visit = (tier: string) =>
    kit.run(
      url,
      async (page) => {
        await page.goto("/");
        await page.ready("p");
      },
      { route: { tier, session: "s1" } },
    );
  const read = await visit("trusted");
  assert.equal(endOf(read), "pages");
  const theirs = proxy.bytes();
  assert.ok(
    Math.abs(read.session.proxyBytes! - theirs) <= theirs * 0.005,
    `${read.session.proxyBytes} and ${theirs}`,
  );
  for (const [tier, why] of [
    ["tls", /`ca`/],
    ["empty", /200 no_peer/],
  ] as const) {
    const result = await visit(tier);
    assert.equal(endOf(result), "proxy", tier);
    if (result.ended === "failure") assert.match(result.failure.detail, why);
  }
});
