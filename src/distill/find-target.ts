import type { KeptPage } from "../domain/capture.ts";
import { judgeRecord } from "../domain/judgement.ts";
import { sameRecords } from "../domain/same-records.ts";
import { extract } from "../pipeline/extract.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { FieldSource } from "./chain.ts";
import { answerOf } from "./location.ts";
import { matchRecords } from "./match-fields.ts";
import { pairCalls } from "./pair-calls.ts";
import type { Call, Run } from "./run.ts";

/** A call of the first run whose answer holds the fields, in every run. */
export interface Target {
  readonly at: number;
  readonly fields: FieldSource;
  /** Fields that it does not hold. */
  readonly missing: readonly string[];
}

type Scraper = Pick<CompiledScraper, "scraper" | "extraction">;

/** Answers with all fields first, those with the fewest gaps next. */
export const findTargets = (ready: Scraper, runs: readonly Run[]): Target[] => {
  const calls = runs[0]?.calls ?? [];
  const targets = calls.flatMap((call, at): Target[] => {
    if ((call.method !== "GET" && call.method !== "POST") || call.status >= 300) return [];
    const places = pairCalls(runs, at);
    if (places === undefined) return [];
    const paired = places.map((place, run) => runs[run]!.calls[place]!);
    const found = byExtract(ready, runs, paired) ?? byJson(ready, runs, paired);
    return found === undefined ? [] : [{ at, ...found }];
  });
  return targets.toSorted((a, b) => a.missing.length - b.missing.length);
};

/** The name under which the page is kept. */
export const pageName = ({ scraper }: Pick<CompiledScraper, "scraper">): string => {
  const { extract: spec } = scraper;
  return (typeof spec === "object" ? [spec.from].flat()[0] : undefined) ?? "page";
};

const keptPage = (name: string, { finalUrl, status, mediaType, text }: Call): KeptPage => ({
  name,
  url: finalUrl,
  status,
  mediaType,
  text,
});

/** The scraper's own `extract` reads the same from the answer as from the page that the browser showed. */
const byExtract = (
  ready: Scraper,
  runs: readonly Run[],
  calls: readonly Call[],
): Omit<Target, "at"> | undefined => {
  const { extraction } = ready;
  if (!extraction) return undefined;
  const name = pageName(ready);
  const isEqual = calls.every((call, run) => {
    const raw = extract(extraction, [keptPage(name, call)]);
    if ("failure" in raw) return false;
    const got = raw.records.map((record) => judgeRecord(record, extraction.required).fields);
    return sameRecords(runs[run]!.records ?? [], got, extraction.required);
  });
  return isEqual ? { fields: { by: "extract", page: name }, missing: [] } : undefined;
};

const byJson = (
  { scraper }: Scraper,
  runs: readonly Run[],
  calls: readonly Call[],
): Omit<Target, "at"> | undefined => {
  const { extract: spec } = scraper;
  if (typeof spec !== "object") return undefined;
  const answers = calls.map((call, run) => ({
    json: answerOf(call).json,
    url: call.finalUrl,
    records: runs[run]!.records ?? [],
  }));
  if (answers.some(({ json }) => typeof json !== "object" || json === null)) return undefined;
  const matched = matchRecords(spec, answers);
  if (matched === undefined || matched.fields.length === 0) return undefined;
  const { fields, missing, each } = matched;
  const page = pageName({ scraper });
  return { fields: { by: "json", page, fields, ...(each !== undefined && { each }) }, missing };
};
