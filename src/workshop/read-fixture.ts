import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeptPage } from "../model/capture.ts";
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

/** Throws `FixtureError`, which names the file and the way out. */
export const readCase = ({ name, folder }: CaseFolder): FixtureCase => {
  const file = join(folder, "fixture.json");
  const fixture = readJson(file);
  if (!isFixture(fixture))
    throw new FixtureError(
      file,
      "is no fixture: it needs `scraper`, `key` and `pages`. Make it again with `sluice capture`.",
    );
  const expectedFile = join(folder, "expected.json");
  const expected = existsSync(expectedFile) ? readJson(expectedFile) : undefined;
  if (expected !== undefined && !isExpected(expected))
    throw new FixtureError(
      expectedFile,
      "has no list of `records`, each with its `fields`. Write it again with `sluice test --update`.",
    );
  return { name, folder, fixture, expected };
};

export const readPages = ({ folder, fixture }: FixtureCase): KeptPage[] =>
  fixture.pages.map(({ file, ...page }) => {
    const path = join(folder, file);
    try {
      return { ...page, text: readFileSync(path, "utf8") };
    } catch (error) {
      throw new FixtureError(
        path,
        "cannot be read, but fixture.json names it. Make it again with `sluice capture`.",
        {
          cause: error,
        },
      );
    }
  });

const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new FixtureError(file, `cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

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
      isObject(record) && isObject(record["fields"]) && Object.values(record["fields"]).every(isObject),
  );
