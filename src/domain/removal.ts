/** What is removed from a job: everything, or only its pages and files; then its records, manifest and counts stay. */
export const REMOVAL_SCOPES = ["job", "pages"] as const;
export type RemovalScope = (typeof REMOVAL_SCOPES)[number];

/** What was removed so far. */
export interface RemovedCounts {
  readonly items: number;
  readonly captures: number;
  /** Of all objects that were deleted, records and indexes included. */
  readonly bytes: number;
}

/** The removal of a job or of its pages. For a removed job, this is all that is left of it. */
export interface Removal {
  readonly job: string;
  readonly client: string;
  readonly scraper: string;
  readonly what: RemovalScope;
  readonly createdAt: number;
  readonly endedAt: number;
  /** After this time, nothing of it can be read. */
  readonly removedAt: number;
  /** False while something is still to be deleted. */
  readonly isComplete: boolean;
  readonly removed: RemovedCounts;
  /** Objects that items of other jobs point to. They stay until those jobs are removed. */
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
