import type { Failure, FailureKind } from "../../model/failure.ts";
import type { Attempt } from "../../model/item.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

interface KindTally {
  attempts: number;
  final: number;
  key: string;
  detail: string;
}

/** What a batch adds to a job's counters, written in a few statements whatever the size of the batch. */
export class JobTally {
  readonly #job: number;
  readonly #states = { done: 0, absent: 0, failed: 0, skipped: 0, waiting: 0, cancelled: 0 };
  readonly #kinds = new Map<FailureKind, KindTally>();
  /** No longer in anybody's hands. */
  #settled = 0;
  #partial = 0;
  #requests = 0;
  #bytes = 0;
  #fields: number[] | undefined;

  constructor(job: number) {
    this.#job = job;
  }

  /** `isCancelled`: its job was, and it would have to be tried again. */
  add({ outcome, attempt, fieldCounts }: SettledItem, isCancelled: boolean): void {
    this.#settled++;
    this.addCost(attempt);
    if (isCancelled) this.#states.cancelled++;
    else if (outcome.state !== "returned") this.#states[outcome.state]++;
    if (outcome.state === "done" && outcome.quality === "partial") this.#partial++;
    if (!fieldCounts) return;
    this.#fields ??= fieldCounts.map(() => 0);
    for (let i = 0; i < fieldCounts.length; i++) this.#fields[i] = (this.#fields[i] ?? 0) + fieldCounts[i]!;
  }

  addCost({ requests, bytes }: Pick<Attempt, "requests" | "bytes">): void {
    this.#requests += requests;
    this.#bytes += bytes;
  }

  /** `isUntried`: it came to its end without an attempt. */
  addFailure(failure: Failure, key: string, isFinal: boolean, isUntried = false): void {
    const known = this.#kinds.get(failure.kind);
    const tally = known ?? { attempts: 0, final: 0, key, detail: failure.detail };
    if (!isUntried) tally.attempts++;
    if (isFinal) {
      tally.final++;
      tally.key = key;
      tally.detail = failure.detail;
    }
    this.#kinds.set(failure.kind, tally);
  }

  write(db: Database): void {
    const { done, absent, failed, skipped, waiting, cancelled } = this.#states;
    db.run(
      `UPDATE jobs SET leased = leased - ?, done = done + ?, absent = absent + ?, failed = failed + ?, skipped = skipped + ?,
         waiting = waiting + ?, cancelled = cancelled + ?, partial = partial + ?, requests = requests + ?, bytes = bytes + ?,
         field_counts = coalesce(?, field_counts) WHERE number = ?`,
      this.#settled,
      done,
      absent,
      failed,
      skipped,
      waiting,
      cancelled,
      this.#partial,
      this.#requests,
      this.#bytes,
      this.#fields ? this.#sumFields(db, this.#fields) : null,
      this.#job,
    );
    for (const [kind, tally] of this.#kinds)
      db.run(
        `INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (job, kind) DO UPDATE SET final = final + excluded.final, attempts = attempts + excluded.attempts,
           example_key = CASE WHEN excluded.final > 0 THEN excluded.example_key ELSE example_key END,
           example_detail = CASE WHEN excluded.final > 0 THEN excluded.example_detail ELSE example_detail END`,
        this.#job,
        kind,
        tally.final,
        tally.attempts,
        tally.key,
        tally.detail,
      );
  }

  #sumFields(db: Database, added: readonly number[]): string {
    const row = db.get<{ field_counts: string }>(
      "SELECT field_counts FROM jobs WHERE number = ?",
      this.#job,
    )!;
    const known = JSON.parse(row.field_counts) as number[];
    return JSON.stringify(known.map((count, i) => count + (added[i] ?? 0)));
  }
}
