// e2e: starts dozens of threads, some of which hang
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openRecordSet } from "../archive/extracted-records.ts";
import { chooseSet, readSets } from "../archive/extractions.ts";
import { itemPages } from "../archive/manifest.ts";
import { parseRecords } from "../archive/record-set.ts";
import { extractJob, type ExtractOptions } from "./extract-job.ts";
import { openStoredJob, type StoredJob } from "./testing/stored-job.ts";

const OWNER = 'extract: { fields: { owner: field.text(".owner") } }';
const page = (owner: string, value = "$1"): string =>
  `<p class=owner>${owner}</p><p class=value>${value}</p>`;

const run = (stored: StoredJob, options: Partial<ExtractOptions> = {}) =>
  stored.view().then((view) =>
    extractJob(stored, view, {
      cores: 2,
      examples: 3,
      signal: new AbortController().signal,
      ...options,
    }),
  );

/** Of each item its state and the values of its records, in a set of records. */
const readSet = async (stored: StoredJob, which?: string): Promise<Record<string, unknown>> => {
  await using set = await openRecordSet(stored.blobs, stored.job, which);
  const found: Record<string, unknown> = {};
  for await (const items of itemPages(stored.ledger, stored.job))
    for await (const batch of set.recordsOf(items))
      for (const { item, lines, blob } of batch)
        found[item.key] = [
          item.failure?.kind ?? item.state,
          ...parseRecords(item.key, { lines, blob }).map(({ fields }) =>
            Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
          ),
        ];
  return found;
};

test("the same scraper makes the same records again, whatever the number of threads", async () => {
  const owners = Array.from({ length: 700 }, (_, n) => `Owner ${n}`);
  await using stored = await openStoredJob(
    OWNER,
    owners.map((owner) => page(owner)),
  );
  for (const cores of [1, 3]) {
    const { extraction, difference, failed } = await run(stored, { cores });
    assert.deepEqual(extraction.counts, {
      items: 700,
      done: 700,
      partial: 0,
      failed: 0,
      damaged: 0,
      records: 700,
    });
    assert.deepEqual(extraction.fieldCounts, { owner: { present: 700, empty: 0, missing: 0, malformed: 0 } });
    assert.deepEqual([difference.changedItems, failed], [0, []]);
    assert.deepEqual(difference.fields.get("owner")?.same, 700);
    assert.deepEqual(await readSet(stored), await readSet(stored, "first"));
  }
});

test("a new field is gained, the next extraction is compared with the one before, and all sets stay", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann", "$5"), page("Bo", "none")]);
  const second = await stored.writeScraper(
    "second",
    'extract: { fields: { owner: field.text(".owner"), value: field.money(".value") } }',
  );
  const added = await run(stored, { scraper: second });
  assert.equal(added.before, `${stored.job}@first`);
  const value = added.difference.fields.get("value");
  assert.deepEqual([value?.gained, value?.restated], [1, 1]);
  assert.equal(value?.examples.gained[0]?.key, "0");
  const again = await run(stored, { scraper: second });
  assert.equal(again.before, `${stored.job}@${added.extraction.id}`);
  assert.equal(again.difference.changedItems, 0);
  assert.deepEqual(await readSet(stored), {
    0: ["done", { owner: "Ann", value: 5 }],
    1: ["done", { owner: "Bo", value: null }],
  });
  assert.deepEqual(await readSet(stored, "first"), {
    0: ["done", { owner: "Ann" }],
    1: ["done", { owner: "Bo" }],
  });
});

test("an item that failed on its page is rescued, one that fails now is told, and both are so in the set", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), "<p class=name>Bo</p>", "<b>none</b>"]);
  const name = await stored.writeScraper("name", 'extract: { fields: { owner: field.text(".name") } }');
  const { difference, failed, extraction } = await run(stored, { scraper: name });
  assert.deepEqual(
    [...difference.states].map(([change, { keys }]) => [change, keys]),
    [
      ["done → failed", ["0"]],
      ["failed → done", ["1"]],
    ],
  );
  assert.deepEqual(
    failed.map(({ key, failure }) => [key, failure.kind]),
    [
      ["0", "structure-changed"],
      ["2", "structure-changed"],
    ],
  );
  assert.equal(extraction.counts.failed, 2);
  assert.deepEqual(await readSet(stored), {
    0: ["structure-changed", { owner: null }],
    1: ["done", { owner: "Bo" }],
    2: ["structure-changed", { owner: null }],
  });
});

/** Long enough that no page which ends by itself takes it, however busy the machine; both endless ones are waited for side by side. */
const ITEM_MS = 4_000;

