import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { propertyPage } from "./property-page.ts";

export const DISTINCT_PAGES = 2_000;
/** `/parcel/<number>` is answered by the last four digits of its number, so that a job may have any number of items. */
const NAMES = 10_000;

export const TINY_PAGE = "<!doctype html><title>Parcel</title><p id=owner>ALVAREZ ROSA</p>";

export const pageName = (n: number): string => String(n % NAMES).padStart(4, "0");

/** One file a name, of which every two thousand share their bytes. */
export const writePages = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < DISTINCT_PAGES; n++) writeFileSync(join(folder, pageName(n)), propertyPage(n));
  for (let n = DISTINCT_PAGES; n < NAMES; n++)
    linkSync(join(folder, pageName(n % DISTINCT_PAGES)), join(folder, pageName(n)));
};
