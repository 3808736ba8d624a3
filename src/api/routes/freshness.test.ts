import assert from "node:assert/strict";
import { test } from "node:test";
import type { FreshNote } from "../../ports/ledger.ts";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import { collectJob } from "../testing/collected-job.ts";
import type { Item } from "../../schemas/item.ts";
import type { Job } from "../../schemas/job.ts";
import type { ProblemBody } from "../answers.ts";

const HOUR = 3_600_000;

/** What the site has under each parcel: a text, or null if the site says that there is no such thing. */
type Site = Readonly<Record<string, string | null>>;

const runJob = async (kit: ApiKit, key: string, site: Site, freshness: object): Promise<string> => {
  const inputs = Object.keys(site).map((parcel) => ({ parcel }));
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", {
    key,
    json: { scraper: "county", inputs, freshness },
  });
  await collectJob(kit, body.job.id, (item) => {
    const owner = site[item.key];
    if (owner == null)
      return {
        body: "none",
        outcome: { state: "absent", detail: "none" },
        fresh: { outcome: "absent", freshMs: HOUR },
      };
    const fresh: FreshNote = { outcome: "done", freshMs: HOUR, sharedMs: HOUR, digest: owner };
    return { body: owner, record: { owner, tax: 1 }, fresh };
  });
  return body.job.id;
};

const rowsOf = (lines: string): Record<string, unknown>[] =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a weekly job knows what is new, changed, unchanged and gone, and exports only the requested changes", async () => {
  await using kit = await openApiKit();
  const key = await kit.addClient("a");
  await runJob(kit, key, { "1": "Ann", "2": "Bo", "3": "Cy" }, { maxAgeMs: 0 });
  const site = { "1": "Ann", "2": "Bob", "3": null, "4": "Di" };
  const job = await runJob(kit, key, site, { maxAgeMs: 0 });
  const view = await kit.ask<Job>("GET", `/v1/jobs/${job}`, { key });
  assert.deepEqual(view.body.changes, { new: 1, changed: 1, unchanged: 1, gone: 1 });
  const items = await kit.ask<{ data: Item[] }>("GET", `/v1/jobs/${job}/items`, { key });
  const all = { "1": "unchanged", "2": "changed", "3": "gone", "4": "new" };
  assert.deepEqual(Object.fromEntries(items.body.data.map((item) => [item.key, item.change])), all);
  const results = async (query: string) =>
    rowsOf((await kit.ask<string>("GET", `/v1/jobs/${job}/results${query}`, { key })).body);
  const changes = (rows: Record<string, unknown>[]) =>
    Object.fromEntries(rows.map((row) => [String(row["key"]), row["_change"]]));
  assert.deepEqual(changes(await results("")), all);
  const some = await results("?changes=new&changes=changed");
  assert.deepEqual(changes(some), { "2": "changed", "4": "new" });
  assert.deepEqual(
    some.map(({ owner }) => owner),
    ["Bob", "Di"],
  );
});

test("a job that was started without freshness does not know what changed", async () => {
  await using kit = await openApiKit();
  const { body } = await kit.ask<{ job: Job }>("POST", "/v1/jobs", { json: { scraper: "county" } });
  const path = `/v1/jobs/${body.job.id}/results?changes=new`;
  const refused = await kit.ask<ProblemBody>("GET", path);
  assert.deepEqual([refused.status, refused.body.code, body.job.changes], [422, "no-changes", undefined]);
});

test("pages fetched for another client are read through the client's own item, and the other job is named nowhere", async () => {
  await using kit = await openApiKit({ linkTo: async (blob) => `https://store.example/${blob}` });
  const [a, b] = [await kit.addClient("a"), await kit.addClient("b")];
  const theirs = await runJob(kit, a, { "1": "Ann" }, {});
  const job = await runJob(kit, b, { "1": "never asked" }, {});
  const { data } = (await kit.ask<{ data: Item[] }>("GET", `/v1/jobs/${job}/items`, { key: b })).body;
  const [item] = data;
  assert.deepEqual([item?.state, item?.reason, item?.change], ["skipped", "fresh", "new"]);
  assert.equal(item?.captures.length, 1);
  const at = `/v1/jobs/${job}/items/${item.id}`;
  const paths = ["", "/items", "/results", "/results?format=csv", "/manifest"].map(
    (end) => `/v1/jobs/${job}${end}`,
  );
  paths.push(at, `${at}/captures`, `${at}/captures/0`, `${at}/captures/0/headers`);
  for (const path of paths) {
    const response = await kit.raw("GET", path, { key: b });
    const told = (await response.text()) + JSON.stringify([...response.headers]);
    assert.equal(response.status, 200, path);
    assert.ok(!told.includes(theirs), path);
  }
  assert.equal(await (await kit.raw("GET", `${at}/captures/0`, { key: b })).text(), "Ann");
  const [row] = rowsOf((await kit.ask<string>("GET", `/v1/jobs/${job}/results`, { key: b })).body);
  assert.deepEqual([row?.["owner"], row?.["_state"], row?.["_change"]], ["Ann", "skipped", "new"]);
  const [line = {}] = rowsOf((await kit.ask<string>("GET", `/v1/jobs/${job}/manifest`, { key: b })).body);
  assert.deepEqual(
    [line["state"], (line["captures"] as { blob?: string; digest: string }[])[0]?.blob],
    ["skipped", undefined],
  );
});