test("a page on which extraction throws, hangs or ends its thread fails alone", async () => {
  const bad: Readonly<Record<number, string>> = { 3: "throw", 200: "loop", 201: "exit", 333: "loop" };
  const pages = Array.from({ length: 400 }, (_, n) => page(bad[n] ?? `Owner ${n}`));
  await using stored = await openStoredJob(OWNER, pages);
  const trap = await stored.writeScraper(
    "trap",
    `extract: ([page]) => {
      const owner = /owner>([^<]*)/.exec(page!.text)![1]!;
      if (owner === "throw") throw new TypeError("unlucky");
      if (owner === "exit") process.exit(7);
      while (owner === "loop");
      return { owner };
    }`,
  );
  const { failed, extraction, difference } = await run(stored, {
    scraper: trap,
    itemMs: ITEM_MS,
    examples: 9,
  });
  assert.deepEqual(
    failed.map(({ key, failure }) => [key, failure.kind]),
    Object.keys(bad).map((key) => [key, "scraper-error"]),
  );
  assert.deepEqual([extraction.counts.done, extraction.counts.failed], [396, 4]);
  assert.equal(difference.fields.get("owner")?.same, 396);
});

test("a scraper that never comes back is given up, and the records from before stay current", async () => {
  await using stored = await openStoredJob(OWNER, Array<string>(30).fill(page("Ann")));
  const stuck = await stored.writeScraper("stuck", "extract: () => { for (;;); }");
  await assert.rejects(run(stored, { scraper: stuck, itemMs: 20 }), { code: "scraper-hangs" });
  assert.deepEqual((await readSets(stored.blobs, stored.job)).extractions, []);
});

test("a damaged segment fails its items by name, and the others are extracted", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), page("Bo"), page("Cy")]);
  const { items } = await stored.ledger.listItems(stored.job, { limit: 3 });
  const [capture] = items[1]!.captures;
  const bytes = Buffer.from(await stored.blobs.get(capture!.blob));
  bytes.fill(0, capture!.offset + 20, capture!.offset + capture!.length);
  await stored.blobs.put(capture!.blob, bytes);
  const { failed, extraction } = await run(stored);
  assert.deepEqual(
    failed.map(({ key, failure }) => [key, failure.kind]),
    [["1", "bad-content"]],
  );
  assert.ok(failed[0]?.failure.detail.includes(capture!.blob));
  assert.deepEqual([extraction.counts.damaged, extraction.counts.done], [1, 2]);
  await stored.blobs.remove(capture!.blob);
  assert.equal((await run(stored)).extraction.counts.damaged, 3);
});

test("records that are damaged or gone are made again from the pages", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), page("Bo")]);
  const { items } = await stored.ledger.listItems(stored.job, { limit: 2 });
  await stored.blobs.remove(items[0]!.records!.blob);
  const first = await run(stored);
  assert.equal(first.difference.recordsGained.count, 2);
  assert.ok(first.unread?.includes(items[0]!.records!.blob));
  const expected = { 0: ["done", { owner: "Ann" }], 1: ["done", { owner: "Bo" }] };
  assert.deepEqual(await readSet(stored), expected);
  await stored.blobs.put(first.extraction.segments[0]!, Buffer.from("torn"));
  const second = await run(stored);
  assert.equal(second.difference.recordsGained.count, 2);
  assert.deepEqual(await readSet(stored), expected);
});

test("stopped before its end, an extraction leaves nothing behind", async () => {
  await using stored = await openStoredJob(OWNER, Array<string>(2_000).fill(page("Ann")));
  const stop = new AbortController();
  const stopped = run(stored, { signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(stopped, { code: "interrupted" });
  assert.deepEqual(await Array.fromAsync(stored.blobs.list(`jobs/${stored.job}/extractions/`)), []);
});

test("scrapers that keep no pages, extract nothing or cannot be loaded are refused before anything is read", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann")]);
  const codes: Readonly<Record<string, string>> = {
    [`archive: "none", ${OWNER}`]: "nothing-stored",
    "once: false": "no-extract",
    "extract: { fields: {} }": "bad-scraper",
  };
  for (const [code, expected] of Object.entries(codes)) {
    const scraper = await stored.writeScraper(`refused-${expected}`, code);
    await assert.rejects(run(stored, { scraper }), { code: expected });
  }
});

test("records with damaged content are named with their item, and made again from the pages", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), page("Bo"), page("Cy")]);
  const { items } = await stored.ledger.listItems(stored.job, { limit: 3 });
  const { blob, offset, length } = items.find(({ key }) => key === "1")!.records!;
  const bytes = Buffer.from(await stored.blobs.get(blob));
  bytes.fill("#", offset + length - 20, offset + length - 10);
  await stored.blobs.put(blob, bytes);
  await assert.rejects(readSet(stored), { name: "ArchiveError", code: "damaged", blob });
  const { unread, difference, extraction } = await run(stored);
  assert.ok(unread?.includes(blob) && unread.includes("item 1"), unread);
  assert.deepEqual([difference.changedItems, difference.recordsGained.keys], [1, ["1"]]);
  assert.equal(extraction.counts.done, 3);
  assert.deepEqual((await readSet(stored))["1"], ["done", { owner: "Bo" }]);
});

