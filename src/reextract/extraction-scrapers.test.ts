import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { loadCurrentScrapers } from "./extraction-scrapers.ts";

const TOWN = `
import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "town",
  input: z.object({ url: z.string() }),
  collect: async () => undefined,
  extract: { fields: { mayor: field.text("b") } },
});
`;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-scrapers-"));
  await writeFile(join(folder, "town.ts"), TOWN);
  await writeFile(join(folder, "alone.ts"), TOWN.replace('"town"', '"alone"'));
});
after(() => rm(folder, { recursive: true }));

const pin = (name: string, file: string) => ({
  name,
  source: pathToFileURL(join(folder, file)).href,
  version: "",
  pace: { perSecond: 1, burst: 1, concurrency: 1 },
  policy: {},
  extracts: true,
  fields: [],
  required: [],
});

const spec = (...scrapers: readonly ReturnType<typeof pin>[]) => ({
  id: "job",
  scraper: scrapers[0]!.name,
  source: scrapers[0]!.source,
  scrapers,
});

test("one of several scrapers can be given though the root's file is gone", async () => {
  const several = spec(pin("listing", "gone.ts"), pin("town", "gone.ts"), pin("street", "gone.ts"));
  await assert.rejects(loadCurrentScrapers(several), { code: "scraper-gone", message: /--scraper FILE/ });
  const { current, gone } = await loadCurrentScrapers(several, { instead: join(folder, "town.ts") });
  assert.deepEqual(
    current.map(({ was, prefix }) => [was, prefix]),
    [["town", "town."]],
  );
  assert.deepEqual(gone, ["listing", "street"]);
});

test("a scraper that the root does not emit to any more is taken from its own file", async () => {
  const { current, gone } = await loadCurrentScrapers(spec(pin("alone", "alone.ts"), pin("town", "town.ts")));
  assert.deepEqual(
    current.map(({ was, ready }) => [was, ready.scraper.name]),
    [
      ["alone", "alone"],
      ["town", "town"],
    ],
  );
  assert.deepEqual(gone, []);
  await assert.rejects(loadCurrentScrapers(spec(pin("alone", "alone.ts"), pin("town", "alone.ts"))), {
    code: "scraper-gone",
  });
});
