import type { CaptureRef } from "../../model/capture.ts";
import type { Failure, FailureKind } from "../../model/failure.ts";
import type { Database } from "./database.ts";

/** An item that shows what a held lane suffers from. */
export interface ExampleItem {
  readonly queue: number;
  readonly seq: number;
  readonly key: string;
  readonly kind?: FailureKind;
  readonly detail?: string;
  readonly captures: readonly CaptureRef[];
}

const EXAMPLES = 3;
/** Of the latest of each state. */
const LOOKED_AT = 50;

interface Row {
  readonly seq: number;
  readonly key: string;
  readonly failure: string | null;
  readonly captures: string | null;
}

/** The latest items that ended as the chart counts them, those with captures first. Found by index: it costs the same in any queue. */
export const exampleItems = (db: Database, queue: number, chart: string): ExampleItem[] =>
  candidates(db, queue, chart)
    .toSorted((a, b) => Number(b.captures !== null) - Number(a.captures !== null) || b.seq - a.seq)
    .slice(0, EXAMPLES)
    .map(({ seq, key, failure, captures }) => {
      const why = failure === null ? undefined : (JSON.parse(failure) as Failure);
      return {
        queue,
        seq,
        key,
        ...(why && { kind: why.kind, detail: why.detail }),
        captures: captures === null ? [] : (JSON.parse(captures) as CaptureRef[]),
      };
    });

const candidates = (db: Database, queue: number, chart: string): Row[] => {
  const latest = (index: string, where: string): Row[] =>
    db.all<Row>(
      `SELECT i.seq, i.key, r.failure, r.captures FROM items i INDEXED BY ${index} CROSS JOIN results r ON r.queue = i.queue AND r.seq = i.seq
       WHERE i.queue = ? AND ${where} ORDER BY i.seq DESC LIMIT ${LOOKED_AT}`,
      queue,
    );
  if (chart === "absent") return latest("items_ended", "i.state = 4 AND i.state > 3");
  if (chart === "failures")
    return [
      ...latest("items_ended", "i.state = 5 AND i.state > 3"),
      ...latest("items_back", "i.state = 2 AND i.due_at IS NOT NULL"),
    ];
  return partials(db, queue);
};

/** Of records with missing fields there is no index: the latest results are looked through. */
const partials = (db: Database, queue: number): Row[] =>
  db.all<Row>(
    `SELECT i.seq, i.key, r.failure, r.captures FROM
       (SELECT * FROM results WHERE queue = ?1 AND seq <= (SELECT cursor FROM queues WHERE id = ?1) ORDER BY seq DESC LIMIT 500) r
     JOIN items i ON i.queue = r.queue AND i.seq = r.seq WHERE r.quality = 'partial' LIMIT ${LOOKED_AT}`,
    queue,
  );
