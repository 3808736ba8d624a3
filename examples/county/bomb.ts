import { constants, crc32, deflateRawSync } from "node:zlib";

const MEGABYTE = 1_048_576;

/** One gzip member that unpacks to this many megabytes of zeros, about a kilobyte each. */
export function gzipBomb(megabytes: number): Buffer {
  const zeros = Buffer.alloc(MEGABYTE);
  // A full flush ends on a byte and forgets what came before, so the block may be repeated as it is.
  const block = deflateRawSync(zeros, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const lastBlock = Buffer.from([3, 0]);
  let checksum = 0;
  for (let i = 0; i < megabytes; i++) checksum = crc32(zeros, checksum);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(checksum, 0);
  tail.writeUInt32LE((megabytes * MEGABYTE) % 2 ** 32, 4);
  return Buffer.concat([head, ...Array<Buffer>(megabytes).fill(block), lastBlock, tail]);
}
