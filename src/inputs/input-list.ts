import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Blobs } from "../ports/blobs.ts";
import { stableText } from "../pipeline/plan.ts";
import { DigestTable } from "./digest-table.ts";
import { InputError, type InputRow } from "./input-format.ts";
import { readInputs } from "./read-inputs.ts";

/** Of one list. */
export const MOST_ROWS = 5_000_000;
const MOST_BYTES = 4 * 1024 ** 3;
const MOST_ROW = 256 * 1024;
const SHOWN = 5;

/** A list of inputs as an object: gzipped JSON lines, every row once. */
export interface StoredList {
  readonly blob: string;
  readonly rows: number;
  /** Of the JSON lines, before compression. */
  readonly bytes: number;
  /** SHA-256 of the JSON lines. */
  readonly digest: string;
}

export type Row = Readonly<Record<string, unknown>>;

/** What a row is known by: the values of the key's members, or all of it where there is no key. Order and spelling of members do not matter. */
export const nameOfRow = (row: Row, key: readonly string[] | undefined): string =>
  stableText(key === undefined ? row : key.map((name) => row[name] ?? null));

/**
 * Stores the rows as they come, in constant memory but for their names. Rows with a name that was there before are left out. A row that cannot be read, or has
 * no key, refuses the whole list: nothing is stored then.
 */
export const writeList = async (
  blobs: Pick<Blobs, "put">,
  blob: string,
  batches: AsyncIterable<readonly InputRow[]>,
  key?: readonly string[],
): Promise<{ readonly list: StoredList; readonly names: DigestTable; readonly folded: number }> => {
  const names = new DigestTable();
  const digest = createHash("sha256");
  let [bytes, folded] = [0, 0];
  const lines = async function* (): AsyncGenerator<string> {
    const bad: string[] = [];
    for await (const batch of batches) {
      let text = "";
      for (const row of batch) {
        const problem = problemOf(row, key);
        if (problem !== undefined) bad.push(`line ${row.line}: ${problem}`);
        if (bad.length >= SHOWN) break;
        if (!("value" in row) || bad.length > 0) continue;
        if (!names.add(nameOfRow(row.value, key))) folded++;
        else text += `${JSON.stringify(row.value)}\n`;
      }
      if (bad.length >= SHOWN) break;
      if (text === "") continue;
      bytes += Buffer.byteLength(text);
      if (names.size > MOST_ROWS || bytes > MOST_BYTES) throw tooLarge();
      digest.update(text);
      yield text;
    }
    if (bad.length > 0) throw refusedRows(bad);
  };
  await blobs.put(blob, zipped(lines()));
  return { list: { blob, rows: names.size, bytes, digest: digest.digest("hex") }, names, folded };
};

const problemOf = (row: InputRow, key: readonly string[] | undefined): string | undefined => {
  if ("problem" in row) return row.problem;
  const missing = key?.find((name) => row.value[name] === undefined || row.value[name] === null);
  if (missing !== undefined) return `it has no ${JSON.stringify(missing)}, which is the set's key`;
  const { length } = JSON.stringify(row.value);
  return length > MOST_ROW ? `it has ${length} characters; the limit is ${MOST_ROW}` : undefined;
};

const refusedRows = (bad: readonly string[]): InputError =>
  new InputError(
    "bad-header",
    { file: "the inputs" },
    `some rows cannot be used: ${bad.join("; ")}`,
    "Nothing was stored. Correct them and send the inputs again",
  );

const tooLarge = (): InputError =>
  new InputError(
    "expands",
    { file: "the inputs" },
    `a list has at most ${MOST_ROWS} rows and ${MOST_BYTES / 1024 ** 3} GiB`,
    "Split it",
  );

async function* zipped(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(lines, { objectMode: true });
  const gzip = createGzip();
  // An error of the rows ends the put with that error.
  source.once("error", (error) => gzip.destroy(error));
  yield* source.pipe(gzip) as AsyncIterable<Uint8Array>;
}

/** Few rows at a time: the thread has other work. */
const PIECE_LENGTH = 16 * 1024;

export const readList = (blobs: Pick<Blobs, "stream">, blob: string): AsyncGenerator<InputRow[]> =>
  readInputs(blobs.stream(blob), { format: "ndjson", name: blob, pieceLength: PIECE_LENGTH });

/** Rows of a list, without those that `isLeftOut` names. */
export async function* rowsWithout(
  batches: AsyncIterable<readonly InputRow[]>,
  key: readonly string[] | undefined,
  isLeftOut: (name: string) => boolean,
): AsyncGenerator<InputRow[]> {
  for await (const batch of batches)
    yield batch.filter((row) => !("value" in row && isLeftOut(nameOfRow(row.value, key))));
}
