import { type Change, changeOf } from "../../model/freshness.ts";
import type { BlobRange, CaptureRef } from "../../model/capture.ts";
import type { ItemRef } from "../../model/item.ts";
import type { Database } from "./database.ts";
import type { FreshRow } from "./fresh-entry.ts";
import { noteBorrowed } from "./removals/borrowed.ts";
import { sumResults } from "./row-sums.ts";

/** Gives an item what the one behind the answer has, so that it is read through one's own. Its own past attempts stay. */
export const answerItem = (
  db: Database,
  { queue, seq, job }: ItemRef & { readonly job: string },
  answer: FreshRow,
  change: Change | undefined,
): void => {
  const from = { job: answer.job, queue: answer.queue, seq: answer.seq };
  db.run(
    `INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, skipped, change, revision)
     SELECT ?1, ?2, ?3, quality, failure, captures, records, ?4, ?5,
       (SELECT j.revision FROM queues q JOIN jobs j ON j.number = q.job WHERE q.id = ?1) FROM results WHERE queue = ?6 AND seq = ?7
     ON CONFLICT (queue, seq) DO UPDATE SET ended_at = excluded.ended_at, quality = excluded.quality, failure = excluded.failure,
       captures = excluded.captures, records = excluded.records, skipped = excluded.skipped, change = excluded.change,
       revision = excluded.revision`,
    queue,
    seq,
    db.now(),
    JSON.stringify({ reason: "fresh", from }),
    change ?? null,
    answer.queue,
    answer.seq,
  );
  sumResults(db, queue, seq);
  const { captures, records } = db.get<{ captures: string | null; records: string | null }>(
    "SELECT captures, records FROM results WHERE queue = ? AND seq = ?",
    queue,
    seq,
  )!;
  const kept = captures === null ? [] : (JSON.parse(captures) as CaptureRef[]);
  noteBorrowed(
    db,
    { queue, seq },
    job,
    records === null ? kept : [...kept, JSON.parse(records) as BlobRange],
  );
};

/** What an answer is to a client that had `before`. */
export const changeSince = (before: FreshRow | undefined, now: FreshRow): Change | undefined => {
  const isSame = before?.queue === now.queue && before.seq === now.seq;
  if (isSame && now.outcome === "done") return "unchanged";
  const seen = (row: FreshRow) => ({ outcome: row.outcome, digest: row.digest ?? undefined });
  return changeOf(before && seen(before), seen(now));
};
