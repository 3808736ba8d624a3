import { keepJobFile } from "../archive/journal.ts";
import { writeManifest } from "../archive/manifest.ts";
import type { Removal, RemovalScope } from "../domain/removal.ts";
import { type Blobs, removeAll } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { StoredObject } from "../ports/removals.ts";

interface RemovalTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  /** Deletes a removed job's data outside ledger and archive. */
  readonly removeLog?: (job: string) => Promise<void>;
  readonly signal?: AbortSignal;
  /** Receives the progress of a removal after every batch. */
  readonly onProgress?: (removal: Removal) => void;
  /** Receives each completed removal. */
  readonly onRemoved?: (removal: Removal) => void;
}

const PAGE = 20;
/** Objects counted together before they are deleted. */
const BATCH = 100;
/** Names that are deleted together: what shares an object with others goes at once with them. */
const MOST_TOGETHER = 100_000;

/**
 * Deletes what is marked for removal, including removals that another process marked or left unfinished, and then objects that were kept for jobs
 * removed since. Several processes may do so at the same time.
 */
export const finishRemovals = async (tools: RemovalTools): Promise<void> => {
  const { ledger, signal } = tools;
  for (;;) {
    const removals = await ledger.removals.open(PAGE);
    for (const { job } of removals) {
      await finishRemoval(tools, job);
      if (signal?.aborted) return;
    }
    if (removals.length === 0) break;
  }
  await sweepKept(tools);
};

/** Removes one job, or its pages. Can be called again after an interruption. */
export const finishRemoval = async (tools: RemovalTools, job: string): Promise<void> => {
  const { ledger, signal, onProgress, onRemoved } = tools;
  const { removals } = ledger;
  for (;;) {
    if (signal?.aborted) return;
    const next = await removals.advance(job);
    if (next === "bytes") await deleteBytes(tools, job);
    const removal = (next === "nothing" ? onRemoved : onProgress) && (await removals.read(job));
    if (removal) (next === "nothing" ? onRemoved : onProgress)?.(removal);
    if (next === "nothing") return;
  }
};

const deleteBytes = async (tools: RemovalTools, job: string): Promise<void> => {
  const { ledger, blobs, signal, removeLog } = tools;
  const removal = await ledger.removals.read(job);
  if (!removal) return;
  const { what } = removal;
  // The pages are already hidden: from now on the manifest omits them too.
  if (what === "pages") await writeManifest({ ledger, blobs }, job);
  else await removeLog?.(job);
  for (const prefix of prefixesOf(job, what)) await deleteBelow(tools, job, prefix);
  if (signal?.aborted) return;
  await ledger.removals.endBytes(job, what);
  if (what === "pages") await keepJobFile({ ledger, blobs }, job);
};

const deleteBelow = async (
  { ledger, blobs, signal, onProgress }: RemovalTools,
  job: string,
  prefix: string,
): Promise<void> => {
  const together = blobs.removeMany ? MOST_TOGETHER : 1;
  let released: string[] = [];
  const releaseBatch = async (objects: readonly StoredObject[]): Promise<void> => {
    for (const { name } of await ledger.removals.release(job, objects)) released.push(name);
    if (released.length >= together) await deleteReleased();
    const removal = onProgress && (await ledger.removals.read(job));
    if (removal) onProgress?.(removal);
  };
  const deleteReleased = async (): Promise<void> => {
    await removeAll(blobs, released);
    released = [];
  };
  let batch: StoredObject[] = [];
  for await (const object of blobs.list(prefix)) {
    if (signal?.aborted) return;
    batch.push(object);
    if (batch.length < BATCH) continue;
    await releaseBatch(batch);
    batch = [];
  }
  if (batch.length > 0) await releaseBatch(batch);
  if (released.length > 0) await deleteReleased();
};

/** Deletes objects of removed jobs that were kept for other jobs and are no longer needed. */
const sweepKept = async (tools: RemovalTools): Promise<void> => {
  const { ledger, blobs, signal } = tools;
  for (;;) {
    const due = await ledger.removals.due(PAGE);
    for (const sweep of due) {
      if (signal?.aborted) return;
      const { job, what } = sweep;
      const freed = await ledger.removals.freed(job);
      await removeAll(blobs, freed);
      if (freed.length > 0) await ledger.removals.forget(job, freed);
      // Of a removed job only kept objects may remain. If the job still exists, only the freed objects are known to be unneeded.
      if (what === "job") await deleteBelow(tools, job, `jobs/${job}/`);
      await ledger.removals.endSweep(sweep);
    }
    if (due.length === 0) return;
  }
};

/** The archive folders of that part of a job. */
const prefixesOf = (job: string, what: RemovalScope): readonly string[] =>
  what === "job" ? [`jobs/${job}/`] : [`jobs/${job}/captures/`, `jobs/${job}/files/`];

/** An upper bound of the bytes that a removal deletes. */
export const storedBytes = async (blobs: Blobs, job: string, what: RemovalScope): Promise<number> => {
  let bytes = 0;
  for (const prefix of prefixesOf(job, what)) for await (const { size } of blobs.list(prefix)) bytes += size;
  return bytes;
};
