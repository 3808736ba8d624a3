import { promisify } from "node:util";
import zlib from "node:zlib";

/** Up to this size decompression is synchronous; larger bodies go to a thread, so that no bomb blocks the event loop. */
const SYNC_BYTES = 1024 * 1024;
/** A response with more encodings than this is an attack, not a page. */
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
 * there with `too-large`. A plain body is returned as it is, without a promise.
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

/** The synchronous version, for threads with no other work. */
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

/** A file that itself is gzip, such as `sitemap.xml.gz`. Its content is the page. */
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

/** `identity`, and values that misconfigured servers send; browsers show such pages. */
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

/** RFC 1950, 2.2. "deflate" means this format, but some servers send the bare stream of RFC 1951. */
const hasZlibHeader = (bytes: Buffer): boolean =>
  bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

const decodeOne = async (bytes: Buffer, coding: Coding, cap: number): Promise<Buffer> => {
  const decoder = DECODERS[coding];
  try {
    if (bytes.length <= SYNC_BYTES / 4) {
      try {
        return decoder.now(bytes, options(coding, Math.min(cap, SYNC_BYTES)));
      } catch (error) {
        if (!isTooLarge(error) || cap <= SYNC_BYTES) throw error;
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
    : new BodyError("bad-content", `the body cannot be decoded as ${coding}`, { cause: error });

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

/** RFC 9659: no zstd window over 8 MB on the web; otherwise a frame could demand 2 GB before its first byte. */
const ZSTD_PARAMS = { [zlib.constants.ZSTD_d_windowLogMax]: 23 };

const options = (coding: Coding, maxOutputLength: number): zlib.ZlibOptions & zlib.ZstdOptions =>
  coding === "zstd" ? { maxOutputLength, params: ZSTD_PARAMS } : { maxOutputLength };

type Options = ReturnType<typeof options>;
interface Decoder {
  now(bytes: Buffer, options: Options): Buffer;
  later(bytes: Buffer, options: Options): Promise<Buffer>;
}

const gunzip = promisify<Buffer, Options, Buffer>(zlib.gunzip);

/** Bytes that are not gzip, perhaps after some that are. */
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

/** Deflated bytes to inflate, up to where their stream ends, into at most `cap` bytes. */
interface Inflate {
  readonly bytes: Buffer;
  readonly cap: number;
}

/** What came out, and how many bytes went in. */
interface Inflated {
  readonly bytes: Buffer;
  readonly used: number;
}

/** Each member needs its own decoder: a body of many empty members is an attack, not a page. */
const MOST_MEMBERS = 1000;

/**
 * Reads gzip members (RFC 1952) until something else follows. Node's decoder rejects a body with anything but zeros after its last member;
 * browsers and gzip ignore it.
 */
function* readMembers(body: Buffer, cap: number): Generator<Inflate, Buffer, Inflated> {
  const parts: Buffer[] = [];
  let size = 0;
  for (let rest = body; parts.length === 0 || isMember(rest);) {
    if (parts.length === MOST_MEMBERS) throw new Error(`it has more than ${MOST_MEMBERS} members`);
    const start = headerLength(rest);
    const { bytes, used } = yield { bytes: rest.subarray(start), cap: cap - size };
    const end = start + used;
    if (rest.length < end + 8 || rest.readUInt32LE(end) !== zlib.crc32(bytes))
      throw new Error("the checksum is missing or wrong");
    parts.push(bytes);
    size += bytes.length;
    rest = rest.subarray(end + 8);
  }
  return Buffer.concat(parts);
}

export const gunzipMembersNow = (body: Buffer, cap: number): Buffer => {
  const members = readMembers(body, cap);
  let step = members.next();
  while (!step.done) {
    const { bytes, cap: maxOutputLength } = step.value;
    // With `info` Node returns an object, which its types omit.
    const result = zlib.inflateRawSync(bytes, { maxOutputLength, info: true }) as unknown as WithInfo;
    step = members.next({ bytes: result.buffer, used: result.engine.bytesWritten });
  }
  return step.value;
};

export const gunzipMembers = async (body: Buffer, cap: number): Promise<Buffer> => {
  const members = readMembers(body, cap);
  let step = members.next();
  while (!step.done) step = members.next(await inflateLater(step.value));
  return step.value;
};

interface WithInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const inflateLater = ({ bytes, cap }: Inflate): Promise<Inflated> =>
  new Promise((resolve, reject) => {
    zlib.inflateRaw(bytes, { maxOutputLength: cap, info: true }, (error, result) => {
      if (error) return reject(error);
      const { buffer, engine } = result as unknown as WithInfo;
      resolve({ bytes: buffer, used: engine.bytesWritten });
    });
  });

const isMember = (bytes: Buffer): boolean =>
  bytes.length > 10 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;

const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const CHECKSUM = 2;

const headerLength = (bytes: Buffer): number => {
  if (!isMember(bytes)) throw new Error("not gzip");
  const flags = bytes[3]!;
  let at = 10;
  if (flags & EXTRA) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [NAME, COMMENT]) {
    if (!(flags & flag)) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) throw new Error("the header does not end");
    at = end + 1;
  }
  return flags & CHECKSUM ? at + 2 : at;
};
