import { hash } from "node:crypto";
import type { JudgedRecord } from "../model/record.ts";
import type { CollectSession } from "../ports/collector.ts";

/**
 * Over what the site said, not how: the values of the records, or the text of the kept pages where there are none. Where a value stood on its
 * page, and which of the scraper's places found it, may change without its meaning.
 */
export const contentDigest = (
  records: readonly string[] | undefined,
  { pages, files }: CollectSession["kept"],
): string | undefined => {
  if (records) return digestOf(records.map(valuesOf));
  if (pages.length === 0 && files.length === 0) return undefined;
  return digestOf([
    ...pages.map(({ name, status, text }) => [name, status, text]),
    ...files.map(({ name, digest }) => [name, digest]),
  ]);
};

const valuesOf = (line: string): unknown => {
  const { from, fields } = JSON.parse(line) as JudgedRecord & { readonly from: string };
  return [from, Object.entries(fields).map(([name, { status, value }]) => [name, status, value])];
};

const digestOf = (said: unknown): string => `sha256:${hash("sha256", JSON.stringify(said))}`;
