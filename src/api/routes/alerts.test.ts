import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alerts } from "../../schemas/alert.ts";
import { openApiKit } from "../testing/api-kit.ts";

test("operators see what is wrong now, oldest first, with the rules and channels that are configured", async () => {
  await using kit = await openApiKit({ alerts: { channels: ["ops"], rules: { proxy: false } } });
  const [client, operator] = [await kit.addClient("a"), await kit.addClient("o", "operator")];
  const book = {
    "failureShare j2": { text: "county, job j2 of a: 40 % failed", sinceAt: 2000, told: ["ops"] },
    "breaker j1": { text: "county, job j1 of a: lane x is held", sinceAt: 1000, told: [] },
  };
  await kit.registry.saveAlert("book", JSON.stringify(book));
  const { body } = await kit.ask<Alerts>("GET", "/v1/alerts", { key: operator });
  assert.deepEqual(
    body.data.map(({ rule, job, since, told }) => [rule, job, since, told]),
    [
      ["breaker", "j1", "1970-01-01T00:00:01.000Z", []],
      ["failureShare", "j2", "1970-01-01T00:00:02.000Z", ["ops"]],
    ],
  );
  assert.deepEqual([body.channels, body.rules.proxy, body.rules.breaker], [["ops"], false, true]);
  assert.equal((await kit.ask("GET", "/v1/alerts", { key: client })).status, 403);
});
