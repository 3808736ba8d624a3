/** What is removed of a job: all of it, or its pages and files, so that its records, manifest and counts stay. */
export const REMOVAL_SCOPES = ["job", "pages"] as const;
export type RemovalScope = (typeof REMOVAL_SCOPES)[number];

/** What was removed so far. */
export interface RemovedCounts {
  readonly items: number;
  readonly captures: number;
  /** Of all objects that were deleted, records and indexes included. */
  readonly bytes: number;
}

/** The removal of a job or of its pages; of a removed job, all that is left of it. */
export interface Removal {
  readonly job: string;
  readonly client: string;
  readonly scraper: string;
  readonly what: RemovalScope;
  readonly createdAt: number;
  readonly endedAt: number;
  /** Since then, nothing of it can be read. */
  readonly removedAt: number;
  /** False while something is still to be deleted. */
  readonly isComplete: boolean;
  readonly removed: RemovedCounts;
  /** Objects that stay until the jobs have gone whose items point to them, as far as is known. */
  readonly kept: { readonly objects: number; readonly bytes: number };
}

/** How long the data of a scraper's jobs is kept after a job ends; default: forever. */
export interface Retention {
  /** Pages and files. */
  readonly pagesMs?: number;
  /** Everything: records, and the job itself. */
  readonly recordsMs?: number;
}

/** What is due to be removed of a job that ended then. */
export const dueRemoval = (
  { pagesMs = Infinity, recordsMs = Infinity }: Retention,
  endedAt: number,
  now: number,
): RemovalScope | undefined => {
  if (now - endedAt >= recordsMs) return "job";
  return now - endedAt >= pagesMs ? "pages" : undefined;
};
