import type { CompletedPart, PutObjectCommandInput } from "@aws-sdk/client-s3";
import { randomUUID } from "node:crypto";
import { BlobError } from "../../ports/blobs.ts";
import { type S3Requests, statusOf } from "./s3-requests.ts";

export type Sdk = typeof import("@aws-sdk/client-s3");

/** `encryption` with S3's names. */
export type Encryption = Pick<PutObjectCommandInput, "ServerSideEncryption" | "SSEKMSKeyId">;

interface UploadTools {
  readonly sdk: Sdk;
  readonly requests: S3Requests;
  readonly encryption: Encryption;
}

const MB = 1024 * 1024;
/** All parts but the last have this size: some stores require equal parts. */
const PART_BYTES = 8 * MB;
/** Up to this size, one request is used: a sealed segment must not cost three. */
const MOST_WHOLE_BYTES = 16 * MB;
const PARTS_IN_FLIGHT = 2;
const MOST_PARTS = 10_000;

/** Marks an object as stored by this call, in case the response is lost. */
const MARK = "sluice-put";

/** One request for a small body; a longer one is sent in parts, a few of which are in memory. */
export const upload = async (
  tools: UploadTools,
  name: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ readonly size: number }> => {
  const pieces = new PieceReader(body);
  const first = await pieces.read(MOST_WHOLE_BYTES + 1);
  if (first.length > MOST_WHOLE_BYTES) return await uploadParts(tools, name, first, pieces);
  await putWhole(tools, name, first);
  return { size: first.length };
};

const putWhole = ({ sdk, requests, encryption }: UploadTools, name: string, bytes: Uint8Array) =>
  requests.ask({
    kind: "write",
    name,
    bytes: bytes.length,
    send: (client) =>
      client.send(new sdk.PutObjectCommand({ ...requests.target(name), ...encryption, Body: bytes })),
  });

/** True if the name was free. Never in parts: not every store supports the condition for parts. */
export const putIfFree = async (
  { sdk, requests, encryption }: UploadTools,
  name: string,
  bytes: Uint8Array,
): Promise<boolean> => {
  const mark = randomUUID();
  return await requests.ask({
    kind: "write",
    name,
    bytes: bytes.length,
    async send(client, isRepeated) {
      try {
        await client.send(
          new sdk.PutObjectCommand({
            ...requests.target(name),
            ...encryption,
            Body: bytes,
            IfNoneMatch: "*",
            Metadata: { [MARK]: mark },
          }),
        );
        return true;
      } catch (error) {
        if (statusOf(error) !== 412) throw error;
        return isRepeated && (await hasMark({ sdk, requests }, name, mark));
      }
    },
  });
};

const hasMark = async (
  { sdk, requests }: Pick<UploadTools, "sdk" | "requests">,
  name: string,
  mark: string,
): Promise<boolean> => {
  const head = await requests.ask({
    kind: "read",
    name,
    send: (client) => client.send(new sdk.HeadObjectCommand(requests.target(name))),
  });
  return head.Metadata?.[MARK] === mark;
};

const uploadParts = async (
  tools: UploadTools,
  name: string,
  begun: Uint8Array,
  pieces: PieceReader,
): Promise<{ readonly size: number }> => {
  const { sdk, requests, encryption } = tools;
  const target = requests.target(name);
  const mark = randomUUID();
  const { UploadId } = await requests.ask({
    kind: "write",
    name,
    send: (client) =>
      client.send(
        new sdk.CreateMultipartUploadCommand({ ...target, ...encryption, Metadata: { [MARK]: mark } }),
      ),
  });
  const parts: Promise<CompletedPart>[] = [];
  const store = async (bytes: Uint8Array, PartNumber: number): Promise<CompletedPart> => {
    const { ETag } = await requests.ask({
      kind: "write",
      name,
      bytes: bytes.length,
      send: (client) =>
        client.send(new sdk.UploadPartCommand({ ...target, UploadId, PartNumber, Body: bytes })),
    });
    return { PartNumber, ETag };
  };
  let size = 0;
  try {
    for (let rest = begun; ;) {
      const bytes = rest.length > 0 ? rest.subarray(0, PART_BYTES) : await pieces.read(PART_BYTES);
      rest = rest.subarray(bytes.length);
      // Data that was read ahead may end in the middle of a part.
      const part =
        rest.length === 0 && bytes.length < PART_BYTES
          ? Buffer.concat([bytes, await pieces.read(PART_BYTES - bytes.length)])
          : bytes;
      if (part.length === 0) break;
      if (parts.length === MOST_PARTS)
        throw new BlobError("bad-name", name, `${name} is longer than ${(MOST_PARTS * PART_BYTES) / MB} MB`);
      const stored = store(part, parts.length + 1);
      stored.catch(() => undefined); // awaited below
      parts.push(stored);
      size += part.length;
      await parts.at(-1 - PARTS_IN_FLIGHT);
    }
    const Parts = await Promise.all(parts);
    await complete(tools, name, { UploadId, MultipartUpload: { Parts } }, mark);
    return { size };
  } catch (error) {
    await Promise.allSettled(parts);
    // If this fails too, `abortAbandoned` does it later.
    await requests
      .ask({
        kind: "delete",
        name,
        send: (client) => client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId })),
      })
      .catch(() => undefined);
    throw error;
  }
};

/** After a lost response, the upload is unknown, and the object exists. */
const complete = (
  tools: UploadTools,
  name: string,
  begun: {
    readonly UploadId: string | undefined;
    readonly MultipartUpload: { readonly Parts: CompletedPart[] };
  },
  mark: string,
) =>
  tools.requests.ask({
    kind: "write",
    name,
    async send(client, isRepeated) {
      const { sdk, requests } = tools;
      try {
        await client.send(new sdk.CompleteMultipartUploadCommand({ ...requests.target(name), ...begun }));
      } catch (error) {
        const isGone = isRepeated && statusOf(error) === 404;
        if (!isGone || !(await hasMark(tools, name, mark))) throw error;
      }
    },
  });

/** A body in chunks of any length. Chunks are copied, because the body may reuse them. */
class PieceReader {
  readonly #chunks: AsyncIterator<Uint8Array> | undefined;
  #rest: Uint8Array;

  constructor(body: Uint8Array | AsyncIterable<Uint8Array>) {
    this.#chunks = body instanceof Uint8Array ? undefined : body[Symbol.asyncIterator]();
    this.#rest = body instanceof Uint8Array ? body : new Uint8Array();
  }

  /** Shorter only at the end. */
  async read(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let missing = length;
    for (;;) {
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      if (piece.length > 0) pieces.push(piece);
      if (missing === 0 || this.#chunks === undefined) break;
      const next = await this.#chunks.next();
      if (next.done) break;
      this.#rest = Buffer.from(next.value);
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }
}
