import type { CaptureRef, RecordRange } from "../model/capture.ts";
import type { Failure } from "../model/failure.ts";
import type { Change } from "../model/freshness.ts";
import { ITEM_STATES, type ItemState, type Skipped } from "../model/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ArchiveError } from "./archive-error.ts";

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