test("an extraction of which nothing came does not take the place of the records, unless it is told to", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), page("Bo")]);
  const good = await readSet(stored);
  const broken = await stored.writeScraper("broken", 'extract: () => { throw new Error("oops"); }');
  const held = await run(stored, { scraper: broken });
  assert.equal(held.current, `${stored.job}@first`);
  assert.notEqual(held.extraction.notCurrent, undefined);
  assert.deepEqual(await readSet(stored), good);
  const forced = await run(stored, { scraper: broken, isForced: true });
  assert.equal(forced.current, `${stored.job}@${forced.extraction.id}`);
  assert.deepEqual(await readSet(stored), { 0: ["scraper-error"], 1: ["scraper-error"] });
  await chooseSet(stored.blobs, stored.job, "first", Date.now());
  assert.deepEqual(await readSet(stored), good);
});

test("an extraction that could not read an item's pages does not take the place of that item's records", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann"), page("Bo")]);
  const good = await readSet(stored);
  const { items } = await stored.ledger.listItems(stored.job, { limit: 2 });
  const [capture] = items[1]!.captures;
  const bytes = Buffer.from(await stored.blobs.get(capture!.blob));
  bytes.fill(0, capture!.offset + 20, capture!.offset + capture!.length);
  await stored.blobs.put(capture!.blob, bytes);
  const { extraction, current } = await run(stored);
  assert.deepEqual([extraction.counts.done, extraction.counts.damaged], [1, 1]);
  assert.equal(current, `${stored.job}@first`);
  assert.deepEqual(await readSet(stored), good);
});

test("of two extractions at a time the one that began last is current, and the other knows", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann")]);
  const flag = join(stored.data, "go-on");
  const slow = await stored.writeScraper(
    "slow",
    `extract: ([page]) => {
      console.log("begun");
      while (!process.getBuiltinModule("node:fs").existsSync(${JSON.stringify(flag)}));
      return { owner: "slow" };
    }`,
  );
  const begun = Promise.withResolvers<void>();
  const first = run(stored, { scraper: slow, itemMs: 60_000, onOutput: () => begun.resolve() });
  await begun.promise;
  const second = await run(stored);
  assert.equal(second.current, `${stored.job}@${second.extraction.id}`);
  await writeFile(flag, "");
  assert.equal((await first).current, second.current);
  assert.deepEqual(await readSet(stored), { 0: ["done", { owner: "Ann" }] });
});

test("without the scraper's file the way out is named, and another can take its place", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann")]);
  const other = await stored.writeScraper("other", OWNER);
  await rm(new URL((await stored.view()).spec.source));
  await assert.rejects(run(stored), { code: "scraper-gone", message: /--scraper FILE/ });
  assert.equal((await run(stored, { scraper: other })).extraction.counts.done, 1);
});

test("pages that lead elsewhere are not called missing, where nobody's items are to be extracted", async () => {
  await using stored = await openStoredJob(OWNER, [page("Ann")]);
  const { spec, ...view } = await stored.view();
  const root = {
    ...spec.scrapers[0]!,
    source: pathToFileURL(await stored.writeScraper("lead", "once: false")).href,
  };
  const file = await stored.writeScraper("town", OWNER);
  await writeFile(file, (await readFile(file, "utf8")).replace('"county"', '"town"'));
  const town = { ...root, name: "town", source: pathToFileURL(file).href };
  const options = { cores: 1, examples: 1, signal: new AbortController().signal };
  const leading = { ...view, spec: { ...spec, source: root.source, scrapers: [root, town] } };
  await assert.rejects(extractJob(stored, leading, options), { code: "nothing-to-extract" });
  await stored.ledger.createJob({ ...spec, id: "bare" });
  const bare = await stored.ledger.readJob("bare");
  await assert.rejects(extractJob(stored, bare!, options), { code: "nothing-stored" });
});
