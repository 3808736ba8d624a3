import type { JobSpec } from "../../model/job.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

export interface JobRow {
  readonly number: number;
  readonly id: string;
  readonly client: string;
  readonly spec: string;
  readonly state: "loading" | "running" | "paused" | "done" | "cancelled";
  readonly sealed: number;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly received: number;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  readonly capped: number;
  readonly waiting: number;
  readonly done: number;
  readonly absent: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled: number;
  readonly partial: number;
  readonly requests: number;
  readonly bytes: number;
  readonly field_counts: string;
  readonly rejects: string;
}

export const jobRow = (db: Database, id: string): JobRow => {
  const row = db.get<JobRow>("SELECT * FROM jobs WHERE id = ?", id);
  if (!row) throw new LedgerError("no-such-job", `${id}: no such job. \`sluice jobs ls\` lists them.`);
  return row;
};

/** Infinity has no JSON: an unpaced job is written with a null rate. */
export const writeSpec = (spec: JobSpec): string =>
  JSON.stringify(spec, (name, value: unknown) => (name === "perSecond" && value === Infinity ? null : value));

export const readSpec = (text: string): JobSpec =>
  JSON.parse(text, (name, value: unknown) =>
    (name === "perSecond" || name === "maxItems") && value === null ? Infinity : value,
  ) as JobSpec;
