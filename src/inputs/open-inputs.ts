import { statSync } from "node:fs";
import { type InputRow, type LaneOf, planInput } from "../pipeline/plan.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { InputError, type InputFormat } from "./input-format.ts";
import { inputBytes } from "./input-text.ts";
import { readInputs } from "./read-inputs.ts";

/** Standard input or a pipe: it cannot be read a second time. */
export const isReadOnce = (input: string): boolean => {
  if (input === "-") return true;
  try {
    return !statSync(input).isFile();
  } catch {
    return false; // it does not exist; reading it reports that
  }
};

/**
 * The rows for a scraper. The first ones are already read, so that inputs that cannot be opened, are empty, or do not fit are reported before
 * a job exists.
 */
export const openInputs = async (
  input: string,
  format: InputFormat | undefined,
  scraper: AnyScraper,
  laneOf: LaneOf,
): Promise<AsyncGenerator<readonly InputRow[]>> => {
  const rows = refuseMisfits(readInputs(input, format ? { format } : {}), scraper, input, laneOf);
  const first = await rows.next();
  if (first.done === true) throw noRows(input);
  return (async function* () {
    try {
      yield first.value;
      yield* rows;
    } finally {
      await rows.return(undefined);
    }
  })();
};

/** Throws `InputError` if a file has no readable rows. */
export const lookInto = async (input: string, format: InputFormat | undefined): Promise<void> =>
  await mustHaveRows(input, readInputs(input, format ? { format } : {}));

const mustHaveRows = async (input: string, batches: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of batches) return;
  throw noRows(input);
};

export interface BytesOnce {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly isGzip: boolean;
}

/** The bytes of an input that can be read only once, after a check of its beginning. */
export const openBytesOnce = async (input: string, format: InputFormat | undefined): Promise<BytesOnce> => {
  const bytes = inputBytes(input);
  const seen: Uint8Array[] = [];
  const look = async function* () {
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) {
      seen.push(next.value);
      yield next.value;
    }
  };
  await mustHaveRows(input, readInputs(look(), { name: input, ...(format && { format }) }));
  const whole = async function* () {
    yield* seen;
    yield* bytes;
  };
  const [first] = seen;
  return { bytes: whole(), isGzip: first?.[0] === 0x1f && first[1] === 0x8b };
};

const noRows = (input: string): InputError =>
  new InputError(
    "empty",
    { file: input === "-" ? "stdin" : input },
    "it has no inputs",
    "Expected a CSV, NDJSON or JSON file, or a list of URLs",
  );

/** If the first rows, this many, do not fit, it is the wrong file. */
const ENOUGH = 500;

/**
 * Passes the rows on, but throws if no row of the file fits the scraper: that is one mistake (a wrong header, the wrong file), reported once
 * before anything runs, not as many rejected inputs.
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
    `no input fits the scraper ${scraper.name} (${count} checked): ${first.problem}`,
    columns === ""
      ? "Correct the file and run again"
      : `The file's columns are ${columns}. Rename them to match the scraper's input, and run again`,
  );
}
