import { hash } from "node:crypto";
import type { CaptureRef, RecordRange } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { Change } from "../domain/freshness.ts";
import { ITEM_STATES, type ItemState, type Skipped } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";

/** One item, as the manifest tells it: enough to find all of a job without the ledger. */
export interface ManifestEntry {
  readonly key: string;
  /** Name of the scraper that it was for. */
  readonly scraper?: string;
  /** Key of the item that found it. */
  readonly parent?: string;
  readonly state: ItemState;
  readonly failure?: Pick<Failure, "kind" | "detail">;
  readonly quality?: "complete" | "partial";
  /** Of the scraper that made its result. */
  readonly version?: string;
  /** Why it was not fetched, or not kept again. */
  readonly skipped?: Pick<Skipped, "reason">;
  /** Since the client last had it. */
  readonly change?: Change;
  readonly attempts: number;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
}

export const manifestName = (job: string): string => `jobs/${job}/manifest.jsonl`;

/** One JSON text without its line end; what an item does not have is left out. */
export const manifestLine = (
  item: Omit<ManifestEntry, "captures"> & { readonly captures: readonly object[] },
): string => {
  const { key, scraper, parent, state, failure, quality, version, attempts, captures, records } = item;
  const { skipped, change } = item;
  return JSON.stringify({
    key,
    scraper,
    parent,
    state,
    failure: failure && { kind: failure.kind, detail: failure.detail },
    quality,
    version,
    skipped: skipped && { reason: skipped.reason },
    change,
    attempts,
    captures,
    records: records ?? undefined,
  });
};

/** Replaces the job's manifest in one step; holds one page of items at a time. */
export const writeManifest = async (
  blobs: Blobs,
  job: string,
  pages: AsyncIterable<readonly ManifestEntry[]>,
): Promise<void> => {
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const page of pages) yield Buffer.from(page.map((item) => `${manifestLine(item)}\n`).join(""));
  }
  await blobs.put(manifestName(job), lines());
};

/** Throws `ArchiveError` `damaged` with the line's number at the first line that is no entry. */
export async function* readManifest(blobs: Blobs, job: string): AsyncGenerator<ManifestEntry> {
  const name = manifestName(job);
  const decoder = new TextDecoder();
  let number = 0;
  let rest = "";
  for await (const chunk of blobs.stream(name)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield parseLine(name, ++number, line);
  }
  if (rest !== "")
    throw new ArchiveError("damaged", name, `${name} ends in the middle of line ${number + 1}`);
}

const parseLine = (name: string, number: number, line: string): ManifestEntry => {
  const problem = (cause?: unknown) =>
    new ArchiveError("damaged", name, `${name}, line ${number} is no manifest entry`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw problem(error);
  }
  if (!isWritten(value)) throw problem();
  return { ...value, records: value.records ?? null };
};

type Written = Omit<ManifestEntry, "records"> & { readonly records?: RecordRange };

const isWritten = (value: unknown): value is Written =>
  typeof value === "object" &&
  value !== null &&
  "key" in value &&
  typeof value.key === "string" &&
  "state" in value &&
  ITEM_STATES.some((state) => state === value.state) &&
  "captures" in value &&
  Array.isArray(value.captures);

type ArchiveErrorCode = "damaged";

/** Stored bytes are not what was stored. Names the blob and what did not fit. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  readonly blob: string;
  /** Key of the item whose records they are, where no other item is concerned. */
  readonly item: string | undefined;
  constructor(
    code: ArchiveErrorCode,
    blob: string,
    message: string,
    { item, ...options }: ErrorOptions & { readonly item?: string } = {},
  ) {
    super(message, options);
    this.name = "ArchiveError";
    this.code = code;
    this.blob = blob;
    this.item = item;
  }
}

/** A small JSON object that carries the digest of the rest of itself, so that a changed digit in it is noticed. */
export const sealJson = (value: object): Uint8Array =>
  Buffer.from(`${JSON.stringify({ ...value, digest: digestOf(value) }, undefined, 2)}\n`);

/** The object without its digest. Throws `SyntaxError` where it is not what was sealed; one without a digest is of an older version. */
export const openSealedJson = <Shape extends object>(bytes: Uint8Array): Shape => {
  const text = Buffer.from(bytes).toString();
  const value = JSON.parse(text) as (Shape & { readonly digest?: string }) | null;
  if (typeof value !== "object" || value === null) throw new SyntaxError("not an object");
  const { digest, ...rest } = value;
  if (digest === undefined) return value;
  if (digest !== digestOf(rest) || !Buffer.from(bytes).equals(sealJson(rest)))
    throw new SyntaxError("its digest is another");
  return rest as Shape;
};

const digestOf = (value: object): string => sha256(Buffer.from(JSON.stringify(value)));

/** Lower-case hex after the name of the algorithm: how refs, WARC headers and CDXJ spell a digest. */
export const sha256 = (bytes: Uint8Array): string => `sha256:${hash("sha256", bytes, "hex")}`;
