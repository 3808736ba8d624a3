import type { FailureKind } from "./failure.ts";

/** Where a job takes its inputs from, instead of an upload. */
export type InputsFrom =
  | {
      readonly set: string;
      /** The newest if omitted; a job names the version that it uses. */ readonly version?: number;
    }
  | { readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly itemsOf: ItemsOf }
  /** Read once, when the job starts. */
  | { readonly url: string }
  /** On the controller's machine; only from the configuration and the data folder's commands. */
  | { readonly file: string };

/** Inputs of earlier jobs of the same client. */
export interface ItemsOf {
  /** The scraper of the jobs; if omitted, that of the new job. */
  readonly scraper?: string;
  /** This job instead of the scraper's newest one that has ended. */
  readonly job?: string;
  readonly which: ItemChoice;
  /** With `failed`: only these kinds. */
  readonly kinds?: readonly FailureKind[];
  /** With `changed`: in how many of the newest runs. */
  readonly runs?: number;
  /** Of `unchecked`: for how long. */
  readonly weeks?: number;
}

/**
 * `absent`, `failed`: how they ended in the last run. `changed`: new or different in one of the last runs, for jobs with
 * `freshness`. `unchecked`: known from earlier runs, but neither done nor absent in any run of the last weeks.
 */
export const ITEM_CHOICES = ["absent", "failed", "changed", "unchecked"] as const;
export type ItemChoice = (typeof ITEM_CHOICES)[number];

/** For people: `set parcels, version 3`. */
export const inputsText = (from: InputsFrom): string => {
  if ("set" in from)
    return `set ${from.set}, ${from.version === undefined ? "newest version" : `version ${from.version}`}`;
  if ("rows" in from) return from.rows.length === 1 ? "1 input" : `${from.rows.length} inputs`;
  if ("url" in from) return from.url;
  if ("file" in from) return from.file;
  const { job, scraper, which, kinds = [], runs = 1, weeks = 1 } = from.itemsOf;
  const of = job === undefined ? (scraper === undefined ? "" : ` of ${scraper}`) : ` of job ${job}`;
  switch (which) {
    case "absent":
      return `items${of} that were absent last time`;
    case "failed":
      return `items${of} that failed last time${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}`;
    case "changed":
      return `items${of} that changed in the last ${runs} runs`;
    case "unchecked":
      return `items${of} not checked for ${weeks} weeks`;
    default:
      return which satisfies never;
  }
};
