import { isDeepStrictEqual } from "node:util";
import type { KeptPage } from "../model/capture.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import { compareRecords, type Difference } from "./compare-records.ts";
import { explainDifference } from "./explain-difference.ts";
import type { FieldExplanation } from "./explain-field.ts";
import { type Expected, expectedOf, type FixtureCase } from "./fixture.ts";
import { judgePages } from "./judge-pages.ts";
import { readPages } from "./read-fixture.ts";

/** One difference, with the piece of the page that it is about. */
export interface Finding {
  readonly difference: Difference;
  readonly explanation?: FieldExplanation;
}

/** Plain data: it crosses threads and is printed as JSON. */
export interface CaseResult {
  readonly name: string;
  readonly folder: string;
  readonly key: string;
  /** Fields that were held against what was expected. */
  readonly checked: number;
  readonly findings: readonly Finding[];
  /** Why the case could not be held against anything, or not for good. */
  readonly problem?: string;
  /** Nothing is expected of it yet. */
  readonly isNew?: true;
  /** What extraction gives now: what `--update` writes. */
  readonly got?: Expected;
}

const NOTHING_EXPECTED =
  "nothing is expected yet: there is no expected.json. `sluice test --update` writes it.";

/** Holds a scraper against one of its fixtures. Extraction is run twice: what differs then is not a matter of the page. */
export const runCase = (ready: ReadyScraper, fixture: FixtureCase): CaseResult => {
  const { name, folder, expected } = fixture;
  const { key } = fixture.fixture;
  const pages = readPages(fixture);
  const found = judgePages(ready, pages, key);
  const got = expectedOf(found.records, found.failure);
  const base = { name, folder, key, got };
  const impurity = impurityOf(ready, pages, key, got);
  if (impurity !== undefined) return { ...base, checked: 0, findings: [], problem: impurity };
  if (expected === undefined)
    return { ...base, checked: 0, findings: [], isNew: true, problem: NOTHING_EXPECTED };
  const { checked, differences } = compareRecords(expected, found.records, found.failure);
  return {
    ...base,
    checked,
    findings: differences.map((difference): Finding => {
      const explanation = explainDifference(ready, pages, found.records, difference);
      return { difference, ...(explanation && { explanation }) };
    }),
  };
};

const impurityOf = (
  ready: ReadyScraper,
  pages: readonly KeptPage[],
  key: string,
  first: Expected,
): string | undefined => {
  const again = judgePages(ready, pages, key);
  const second = expectedOf(again.records, again.failure);
  if (isDeepStrictEqual(first, second)) return undefined;
  const { differences } = compareRecords(first, again.records, again.failure);
  const field = differences.find((one) => one.what === "field");
  const which = field === undefined ? "its records" : `field ${field.field}`;
  return `${which} came out differently when the same page was read twice. Extraction must depend on the page alone: look for the time, chance, or something that is remembered.`;
};
