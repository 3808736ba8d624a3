import { createReadStream } from "node:fs";
import { Readable, pipeline } from "node:stream";
import { TextDecoder } from "node:util";
import { createGunzip } from "node:zlib";
import { InputError } from "./input-format.ts";

/** Large enough that the overhead per piece is negligible, small enough that a batch of rows stays small. */
const PIECE_BYTES = 64 * 1024;

/** Input files compress to a tenth or a thirtieth; decompression bombs to a thousandth. */
const MOST_EXPANSION = 200;
const FREE_BYTES = 16 * 1024 * 1024;

export type InputSource = string | AsyncIterable<Uint8Array>;

/** The text of a file, of stdin (`-`) or of a stream, in pieces: decompressed if it is gzip, decoded, without a BOM. */
export const inputText = (source: InputSource, file: string): AsyncIterable<string> =>
  decoded(unzipped(openBytes(source, file), file), file);

/** The raw bytes of a file or of stdin (`-`). */
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
    ? new InputError("not-found", { file }, "the file does not exist", "Check the path, or use - for stdin", {
        cause,
      })
    : new InputError(
        "unreadable",
        { file },
        `it cannot be read (${code})`,
        "Check that it is a file, and its permissions",
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
  // Errors of both streams surface in the loop below.
  pipeline(Readable.from(all), gunzip, () => {});
  let size = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > FREE_BYTES && size > MOST_EXPANSION * gunzip.bytesWritten)
        throw new InputError(
          "expands",
          { file },
          `it decompresses to more than ${MOST_EXPANSION} times its size`,
          "If this is intended, provide it without compression",
        );
      yield piece;
    }
  } catch (cause) {
    if (!errorCode(cause).startsWith("Z_")) throw cause;
    throw new InputError(
      "bad-gzip",
      { file },
      "the gzip file is incomplete or damaged",
      "Download or compress it again",
      {
        cause,
      },
    );
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
    const wayOut = "Supported are CSV, NDJSON, JSON and lists of URLs; export spreadsheets as CSV";
    throw new InputError("unknown-format", { file }, "it is not a text file", wayOut);
  }
  return "utf-8";
};

const badEncoding = (file: string, line: number, cause: unknown): InputError => {
  const wayOut = "Convert it first, for example: iconv -f windows-1252 -t utf-8 IN > OUT";
  return new InputError("bad-encoding", { file, line }, "the text is not UTF-8", wayOut, { cause });
};
