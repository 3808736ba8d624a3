import type { CaptureRef, RecordRange } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { Change } from "../domain/freshness.ts";
import { ITEM_STATES, type ItemState, type ItemView, type Skipped } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { ItemQuery, JobLedger } from "../ports/ledger.ts";
import { keepJobFile } from "./journal.ts";
import { ArchiveError } from "./stored-bytes.ts";

/** Where a job's items are known, and where its bytes are. */
export interface Stores {
  readonly ledger: ItemLists;
  readonly blobs: Blobs;
}

type ItemLists = Pick<JobLedger, "readJob" | "listItems">;

/** Small: nothing else runs on this thread while a page is listed. */
const PAGE = 500;

/** A job's items, page by page in the ledger's order. */
export async function* itemPages(
  ledger: Pick<JobLedger, "listItems">,
  job: string,
  filter: Pick<ItemQuery, "states" | "kinds" | "scraper"> = {},
): AsyncGenerator<readonly ItemView[]> {
  let query: ItemQuery = { ...filter, limit: PAGE };
  for (;;) {
    const { items, next } = await ledger.listItems(job, query);
    if (items.length > 0) yield items;
    if (next === undefined) return;
    query = { ...query, after: next };
  }
}

/** One item in the manifest: enough to find everything of a job without the ledger. */
export interface ManifestEntry {
  readonly key: string;
  readonly scraper?: string;
  /** Key of the item that found it. */
  readonly parent?: string;
  readonly state: ItemState;
  readonly failure?: Pick<Failure, "kind" | "detail">;
  readonly quality?: "complete" | "partial";
  /** Version of the scraper that made its result. */
  readonly version?: string;
  /** Why it was not fetched, or not kept again. */
  readonly skipped?: Pick<Skipped, "reason">;
  /** Compared with what the client last received. */
  readonly change?: Change;
  readonly attempts: number;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
}

export const manifestName = (job: string): string => `jobs/${job}/manifest.jsonl`;

/** One JSON text without a line end. Absent members are omitted. */
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

/** Writes everything the ledger knows of the job's items, so that the archive can be read without it. Holds one page of items at a time. */
export const writeManifest = async ({ ledger, blobs }: Stores, job: string): Promise<void> => {
  async function* lines(): AsyncGenerator<Uint8Array> {
    for await (const page of itemPages(ledger, job))
      yield Buffer.from(page.map((item) => `${manifestLine(item)}\n`).join(""));
  }
  const at = Date.now();
  await blobs.put(manifestName(job), lines());
  await keepJobFile({ ledger, blobs }, job, at);
  // Checked after the write: a removal in between has not seen the new manifest.
  if (!(await ledger.readJob(job))) await blobs.remove(manifestName(job));
};

/** Throws `ArchiveError` with the line number at the first line that is not an entry. */
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
  if (rest !== "") throw new ArchiveError(name, `${name} ends in the middle of line ${number + 1}`);
}

const parseLine = (name: string, number: number, line: string): ManifestEntry => {
  const problem = (cause?: unknown) =>
    new ArchiveError(name, `${name}, line ${number} is not a manifest entry`, { cause });
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
