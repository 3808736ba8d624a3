import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { KeptPage } from "../domain/capture.ts";
import { discover, extract } from "../pipeline/extract.ts";
import { judge } from "../pipeline/judge.ts";
import { planFound } from "../pipeline/plan.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { jobScrapers } from "../scrapers/load-pinned.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { compareRecords, type Difference, explainDifference } from "./compare-records.ts";
import type { FieldExplanation } from "./explain-field.ts";
import {
  type CaseFolder,
  type Expected,
  expectedOf,
  type FixtureCase,
  type FoundOnPages,
  type FoundRecord,
  readPages,
} from "./fixture.ts";

/** One difference, with the piece of the page that explains it. */
interface Finding {
  readonly difference: Difference;
  readonly explanation?: FieldExplanation;
}

/** Plain data: it is sent between threads and printed as JSON. */
export interface CaseResult {
  readonly name: string;
  readonly folder: string;
  readonly key: string;
  /** Number of compared fields. */
  readonly checked: number;
  /** Number of compared emitted inputs. */
  readonly inputs: number;
  readonly findings: readonly Finding[];
  /** Why the case could not be compared. */
  readonly problem?: string;
  /** There is no readable expected.json yet; `--update` writes it. */
  readonly isNew?: true;
  /** The current result, which `--update` writes. Undefined if it must not be written. */
  readonly got?: Expected;
}

const NOTHING_EXPECTED =
  "nothing is expected yet: there is no expected.json. `sluice test --update` writes it.";

/**
 * Compares a scraper's result with one of its fixtures. Extraction runs twice, to find results that do not depend on the page alone. If the
 * scraper's code fails, the case fails and nothing is written.
 */
export const runCase = (ready: CompiledScraper, fixture: FixtureCase): CaseResult => {
  const { name, folder, expected } = fixture;
  const { key, input } = fixture.fixture;
  const pages = readPages(fixture);
  const found = judgePages(ready, pages, { key, input });
  const base = { name, folder, key, checked: 0, inputs: 0, findings: [] };
  if (found.failure?.kind === "scraper-error") return { ...base, problem: failedCode(found.failure.detail) };
  const got = expectedOf(found);
  const second = judgePages(ready, pages, { key, input });
  if (!isDeepStrictEqual(got, expectedOf(second))) return { ...base, problem: impurityOf(got, second) };
  if (expected === undefined)
    return { ...base, got, isNew: true, problem: fixture.problem ?? NOTHING_EXPECTED };
  const { checked, inputs, differences } = compareRecords(expected, found);
  return {
    ...base,
    got,
    checked,
    inputs,
    findings: differences.map((difference): Finding => {
      const explanation = explainDifference(ready, pages, found.records, difference);
      return { difference, ...(explanation && { explanation }) };
    }),
  };
};

const failedCode = (detail: string): string =>
  `the scraper's code failed on these pages: ${detail}. Correct the scraper; expected.json was not changed.`;

const impurityOf = (first: Expected, again: FoundOnPages): string => {
  const { differences } = compareRecords(first, again);
  const field = differences.find((one) => one.what === "field");
  const which = field === undefined ? "the result" : `field ${field.field}`;
  return `${which} differs when the same page is read twice. Extraction must depend on the page alone: look for the current time, random numbers, or state kept between calls.`;
};

interface JudgedItem {
  readonly key: string;
  readonly input: unknown;
  /** A fixture has none. */
  readonly job?: string;
}

/** What a run of this scraper would extract from these pages and emit: the same steps, without the network. */
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

/** A fixture without a scraper in the same folder: most likely the scraper was renamed and silently lost its tests. */
export interface OrphanCase extends CaseFolder {
  readonly scraper: string;
}

/** Of fixtures that do not belong to the scraper in `file`, those that belong to no scraper. Empty if a scraper file in the folder cannot be loaded. */
export const orphansAmong = async (
  cases: readonly OrphanCase[],
  file: string,
): Promise<readonly OrphanCase[]> => {
  if (cases.length === 0) return [];
  const folder = dirname(file);
  const beside = readdirSync(folder).filter((name) => /\.scraper\.[cm]?[jt]s$/.test(name));
  const names = new Set<string>();
  try {
    for (const one of beside) {
      const { scraper, source, targets } = await loadScraper(join(folder, one));
      names.add(scraper.name);
      // Fixtures of a target without its own file are never run.
      for (const [name, target] of targets)
        if (target.source !== source && dirname(fileURLToPath(target.source)) === folder) names.add(name);
    }
  } catch {
    return [];
  }
  return cases.filter(({ scraper }) => !names.has(scraper));
};
