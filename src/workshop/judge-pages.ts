import { extract } from "../flow/extract.ts";
import { judge } from "../flow/judge.ts";
import type { KeptPage } from "../model/capture.ts";
import type { Failure } from "../model/failure.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { FoundRecord } from "./fixture.ts";

export interface JudgedPages {
  readonly records: readonly FoundRecord[];
  readonly failure?: Failure;
}

/** What a run of this scraper would keep of these pages: the same steps, and no network. */
export const judgePages = (
  { extraction, scraper, version }: ReadyScraper,
  pages: readonly KeptPage[],
  key: string,
): JudgedPages => {
  if (!extraction) return { records: [] };
  const raw = extract(extraction, pages);
  if ("failure" in raw) return { records: [], failure: raw.failure };
  const { lines, failure } = judge(raw.records, extraction, { job: "", key, scraper: scraper.name, version });
  return {
    records: lines.map((line) => JSON.parse(line) as FoundRecord),
    ...(failure && { failure }),
  };
};
