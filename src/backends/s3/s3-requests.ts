import type { S3Client } from "@aws-sdk/client-s3";
import { setTimeout as delay } from "node:timers/promises";
import { BlobError, type BlobRequest } from "../../ports/blobs.ts";

export interface S3Place {
  readonly bucket: string;
  /** Prefix of every key: empty, or ending with `/`. */
  readonly prefix: string;
}

export interface Patience {
  /** How long a request is repeated while the store has problems. */
  readonly patienceMs: number;
  /** Pause before the first repetition; it doubles up to `longestPauseMs`. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const PATIENCE: Patience = { patienceMs: 300_000, firstPauseMs: 100, longestPauseMs: 5000 };

/** One attempt of an operation, with the number of bytes that it transfers. */
interface Attempt<Answer> {
  readonly kind: BlobRequest["kind"];
  readonly name: string;
  readonly bytes?: number;
  /** `isRepeated`: an earlier attempt may have taken effect without a response. */
  readonly send: (client: S3Client, isRepeated: boolean) => Promise<Answer>;
}

/** Repeats requests until there is a response: the SDK's own repetitions end after seconds, and have a quota. */
export class S3Requests {
  readonly place: S3Place;
  readonly #client: S3Client;
  readonly #patience: Patience;
  readonly #onRequest: (request: BlobRequest) => void;

  constructor(
    client: S3Client,
    place: S3Place,
    patience: Patience,
    onRequest: (request: BlobRequest) => void = () => undefined,
  ) {
    this.place = place;
    this.#client = client;
    this.#patience = patience;
    this.#onRequest = onRequest;
  }

  /** Bucket and key of an object, as arguments of commands. */
  target(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.place.bucket, Key: this.place.prefix + name };
  }

  /** For bytes that arrive after the response. */
  count(request: BlobRequest): void {
    this.#onRequest(request);
  }

  async ask<Answer>({ kind, name, bytes = 0, send }: Attempt<Answer>): Promise<Answer> {
    const { patienceMs, firstPauseMs, longestPauseMs } = this.#patience;
    const startedAt = performance.now();
    for (let attempt = 0; ; attempt++) {
      try {
        this.#onRequest({ kind, name, requests: 1, bytes });
        return await send(this.#client, attempt > 0);
      } catch (error) {
        if (error instanceof BlobError) throw error;
        const pauseMs = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * (0.5 + Math.random() / 2);
        const isLate = performance.now() - startedAt + pauseMs > patienceMs;
        if (!isTransient(error) || isLate) throw this.failure(error, name);
        await delay(pauseMs);
      }
    }
  }

  /** Explains what the store's response means for the blob: what happened, where, and what to do. */
  failure(error: unknown, name: string): unknown {
    if (error instanceof BlobError || !(error instanceof Error)) return error;
    const { bucket } = this.place;
    const fail = (code: BlobError["code"], message: string): BlobError =>
      new BlobError(code, name, message, { cause: error });
    const status = statusOf(error);
    if (error.name === "NoSuchBucket")
      return fail(
        "unavailable",
        `bucket ${bucket} does not exist: create it, or correct the URL of \`blobs\``,
      );
    if (status === 404) return fail("not-found", `no blob ${name} in bucket ${bucket}`);
    if (error.name.startsWith("CredentialsProvider"))
      return fail(
        "unavailable",
        `no credentials for bucket ${bucket}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine`,
      );
    if (status === 401 || status === 403)
      return fail(
        "read-only",
        `no permission to use ${name} in bucket ${bucket} (${error.name}): check the credentials, and their permissions to get, put, delete and list objects`,
      );
    if (status === 507 || /quota|storagefull/i.test(error.name))
      return fail(
        "no-space",
        `no space left for ${name} in bucket ${bucket} (${error.name}): raise its quota, then continue with \`sluice resume\`; nothing that was stored is lost`,
      );
    if (status === 301 || error.name === "PermanentRedirect" || error.name === "AuthorizationHeaderMalformed")
      return fail(
        "unavailable",
        `bucket ${bucket} is in another region: add region=… to the URL of \`blobs\``,
      );
    const what = status === undefined ? `${error.name}: ${codeOf(error)}` : `${error.name}, status ${status}`;
    return fail(
      "unavailable",
      `cannot use ${name} in bucket ${bucket} (${what}): check the store and its endpoint, then try again`,
    );
  }
}

export const statusOf = (error: unknown): number | undefined =>
  (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "no answer";

/** Errors with a status that a repeated request may not get. */
const PASSING_NAMES =
  /^(SlowDown|RequestTimeout|RequestTimeTooSkewed|InternalError|ServiceUnavailable|Throttl|TooManyRequests|ConditionalRequestConflict|OperationAborted|BadDigest|IncompleteBody|XAmzContentSHA256Mismatch)/;

/** Without a status, the response was missing or incomplete. */
const isTransient = (error: unknown): boolean => {
  if (!(error instanceof Error) || error.name.startsWith("CredentialsProvider")) return false;
  const status = statusOf(error);
  if (status === undefined) return !PROGRAMMING.has(error.name);
  return status >= 500
    ? status !== 501 && status !== 507
    : status === 408 || status === 429 || PASSING_NAMES.test(error.name);
};

const PROGRAMMING: ReadonlySet<string> = new Set([
  "TypeError",
  "RangeError",
  "ReferenceError",
  "AssertionError",
]);
