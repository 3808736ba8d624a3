import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCapture } from "../archive/read-capture.ts";
import { storedPage } from "../collectors/http/page.ts";
import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";
import type { FieldStatus } from "../domain/record.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { compareRecords, type Difference } from "./compare-records.ts";
import { type Expected, expectedOf, type Fixture, type FixturePage } from "./fixture.ts";
import { judgePages } from "./run-case.ts";
import { openStripping } from "./strip-secrets.ts";

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
  /** Fields whose value changed when secrets were removed from the pages: the old value may be a secret. */
  readonly changed: readonly ChangedField[];
}

interface ChangedField {
  readonly record: number;
  readonly field: string;
  readonly was: FieldStatus | undefined;
  readonly is: FieldStatus | undefined;
}

/** Larger pages are written only with `--force`. */
export const LARGEST_PAGE = 2_000_000;

export const tooLarge = (
  pages: readonly KeptPage[],
): readonly { readonly name: string; readonly bytes: number }[] =>
  pages
    .map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) }))
    .filter(({ bytes }) => bytes > LARGEST_PAGE);

/**
 * Writes an item's pages, without their secrets, and the scraper's result on them as a case. `folderOf` gets the key without secrets. If the
 * scraper's code fails on the pages, nothing is written: there is no result to expect.
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

/** The pages that an item kept for extraction, read from the archive. Kept files, such as PDFs, are not pages. */
export const storedPages = async (blobs: Blobs, { captures }: ItemView): Promise<KeptPage[]> =>
  await Promise.all(
    captures
      .filter(({ blob }) => blob.endsWith(".warc.gz"))
      .map(async (ref) => storedPage(ref.name, await readCapture(blobs, ref))),
  );

interface NewFixture extends Omit<Fixture, "pages"> {
  readonly pages: readonly KeptPage[];
}

/** Replaces the content of the folder by the case. Returns the files written. */
export const writeFixture = (
  folder: string,
  { pages, stripped = [], ...fixture }: NewFixture,
  expected: Expected,
): string[] => {
  const names = new Set(["fixture.json", "expected.json"]);
  const listed = pages.map(({ text, ...page }) => ({
    text,
    listed: { ...page, file: fileName(page, names) },
  }));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const whole: Fixture = {
    ...fixture,
    pages: listed.map(({ listed: page }): FixturePage => page),
    ...(stripped.length > 0 && { stripped }),
  };
  for (const { text, listed: page } of listed) writeFileSync(join(folder, page.file), text);
  writeFileSync(join(folder, "fixture.json"), pretty(whole));
  writeExpected(folder, expected);
  return [...names];
};

export const writeExpected = (folder: string, expected: Expected): void =>
  writeFileSync(join(folder, "expected.json"), pretty(expected));

/** Formatted for line-by-line diffs in reviews. */
const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const EXTENSIONS: readonly (readonly [RegExp, string])[] = [
  [/html/, "html"],
  [/json/, "json"],
  [/xml/, "xml"],
  [/csv/, "csv"],
];

/** The page's name with the extension of its type, unique within the case. */
const fileName = ({ name, mediaType }: Pick<KeptPage, "name" | "mediaType">, taken: Set<string>): string => {
  const extension = EXTENSIONS.find(([type]) => type.test(mediaType))?.[1] ?? "txt";
  const stem = caseName(name);
  for (let copy = 1; ; copy++) {
    const file = `${stem}${copy === 1 ? "" : `-${copy}`}.${extension}`;
    // Some file systems ignore case.
    if ([...taken].some((other) => other.toLowerCase() === file.toLowerCase())) continue;
    taken.add(file);
    return file;
  }
};

const MOST_LETTERS = 60;
/** On Windows these are names of devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A key as a folder name: readable, and safe on every file system. */
export const caseName = (key: string): string => {
  const plain = key
    .replace(/^https?:\/\//i, "")
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .slice(0, MOST_LETTERS)
    .replace(/^-+|-+$/g, "");
  return plain === "" ? "case" : DEVICE.test(plain) ? `${plain}_` : plain;
};
