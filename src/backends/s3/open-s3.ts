import type {
  ListMultipartUploadsCommandInput,
  ListMultipartUploadsCommandOutput,
  S3Client,
} from "@aws-sdk/client-s3";
import { loadOptional } from "../../domain/missing-package.ts";
import { BlobError, type Blobs, checkBlobName } from "../../ports/blobs.ts";
import { PATIENCE, type Patience, type S3Place, S3Requests, statusOf } from "./s3-requests.ts";
import { type RequestPrices, S3Usage } from "./s3-usage.ts";
import { type Encryption, putIfFree, type Sdk, upload } from "./upload.ts";

export interface S3Options extends S3Place, RequestPrices {
  /** For a store that is not AWS. */
  readonly endpoint?: string;
  /** The bucket is in the path of URLs, not in the host name. */
  readonly pathStyle?: boolean;
  readonly region?: string;
  readonly encryption?: "AES256" | "aws:kms";
  readonly kmsKey?: string;
  readonly patience?: Partial<Patience>;
}

/** Every put costs money, and items wait for it before they are settled. */
const GATHER_MS = 15_000;
const CONNECT_MS = 5000;
/** Timeout without a byte in either direction. */
const SILENCE_MS = 30_000;
const REMOVED_TOGETHER = 16;
/** Maximum number of responses in a row that break before their first byte. */
const MOST_STALLS = 10;
const CLIENT = "@aws-sdk/client-s3";
const PRESIGNER = "@aws-sdk/s3-request-presigner";

/** Blobs as objects of a bucket. Credentials are found in the same way as by the AWS CLI. */
export const openS3 = async (options: S3Options): Promise<Blobs> => {
  for (const name of [CLIENT, PRESIGNER])
    loadOptional(name, "A blob store `s3:`", () => import.meta.resolve(name));
  const sdk = await import("@aws-sdk/client-s3");
  const client = clientFor(sdk, options);
  const usage = new S3Usage(options);
  const requests = new S3Requests(client, options, { ...PATIENCE, ...options.patience }, usage.count);
  const tools = { sdk, requests, encryption: encryptionOf(options) };
  const reader = new S3Reader(sdk, requests);

  const remove = async (name: string): Promise<void> => {
    checkBlobName(name);
    const send = (to: S3Client) => to.send(new sdk.DeleteObjectCommand(requests.target(name)));
    await requests.ask({ kind: "delete", name, send });
  };

  return {
    gatherMs: GATHER_MS,
    usage,
    async put(name, body) {
      checkBlobName(name);
      return await upload(tools, name, body);
    },
    async putOnce(name, body) {
      checkBlobName(name);
      return await putIfFree(tools, name, body);
    },
    async get(name, range) {
      checkBlobName(name);
      return await reader.get(name, range);
    },
    async *stream(name) {
      checkBlobName(name);
      yield* reader.stream(name);
    },
    list: (prefix) => listObjects(sdk, requests, prefix),
    remove,
    async removeMany(names) {
      const left = names.values();
      const removeNext = async (): Promise<void> => {
        for (const name of left) await remove(name);
      };
      await Promise.all(Array.from({ length: REMOVED_TOGETHER }, removeNext));
    },
    async link(name, { expiresInSec }) {
      checkBlobName(name);
      const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
      // Content from a site must not run in a browser.
      const command = new sdk.GetObjectCommand({
        ...requests.target(name),
        ResponseContentDisposition: "attachment",
      });
      return await getSignedUrl(client, command, { expiresIn: expiresInSec });
    },
    abortAbandoned: (olderThanMs) => abortUploads(sdk, requests, Date.now() - olderThanMs),
  };
};

const clientFor = (sdk: Sdk, { endpoint, pathStyle, region }: S3Options): S3Client =>
  new sdk.S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    forcePathStyle: pathStyle === true,
    // Other stores do not support the newer checksums; the signature covers the body anyway.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1, // see `S3Requests`
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  });

const encryptionOf = ({ encryption, kmsKey }: S3Options): Encryption => ({
  ...(encryption && { ServerSideEncryption: encryption }),
  ...(kmsKey !== undefined && { SSEKMSKeyId: kmsKey }),
});

class S3Reader {
  readonly #sdk: Sdk;
  readonly #requests: S3Requests;

  constructor(sdk: Sdk, requests: S3Requests) {
    this.#sdk = sdk;
    this.#requests = requests;
  }

