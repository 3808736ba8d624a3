import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { BlobError, type BlobErrorCode, type Blobs, checkBlobName } from "../../ports/blobs.ts";
import { DIGEST_HEADER, MOST_RANGE_BYTES } from "../../ports/ledger-wire.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { type Connection, type Response, type Sent, unanswered } from "./connection.ts";

/** A longer body is kept in a file until it has arrived. */
const MOST_IN_MEMORY = 8 * 1024 * 1024;

/** The blob store behind a controller. Every request is repeated until there is a response, except streams that break in the middle. */
export const remoteBlobs = (connection: Connection, gatherMs: number): Blobs => {
  const ask = async <T>(
    name: string,
    sent: () => Sent,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    try {
      return await connection.repeat(name, async () => {
        const response = await connection.send(sent());
        if (response.statusCode >= 400) throw await blobErrorIn(response, name);
        return await read(response);
      });
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      throw new BlobError("unavailable", name, error.message, { cause: error });
    }
  };

  const get = (name: string, query: string): Promise<Uint8Array> =>
    ask(
      name,
      () => ({ method: "GET", path: pathOf(name, query) }),
      (response) => response.body.bytes().catch(unanswered),
    );

  async function* streamed(name: string, path: string): AsyncGenerator<Uint8Array> {
    const body = await ask(
      name,
      () => ({ method: "GET", path }),
      async (response) => response.body,
    );
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw new BlobError("unavailable", name, `${name}: the connection broke: ${(error as Error).message}`);
    }
  }

  return {
    gatherMs,
    async put(name, body) {
      const path = pathOf(name);
      await using kept = body instanceof Uint8Array ? inMemory([body]) : await keep(body);
      const headers = { [DIGEST_HEADER]: kept.digest, "content-length": `${kept.size}` };
      const type = "application/octet-stream";
      return await ask(
        name,
        () => ({ method: "PUT", path, type, headers, ...(kept.size > 0 && { body: kept.open() }) }),
        async (response) => (await response.body.json().catch(unanswered)) as { readonly size: number },
      );
    },
    async get(name, range) {
      if (!range) return await get(name, "");
      const pieces: Uint8Array[] = [];
      // At least one request: a missing object is an error even if none of its bytes are requested.
      for (let at = 0; at === 0 || at < range.length; at += MOST_RANGE_BYTES) {
        const length = Math.min(MOST_RANGE_BYTES, range.length - at);
        const piece = await get(name, `?offset=${range.offset + at}&length=${length}`);
        pieces.push(piece);
        if (piece.length < length) break;
      }
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    },
    async *stream(name) {
      yield* streamed(name, pathOf(name));
    },
    async *list(prefix) {
      const body = streamed(prefix, `/v1/blobs?prefix=${encodeURIComponent(prefix)}`);
      for await (const line of createInterface({ input: Readable.from(body) })) {
        const [name, size] = JSON.parse(line) as [string, number];
        yield { name, size };
      }
    },
    remove: (name) =>
      ask(
        name,
        () => ({ method: "DELETE", path: pathOf(name) }),
        (response) => response.body.dump(),
      ),
  };
};

const pathOf = (name: string, query = ""): string => {
  checkBlobName(name);
  return `/v1/blobs/${encodeURI(name)}${query}`;
};

const blobErrorIn = async (response: Response, name: string): Promise<BlobError> => {
  const { code, message } = (await response.body.json().catch(unanswered)) as {
    readonly code: BlobErrorCode;
    readonly message: string;
  };
  return new BlobError(code, name, message);
};

/** A complete body, which can be sent repeatedly. */
interface Kept extends AsyncDisposable {
  readonly size: number;
  /** SHA-256 in hex. */
  readonly digest: string;
  open(): Uint8Array | Readable;
}

const inMemory = (pieces: readonly Uint8Array[]): Kept => {
  const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  return {
    size: bytes.length,
    digest: createHash("sha256").update(bytes).digest("hex"),
    open: () => bytes,
    [Symbol.asyncDispose]: async () => undefined,
  };
};

const keep = async (body: AsyncIterable<Uint8Array>): Promise<Kept> => {
  const iterator = body[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let next = await iterator.next(); ; next = await iterator.next()) {
    if (next.done) return inMemory(pieces);
    pieces.push(Buffer.from(next.value)); // the body may reuse it
    size += next.value.length;
    if (size > MOST_IN_MEMORY) return await inFile(pieces, iterator);
  }
};

const inFile = async (begun: readonly Uint8Array[], others: AsyncIterator<Uint8Array>): Promise<Kept> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-upload-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const hash = createHash("sha256");
  let size = 0;
  async function* all(): AsyncGenerator<Uint8Array> {
    for (const piece of begun) yield count(piece);
    for (let next = await others.next(); !next.done; next = await others.next())
      yield count(Buffer.from(next.value));
  }
  const count = (piece: Uint8Array): Uint8Array => {
    hash.update(piece);
    size += piece.length;
    return piece;
  };
  const file = join(folder, "body");
  try {
    await pipeline(all(), createWriteStream(file));
  } catch (error) {
    await remove();
    throw error;
  }
  const digest = hash.digest("hex");
  return { size, digest, open: () => createReadStream(file), [Symbol.asyncDispose]: remove };
};
