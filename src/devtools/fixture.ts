import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import { FIELD_STATUSES, type JudgedField, type JudgedRecord } from "../domain/record.ts";

/** `fixture.json`: what was captured, and from where. It does not change with the scraper. */
export interface Fixture {
  readonly scraper: string;
  readonly input: unknown;
  readonly key: string;
  /** ISO 8601. */
  readonly capturedAt: string;
  /** How the item ended when it was captured. */
  readonly outcome: "done" | "failed";
  readonly pages: readonly FixturePage[];
  /** Secrets that were removed, for the reviewer. */
  readonly stripped?: readonly string[];
}

export interface FixturePage {
  readonly name: string;
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** Beside `fixture.json`; always UTF-8, whatever the site's encoding. */
  readonly file: string;
}

/** `expected.json`: the expected result of extraction on these pages. Reviewed by a person, rewritten by `--update`. */
export interface Expected {
  /** The failure kind, if extraction is expected to fail. */
  readonly failure?: Failure["kind"];
  readonly records: readonly ExpectedRecord[];
  /** For a scraper that emits: the inputs it finds on the pages. */
  readonly emitted?: Emitted;
}

/** Inputs by the scraper's name, as its schema returns them, and the reasons for rejected ones. */
export interface Emitted {
  readonly inputs: Readonly<Record<string, readonly unknown[]>>;
  readonly rejected?: readonly string[];
}

interface ExpectedRecord {
  readonly from: string;
  readonly quality: JudgedRecord["quality"];
  readonly fields: Readonly<Record<string, ExpectedField>>;
}

/** Status and value are compared; `raw` and `why` help the reviewer. */
export type ExpectedField = Pick<JudgedField, "status" | "value" | "raw" | "why">;

/** A case as read from its folder. */
export interface FixtureCase {
  readonly name: string;
  readonly folder: string;
  readonly fixture: Fixture;
  /** Undefined until there is an expected.json. */
  readonly expected: Expected | undefined;
  /** Why an existing expected.json cannot be read. */
  readonly problem?: string;
}

export class FixtureError extends Error {
  readonly code = "bad-fixture";
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${problem}`, options);
    this.name = "FixtureError";
  }
}

/** The part of a result that stays the same when a selector is only written differently. */
export const expectedOf = ({ records, emitted, failure }: FoundOnPages): Expected => ({
  ...(failure && { failure: failure.kind }),
  records: records.map(({ from, quality, fields }) => ({
    from,
    quality,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, expectedField(field)])),
  })),
  ...(emitted && { emitted }),
});

/** What a scraper extracts from an item's pages. */
export interface FoundOnPages {
  readonly records: readonly FoundRecord[];
  readonly emitted?: Emitted;
  readonly failure?: Failure;
}

/** A judged record and the page that it was read from, as `pipeline/judge.ts` writes it. */
export interface FoundRecord extends JudgedRecord {
  readonly from: string;
}

const expectedField = ({ status, value, raw, why }: JudgedField): ExpectedField => ({
  status,
  value: value ?? null,
  ...(raw !== undefined && raw !== value && { raw }),
  ...(why !== undefined && { why }),
});

/** The folder with a scraper's fixtures, beside its file. Scrapers in one folder share it. */
export const fixturesFolder = (source: string): string =>
  join(dirname(source.startsWith("file:") ? fileURLToPath(source) : source), "fixtures");

export interface CaseFolder {
  readonly name: string;
  readonly folder: string;
}

/** All cases in the folder, of any scraper, sorted by name. */
export const listCases = (fixtures: string): CaseFolder[] =>
  (existsSync(fixtures) ? readdirSync(fixtures, { withFileTypes: true }) : [])
    .filter((entry) => entry.isDirectory() && existsSync(join(fixtures, entry.name, "fixture.json")))
    .map(({ name }) => ({ name, folder: join(fixtures, name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Throws `FixtureError`, which names the file and what to do. An unreadable expected.json is reported as `problem`. */
export const readCase = ({ name, folder }: CaseFolder): FixtureCase => {
  const file = join(folder, "fixture.json");
  const fixture = readJson(file);
  if (!isFixture(fixture))
    throw new FixtureError(
      file,
      `${brokenBy(fixture) ?? "is not a fixture: it needs `scraper`, `key` and `pages`"}. ` +
        `Capture it again with \`sluice capture SCRAPER --case ${name} --force\`, or remove its folder.`,
    );
  const expectedFile = join(folder, "expected.json");
  const expected = existsSync(expectedFile) ? readJson(expectedFile) : undefined;
  if (expected === undefined || isExpected(expected)) return { name, folder, fixture, expected };
  const why = brokenBy(expected) ?? "has no list of `records`, each with its `fields`";
  const problem = `${expectedFile}: ${why}. Correct it, or rewrite it with \`sluice test --update\`.`;
  return { name, folder, fixture, expected: undefined, problem };
};

export const readPages = ({ folder, fixture }: FixtureCase): KeptPage[] =>
  fixture.pages.map(({ file, ...page }) => {
    const path = join(folder, file);
    try {
      return { ...page, text: readFileSync(path, "utf8") };
    } catch (error) {
      throw new FixtureError(
        path,
        "cannot be read, but fixture.json names it. Capture the fixture again with `sluice capture`, or remove its folder.",
        {
          cause: error,
        },
      );
    }
  });

/** `broken` says why the file cannot be read. */
const readJson = (file: string): object => {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch (error) {
    return { broken: `cannot be read: ${(error as Error).message}` };
  }
};

const brokenBy = (read: object): string | undefined =>
  "broken" in read && typeof read.broken === "string" ? read.broken : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isFixture = (value: unknown): value is Fixture =>
  isObject(value) &&
  typeof value["scraper"] === "string" &&
  typeof value["key"] === "string" &&
  Array.isArray(value["pages"]) &&
  value["pages"].every(isPage);

/** `file` is a bare name: a fixture reads nothing outside its folder. */
const isPage = (value: unknown): value is FixturePage =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  typeof value["url"] === "string" &&
  typeof value["file"] === "string" &&
  /^[\w][\w.-]*$/.test(value["file"]);

const isExpected = (value: unknown): value is Expected =>
  isObject(value) &&
  Array.isArray(value["records"]) &&
  value["records"].every(
    (record) =>
      isObject(record) && isObject(record["fields"]) && Object.values(record["fields"]).every(isField),
  ) &&
  (value["emitted"] === undefined || isEmitted(value["emitted"]));

const isField = (value: unknown): boolean =>
  isObject(value) && FIELD_STATUSES.some((status) => status === value["status"]);

const isEmitted = (value: unknown): boolean =>
  isObject(value) &&
  isObject(value["inputs"]) &&
  Object.values(value["inputs"]).every(Array.isArray) &&
  (value["rejected"] === undefined || Array.isArray(value["rejected"]));
