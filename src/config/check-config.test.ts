import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig } from "./check-config.ts";

const FILE = "/somewhere/sluice.config.ts";

test("a configuration of known options passes as it is", () => {
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
  test(`${what} is refused, with the file, the option and the way out`, () => {
    assert.throws(() => checkConfig(config, FILE), { code: "bad-config", message: says });
    assert.throws(() => checkConfig(config, FILE), { message: /^\/somewhere\/sluice\.config\.ts: / });
  });
