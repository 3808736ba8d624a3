import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkerKit } from "../../test/worker-kit.ts";
import { readCapture } from "../archive/read-capture.ts";
import { answer, type Handler } from "../collectors/http/testing/test-site.ts";
import type { Failure, PolicyOverrides } from "../domain/failure.ts";
import { field } from "../extraction/field.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import { absent, type AnyScraper } from "../scrapers/scraper.ts";
import type { Pulse } from "./pulse.ts";
import { reportLanes } from "./run-item.ts";
import { SlotScheduler } from "./slot-scheduler.ts";

const FIELDS = { owner: field.text("b"), tax: field.money("i") };
const WHOLE = "<b>ANN</b><i>$12.50</i>";

/** Runs one item against a site that answers with `html`, and returns what is known about it then. */
const runOne = async (scraper: Partial<AnyScraper>, site: string | Handler = WHOLE) => {
  const handler: Handler = typeof site === "string" ? (_, response) => answer(response, site) : site;
  await using kit = await WorkerKit.open(handler);
  await kit.submit(["/1"], scraper);
  const { counts, fieldCounts } = await kit.run();
  const item = await kit.item("/1");
  const { records, captures } = item;
  const lines = records ? Buffer.from(await kit.storage.blobs.get(records.blob, records)).toString() : "";
  const kept = [];
  for (const capture of captures) kept.push(await readCapture(kit.storage.blobs, capture));
  const stored = (await Array.fromAsync(kit.storage.blobs.list(""))).map(({ name }) => name);
  return { item, lines, kept, counts, fieldCounts, stored, requests: kit.site.seen.length };
};

test("a whole record is done and complete, with its page and its line in the archive", async () => {
  const { item, lines, kept, fieldCounts } = await runOne({ extract: { fields: FIELDS } });
  assert.deepEqual([item.state, item.quality, item.attempts], ["done", "complete", 1]);
  assert.match(lines, /"key":"\/1".*"ANN"/);
  assert.equal(Buffer.from(kept[0]!.body).toString(), WHOLE);
  assert.deepEqual(fieldCounts, [1, 0, 0, 0, 1, 0, 0, 0]);
});

test("a scraper that extracts nothing is done with its page", async () => {
  const { item, lines, kept } = await runOne({});
  assert.deepEqual([item.state, item.quality, lines, kept.length], ["done", "complete", "", 1]);
});

test("a record without a required field is done and partial", async () => {
  const { item, fieldCounts } = await runOne({ extract: { fields: FIELDS } }, "<b>ANN</b>");
  assert.deepEqual([item.state, item.quality], ["done", "partial"]);
  assert.deepEqual(fieldCounts, [1, 0, 0, 0, 0, 0, 1, 0]);
});

test("a page without any required field is structure-changed; page and record are kept", async () => {
  const { item, lines, kept } = await runOne({ extract: { fields: FIELDS } }, "<p>new design</p>");
  assert.deepEqual([item.state, item.failure?.kind], ["failed", "structure-changed"]);
  assert.equal(kept.length, 1);
  assert.match(lines, /"missing"/);
});

test("`absent` from the site is an outcome, with its reason", async () => {
  const { item } = await runOne({
    async collect({ http }) {
      await http.get("/search");
      throw absent("no such parcel");
    },
  });
  assert.deepEqual([item.state, item.failure], ["absent", undefined]);
});

test("a scraper that throws fails its item, and the fetched pages are kept", async () => {
  const { item, kept, requests } = await runOne({
    async collect({ http, keep }) {
      keep.page("search", await http.get("/search"));
      throw new TypeError("of undefined");
    },
  });
  assert.deepEqual([item.state, item.failure?.kind], ["failed", "scraper-error"]);
  assert.match(item.failure!.detail, /TypeError: of undefined/);
  assert.deepEqual([kept.length, requests], [1, 2]);
});

