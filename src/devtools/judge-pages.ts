import { discover, extract } from "../pipeline/extract.ts";
import { judge } from "../pipeline/judge.ts";
import { planFound } from "../pipeline/plan.ts";
import type { KeptPage } from "../domain/capture.ts";
import { jobScrapers } from "../scrapers/load-pinned.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { FoundOnPages, FoundRecord } from "./fixture.ts";

interface JudgedItem {
  readonly key: string;
  readonly input: unknown;
  /** Of a fixture there is none. */
  readonly job?: string;
}

/** What a run of this scraper would keep of these pages, and what it would go on to: the same steps, and no network. */
export const judgePages = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
  item: JudgedItem,
): FoundOnPages => {
  const judged = judgeRecords(ready, pages, item);
  if (judged.failure !== undefined || ready.emits.length === 0) return judged;
  const discovered = discover(ready.emits, pages, item.input);
  if ("failure" in discovered) return { ...judged, failure: discovered.failure };
  const scrapers = jobScrapers(ready);
  const { emitted, rejected } = planFound(discovered.found, scrapers, item.key, ({ host }) => host);
  const inputs = Object.fromEntries(ready.emits.map(({ target }): [string, unknown[]] => [target, []]));
  for (const { scraper = 0, input } of emitted)
    inputs[scrapers[scraper]!.ready.scraper.name]!.push(JSON.parse(input));
  return {
    ...judged,
    emitted: { inputs, ...(rejected.length > 0 && { rejected: rejected.map(({ problem }) => problem) }) },
  };
};

const judgeRecords = (
  { extraction, scraper, version }: CompiledScraper,
  pages: readonly KeptPage[],
  { key, job = "" }: JudgedItem,
): FoundOnPages => {
  if (!extraction) return { records: [] };
  const raw = extract(extraction, pages);
  if ("failure" in raw) return { records: [], failure: raw.failure };
  const { lines, failure } = judge(raw.records, extraction, { job, key, scraper: scraper.name, version });
  return {
    records: lines.map((line) => JSON.parse(line) as FoundRecord),
    ...(failure && { failure }),
  };
};
