import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { FieldStatus } from "../domain/record.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { compareRecords, type Difference } from "./compare-records.ts";
import { type Expected, expectedOf, type Fixture } from "./fixture.ts";
import { judgePages } from "./judge-pages.ts";
import { openStripping } from "./strip-secrets.ts";
import { writeFixture } from "./write-fixture.ts";

export interface CapturedItem {
  readonly ready: CompiledScraper;
  readonly key: string;
  readonly input: unknown;
  readonly outcome: Fixture["outcome"];
  readonly pages: readonly KeptPage[];
}

export interface CapturedCase {
  readonly folder: string;
  readonly files: readonly string[];
  readonly expected: Expected;
  readonly stripped: readonly string[];
  /** Fields that say something else now that secrets are gone from the pages. What they said may be such a secret. */
  readonly changed: readonly ChangedField[];
}

interface ChangedField {
  readonly record: number;
  readonly field: string;
  readonly was: FieldStatus | undefined;
  readonly is: FieldStatus | undefined;
}

/** The largest page that belongs into a repository unless somebody insists. */
export const LARGEST_PAGE = 2_000_000;

export const tooLarge = (
  pages: readonly KeptPage[],
): readonly { readonly name: string; readonly bytes: number }[] =>
  pages
    .map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) }))
    .filter(({ bytes }) => bytes > LARGEST_PAGE);

/**
 * Writes an item's pages down as a case, without their secrets, and what the scraper makes of them. `folderOf` is asked with the key as it
 * may be shown. A scraper whose code fails on the pages has nothing that could be expected of it: nothing is written.
 */
export const captureCase = (
  folderOf: (key: string) => string,
  item: CapturedItem,
  now: Date,
): CapturedCase | { readonly failure: Failure } => {
  const { ready } = item;
  const stripping = openStripping();
  const input = stripping.value(item.input);
  const key = stripping.key(item.key);
  const pages = item.pages.map((page) => stripping.page(page));
  const before = judgePages(ready, item.pages, item);
  const after = judgePages(ready, pages, { key, input });
  const failure = [before, after].find((one) => one.failure?.kind === "scraper-error")?.failure;
  if (failure !== undefined) return { failure };
  const folder = folderOf(key);
  const stripped = [...stripping.found].sort();
  const expected = expectedOf(after);
  const scraper = ready.scraper.name;
  const files = writeFixture(
    folder,
    { scraper, input, key, capturedAt: now.toISOString(), outcome: item.outcome, pages, stripped },
    expected,
  );
  const { differences } = compareRecords(expectedOf(before), after);
  return { folder, files, expected, stripped, changed: differences.flatMap(changedField) };
};

const changedField = (one: Difference): ChangedField[] =>
  one.what === "field"
    ? [{ record: one.record, field: one.field, was: one.expected?.status, is: one.got?.status }]
    : [];
