import { type InputRow, type LaneOf, planInput } from "../flow/plan.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { InputError } from "./input-error.ts";

/** So many rows in a row that do not fit, from the first one on, are the wrong file. */
const ENOUGH = 500;

/**
 * Passes the rows on, but refuses a file none of whose rows fits the scraper: that is one mistake (a wrong header, the wrong file), to be told
 * once and before anything runs, and not as many rejected inputs.
 */
export async function* refuseMisfits(
  batches: AsyncIterable<readonly InputRow[]>,
  scraper: AnyScraper,
  file: string,
  laneOf: LaneOf,
): AsyncGenerator<readonly InputRow[]> {
  const held: (readonly InputRow[])[] = [];
  let first: { readonly line: number; readonly problem: string; readonly row: InputRow } | undefined;
  let count = 0;
  let isTrusted = false;
  for await (const rows of batches) {
    if (isTrusted) {
      yield rows;
      continue;
    }
    held.push(rows);
    for (const row of rows) {
      const planned = planInput(scraper, row, laneOf);
      if ("item" in planned) {
        isTrusted = true;
        break;
      }
      first ??= { ...planned.rejected, row };
      if (++count >= ENOUGH) break;
    }
    if (!isTrusted && count >= ENOUGH) break;
    if (isTrusted) yield* held.splice(0);
  }
  if (isTrusted || !first) return;
  const columns = "value" in first.row ? Object.keys(first.row.value).join(", ") : "";
  throw new InputError(
    "bad-header",
    { file, line: first.line },
    `no input fits the scraper ${scraper.name} (${count} looked at): ${first.problem}`,
    columns === ""
      ? "Correct the file and run again"
      : `The file has: ${columns}. Name its columns as the scraper's input does, and run again`,
  );
}
