import type { KeptPage } from "../domain/capture.ts";
import { judgeRecord } from "../domain/judgement.ts";
import { sameRecords } from "../domain/same-records.ts";
import { extract } from "../pipeline/extract.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { compileExtraction } from "../extraction/extract-spec.ts";
import type { FieldPath, FieldSource } from "./chain.ts";
import { extractOf } from "./extract-spec.ts";
import { answerOf } from "./location.ts";
import { matchRecords } from "./match-fields.ts";
import { pairCalls } from "./pair-calls.ts";
import type { Call, Run } from "./run.ts";

/** Calls of the first run whose answers hold the fields together, in every run. */
export interface Target {
  /** By the name under which the answer is kept. */
  readonly calls: ReadonlyMap<string, number>;
  readonly fields: FieldSource;
  /** Fields that they do not hold. */
  readonly missing: readonly string[];
}

type Scraper = Pick<CompiledScraper, "scraper" | "extraction">;

/** What one answer holds. */
interface Held {
  readonly at: number;
  readonly calls: readonly Call[];
  readonly fields: FieldSource;
  readonly missing: readonly string[];
}

/** Answers with all fields first, then several answers together, then those with the fewest gaps. */
export const findTargets = (ready: Scraper, runs: readonly Run[]): Target[] => {
  const all = (runs[0]?.calls ?? []).flatMap((call, at): Held[] => {
    if ((call.method !== "GET" && call.method !== "POST") || call.status >= 300) return [];
    const places = pairCalls(runs, at);
    if (places === undefined) return [];
    const calls = places.map((place, run) => runs[run]!.calls[place]!);
    const found = byExtract(ready, runs, calls) ?? byJson(ready, runs, calls);
    return found === undefined ? [] : [{ at, calls, ...found }];
  });
  const sorted = all.toSorted((a, b) => a.missing.length - b.missing.length);
  const single = sorted.map(({ at, fields, missing }) => ({
    calls: new Map([[pageName(ready), at]]),
    fields,
    missing,
  }));
  const together = single[0]?.missing.length === 0 ? undefined : joinedTarget(ready, runs, sorted);
  return together === undefined ? single : [together, ...single];
};

/** The fewest answers that hold all fields, if reading them together gives the records. */
const joinedTarget = (ready: Scraper, runs: readonly Run[], sorted: readonly Held[]): Target | undefined => {
  const own = ready.extraction;
  let missing = sorted[0]?.missing ?? [];
  const parts: (Held & { readonly paths: readonly FieldPath[] })[] = [];
  for (const held of sorted) {
    if (held.fields.by !== "json" || held.fields.each !== undefined) continue;
    const isNew = ({ name }: FieldPath): boolean => parts.length === 0 || missing.includes(name);
    const paths = held.fields.fields.filter(isNew);
    if (paths.length === 0) continue;
    parts.push({ ...held, paths });
    const found = new Set(paths.map(({ name }) => name));
    missing = missing.filter((name) => !found.has(name));
    if (missing.length === 0) break;
  }
  if (missing.length > 0 || parts.length < 2 || !own) return undefined;
  const name = pageName(ready);
  const pages = parts.map((_, at) => (at === 0 ? name : `${name}-${at + 1}`));
  const fields: FieldSource = { by: "json", pages, fields: parts.flatMap(({ paths }) => paths) };
  const extraction = compileExtraction(extractOf(fields, ready.scraper.extract));
  const isRight = runs.every(({ records = [] }, run) => {
    const raw = extract(
      extraction,
      parts.map(({ calls }, at) => keptPage(pages[at]!, calls[run]!)),
    );
    if ("failure" in raw) return false;
    const got = raw.records.map((record) => judgeRecord(record, own.required).fields);
    return sameRecords(records, got, own.required);
  });
  return isRight
    ? { calls: new Map(parts.map(({ at }, page) => [pages[page]!, at])), fields, missing: [] }
    : undefined;
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
): Pick<Held, "fields" | "missing"> | undefined => {
  const { extraction } = ready;
  if (!extraction) return undefined;
  const name = pageName(ready);
  const isEqual = calls.every((call, run) => {
    const raw = extract(extraction, [keptPage(name, call)]);
    if ("failure" in raw) return false;
    const got = raw.records.map((record) => judgeRecord(record, extraction.required).fields);
    return sameRecords(runs[run]!.records ?? [], got, extraction.required);
  });
  return isEqual ? { fields: { by: "extract" }, missing: [] } : undefined;
};

const byJson = (
  { scraper }: Scraper,
  runs: readonly Run[],
  calls: readonly Call[],
): Pick<Held, "fields" | "missing"> | undefined => {
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
  const pages = [pageName({ scraper })];
  return { fields: { by: "json", pages, fields, ...(each !== undefined && { each }) }, missing };
};
