import { pagesOf } from "../archive/extracted-records.ts";
import type { ComparedField, GateExample } from "../domain/gate.ts";
import type { ItemView } from "../domain/item.ts";
import { pinnedOf } from "../pipeline/submit.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { jobScrapers } from "../scrapers/load-pinned.ts";
import { type Difference, type FieldExample, mergeDifference, newDifference } from "./difference.ts";
import type { Chunk, ChunkEnd, StoredItem } from "./extract-chunk.ts";
import { ExtractPool, type ExtractStores } from "./extract-pool.ts";

interface CompareOptions {
  readonly before: CompiledScraper;
  readonly after: CompiledScraper;
  readonly cores: number;
  readonly signal: AbortSignal;
}

interface Compared {
  readonly items: number;
  readonly fields: readonly ComparedField[];
}

/** In addition to the fields: items that can be read at all, and the records of lists. */
export const WHOLE_ITEMS = "(item)";
export const WHOLE_RECORDS = "(records)";

/** All examples are kept: there are at most a few thousand, and each is assigned to a group. */
const ALL_EXAMPLES = 100_000;
const CHUNK_ITEMS = 64;

/** Reads the pages of items with two versions of their scraper, and compares the results. */
export const compareVersions = async (
  { location }: Pick<ExtractStores, "location">,
  picked: readonly ItemView[],
  { before, after, cores, signal }: CompareOptions,
): Promise<Compared> => {
  const poolOf = (ready: CompiledScraper) => {
    const { scrapers } = pinnedOf(jobScrapers(ready));
    const { name: scraper, source } = scrapers[0]!;
    const spec = { id: "gate", scraper, source, scrapers, extracts: true };
    return {
      names: scrapers.map(({ name }) => name),
      pool: new ExtractPool({
        threads: cores,
        task: { location, spec, most: ALL_EXAMPLES, isAmending: true, takesAll: true },
        versions: scrapers.map(({ version }) => version),
      }),
    };
  };
  const old = poolOf(before);
  await using oldPool = old.pool;
  const now = poolOf(after);
  await using nowPool = now.pool;
  const known = picked.filter(({ scraper }) => old.names.includes(scraper) && now.names.includes(scraper));
  const second: Chunk[] = [];
  await oldPool.run(chunksOf(known, old.names), signal, async (end, { items }) => {
    second.push(withRecords(items, end, (at) => now.names.indexOf(old.names[at]!)));
  });
  const difference = newDifference();
  await nowPool.run(
    (async function* () {
      yield* second;
    })(),
    signal,
    async (end) => mergeDifference(difference, end.difference, ALL_EXAMPLES),
  );
  return { items: difference.items, fields: comparedFields(difference) };
};

async function* chunksOf(items: readonly ItemView[], names: readonly string[]): AsyncGenerator<Chunk> {
  for (let from = 0; from < items.length; from += CHUNK_ITEMS) {
    const some = items.slice(from, from + CHUNK_ITEMS).map((item): StoredItem => ({
      ref: item.ref,
      key: item.key,
      input: item.input,
      scraper: names.indexOf(item.scraper),
      pages: pagesOf(item),
      stateBefore: "done",
      stateOnceRead: "done",
      bytesBefore: 0,
      blobBefore: "",
    }));
    yield { items: some, before: new Uint8Array(0), ended: new Map() };
  }
}

/** The second version is compared with the results of the first. */
const withRecords = (
  items: readonly StoredItem[],
  { lines, amendments }: ChunkEnd,
  placeOf: (scraper: number) => number,
): Chunk => ({
  items: items.map((item, at) => {
    const read = amendments[at];
    const stateBefore = read?.outcome.state === "done" ? "done" : "failed";
    return { ...item, scraper: placeOf(item.scraper), stateBefore, bytesBefore: read?.bytes ?? 0 };
  }),
  before: lines,
  ended: new Map(),
});

const comparedFields = (difference: Difference): ComparedField[] => {
  const examples = (of: readonly FieldExample[]): GateExample[] =>
    of.map(({ key, before, after }) => ({ key, before: before?.value ?? null, after: after?.value ?? null }));
  const fields = [...difference.fields].map(([name, field]): ComparedField => ({
    name,
    same: field.same + field.restated,
    gained: field.gained,
    lost: field.lost,
    changed: field.changed,
    examples: {
      gained: examples(field.examples.gained),
      lost: examples(field.examples.lost),
      changed: examples(field.examples.changed),
    },
  }));
  const items = difference.states;
  const [failed, rescued] = [items.get("done → failed"), items.get("failed → done")];
  const whole = (name: string, same: number, lost: Keys, gained: Keys): ComparedField => ({
    name,
    same,
    gained: gained?.count ?? 0,
    lost: lost?.count ?? 0,
    changed: 0,
    examples: { gained: keyExamples(gained), lost: keyExamples(lost), changed: [] },
  });
  const still = difference.items - (failed?.count ?? 0) - (rescued?.count ?? 0);
  return [
    whole(WHOLE_ITEMS, still, failed, rescued),
    whole(WHOLE_RECORDS, difference.records, difference.recordsLost, difference.recordsGained),
    ...fields.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ];
};

type Keys = { readonly count: number; readonly keys: readonly string[] } | undefined;

const keyExamples = (of: Keys): GateExample[] =>
  (of?.keys ?? []).map((key) => ({ key, before: null, after: null }));
