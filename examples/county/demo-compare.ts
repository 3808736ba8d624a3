import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { Truth } from "./truth.ts";

const SHOWN = 20;

/** Compares a CSV of bills with the site's own data and prints the result. True if every row is correct. */
export function compareWithTruth(csvFile: string, truths: Iterable<Truth>): boolean {
  const rows = parse(readFileSync(csvFile), { columns: true }) as Record<string, string>[];
  const rowOf = new Map(rows.map((row) => [row["key"], row]));
  const wrong: string[] = [];
  let right = 0;
  for (const truth of truths) {
    const odd = oddityOf(truth, rowOf.get(truth.parcel));
    if (odd === undefined) right++;
    else wrong.push(`${truth.parcel}: ${odd}`);
  }
  const parcels = right + wrong.length;
  if (rows.length !== parcels) wrong.push(`${rows.length} rows for ${parcels} parcels`);
  for (const line of wrong.slice(0, SHOWN)) console.error(line);
  console.log(`\n${right} of ${parcels} parcels ended as the site's own record says they should.`);
  return wrong.length === 0;
}

/** What is wrong: the state, the failure kind, or a value. */
function oddityOf(truth: Truth, row: Record<string, string> | undefined): string | undefined {
  if (row === undefined) return "it has no row";
  const expected: Record<string, string> = {
    _state: truth.state,
    ...(truth.state === "failed" && { _failure: truth.kind }),
    ...(truth.state === "done" && { _quality: truth.quality, ...valuesOf(truth) }),
  };
  const odd = Object.entries(expected).find(([name, value]) => row[name] !== value);
  return odd && `${odd[0]} is "${row[odd[0]]}", and at the site it was "${odd[1]}"`;
}

/** As the cells of a CSV file; a field without a value has an empty one. */
const valuesOf = ({ fields, values }: Truth & { readonly state: "done" }): Record<string, string> =>
  Object.fromEntries(
    Object.keys(fields).map((name) => {
      const value = values[name] ?? "";
      return [name, typeof value === "object" ? JSON.stringify(value) : String(value)];
    }),
  );