  async get(name: string, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array> {
    if (range?.length === 0) return await this.#nothing(name);
    const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
    const bytes = await this.#requests.ask({
      kind: "read",
      name,
      send: async (client) => {
        try {
          const { Body } = await client.send(
            new this.#sdk.GetObjectCommand({ ...this.#requests.target(name), ...(Range && { Range }) }),
          );
          return await Body!.transformToByteArray();
        } catch (error) {
          if (statusOf(error) === 416) return new Uint8Array(); // past the end
          throw error;
        }
      },
    });
    this.#requests.count({ kind: "read", name, requests: 0, bytes: bytes.length });
    return bytes;
  }

  /** Throws if there is no such object. */
  async #nothing(name: string): Promise<Uint8Array> {
    await this.#requests.ask({
      kind: "read",
      name,
      send: (client) => client.send(new this.#sdk.HeadObjectCommand(this.#requests.target(name))),
    });
    return new Uint8Array();
  }

  /** Continues where a connection broke. */
  async *stream(name: string): AsyncGenerator<Uint8Array> {
    let at = 0;
    let etag: string | undefined;
    for (let isOver = false, stalls = 0; !isOver;) {
      const before = at;
      const answer = await this.#open(name, at);
      if (!answer) return;
      etag ??= answer.ETag;
      if (answer.ETag !== etag)
        throw new BlobError("unavailable", name, `${name} was replaced while it was read: read it again`);
      try {
        for await (const chunk of answer.Body as unknown as AsyncIterable<Uint8Array>) {
          at += chunk.length;
          this.#requests.count({ kind: "read", name, requests: 0, bytes: chunk.length });
          yield chunk;
        }
        isOver = true;
      } catch (error) {
        stalls = at === before ? stalls + 1 : 0;
        if (stalls >= MOST_STALLS) throw this.#requests.failure(error, name);
      }
    }
  }

  /** Undefined past the end. */
  async #open(name: string, from: number) {
    return await this.#requests.ask({
      kind: "read",
      name,
      send: async (client) => {
        const Range = from > 0 ? `bytes=${from}-` : undefined;
        try {
          return await client.send(
            new this.#sdk.GetObjectCommand({ ...this.#requests.target(name), ...(Range && { Range }) }),
          );
        } catch (error) {
          if (from > 0 && statusOf(error) === 416) return undefined;
          throw error;
        }
      },
    });
  }
}

async function* listObjects(
  sdk: Sdk,
  requests: S3Requests,
  prefix: string,
): AsyncGenerator<{ readonly name: string; readonly size: number }> {
  const { bucket, prefix: root } = requests.place;
  let ContinuationToken: string | undefined;
  do {
    const input = { Bucket: bucket, Prefix: root + prefix, ...(ContinuationToken && { ContinuationToken }) };
    const page = await requests.ask({
      kind: "list",
      name: prefix,
      send: (client) => client.send(new sdk.ListObjectsV2Command(input)),
    });
    for (const { Key = "", Size = 0 } of page.Contents ?? []) {
      const name = Key.slice(root.length);
      if (isBlobName(name)) yield { name, size: Size };
    }
    ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (ContinuationToken !== undefined);
}

/** Other programs may store objects in the bucket, such as folder markers. */
const isBlobName = (name: string): boolean => {
  try {
    checkBlobName(name);
    return true;
  } catch {
    return false;
  }
};

/** Aborts uploads that started before this time. Returns their number. */
const abortUploads = async (sdk: Sdk, requests: S3Requests, before: number): Promise<number> => {
  const { bucket: Bucket, prefix } = requests.place;
  let count = 0;
  for (let page = await listUploads(sdk, requests, {}); ;) {
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || (Initiated?.getTime() ?? Infinity) > before) continue;
      await requests.ask({
        kind: "delete",
        name: Key.slice(prefix.length),
        async send(client) {
          try {
            await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
          } catch (error) {
            if (statusOf(error) !== 404) throw error; // completed or aborted in the meantime
          }
        },
      });
      count++;
    }
    if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return count;
    page = await listUploads(sdk, requests, {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker !== undefined && { UploadIdMarker: page.NextUploadIdMarker }),
    });
  }
};

const listUploads = (
  sdk: Sdk,
  requests: S3Requests,
  after: Pick<ListMultipartUploadsCommandInput, "KeyMarker" | "UploadIdMarker">,
): Promise<ListMultipartUploadsCommandOutput> => {
  const { bucket: Bucket, prefix: Prefix } = requests.place;
  return requests.ask({
    kind: "list",
    name: "",
    send: (client) => client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...after })),
  });
};
