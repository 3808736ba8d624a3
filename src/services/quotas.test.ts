import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../api/testing/api-kit.ts";

const inputs = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => ({ parcel: `${prefix}${i}` }));

test("concurrent requests do not exceed the client's quota together", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a", "client", { itemsPerDay: 25 });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      kit.ask("POST", "/v1/jobs", { key, json: { scraper: "county", inputs: inputs(10, `${n + 1}`) } }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 429, 429, 429, 429],
  );
  assert.equal(await kit.ledger.countAccepted("a", 0), 20);
  assert.equal((await kit.ledger.listJobs({ client: "a", limit: 10 })).length, 2);
});
