import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeptPage } from "../domain/capture.ts";
import type { Expected, Fixture, FixturePage } from "./fixture.ts";

interface NewFixture extends Omit<Fixture, "pages"> {
  readonly pages: readonly KeptPage[];
}

/** Writes a case anew, in place of whatever the folder held. Answers the files written. */
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

/** Read in reviews, and compared line by line there. */
const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const EXTENSIONS: readonly (readonly [RegExp, string])[] = [
  [/html/, "html"],
  [/json/, "json"],
  [/xml/, "xml"],
  [/csv/, "csv"],
];

/** Named like its page, with the extension of its type, and like no other file of the case. */
const fileName = ({ name, mediaType }: Pick<KeptPage, "name" | "mediaType">, taken: Set<string>): string => {
  const extension = EXTENSIONS.find(([type]) => type.test(mediaType))?.[1] ?? "txt";
  const stem = caseName(name);
  for (let copy = 1; ; copy++) {
    const file = `${stem}${copy === 1 ? "" : `-${copy}`}.${extension}`;
    // Some file systems take `Detail` and `detail` for the same.
    if ([...taken].some((other) => other.toLowerCase() === file.toLowerCase())) continue;
    taken.add(file);
    return file;
  }
};

const MOST_LETTERS = 60;
/** Windows gives these names, with any extension, to devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A key as a folder's name: readable, and safe on every file system. */
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
