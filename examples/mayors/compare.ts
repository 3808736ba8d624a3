import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { FIELDS } from "./notice.ts";
import { truthOf } from "./truth.ts";

export interface Comparison {
  /** Towns whose row says what their page says. */
  readonly right: number;
  /** Towns whose page the site breaks, reported as such. */
  readonly broken: readonly { readonly kind: string; readonly url: string }[];
  /** Towns that were asked for in vain, or never found because their listing was: their links. */
  readonly lost: readonly string[];
  /** Rows that say something else than the page, and rows of no town. */
  readonly wrong: readonly string[];
}

/** Holds a CSV of mayors against what the site knows of its own pages. */
export function compareWithTruth(csvFile: string, siteUrl: string, towns: number): Comparison {
  const all = parse(readFileSync(csvFile), { columns: true }) as Record<string, string>[];
  // A listing that failed has a row too.
  const rows = all.filter((row) => row["_scraper"] === "mayors-town");
  const rowOf = new Map(rows.map((row) => [row["url"] ?? "", row]));
  const truths = truthOf(towns);
  const broken: { kind: string; url: string }[] = [];
  const lost: string[] = [];
  const wrong: string[] = [];
  let right = 0;
  if (rows.length !== rowOf.size) wrong.push(`${rows.length} rows for ${rowOf.size} links`);
  for (const truth of truths) {
    const url = siteUrl + truth.path;
    const row = rowOf.get(url);
    const expected: Record<string, string> = {
      region: truth.region,
      town: truth.town,
      _state: truth.state,
      ...(truth.state === "failed"
        ? { _failure: truth.kind }
        : {
            _quality: truth.quality,
            ...Object.fromEntries(FIELDS.map((name) => [name, truth.values[name] ?? ""])),
          }),
    };
    const isUnanswered = row?.["_failure"] === "timeout";
    if (row === undefined || (isUnanswered && truth.state !== "failed")) {
      lost.push(url);
      continue;
    }
    // Its page is broken anyway: the last try got no answer at all.
    if (isUnanswered) {
      broken.push({ kind: "timeout", url });
      continue;
    }
    const odd = Object.entries(expected).find(([name, value]) => row[name] !== value);
    if (odd) wrong.push(`${url}: ${odd[0]} should be "${odd[1]}" and is "${row[odd[0]]}"`);
    else if (truth.state === "failed") broken.push({ kind: truth.kind, url });
    else right++;
  }
  const known = new Set(truths.map(({ path }) => siteUrl + path));
  for (const url of rowOf.keys()) if (!known.has(url)) wrong.push(`${url}: not the page of a town`);
  return { right, broken, lost, wrong };
}
