import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeptPage } from "../domain/capture.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import { type Expected, type Fixture, type FixtureCase, FixtureError, type FixturePage } from "./fixture.ts";

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
