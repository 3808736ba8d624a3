import type { JobSpec, Pause, PauseReason } from "../../model/job.ts";
import { parseSpec } from "../../model/spec-text.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import type { KeySeed } from "./key-hash.ts";

export interface JobRow {
  readonly number: number;
  readonly id: string;
  readonly client: string;
  readonly key_seed: KeySeed;
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
  /** Of those capped, how many by depth; the others by the columns' names. */
  readonly too_deep: number;
  readonly capped_chain: number;
  readonly capped_budget: number;
  readonly capped_quota: number;
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
  /** In somebody's hands. */
  readonly leased: number;
  /** When its budget was spent. */
  readonly spent_at: number | null;
  /** A `Pause`: why it is paused, or was cancelled. */
  readonly paused: string | null;
  /** How often it has gone on with changed scrapers. */
  readonly revision: number;
  /** When items that had ended were last put back or amended. */
  readonly reopened_at: number | null;
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const pauseText = (db: Database, why: PauseReason): string =>
  JSON.stringify({ ...why, at: db.now() } satisfies Pause);

export const jobRow = (db: Database, id: string): JobRow => {
  const row = db.get<JobRow>("SELECT * FROM jobs WHERE id = ?", id);
  if (row) return row;
  const removed = db.get<{ marked_at: number }>("SELECT marked_at FROM removals WHERE id = ?", id);
  if (removed)
    throw new LedgerError("job-removed", `${id}: the job was removed on ${dayOf(removed.marked_at)}.`);
  throw new LedgerError("no-such-job", `${id}: no such job. \`sluice jobs ls\` lists them.`);
};

/** A job's text seldom changes, and a few jobs are asked for again and again. */
const parsed = new Map<string, JobSpec>();
const MOST_PARSED = 200;

export const readSpec = (text: string): JobSpec => {
  const known = parsed.get(text);
  if (known) return known;
  const spec = parseSpec(text);
  if (parsed.size >= MOST_PARSED) parsed.delete(parsed.keys().next().value!);
  parsed.set(text, spec);
  return spec;
};
