import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig } from "./check-config.ts";

const FILE = "/somewhere/sluice.config.ts";

test("a configuration of known options passes as it is", () => {
  for (const config of [{}, { data: "./d" }, { scrapers: "./s" }, { data: "/d", scrapers: ["./a", "./b"] }])
    assert.equal(checkConfig(config, FILE), config);
});

const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ["no default export", undefined, /default export/],
  ["a list", [], /default export/],
  ["an option that there is not", { dataa: "./data" }, /`dataa`.*data, scrapers/],
  ["a data folder that is no text", { data: 7 }, /`data`/],
  ["a data folder without a name", { data: " " }, /`data`/],
  ["scrapers that are no folders", { scrapers: [1] }, /`scrapers`/],
];
for (const [what, config, says] of refused)
  test(`${what} is refused, with the file, the option and the way out`, () => {
    assert.throws(() => checkConfig(config, FILE), { code: "bad-config", message: says });
    assert.throws(() => checkConfig(config, FILE), { message: /^\/somewhere\/sluice\.config\.ts: / });
  });
