import { FIELD_STATUSES } from "./record.ts";

/** What is done about a missing value, decided when a release is written. The records never change. */
export const GAP_POLICIES = ["keep", "null", "drop", "default", "carry"] as const;
export type GapPolicy = (typeof GAP_POLICIES)[number];

/** By status of the value; `missing` also applies to values that were absent or not collected. `keep` if omitted. */
export interface GapRules {
  readonly empty?: GapPolicy;
  readonly missing?: GapPolicy;
  readonly malformed?: GapPolicy;
  /** For the policy `default`. */
  readonly default?: unknown;
}

export interface DatasetSource {
  /** The scraper whose jobs are the source. */
  readonly scraper: string;
  /** The job; if omitted, the newest that is done. */
  readonly job?: string;
  /** Its name in this dataset, if a scraper is used twice. By default the scraper's name. */
  readonly as?: string;
  /** The field by which its records are joined; by default the item's key. */
  readonly key?: string;
  /** Only records of this one of the job's scrapers; of the root when left out, or of all if it makes none. */
  readonly records?: string;
}

export interface DatasetField {
  readonly name: string;
  /** The source; by default the first that has the field. */
  readonly source?: string;
  /** Its name in the source. */
  readonly from?: string;
  readonly gaps?: GapRules;
}

export interface AuditRules {
  /** 1 when left out. */
  readonly minRows?: number;
  /** Minimum share of rows with their own value, by field. */
  readonly completeness?: Readonly<Record<string, number>>;
  /** Whether open findings about the sources hold a release; `block` by default. */
  readonly drift?: "block" | "warn" | "ignore";
  /** Fields whose combined values must be unique. */
  readonly unique?: readonly (readonly string[])[];
  /** By field. Values outside fail, up to a share of the rows. */
  readonly ranges?: Readonly<
    Record<string, { readonly min?: number; readonly max?: number; readonly share?: number }>
  >;
  /** Every value of the field is a key of the other dataset's current release. */
  readonly references?: readonly { readonly field: string; readonly dataset: string }[];
  /** Maximum share of the current release's keys that may be gone. */
  readonly maxGone?: number;
}

export const RELEASE_FORMATS = ["parquet", "csv", "jsonl"] as const;
export type ReleaseFormat = (typeof RELEASE_FORMATS)[number];

/** `first`: rows are the first source's records. `any`: those of all sources. `all`: only keys that every source has. */
export const JOINS = ["first", "any", "all"] as const;

/** The definition of a dataset. */
export interface DatasetSpec {
  readonly sources: readonly DatasetSource[];
  readonly join?: (typeof JOINS)[number];
  /** All fields of all sources when left out. */
  readonly fields?: readonly DatasetField[];
  /** For fields without their own setting. */
  readonly gaps?: GapRules;
  readonly rules?: AuditRules;
  /** In addition to JSON lines, which are always written. */
  readonly formats?: readonly ReleaseFormat[];
  /** How many published releases are kept; all when left out. */
  readonly keep?: number;
  /** A release is late when the last one is older than this. */
  readonly lateAfterMs?: number;
  /** The configuration also has an audit function. */
  readonly hasAudit?: boolean;
}

/** A dataset's document: its definition, and the release that readers get. */
export interface Dataset extends DatasetSpec {
  readonly name: string;
  readonly client: string;
  readonly createdAt: number;
  /** Declared in the configuration, and changed there. */
  readonly isDeclared?: boolean;
  readonly current?: { readonly release: number; readonly at: number };
  /** The highest number that was given out. */
  readonly last?: number;
  /** The release after which the next one was last reported as late; 0 for the first. */
  readonly lateAfter?: number;
}

/** The origin of a row's value: its status, or why there is no value. */
export const CELL_STATUSES = [...FIELD_STATUSES, "absent", "not-collected"] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

export interface Cell {
  readonly status: CellStatus;
  readonly value: unknown;
}

/** The same row in the previous release. */
export interface LastRow {
  readonly values: Readonly<Record<string, unknown>>;
  readonly gaps: Readonly<Record<string, string>>;
  /** The day of that release. */
  readonly day: string;
}

const CARRIED = "carried from ";

export type GapResult = { readonly value: unknown; readonly mark?: string } | "drop";

/** A row's value, and a mark if the value is not its own. A gap that becomes null has no mark. */
export const fillGap = (
  field: string,
  { status, value }: Cell,
  rules: GapRules,
  last: LastRow | undefined,
): GapResult => {
  if (status === "present") return { value };
  const policy = rules[status === "empty" || status === "malformed" ? status : "missing"] ?? "keep";
  switch (policy) {
    case "null":
      return { value: null };
    case "drop":
      return "drop";
    case "default":
      return { value: rules.default ?? null, mark: "default" };
    case "carry": {
      const known = last?.values[field] ?? null;
      if (!last || known === null) return { value: null, mark: status };
      const mark = last.gaps[field];
      // A default is not a value that was ever known.
      if (mark !== undefined && !mark.startsWith(CARRIED)) return { value: null, mark: status };
      return { value: known, mark: mark ?? `${CARRIED}${last.day}` };
    }
    case "keep":
      return { value: value ?? null, mark: status };
    default:
      return policy satisfies never;
  }
};

