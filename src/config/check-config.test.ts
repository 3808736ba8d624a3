import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig } from "./check-config.ts";

const FILE = "/somewhere/sluice.config.ts";

test("a configuration with known options passes unchanged", () => {
  for (const config of [
    {},
    { data: "./d" },
    { scrapers: "./s" },
    { data: "/d", scrapers: ["./a", "./b"] },
    { ledger: "https://c/" },
  ])
    assert.equal(checkConfig(config, FILE), config);
  for (const server of [
    {},
    { host: "0.0.0.0" },
    { port: 0 },
    { host: "::1", port: 7070 },
    { tls: { cert: "c", key: "k" } },
  ]) {
    const config = { server };
    assert.equal(checkConfig(config, FILE), config);
  }
  for (const alerts of [
    { channels: [] },
    {
      channels: [{ kind: "slack", urlFrom: "SLACK_URL" }],
      rules: { breaker: false, noSuccess: { forMs: 1000 } },
    },
    {
      channels: [{ kind: "email", name: "us", smtpFrom: "SMTP", from: "a@b.test", to: ["c@d.test"] }],
      rules: {},
    },
  ]) {
    const config = { alerts };
    assert.equal(checkConfig(config, FILE), config);
  }
  for (const allowTargets of [[], ["wiki.internal", "10.1.0.0/16", "fd00::/8", "127.0.0.1"]]) {
    const config = { allowTargets };
    assert.equal(checkConfig(config, FILE), config);
  }
});

test("proxies pass with their secrets named", () => {
  for (const proxies of [
    { tiers: {} },
    {
      currency: "EUR",
      tiers: {
        datacenter: { url: "http://p.test:8080", user: "me", passwordEnv: "P", price: { perGB: 0.5 } },
        lists: { urls: ["socks5://a.test:1080", "https://b.test:443"], ca: "ca.pem" },
        own: { file: "proxies.txt" },
        residential: {
          provider: "bright-data",
          values: { customer: "c1", zone: "z1" },
          passwordFile: "/run/secrets/brd",
        },
      },
    },
  ]) {
    const config = { proxies };
    assert.equal(checkConfig(config, FILE), config);
  }
});

const tier = (options: object): object => ({ proxies: { tiers: { dc: options } } });

const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ["no default export", undefined, /default export/],
  ["a list", [], /default export/],
  ["a certificate without its key", { server: { tls: { cert: "c" } } }, /`server`/],
  ["an option that there is not", { dataa: "./data" }, /`dataa`.*data, scrapers/],
  ["a data folder that is no text", { data: 7 }, /`data`/],
  ["a data folder without a name", { data: " " }, /`data`/],
  ["a ledger without a scheme", { ledger: "./data/sluice.db" }, /`ledger`/],
  ["scrapers that are no folders", { scrapers: [1] }, /`scrapers`/],
  ["a target that is a URL", { allowTargets: ["http://wiki.internal/"] }, /`allowTargets`/],
  ["a target with a port", { allowTargets: ["wiki.internal:80"] }, /`allowTargets`/],
  ["a server without a port number", { server: { port: "80" } }, /`server`/],
  ["a server with an option that there is not", { server: { hostname: "x" } }, /`server`/],
  ["proxies without tiers", { proxies: {} }, /`proxies.tiers`/],
  ["a currency that is no code", { proxies: { currency: "$", tiers: {} } }, /`proxies.currency`/],
  ["a tier named direct", { proxies: { tiers: { direct: {} } } }, /direct.*built in/],
  ["a tier with a bad name", { proxies: { tiers: { "my tier": {} } } }, /my tier/],
  ["a tier with a misspelled option", tier({ urll: "http://p:1" }), /`urll`.*`url`/],
  ["a tier that leads nowhere", tier({}), /`proxies.tiers.dc` needs one of/],
  ["a tier with two ways", tier({ url: "http://p:1", file: "f" }), /needs one of/],
  ["a proxy without a port", tier({ url: "http://p" }), /a port/],
  ["a password in a URL", tier({ url: "http://me:hush@p:1" }), /passwordEnv.*passwordFile/],
  ["an unknown provider", tier({ provider: "acme" }), /bright-data, oxylabs, decodo/],
  ["a provider without its values", tier({ provider: "oxylabs", passwordEnv: "P" }), /`values.customer`/],
  [
    "a provider without a password",
    tier({ provider: "oxylabs", values: { customer: "c" } }),
    /`passwordEnv`/,
  ],
  ["a user name that does not end", tier({ url: "http://p:1", user: "a-{b" }), /`user`/],
  ["a password without a user", tier({ url: "http://p:1", passwordEnv: "P" }), /`user`/],
  ["a price that is no number", tier({ url: "http://p:1", price: { perGB: "8" } }), /`price`/],
  ["a price below nothing", tier({ url: "http://p:1", price: { perGB: -1 } }), /`price`/],
  ["alerts without channels", { alerts: {} }, /`alerts`.*channels/],
  ["a channel of no kind", { alerts: { channels: [{ kind: "fax" }] } }, /slack or email/],
  [
    "a secret in the configuration",
    { alerts: { channels: [{ kind: "slack", url: "https://x" }] } },
    /`url`.*urlFrom/,
  ],
  [
    "a URL for a variable",
    { alerts: { channels: [{ kind: "slack", urlFrom: "https://x" }] } },
    /environment/,
  ],
  [
    "mail to nobody",
    { alerts: { channels: [{ kind: "email", smtpFrom: "S", from: "a@b", to: [] }] } },
    /`to`/,
  ],
  ["a rule that there is not", { alerts: { channels: [], rules: { fire: true } } }, /`fire`.*breaker/],
  ["half a rule", { alerts: { channels: [], rules: { noSuccess: {} } } }, /forMs/],
  ["targets that are no list", { allowTargets: "10.0.0.0/8" }, /`allowTargets`/],
];
for (const [what, config, says] of refused)
  test(`${what} is refused, with the file, the option and what to do`, () => {
    assert.throws(() => checkConfig(config, FILE), { code: "bad-config", message: says });
    assert.throws(() => checkConfig(config, FILE), { message: /^\/somewhere\/sluice\.config\.ts: / });
  });
