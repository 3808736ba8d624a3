import zlib from "node:zlib";
import { promisify } from "node:util";
import { gunzipMembers, gunzipMembersNow } from "./gzip-members.ts";

/** Up to here decompression runs on the spot; more goes to a thread, so that no bomb stops the event loop. */
const ON_THE_SPOT_BYTES = 1024 * 1024;
/** A response wrapped more often than this is an attack, not a page. */
const MOST_CODINGS = 4;

type Coding = "gzip" | "deflate" | "deflate-raw" | "br" | "zstd";

/** Why a body could not be decoded. */
export class BodyError extends Error {
  readonly kind: "bad-content" | "too-large";
  constructor(kind: BodyError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BodyError";
    this.kind = kind;
  }
}

/**
 * Undoes `Content-Encoding`. Never holds more than `cap` decoded bytes (plus one output chunk): decompression stops
 * there with `too-large`. A plain body is given back as it is, without a promise.
 */
export const decodeBody = (
  wire: Buffer,
  contentEncoding: string | undefined,
  cap: number,
): Buffer | Promise<Buffer> => {
  if (!contentEncoding || wire.length === 0) return checkSize(wire, cap);
  const codings = readCodings(contentEncoding);
  return codings.length === 0 ? checkSize(wire, cap) : decodeAll(wire, codings, cap);
};

/** The same on the spot, for a thread that has nothing else to do. */
export const decodeBodyNow = (wire: Buffer, contentEncoding: string | undefined, cap: number): Buffer => {
  if (!contentEncoding || wire.length === 0) return checkSize(wire, cap);
  let bytes = checkSize(wire, cap);
  for (const name of readCodings(contentEncoding).toReversed()) {
    const coding = codingOf(name, bytes);
    try {
      bytes = DECODERS[coding].now(bytes, options(coding, cap));
    } catch (error) {
      throw unreadable(error, coding, cap);
    }
  }
  return bytes;
};

/** A file that is gzip itself, whatever it was sent as: `sitemap.xml.gz`. What is in it is the page. */
export const isGzipFile = (bytes: Uint8Array, mediaType: string, url: string): boolean =>
  bytes[0] === 0x1f &&
  bytes[1] === 0x8b &&
  (/^application\/(?:x-)?gzip$/.test(mediaType) || /\.gz(?:[?#]|$)/i.test(url));

const checkSize = (bytes: Buffer, cap: number): Buffer => {
  if (bytes.length > cap) throw new BodyError("too-large", `more than ${cap} bytes after decoding`);
  return bytes;
};

const readCodings = (header: string): string[] => {
  const codings = header
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((coding) => !MEANS_PLAIN.has(coding));
  if (codings.length > MOST_CODINGS)
    throw new BodyError("bad-content", `${codings.length} content encodings`);
  return codings;
};

/** `identity`, and what misconfigured servers put there; browsers show such pages. */
const MEANS_PLAIN = new Set([
  "",
  "identity",
  "none",
  "binary",
  "7bit",
  "8bit",
  "utf-8",
  "utf8",
  "iso-8859-1",
  "windows-1252",
  "us-ascii",
  "text/html",
  "chunked",
]);

const decodeAll = async (wire: Buffer, codings: readonly string[], cap: number): Promise<Buffer> => {
  let bytes = wire;
  for (const name of codings.toReversed()) bytes = await decodeOne(bytes, codingOf(name, bytes), cap);
  return bytes;
};

const codingOf = (name: string, bytes: Buffer): Coding => {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return "gzip";
    case "br":
    case "zstd":
      return name;
    case "deflate":
      return hasZlibHeader(bytes) ? "deflate" : "deflate-raw";
    default:
      throw new BodyError("bad-content", `unknown content encoding "${name}"`);
  }
};

/** RFC 1950 2.2. "deflate" means this format, yet some servers send the bare stream of RFC 1951. */
const hasZlibHeader = (bytes: Buffer): boolean =>
  bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

const decodeOne = async (bytes: Buffer, coding: Coding, cap: number): Promise<Buffer> => {
  const decoder = DECODERS[coding];
  try {
    if (bytes.length <= ON_THE_SPOT_BYTES / 4) {
      try {
        return decoder.now(bytes, options(coding, Math.min(cap, ON_THE_SPOT_BYTES)));
      } catch (error) {
        if (!isTooLarge(error) || cap <= ON_THE_SPOT_BYTES) throw error;
      }
    }
    return await decoder.later(bytes, options(coding, cap));
  } catch (error) {
    throw unreadable(error, coding, cap);
  }
};

const unreadable = (error: unknown, coding: Coding, cap: number): BodyError =>
  isTooLarge(error)
    ? new BodyError("too-large", `more than ${cap} bytes after decoding ${coding}`)
    : new BodyError("bad-content", `the body is not readable as ${coding}`, { cause: error });

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

/** RFC 9659: no zstd window over 8 MB on the web; a frame may otherwise ask for 2 GB before its first byte. */
const ZSTD_PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 23 };

const options = (coding: Coding, maxOutputLength: number): zlib.ZlibOptions & zlib.ZstdOptions =>
  coding === "zstd" ? { maxOutputLength, params: ZSTD_PARAMS } : { maxOutputLength };

type Options = ReturnType<typeof options>;
interface Decoder {
  now(bytes: Buffer, options: Options): Buffer;
  later(bytes: Buffer, options: Options): Promise<Buffer>;
}

const gunzip = promisify<Buffer, Options, Buffer>(zlib.gunzip);

/** Bytes that are no gzip, perhaps behind some that are. */
const mayHaveMore = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "Z_DATA_ERROR" || error.code === "Z_BUF_ERROR");

const DECODERS: Readonly<Record<Coding, Decoder>> = {
  gzip: {
    now(bytes, given) {
      try {
        return zlib.gunzipSync(bytes, given);
      } catch (error) {
        if (!mayHaveMore(error)) throw error;
        return gunzipMembersNow(bytes, given.maxOutputLength!);
      }
    },
    async later(bytes, given) {
      try {
        return await gunzip(bytes, given);
      } catch (error) {
        if (!mayHaveMore(error)) throw error;
        return await gunzipMembers(bytes, given.maxOutputLength!);
      }
    },
  },
  deflate: { now: zlib.inflateSync, later: promisify<Buffer, Options, Buffer>(zlib.inflate) },
  "deflate-raw": { now: zlib.inflateRawSync, later: promisify<Buffer, Options, Buffer>(zlib.inflateRaw) },
  br: { now: zlib.brotliDecompressSync, later: promisify<Buffer, Options, Buffer>(zlib.brotliDecompress) },
  zstd: { now: zlib.zstdDecompressSync, later: promisify<Buffer, Options, Buffer>(zlib.zstdDecompress) },
};
