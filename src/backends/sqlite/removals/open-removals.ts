import type { Removals } from "../../../ports/removals.ts";
import type { Database } from "../database.ts";
import { forgetFresh, noteLent } from "./detach-job.ts";
import { dropRows, endRemoval } from "./drop-rows.ts";
import { dueSweeps, endSweep, forgetObjects, freedObjects, releaseObjects } from "./kept-objects.ts";
import { markRemoval } from "./mark-removal.ts";
import { type RemovalRow, removalRow, removalView } from "./removal-row.ts";

export const openRemovals = (db: Database): Removals => ({
  mark: (job, what) => markRemoval(db, job, what),
  read: (job) =>
    db.read(() => {
      const row = removalRow(db, job);
      return row && removalView(db, row);
    }),
  list: ({ client = null, after = null, limit }) =>
    db.read(() =>
      db
        .all<RemovalRow>(
          `SELECT * FROM removals WHERE what = 'job' AND (?1 IS NULL OR client = ?1)
             AND number < coalesce((SELECT number FROM removals WHERE id = ?2), 9e15) ORDER BY number DESC LIMIT ?3`,
          client,
          after,
          limit,
        )
        .map((row) => removalView(db, row)),
    ),
  open: (limit) =>
    db.read(() =>
      db
        .all<RemovalRow>("SELECT * FROM removals WHERE step IS NOT NULL ORDER BY marked_at LIMIT ?", limit)
        .map((row) => removalView(db, row)),
    ),
  advance: (job) => db.write(() => advance(db, job), false),
  release: (job, objects) => releaseObjects(db, job, objects),
  async endBytes(job, what) {
    await db.write(() => {
      // More may be wanted by now than whoever deleted knew of.
      if (removalRow(db, job)?.what === what) enter(db, job, "bytes", "rows");
    });
  },
  due: (limit) => dueSweeps(db, limit),
  freed: (job) => freedObjects(db, job),
  forget: (job, objects) => forgetObjects(db, job, objects),
  endSweep: (sweep) => endSweep(db, sweep),
});

const advance = (db: Database, job: string): "ledger" | "bytes" | "nothing" => {
  const removal = removalRow(db, job);
  switch (removal?.step) {
    case "fresh":
      if (!forgetFresh(db, removal)) enter(db, job, "fresh", "lend");
      return "ledger";
    case "lend":
      if (noteLent(db, removal)) return "ledger";
      enter(db, job, "lend", "bytes");
      return "bytes";
    case "bytes":
      return "bytes";
    case "rows":
      if (dropRows(db, removal)) return "ledger";
      endRemoval(db, removal);
      return "nothing";
    case null:
    case undefined:
      return "nothing";
  }
};

/** Only from the step before: another process may have come further. */
const enter = (
  db: Database,
  job: string,
  from: RemovalRow["step"],
  to: NonNullable<RemovalRow["step"]>,
): void => {
  db.run("UPDATE removals SET step = ?, queue = 0, seq = 0 WHERE id = ? AND step = ?", to, job, from);
};
