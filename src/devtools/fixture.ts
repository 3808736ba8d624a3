import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import { FIELD_STATUSES, type JudgedField, type JudgedRecord } from "../domain/record.ts";

/** `fixture.json`: what was captured, and from where. Nothing in it changes when the scraper does. */
export interface Fixture {
  readonly scraper: string;
  readonly input: unknown;
  readonly key: string;
  /** ISO 8601. */
  readonly capturedAt: string;
  /** How the item ended when it was captured. */
  readonly outcome: "done" | "failed";
  readonly pages: readonly FixturePage[];
  /** What was taken out because it opens doors, for the reviewer. */
  readonly stripped?: readonly string[];
}

export interface FixturePage {
  readonly name: string;
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** Beside `fixture.json`; always UTF-8, whatever the site had. */
  readonly file: string;
}

/** `expected.json`: what extraction has to give on these pages. Reviewed by a person, rewritten by `--update`. */
export interface Expected {
  /** The kind with which extraction fails on these pages, if it has to. */
  readonly failure?: Failure["kind"];
  readonly records: readonly ExpectedRecord[];
  /** Of a scraper that emits: what the pages lead to. */
  readonly emitted?: Emitted;
}

/** Inputs as their scrapers' schemas have them, by the scraper's name; and of those that they refuse, why. */
export interface Emitted {
  readonly inputs: Readonly<Record<string, readonly unknown[]>>;
  readonly rejected?: readonly string[];
}

interface ExpectedRecord {
  readonly from: string;
  readonly quality: JudgedRecord["quality"];
  readonly fields: Readonly<Record<string, ExpectedField>>;
}

/** Status and value are held to; `raw` and `why` are there for the reviewer. */
export type ExpectedField = Pick<JudgedField, "status" | "value" | "raw" | "why">;

/** A case with its pages, as read from its folder. */
export interface FixtureCase {
  readonly name: string;
  readonly folder: string;
  readonly fixture: Fixture;
  /** Undefined while nothing has been expected yet. */
  readonly expected: Expected | undefined;
  /** Why what is expected cannot be read, where there is such a file. */
  readonly problem?: string;
}

export class FixtureError extends Error {
  readonly code = "bad-fixture";
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${problem}`, options);
    this.name = "FixtureError";
  }
}

/** What is worth keeping of extraction's answer: nothing that changes when a selector is merely written differently. */
export const expectedOf = ({ records, emitted, failure }: FoundOnPages): Expected => ({
  ...(failure && { failure: failure.kind }),
  records: records.map(({ from, quality, fields }) => ({
    from,
    quality,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, expectedField(field)])),
  })),
  ...(emitted && { emitted }),
});

/** What a scraper makes of an item's pages. */
export interface FoundOnPages {
  readonly records: readonly FoundRecord[];
  readonly emitted?: Emitted;
  readonly failure?: Failure;
}

/** A judged record and the page that it was read from, as flow/judge writes it down. */
export interface FoundRecord extends JudgedRecord {
  readonly from: string;
}

const expectedField = ({ status, value, raw, why }: JudgedField): ExpectedField => ({
  status,
  value: value ?? null,
  ...(raw !== undefined && raw !== value && { raw }),
  ...(why !== undefined && { why }),
});

/** The folder of a scraper's fixtures: beside its file. Several scrapers in one folder share it. */
export const fixturesFolder = (source: string): string =>
  join(dirname(source.startsWith("file:") ? fileURLToPath(source) : source), "fixtures");

export interface CaseFolder {
  readonly name: string;
  readonly folder: string;
}

/** Every case below the folder, in order of name, whoever's it is. */
export const listCases = (fixtures: string): CaseFolder[] =>
  (existsSync(fixtures) ? readdirSync(fixtures, { withFileTypes: true }) : [])
    .filter((entry) => entry.isDirectory() && existsSync(join(fixtures, entry.name, "fixture.json")))
    .map(({ name }) => ({ name, folder: join(fixtures, name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Throws `FixtureError`, which names the file and the way out. An expected.json that cannot be read is no more than not there. */
export const readCase = ({ name, folder }: CaseFolder): FixtureCase => {
  const file = join(folder, "fixture.json");
  const fixture = readJson(file);
  if (!isFixture(fixture))
    throw new FixtureError(
      file,
      `${brokenBy(fixture) ?? "is no fixture: it needs `scraper`, `key` and `pages`"}. ` +
        `Make it again with \`sluice capture SCRAPER --case ${name} --force\`, or remove its folder.`,
    );
  const expectedFile = join(folder, "expected.json");
  const expected = existsSync(expectedFile) ? readJson(expectedFile) : undefined;
  if (expected === undefined || isExpected(expected)) return { name, folder, fixture, expected };
  const why = brokenBy(expected) ?? "has no list of `records`, each with its `fields`";
  const problem = `${expectedFile}: ${why}. Put it right, or write it anew with \`sluice test --update\`.`;
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
        "cannot be read, but fixture.json names it. Make the fixture again with `sluice capture`, or remove its folder.",
        {
          cause: error,
        },
      );
    }
  });

/** `broken` says why there is nothing to look at. */
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

/** `file` has no path in it: a fixture reads nothing outside of its folder. */
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
