import { createReadStream } from "node:fs";
import { Readable, pipeline } from "node:stream";
import { TextDecoder } from "node:util";
import { createGunzip } from "node:zlib";
import { InputError } from "./input-format.ts";

/** Large enough that the work per piece does not count, small enough that a batch of rows stays small. */
const PIECE_BYTES = 64 * 1024;

/** Texts of inputs shrink to a tenth or a thirtieth; what was made to keep a reader busy, to a thousandth. */
const MOST_EXPANSION = 200;
const FREE_BYTES = 16 * 1024 * 1024;

export type InputSource = string | AsyncIterable<Uint8Array>;

/** The text of a file, of stdin (`-`) or of a stream, in pieces: unzipped where it is gzip, decoded, without its BOM. */
export const inputText = (source: InputSource, file: string): AsyncIterable<string> =>
  decoded(unzipped(openBytes(source, file), file), file);

/** Of a file or of stdin (`-`), as they are. */
export const inputBytes = (input: string): AsyncGenerator<Uint8Array> =>
  openBytes(input, input === "-" ? "stdin" : input);

async function* openBytes(source: InputSource, file: string): AsyncGenerator<Uint8Array> {
  if (typeof source !== "string") {
    yield* source;
    return;
  }
  try {
    yield* source === "-" ? process.stdin : createReadStream(source, { highWaterMark: PIECE_BYTES });
  } catch (cause) {
    throw openError(cause, file);
  }
}

const openError = (cause: unknown, file: string): InputError => {
  const code = errorCode(cause);
  return code === "ENOENT"
    ? new InputError("not-found", { file }, "there is no such file", "Check the path, or use - for stdin", {
        cause,
      })
    : new InputError(
        "unreadable",
        { file },
        `it cannot be read (${code})`,
        "Check that it is a file you may read",
        {
          cause,
        },
      );
};

const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

async function* unzipped(bytes: AsyncGenerator<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  const first = await bytes.next();
  if (first.done === true) return;
  const all = prepended(first.value, bytes);
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  // Errors of either side come out of the loop over the last stream.
  pipeline(Readable.from(all), gunzip, () => {});
  let size = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > FREE_BYTES && size > MOST_EXPANSION * gunzip.bytesWritten)
        throw new InputError(
          "expands",
          { file },
          `it unpacks to more than ${MOST_EXPANSION} times its size`,
          "Send it unpacked if it is meant so",
        );
      yield piece;
    }
  } catch (cause) {
    if (!errorCode(cause).startsWith("Z_")) throw cause;
    throw new InputError("bad-gzip", { file }, "it is not whole as a gzip file", "Fetch or pack it again", {
      cause,
    });
  }
}

async function* prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* decoded(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let line = 1;
  for await (const piece of bytes) {
    decoder ??= new TextDecoder(encodingOf(piece, file), { fatal: true });
    let text: string;
    try {
      text = decoder.decode(piece, { stream: true });
    } catch (cause) {
      const before = new TextDecoder(decoder.encoding).decode(piece).split("\uFFFD", 1)[0]!;
      throw badEncoding(file, line + newlines(before), cause);
    }
    line += newlines(text);
    yield text;
  }
  try {
    yield decoder?.decode() ?? "";
  } catch (cause) {
    throw badEncoding(file, line, cause);
  }
}

const newlines = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
};

const encodingOf = (first: Uint8Array, file: string): string => {
  if (first[0] === 0xff && first[1] === 0xfe) return "utf-16le";
  if (first[0] === 0xfe && first[1] === 0xff) return "utf-16be";
  if (first.subarray(0, 4096).includes(0)) {
    const wayOut = "Spreadsheets are exported as CSV first; CSV, NDJSON, JSON and lists of URLs are read";
    throw new InputError("unknown-format", { file }, "it is not a text file", wayOut);
  }
  return "utf-8";
};

const badEncoding = (file: string, line: number, cause: unknown): InputError => {
  const wayOut = "Convert it first, for example: iconv -f windows-1252 -t utf-8 IN > OUT";
  return new InputError("bad-encoding", { file, line }, "this is not UTF-8", wayOut, { cause });
};
