import assert from "node:assert/strict";
import type { LookupFunction } from "node:net";
import { test } from "node:test";
import { WorkerKit } from "../../test/worker-kit.ts";
import { answer, openTestSite } from "../collectors/http/testing/test-site.ts";

test("a client's job reaches its scraper's own site, and nothing else in the private network: neither pages nor robots.txt", async () => {
  await using inside = await openTestSite((_, response) => answer(response, "secret"));
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  await using kit = await WorkerKit.open(
    ({ url }, response) =>
      url === "/leads-inside"
        ? answer(response, "", { location: `${inside.url}/after-redirect` }, 302)
        : answer(response, "<p>"),
    { guard: { lookup } },
  );
  const metadata = "http://169.254.169.254/latest/meta-data/";
  const named = `http://inside.example:${new URL(inside.url).port}/by-name`;
  const inputs = ["/own", "/leads-inside", metadata, named, `${inside.url}/by-address`];
  await kit.submit(inputs, {}, {}, { guardsTargets: true });
  const { counts } = await kit.run();
  assert.deepEqual([counts.states.done, counts.states.failed], [1, 4]);
  const failed = (await kit.items()).filter(({ state }) => state === "failed");
  for (const { failure, attempts } of failed)
    assert.deepEqual([failure?.kind, attempts], ["forbidden-target", 1]);
  assert.match((await kit.item("/latest/meta-data/")).failure!.detail, /cloud metadata/);
  assert.deepEqual(inside.seen, []);
});

test("a local job is not restricted", async () => {
  await using inside = await openTestSite((_, response) => answer(response, "fine"));
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit([`${inside.url}/page`], {});
  assert.equal((await kit.run()).counts.states.done, 1);
});
