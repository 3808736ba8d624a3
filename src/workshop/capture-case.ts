import type { KeptPage } from "../model/capture.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import { compareRecords, type Difference } from "./compare-records.ts";
import { type Expected, expectedOf, type Fixture } from "./fixture.ts";
import { judgePages } from "./judge-pages.ts";
import { openStripping } from "./strip-secrets.ts";
import { writeFixture } from "./write-fixture.ts";

export interface CapturedItem {
  readonly ready: ReadyScraper;
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
  /** Fields that say something else now that secrets are gone from the pages. */
  readonly changed: readonly Extract<Difference, { what: "field" }>[];
}

/** The largest page that belongs into a repository unless somebody insists. */
export const LARGEST_PAGE = 2_000_000;

export const tooLarge = (
  pages: readonly KeptPage[],
): readonly { readonly name: string; readonly bytes: number }[] =>
  pages
    .map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) }))
    .filter(({ bytes }) => bytes > LARGEST_PAGE);

/** Writes an item's pages down as a case, without their secrets, and what the scraper makes of them. */
export const captureCase = (folder: string, item: CapturedItem, now: Date): CapturedCase => {
  const { ready } = item;
  const stripping = openStripping();
  const pages = item.pages.map((page) => stripping.page(page));
  const key = stripping.text(item.key);
  const input = stripping.value(item.input);
  const stripped = [...stripping.found].sort();
  const before = judgePages(ready, item.pages, key);
  const after = judgePages(ready, pages, key);
  const { differences } = compareRecords(
    expectedOf(before.records, before.failure),
    after.records,
    after.failure,
  );
  const expected = expectedOf(after.records, after.failure);
  const scraper = ready.scraper.name;
  const files = writeFixture(
    folder,
    { scraper, input, key, capturedAt: now.toISOString(), outcome: item.outcome, pages, stripped },
    expected,
  );
  return { folder, files, expected, stripped, changed: differences.filter((one) => one.what === "field") };
};
