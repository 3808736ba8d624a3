import { type InputRow, planInput } from "../pipeline/plan.ts";
import type { RejectedInput } from "../domain/job.ts";
import type { PlannedItem } from "../ports/ledger.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { ServiceContext } from "./service-context.ts";
import { addWithinQuota } from "./items-quota.ts";
import { Problem } from "./problem.ts";
import { readMark, type UploadMark, writeMark } from "./upload-mark.ts";
import { giveWay } from "./metrics/give-way.ts";
import { withSilences } from "./with-silences.ts";

interface Upload {
  readonly job: string;
  readonly client: string;
  readonly ready: CompiledScraper;
  readonly rows: AsyncIterable<readonly InputRow[]>;
  /** Inputs of the upload that come before the first row; where it stands unless given. */
  readonly offset?: number;
  /** The sender is not there any more: nobody waits for the rest. */
  readonly isGone: () => boolean;
  /** Asked before each batch: nobody else may write the mark meanwhile. */
  readonly mustHold: () => Promise<void>;
}

/** Large enough that the ledger's sorted keys share pages. It takes a batch in short transactions, between which others are answered. */
const BATCH = 10_000;
/** Inputs may be long. */
const MOST_CHARACTERS = 1024 * 1024;
/** Rejected inputs do not reach the sorted keys: a small batch costs no more, and others are answered sooner. */
const REJECTED_BATCH = 1000;
/** The first batch is small: work starts while the rest is still on its way. */
const FIRST_BATCH = 500;
/** Of one job: more are no slips, and each costs as much as a good one. */
const MOST_REJECTED = 100_000;
/** A slow sender's rows do not wait for a full batch, nor for the sender to go on. */
const TRICKLE_MS = 500;

/**
 * Streams the rows into the job, a batch at a time, so that memory stays flat and a fast sender is held back by the ledger. Rows that were taken before
 * are passed over: an upload that broke off is sent again from its offset, or from any place before that.
 */
export const takeInputs = async (
  service: ServiceContext,
  upload: Upload,
  now: () => number,
): Promise<UploadMark> => {
  const { ledger, blobs, laneOf } = service;
  const { job, client, ready, rows, mustHold, isGone } = upload;
  await mustHold();
  let mark = await readMark(blobs, job);
  const { offset = mark.offset } = upload;
  if (offset > mark.offset)
    throw new Problem(
      "offset-gap",
      `The job has ${mark.offset} inputs of this upload. Send it again from there, not from ${offset}.`,
      { offset: mark.offset },
    );
  let skips = mark.offset - offset;
  let batch = FIRST_BATCH;
  let flushedAt = performance.now();
  let items: PlannedItem[] = [];
  let characters = 0;
  let rejected: RejectedInput[] = [];
  const flush = async (): Promise<void> => {
    await mustHold();
    const asked = { client, count: items.length, offset: mark.offset };
    const added = await addWithinQuota(service, asked, now, () => ledger.addItems(job, items, rejected));
    mark = {
      offset: mark.offset + items.length + rejected.length,
      accepted: mark.accepted + added.accepted,
      folded: mark.folded + added.folded,
      rejected: mark.rejected + rejected.length,
      capped: mark.capped + added.capped,
    };
    await writeMark(blobs, job, mark);
    batch = BATCH;
    items = [];
    characters = 0;
    rejected = [];
    flushedAt = performance.now();
  };
  for await (const some of withSilences(rows, TRICKLE_MS)) {
    await giveWay();
    if (isGone()) throw new Problem("bad-inputs", "The connection ended before the body did.");
    for (const row of some) {
      if (skips > 0) {
        skips--;
        continue;
      }
      const planned = planInput(ready.scraper, row, laneOf);
      if ("item" in planned) {
        items.push(planned.item);
        characters += planned.item.key.length + planned.item.input.length;
      } else if (mark.rejected + rejected.length < MOST_REJECTED) rejected.push(planned.rejected);
      else {
        await flush();
        throw new Problem(
          "too-many-rejected",
          `${MOST_REJECTED} inputs of this job were rejected, the last one because: ${planned.rejected.problem}. Correct the file and start another job.`,
          { offset: mark.offset },
        );
      }
      const isFull = items.length + rejected.length >= batch || rejected.length >= REJECTED_BATCH;
      if (isFull || characters >= MOST_CHARACTERS) await flush();
    }
    if (items.length + rejected.length > 0 && performance.now() - flushedAt > TRICKLE_MS) await flush();
  }
  if (items.length + rejected.length > 0) await flush();
  return mark;
};
