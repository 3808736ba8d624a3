import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProxyUrl, priceOf, type ProxyConfig, tierProblem, userName } from "./proxy-tier.ts";

const values = { customer: "c1", zone: "res" };

test("user names follow the grammar of their provider", () => {
  const name = (provider: "bright-data" | "oxylabs" | "decodo", place: object) =>
    userName({ provider, values }, place, "abc123");
  assert.equal(name("bright-data", {}), "brd-customer-c1-zone-res-session-abc123");
  const texas = { country: "us", state: "tx", city: "dallas" };
  assert.equal(
    name("bright-data", texas),
    "brd-customer-c1-zone-res-country-us-state-tx-city-dallas-session-abc123",
  );
  assert.equal(name("oxylabs", texas), "customer-c1-cc-US-st-us_texas-city-dallas-sessid-abc123");
  assert.equal(
    name("decodo", { country: "us", state: "ny" }),
    "user-c1-country-us-state-us_new_york-session-abc123",
  );
  assert.equal(userName({ url: "http://p:1" }, {}, "x"), undefined);
});

test("a session id is valid for every provider, and unique", () => {
  const session = (text: string) => userName({ user: "{session}" }, {}, text)!;
  const long = ["item-000000000001", "item-000000000002", "Item"].map(session);
  for (const each of long) assert.match(each, /^[a-z0-9]{8,12}$/);
  assert.equal(new Set(long).size, 3);
});

test("a location that the tier cannot express is an error, not another location", () => {
  const config: ProxyConfig = {
    tiers: {
      dc: { url: "http://p:1" },
      res: { provider: "oxylabs", values, passwordEnv: "P", price: { perGB: 8 } },
    },
  };
  for (const good of ["direct", "dc", "res", "res:us", "res:us-tx/dallas", "res:de"])
    assert.equal(tierProblem(config, good), undefined);
  for (const [wrong, why] of [
    ["dc:us", /country/],
    ["res:de-by", /country us/],
    ["mobile", /direct, dc, res/],
    ["direct:us", /direct/],
    ["res us", /residential:us-tx/],
  ] as const)
    assert.match(tierProblem(config, wrong) ?? "", why);
  assert.deepEqual(priceOf(config, "res:us-tx"), { perGB: 8 });
  assert.deepEqual(priceOf(config, "direct"), {});
});

test("URLs of proxies have a scheme, a host and a port", () => {
  assert.deepEqual(parseProxyUrl("http://p.test:80"), { scheme: "http", host: "p.test", port: 80 });
  assert.deepEqual(parseProxyUrl("socks5://me:p%40ss@[::1]:1080"), {
    scheme: "socks5",
    host: "::1",
    port: 1080,
    user: "me",
    password: "p@ss",
  });
  for (const wrong of [
    "p.test:80",
    "http://p.test",
    "ftp://p.test:1",
    "http://p.test:99999",
    "http://p.test:80/x",
  ])
    assert.equal(parseProxyUrl(wrong), undefined);
});
