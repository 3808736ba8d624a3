/** The removal of a job or of its pages; of a removed job, all that is left of it. */
export interface Removal {
  readonly job: string;
  readonly client: string;
  readonly scraper: string;
  /** `pages`: records, manifest and counts stay. */
  readonly what: "job" | "pages";
  readonly createdAt: string;
  readonly endedAt: string;
  readonly removedAt: string;
  /** False while something is still to be deleted. */
  readonly isComplete: boolean;
  readonly removed: { readonly items: number; readonly captures: number; readonly bytes: number };
  /** What stays until the jobs have gone whose items point to it. */
  readonly kept: { readonly objects: number; readonly bytes: number };
}

export interface Prune {
  /** Jobs that ended longer ago; what the scrapers' `retention` says is due when left out. */
  readonly olderThanMs?: number;
  readonly keep?: "records";
  readonly scraper?: string;
  readonly dryRun?: boolean;
}

export interface DueRemoval {
  readonly job: string;
  readonly scraper: string;
  readonly what: "job" | "pages";
  readonly endedAt: string;
  readonly items: number;
  /** In a dry run. */
  readonly bytes?: number;
}

export interface Pruned {
  readonly data: readonly DueRemoval[];
  /** There was more than one request marks. */
  readonly isMore: boolean;
}