/**
 * `written`: its files are stored. `audited`: it passed. `held`: it did not, and the last good one stays current. `published`: it
 * is, or was, the current release. `withdrawn`: someone went back to an earlier one.
 */
export const RELEASE_STATES = ["written", "audited", "held", "published", "withdrawn"] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

export interface ReleaseFile {
  readonly name: string;
  readonly blob: string;
  readonly bytes: number;
  /** `sha256:<hex>`. */
  readonly digest: string;
  readonly mediaType: string;
}

export interface Check {
  readonly check: string;
  readonly verdict: "pass" | "warn" | "fail";
  readonly detail: string;
}

export type CellCounts = Readonly<Record<CellStatus, number>>;

export interface SourceCounts {
  readonly scraper: string;
  readonly as: string;
  readonly job: string;
  /** `JOB@first` or `JOB@EXTRACTION`. */
  readonly set: string;
  readonly version: string;
  readonly endedAt: number | null;
  readonly items: Readonly<Record<"done" | "absent" | "failed" | "skipped", number>>;
  readonly records: number;
  /** By field, over the rows of the dataset. */
  readonly fields: Readonly<Record<string, CellCounts>>;
}

export interface ReleaseColumn {
  readonly name: string;
  readonly type: string;
  readonly source?: string;
  readonly gaps?: GapRules;
}

/** A release's document. Files and counts never change; its state does. */
export interface Release {
  readonly dataset: string;
  readonly client: string;
  readonly number: number;
  readonly state: ReleaseState;
  readonly writtenAt: number;
  readonly writtenBy: string;
  readonly rows: number;
  /** Rows that a gap rule left out, by field. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Values that the gap rules filled in: the number of each mark, by field. */
  readonly filled: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly columns: readonly ReleaseColumn[];
  readonly sources: readonly SourceCounts[];
  readonly files: readonly ReleaseFile[];
  /** The release whose values were carried. */
  readonly before?: number;
  readonly audit?: { readonly at: number; readonly by: string; readonly checks: readonly Check[] };
  readonly published?: {
    readonly at: number;
    readonly by: string;
    /** Why it was published although the audit held it. */
    readonly reason?: string;
    /** With everything about it, as stored when it was published. */
    readonly manifest: ReleaseFile;
  };
}

/** A dataset's own audit, from the configuration: it returns what is wrong. */
export type OwnAudit = (given: {
  readonly release: Release;
  /** Each row once, in the order of keys. */
  readonly rows: AsyncIterable<Readonly<Record<string, unknown>>>;
}) => Promise<string | readonly string[] | undefined> | string | readonly string[] | undefined;

/** A dataset as the configuration declares it. */
export interface DatasetConfig extends Omit<DatasetSpec, "hasAudit" | "lateAfterMs"> {
  /** A release is late when the last one is older than this, for example "8d". */
  readonly lateAfter?: string;
  /** Looks at each release before it may be published. */
  readonly audit?: OwnAudit;
}

/** Why a release cannot be published; undefined if it can. */
export const whyNotPublish = (
  { number, state, audit }: Release,
  current: number | undefined,
  reason: string | undefined,
): string | undefined => {
  if (current !== undefined && number === current) return `release ${number} is current already`;
  if (state === "written") return `release ${number} has not been audited. Audit it first`;
  if (state === "held" && reason === undefined) {
    const failed = audit?.checks.filter(({ verdict }) => verdict === "fail").map(({ check }) => check) ?? [];
    return `release ${number} is held: ${failed.join(", ")}. Publish it with a reason, or write another one`;
  }
  if (current !== undefined && number < current)
    return `release ${current} is newer and current. To go back, use rollback`;
  return undefined;
};

/** Which published releases are no longer kept: the oldest beyond the newest `keep`, never the current one. */
export const releasesToRemove = (
  releases: readonly Pick<Release, "number" | "state">[],
  { keep, current }: { readonly keep: number; readonly current: number | undefined },
): readonly number[] => {
  const newest = releases.toSorted((a, b) => b.number - a.number);
  const published = newest.filter(({ state }) => state === "published" || state === "withdrawn");
  const oldest = published.slice(0, keep).at(-1)?.number ?? 0;
  const isKept = ({ number, state }: Pick<Release, "number" | "state">): boolean =>
    number === current ||
    (state === "published" || state === "withdrawn"
      ? published.slice(0, keep).some((one) => one.number === number)
      : published.length < keep || number > oldest);
  return newest.filter((one) => !isKept(one)).map(({ number }) => number);
};

/** `DATASET/000017`: in the order of numbers. */
export const releaseName = (dataset: string, number: number): string =>
  `${dataset}/${String(number).padStart(6, "0")}`;
