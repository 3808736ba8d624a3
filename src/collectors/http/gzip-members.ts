import zlib from "node:zlib";

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

/** Each costs a decoder of its own: a body of many empty ones is an attack, not a page. */
const MOST_MEMBERS = 1000;

/**
 * Reads gzip members (RFC 1952) until something else follows. Node's own decoder refuses a body with anything but zeros behind its last
 * member; browsers and gzip itself ignore it.
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
    // With `info` Node gives an object, which its types do not know of.
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
