import assert from "node:assert/strict";
import { test } from "node:test";
import { createProxies } from "../../src/collectors/proxy/proxies.ts";
import type { ProxyConfig } from "../../src/domain/proxy-tier.ts";
import { browserOrSkip } from "../browser.ts";
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