test("an extract function with an invalid result fails its item", async () => {
  const { item, kept } = await runOne({ extract: () => ["not a record"] });
  assert.deepEqual([item.state, item.failure?.kind, kept.length], ["failed", "scraper-error", 1]);
});

test("a scraper that never ends fails its item", async () => {
  const { item } = await runOne({ limits: { itemMs: 100 }, collect: () => new Promise(() => {}) });
  assert.deepEqual([item.state, item.failure?.kind], ["failed", "scraper-error"]);
});

test("a temporary failure is retried, and the results of both attempts are kept", async () => {
  let tries = 0;
  const attempts: number[] = [];
  const { item, counts } = await runOne(
    {
      failures: { "server-error": { backoff: { firstMs: 1 } } },
      async collect({ http, keep, attempt }) {
        attempts.push(attempt);
        keep.page("page", await http.get("/1"));
      },
    },
    (_, response) => answer(response, "<p>", {}, tries++ === 0 ? 500 : 200),
  );
  assert.deepEqual([item.state, item.attempts, attempts], ["done", 2, [1, 2]]);
  assert.deepEqual(
    item.history.map(({ failure }) => failure.kind),
    ["server-error"],
  );
  assert.equal(counts.states.done, 1);
});

test("with archive none only the record is kept", async () => {
  const { item, lines, stored } = await runOne({ archive: "none", extract: { fields: FIELDS } });
  assert.deepEqual([item.state, item.captures], ["done", []]);
  assert.match(lines, /ANN/);
  assert.deepEqual(
    stored.filter((name) => name.includes("captures")),
    [],
  );
});

test("a file is kept beside the pages, under its name", async () => {
  const { item, kept } = await runOne(
    {
      async collect({ http, keep }) {
        keep.page("detail", await http.get("/1"));
        await keep.file("bill", "/bill.pdf");
      },
    },
    ({ url }, response) =>
      url === "/bill.pdf"
        ? answer(response, "%PDF-1.7 bill", { "content-type": "application/pdf" })
        : answer(response, WHOLE),
  );
  const found = item.captures.map(({ name }, i) => [name, Buffer.from(kept[i]!.body).toString()]);
  assert.deepEqual(found, [
    ["detail", WHOLE],
    ["bill", "%PDF-1.7 bill"],
  ]);
});

const ITEM = { lane: "a.test" } as ClaimedItem;
const LANES = new Map([
  ["a.test", "a.test"],
  ["files.test", "files.test"],
]);

const told = (failure: Failure | undefined, overrides?: PolicyOverrides): unknown[] => {
  const lines: unknown[] = [];
  const pulse = { lane: (...line: unknown[]) => lines.push(line) } as unknown as Pulse;
  reportLanes(ITEM, LANES, failure, overrides, pulse, new SlotScheduler(() => {}));
  return lines;
};

test("a failure is reported to the lane of its host, and success to the others", () => {
  const failure: Failure = { kind: "timeout", detail: "", url: "https://files.test/1" };
  assert.deepEqual(told(failure), [
    ["a.test", "ok"],
    ["files.test", "timeout", { retryAfterMs: undefined, slows: true }],
  ]);
});

test("a failure of a single page does not count against its lane", () => {
  assert.deepEqual(told({ kind: "structure-changed", detail: "" }), [
    ["a.test", "ok"],
    ["files.test", "ok"],
  ]);
});

test("the scraper decides whether a failure slows the lane", () => {
  const overrides = { timeout: { slowsLane: false }, connection: { slowsLane: true } };
  const slows = (kind: Failure["kind"], own?: PolicyOverrides) =>
    (told({ kind, detail: "" }, own) as [string, string, { slows: boolean }?][]).at(-1)?.[2]?.slows;
  assert.deepEqual([slows("timeout"), slows("timeout", overrides)], [true, false]);
  assert.deepEqual([slows("connection"), slows("connection", overrides)], [false, true]);
});
