import type { Failure, FailureKind } from "../../model/failure.ts";
import type { ItemRef } from "../../model/item.ts";
import type { Database } from "./database.ts";
import { writeEvent } from "./write-event.ts";

/** An item that has come to its end as failed. */
export interface FailedItem extends ItemRef {
  readonly key: string;
  readonly failure: Failure;
}

/** Items told in one event. */
const MOST = 100;
/** Of one item's detail. */
const MOST_CHARS = 300;

/**
 * Written by the settle itself, so that none is lost and none is told that did not happen. A settle brings what a worker has gathered for a
 * second or two, so there are few of these events however many items fail.
 */
export const tellFailed = (db: Database, job: string, failed: readonly FailedItem[]): void => {
  for (let from = 0; from < failed.length; from += MOST) {
    const some = failed.slice(from, from + MOST);
    const kinds: Partial<Record<FailureKind, number>> = {};
    for (const { failure } of some) kinds[failure.kind] = (kinds[failure.kind] ?? 0) + 1;
    writeEvent(db, "item.failed", job, {
      count: some.length,
      kinds,
      items: some.map(({ queue, seq, key, failure: { kind, detail } }) => ({
        queue,
        seq,
        key,
        kind,
        detail: detail.slice(0, MOST_CHARS),
      })),
    });
  }
};
