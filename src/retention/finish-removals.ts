import { keepJobFile } from "../archive/journal.ts";
import { writeManifest } from "../archive/manifest.ts";
import type { Removal, RemovalScope } from "../domain/removal.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { StoredObject } from "../ports/removals.ts";

interface RemovalTools {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
  /** Deletes what is kept of a removed job beside ledger and archive. */
  readonly removeLog?: (job: string) => Promise<void>;
  readonly signal?: AbortSignal;
  /** Hears how far a removal has come, after every batch. */
  readonly onProgress?: (removal: Removal) => void;
  /** Hears of each removal that is complete. */
  readonly onRemoved?: (removal: Removal) => void;
}

const PAGE = 20;
/** Objects that are counted together, and then deleted. */
const BATCH = 100;

/**
 * Deletes what is marked for removal, also what another process has marked or left in the middle, and then what was kept for jobs that have
 * gone. Two processes may do so at the same time.
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

/** One job, or its pages. After an interruption it can be called again. */
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
  // The pages are hidden already: from now on the manifest does not name them either.
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
  const deleteBatch = async (objects: readonly StoredObject[]): Promise<void> => {
    for (const { name } of await ledger.removals.release(job, objects)) await blobs.remove(name);
    const removal = onProgress && (await ledger.removals.read(job));
    if (removal) onProgress?.(removal);
  };
  let batch: StoredObject[] = [];
  for await (const object of blobs.list(prefix)) {
    if (signal?.aborted) return;
    batch.push(object);
    if (batch.length < BATCH) continue;
    await deleteBatch(batch);
    batch = [];
  }
  if (batch.length > 0) await deleteBatch(batch);
};

/** Objects of removed jobs that were kept for others, and are needed no more. */
const sweepKept = async (tools: RemovalTools): Promise<void> => {
  const { ledger, blobs, signal } = tools;
  for (;;) {
    const due = await ledger.removals.due(PAGE);
    for (const sweep of due) {
      if (signal?.aborted) return;
      const { job, what } = sweep;
      const freed = await ledger.removals.freed(job);
      for (const name of freed) await blobs.remove(name);
      if (freed.length > 0) await ledger.removals.forget(job, freed);
      // Nothing may be left there but what is kept. Of a job that is still there, only what was kept is known to be superfluous.
      if (what === "job") await deleteBelow(tools, job, `jobs/${job}/`);
      await ledger.removals.endSweep(sweep);
    }
    if (due.length === 0) return;
  }
};

/** Where that part of a job lies in the archive. */
const prefixesOf = (job: string, what: RemovalScope): readonly string[] =>
  what === "job" ? [`jobs/${job}/`] : [`jobs/${job}/captures/`, `jobs/${job}/files/`];

/** How much a removal would delete, at most. */
export const storedBytes = async (blobs: Blobs, job: string, what: RemovalScope): Promise<number> => {
  let bytes = 0;
  for (const prefix of prefixesOf(job, what)) for await (const { size } of blobs.list(prefix)) bytes += size;
  return bytes;
};
